/** One experiment: how far it is, its plot, its table, who wins, and everything to take along. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, ask, connection, download, Problem, type Schemas } from "../api/client";
import { useAlgorithms } from "../api/catalogue";
import { useLoaded, useStepped } from "../api/hooks";
import { count, figure, STATUS_WORDS, seconds } from "../parts/format";
import { Badge, Failed, Field, Notice, Snippets, Stat, Waiting } from "../parts/parts";
import { go, link, type Route } from "../route";
import { Chart, loadPlot, MEASURES } from "./chart";
import { body, curl } from "../solve/command";
import { colourOf, command, fromExperiment, instancesText, sameSeries, seriesName, seriesOf, toQuery } from "./request";
import { Rows } from "./rows";
import { Meter } from "./view";

type Table = Schemas["Table"];
/** Comparisons of more rows than this are made when they are asked for. */
const COMPARED_AT_ONCE = 20_000;

export function Detail(props: { id: string; route: Route }): JSX.Element {
  const { id, route } = props;
  const x = route.query.get("x") === "true_distance" ? "true_distance" : "k";
  const measure = route.query.get("measure") ?? "expanded";
  const other = route.query.get("other") ?? "";
  const set = (name: string, value: string) => {
    const query = new URLSearchParams(route.query);
    if (value) query.set(name, value);
    else query.delete(name);
    go(link("experiments", id, query), true);
  };
  const [cancelling, setCancelling] = useState(false);
  const [failed, setFailed] = useState<Problem | undefined>();
  const found = useLoaded(
    ["experiment", id],
    () => ask(api.GET("/v1/experiments/{id}", { params: { path: { id } } })),
    // Every look at a large one that fills is a look at all its rows.
    (one) => (one.outcomes.pending ? Math.max(1000, one.rows / 50) : null),
  );
  const one = found.data;
  // While a large one fills, its table is made less often.
  const ended = useStepped(one?.outcomes.n, one?.outcomes.pending === 0, Math.max(1000, (one?.rows ?? 0) / 10));
  const table = useLoaded(["table", id, x, measure, ended], (signal) =>
    // Until it is known how far the experiment is, there is no table to ask for.
    ended === undefined
      ? new Promise<never>(() => {})
      : ask(api.GET("/v1/experiments/{id}/table", { params: { path: { id }, query: { x, measure: [measure] } }, signal })),
  );
  useEffect(() => void loadPlot(), []);
  const catalogue = useAlgorithms().data;
  const tabled = useRef(false);
  tabled.current ||= table.data !== undefined || table.problem !== undefined;
  if (found.problem) return <Failed problem={found.problem} retry={found.reload} />;
  if (!one) return <Waiting what="the experiment" lines={10} />;
  const request = fromExperiment(one.request);
  const pending = one.outcomes.pending ?? 0;
  const save = (path: string) => {
    setFailed(undefined);
    download(`/v1/experiments/${id}/${path}`).catch((error: unknown) => setFailed(error instanceof Problem ? error : undefined));
  };
  const cancel = async () => {
    setCancelling(true);
    await ask(api.DELETE("/v1/experiments/{id}", { params: { path: { id } } })).catch(() => setCancelling(false));
    found.reload();
  };
  return (
    <div class="view experiment">
      <div class="head">
        <div>
          <h1>
            {request.puzzle}, {instancesText(one.request)}
          </h1>
          {one.request.k && (
            <p class="quiet">
              {count(request.trials ?? 5)} scrambles for each k, seed {request.seed}
            </p>
          )}
        </div>
        <div class="row">
          {one.request.k && (
            <a class="plain" href={link("experiments", "new", toQuery(request))}>
              Change and run again
            </a>
          )}
          <a class="plain" href={link("jobs", null, new URLSearchParams({ experiment: id }))}>
            Its searches
          </a>
          {pending > 0 && (
            <button type="button" class="plain" disabled={cancelling} onClick={cancel}>
              {cancelling ? "Stopping" : "Cancel"}
            </button>
          )}
        </div>
      </div>
      <section class="panel standing" aria-label="Progress">
        <Badge kind={one.status}>{STATUS_WORDS[one.status]}</Badge>
        <Meter experiment={one} />
        <dl class="stats inline">
          <Stat name="Ended" value={`${count(one.outcomes.n)} of ${count(one.rows)}`} />
          <Stat name="Solved" value={count(one.outcomes.solved)} />
          <Stat name="Stopped at a limit" value={count(one.outcomes.limit_reached)} />
          {pending > 0 && <Stat name="Left" value={seconds(one.seconds_left)} />}
        </dl>
      </section>
      {table.problem && <Notice problem={table.problem} retry={table.reload} />}
      {!table.data && !table.problem && <Waiting what="the table" lines={10} />}
      {table.data && (
        <>
          <Chart
            experiment={one}
            done={ended ?? 0}
            table={table.data}
            x={x}
            setX={(to) => set("x", to === "k" ? "" : to)}
            measure={measure}
            setMeasure={(to) => set("measure", to === "expanded" ? "" : to)}
          />
          <Numbers table={table.data} measure={measure} />
          <Growth table={table.data} measure={measure} />
        </>
      )}
      {/* Not before what stands above it, which would push it down. */}
      {tabled.current && (
        <section class="panel" aria-label="Every search">
          <h2>Every search, row by row</h2>
          <Rows id={id} rows={one.rows} done={ended ?? 0} />
        </section>
      )}
      {tabled.current && <Compare id={id} rows={one.rows} done={ended ?? 0} measure={measure} other={other} choose={(to) => set("other", to)} />}
      {tabled.current && <section class="panel" aria-label="Downloads">
        <h2>Downloads</h2>
        <div class="downloads">
          {["rows.csv", "rows.json", "rows.parquet", `table.csv?x=${x}`, `plot.svg?x=${x}`, `plot.png?x=${x}`, `plot.pdf?x=${x}`].map((path) => (
            <button key={path} type="button" class="plain" onClick={() => save(path)}>
              {path.split("?")[0]}
            </button>
          ))}
        </div>
        {failed && <Notice problem={failed} />}
        {catalogue && (
          <Snippets
            texts={{
              "Command line": command(request, catalogue, location.origin),
              curl: curl("/v1/experiments", request, location.origin, connection.key !== null),
              JSON: body(request),
            }}
          />
        )}
      </section>}
    </div>
  );
}

