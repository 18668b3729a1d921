/** The plot, loaded on demand, with what it is of: measure, axis and the names of its colours. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { askText, type Schemas } from "../api/client";
import { useAlgorithms } from "../api/catalogue";
import { useLoaded } from "../api/hooks";
import { Choice, Field, Notice, Waiting } from "../parts/parts";
import type { Point } from "./plot";
import { type Catalogue, described } from "../solve/question";
import { colourOf, sameSeries, seriesName, seriesOf } from "./request";

export const MEASURES: Record<string, string> = {
  expanded: "nodes expanded",
  generated: "nodes generated",
  seconds: "seconds",
  peak_bytes: "bytes",
  expanded_last_layer: "nodes expanded in the last f-layer",
  stored: "states stored",
  length: "moves of the solution",
};

/** The code that draws, which is asked for while the numbers are on their way. */
export const loadPlot = () => import("./plot");

/** Up to so many searches each is a point; beyond, boxes say more. */
const MOST_POINTS = 1500;

export function Chart(props: {
  experiment: Schemas["Experiment"];
  done: number;
  table: Schemas["Table"];
  x: "k" | "true_distance";
  setX: (x: "k" | "true_distance") => void;
  measure: string;
  setMeasure: (measure: string) => void;
}): JSX.Element {
  const { experiment, table, measure, x } = props;
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [failed, setFailed] = useState(false);
  const [drawn, setDrawn] = useState(false);
  const series = seriesOf(table.groups);
  const catalogue = useAlgorithms().data;
  const names = series.map((one) => seriesName(one, series, catalogue?.options ?? []));
  const rows = useLoaded(["points", experiment.id, props.done, x, measure, catalogue !== undefined], () =>
    experiment.rows > MOST_POINTS || x !== "k" || !catalogue ? Promise.resolve([]) : points(experiment.id ?? "", series, measure, catalogue),
  );
  useEffect(() => {
    const node = place.current;
    if (node === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    let gone = false;
    if (width === 0) return;
    loadPlot().then(
      ({ draw }) => {
        if (gone || place.current === null) return;
        const unit = MEASURES[measure] ?? measure;
        const label = x === "k" ? "moves of the scramble, k" : "proven distance to the goal";
        place.current.replaceChildren(draw({ groups: table.groups, series, names, measure, unit, x: label, width, points: rows.data ?? [] }));
        setDrawn(true);
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
    };
  }, [table, measure, width, rows.data, catalogue]);
  const nothing = table.groups.every((group) => group.measures[measure]?.median_all == null);
  return (
    <figure class="panel chart">
      <div class="bar">
        <Field label="Measure">
          {(at) => (
            <select {...at} value={measure} onChange={(event) => props.setMeasure(event.currentTarget.value)}>
              {Object.entries(MEASURES).map(([name, words]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        {experiment.request.true_distance && (
          <Choice label="Against" value={x} options={{ k: "k", true_distance: "true distance" }} choose={props.setX} />
        )}
      </div>
      <div class="canvas" aria-hidden="true">
        {!drawn && !failed && <Waiting what="the plot" lines={0} />}
        <div ref={place} />
      </div>
      {failed && <p class="quiet">The plot could not be loaded. The table has its numbers.</p>}
      {nothing && <p class="quiet">Nothing has ended yet. Points appear here as searches end.</p>}
      {rows.problem && <Notice problem={rows.problem} />}
      <figcaption>
        {series.map((_, number) => (
          <span key={number} class="swatch">
            <svg viewBox="0 0 12 12" aria-hidden="true">
              <rect width="12" height="12" rx="3" fill={colourOf(number)} />
            </svg>
            {names[number]}
          </span>
        ))}
        <span class="quiet">Line: median. Box: quartiles. Open triangle: stopped at a limit, or ended without the proof that it looked for, so the true value is larger.</span>
      </figcaption>
    </figure>
  );
}

async function points(id: string, series: readonly Schemas["Series"][], measure: string, catalogue: Catalogue): Promise<Point[]> {
  const found: Point[] = [];
  const rows = JSON.parse(await askText(`/v1/experiments/${id}/rows.json`)) as Record<string, unknown>[];
  for (const row of rows) {
    const value = row[measure];
    if (typeof value !== "number" || typeof row.k !== "number") continue;
    if (row.outcome !== "solved" && row.outcome !== "limit_reached") continue;
    const number = series.findIndex((one) => sameSeries(one, row));
    // What goes on after its first solution, and ends without a proof, has only a lower bound of its counts.
    const unproven = row.optimality === "feasible" && described(catalogue, String(row.algorithm))?.improves === true;
    if (number >= 0) found.push({ x: row.k, y: value, number, stopped: row.outcome !== "solved" || unproven });
  }
  return found;
}