function Numbers(props: { table: Table; measure: string }): JSX.Element {
  const { groups } = props.table;
  const series = seriesOf(groups);
  const options = useAlgorithms().data?.options ?? [];
  return (
    <div class="scroll numbers" tabIndex={0} role="region" aria-label="Table">
      <table>
        <caption class="unseen">{MEASURES[props.measure] ?? props.measure}, by k and way to search</caption>
        <thead>
          <tr>
            <th class="number">{props.table.x === "k" ? "k" : "h*"}</th>
            <th>Search</th>
            <th class="number">Solved</th>
            <th class="number" title="of these, solutions that are proven shortest">Proven</th>
            <th class="number">Stopped</th>
            <th class="number">Median</th>
            <th class="number">Quartiles</th>
            <th class="number">Least</th>
            <th class="number">Most</th>
            <th class="number">Mean</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => {
            const summary = group.measures[props.measure];
            const more = (marked: boolean | undefined) => (marked ? "≥ " : "");
            const number = series.findIndex((one) => sameSeries(one, group.series));
            return (
              <tr key={`${group.x} ${number}`}>
                <td class="number">{group.x ?? "not known"}</td>
                <td>
                  <span class="dot" style={{ background: colourOf(number) }} aria-hidden="true" />
                  <span class="clip">{seriesName(group.series, series, options)}</span>
                </td>
                <td class="number">{count(group.outcomes.solved)}</td>
                <td class="number">{count(group.outcomes.proven)}</td>
                <td class="number">{count(group.outcomes.limit_reached)}</td>
                <td class="number">
                  {more(summary?.median_all_at_least)}
                  {figure(summary?.median_all)}
                </td>
                <td class="number">
                  {more(summary?.lower_quartile_all_at_least)}
                  {figure(summary?.lower_quartile_all)} to {more(summary?.upper_quartile_all_at_least)}
                  {figure(summary?.upper_quartile_all)}
                </td>
                <td class="number">{figure(summary?.minimum)}</td>
                <td class="number">{figure(summary?.maximum)}</td>
                <td class="number">{figure(summary?.mean)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Growth(props: { table: Table; measure: string }): JSX.Element | null {
  const series = seriesOf(props.table.groups);
  const options = useAlgorithms().data?.options ?? [];
  const known = props.table.growth.filter((one) => one.measure === props.measure && one.factor != null);
  if (known.length === 0) return null;
  return (
    <section class="panel growth" aria-label="Growth">
      <h2>With each move the median grows</h2>
      <ul>
        {known.map((one) => (
          <li key={seriesName(one.series, series, options)}>
            <span class="dot" style={{ background: colourOf(series.findIndex((other) => sameSeries(other, one.series))) }} aria-hidden="true" />
            <strong>× {figure(one.factor)}</strong> {seriesName(one.series, series, options)}
            {one.low != null && one.high != null && (
              <small>
                {" "}
                95 %: {figure(one.low)} to {figure(one.high)}, from {count(one.searches)} searches
              </small>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Compare(props: { id: string; rows: number; done: number; measure: string; other: string; choose: (other: string) => void }): JSX.Element {
  const { id, other, measure } = props;
  const others = useLoaded(["experiments for comparison"], () => ask(api.GET("/v1/experiments", { params: { query: { limit: 50 } } })));
  const [wanted, setWanted] = useState(props.rows <= COMPARED_AT_ONCE);
  const found = useLoaded(["comparison", id, props.done, other, measure, wanted], async () =>
    wanted
      ? ask(api.GET("/v1/experiments/{id}/comparison", { params: { path: { id }, query: { measure, ...(other && { other }) } } }))
      : null,
  );
  return (
    <section class="panel compare" aria-label="Comparison">
      <div class="bar">
        <h2>Who searches less</h2>
        <Field label="Compared with">
          {(at) => (
            <select {...at} value={other} onChange={(event) => props.choose(event.currentTarget.value)}>
              <option value="">its own ways to search</option>
              {others.data?.items
                .filter((one) => one.id !== id)
                .map((one) => (
                  <option key={one.id} value={one.id ?? ""}>
                    {one.request.puzzle}, {instancesText(one.request)}, {(one.request.heuristics ?? []).join(", ")}
                  </option>
                ))}
            </select>
          )}
        </Field>
      </div>
      {found.problem && <Notice problem={found.problem} />}
      {!wanted && (
        <p class="quiet">
          With so many searches this takes some seconds.{" "}
          <button type="button" class="plain" onClick={() => setWanted(true)}>
            Compare {count(props.rows)} searches
          </button>
        </p>
      )}
      {wanted && !found.data && !found.problem && <Waiting what="the comparison" lines={2} />}
      {found.data?.items.length === 0 && <p class="quiet">There is one way to search here. Add a heuristic, or choose another experiment.</p>}
      <ul>
        {found.data?.items.map((one) => (
          <li key={JSON.stringify([one.first, one.second])}>
            <p>{one.sentence}</p>
            {(one.tests ?? []).map((test) => (
              <p key={test.name}>{test.sentence}</p>
            ))}
            <div
              class="meter"
              role="img"
              aria-label={`${one.wins} wins, ${one.ties} ties, ${one.losses} losses, ${one.undecided} undecided`}
              title={`${one.wins} wins, ${one.ties} ties, ${one.losses} losses, ${one.undecided} undecided`}
            >
              {(["wins", "ties", "losses", "undecided"] as const).map((name) => (
                <span key={name} class={name} style={{ width: `${(100 * one[name]) / Math.max(one.instances, 1)}%` }} />
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
