/** Where a solve stands: its verdict in words, its counters, and while it runs how they move. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Schemas } from "../api/client";
import { SCREEN } from "../board/chart";
import { LayerBars } from "../board/layers";
import { Badge, Stat } from "../parts/parts";
import { Proof } from "../parts/proof";
import { bytes, count, figure, STATUS_WORDS, seconds } from "../parts/format";
import { VerdictLine } from "./heuristic";
import type { Catalogue } from "./question";

type Solve = Schemas["Solve"];

export const isFinal = (solve: Solve) => solve.status !== "queued" && solve.status !== "running";

/** How it ended, or where it stands. */
export const standing = (solve: Solve) => solve.outcome ?? solve.status;

export function sentence(solve: Solve, catalogue: Catalogue | undefined): string {
  const bound = solve.lower_bound ?? 0;
  const far = bound > 0 ? ` Every solution has at least ${bound} moves.` : "";
  switch (standing(solve)) {
    case "queued":
      return "Waiting for a free worker.";
    case "running":
      return solve.progress?.building
        ? `Building the pattern database ${solve.progress.building}${solve.progress.built ? `: ${Math.round(solve.progress.built * 100)} %` : ""}.`
        : "Searching.";
    case "solved":
      if (solve.length === 0) return "Solved already.";
      return solve.optimality === "proven"
        ? `Solved in ${moves(solve.length)}, and no solution is shorter.`
        : `Solved in ${moves(solve.length)}. Shorter ones may exist; every solution has at least ${bound}.`;
    case "exhausted":
      return "There is no solution with these moves: every reachable state was checked.";
    case "limit_reached":
      if (solve.limit === "method") return `This method found no solution.${far}`;
      return `Stopped at the limit of ${limitWords(solve.limit ?? "", catalogue)}.${far}`;
    case "cancelled":
      return `Cancelled.${far}`;
    default:
      return solve.error ? `Failed: ${solve.error}` : "Failed.";
  }
}

/** What a limit or an option that ended a search is called: memory is the limit memory_mib. */
function limitWords(limit: string, catalogue: Catalogue | undefined): string {
  const found = catalogue?.limits.find(({ name }) => name === limit || name.startsWith(`${limit}_`));
  return found?.help ?? catalogue?.options.find(({ name }) => name === limit)?.label.toLowerCase() ?? limit;
}

const moves = (length: number | null | undefined) => (length === 1 ? "1 move" : `${length} moves`);

interface Sample {
  at: number;
  expanded: number;
}

/** What the answers to the polls were, to draw how fast the search is. */
function useSamples(solve: Solve): Sample[] {
  const kept = useRef<{ id: string | null | undefined; samples: Sample[] }>({ id: null, samples: [] });
  if (kept.current.id !== solve.id) kept.current = { id: solve.id, samples: [] };
  const { samples } = kept.current;
  const { progress } = solve;
  useEffect(() => {
    if (!progress?.updated_at) return;
    const at = Date.parse(progress.updated_at) / 1000;
    if (at > (samples[samples.length - 1]?.at ?? 0)) samples.push({ at, expanded: progress.expanded ?? 0 });
  });
  return samples;
}

function rates(samples: readonly Sample[]): number[] {
  return samples.slice(1).map((sample, i) => {
    const before = samples[i] as Sample;
    return (sample.expanded - before.expanded) / Math.max(sample.at - before.at, 1e-3);
  });
}

function Spark(props: { values: readonly number[] }): JSX.Element {
  const values = props.values.slice(-60);
  const top = Math.max(...values, 1);
  const points = values.map((value, i) => `${(i / Math.max(values.length - 1, 1)) * 100},${30 - (value / top) * 28}`);
  return (
    <svg class="spark" viewBox="0 0 100 31" preserveAspectRatio="none" aria-hidden="true">
      {points.length > 1 && <polyline points={points.join(" ")} />}
    </svg>
  );
}

export function Result(props: { solve: Solve; catalogue: Catalogue | undefined; cancel?: () => void; cancelling: boolean }): JSX.Element {
  const { solve } = props;
  const final = isFinal(solve);
  const speeds = rates(useSamples(solve));
  const { counters, progress } = solve;
  const expanded = counters?.expanded ?? progress?.expanded;
  const speed = final && counters && solve.seconds ? counters.expanded / solve.seconds : speeds[speeds.length - 1];
  const memory = final ? solve.peak_bytes : progress?.bytes;
  const bound = final ? solve.lower_bound : (progress?.lower_bound ?? null);
  return (
    <section class="panel result" aria-label="Answer">
      <div class="bar">
        <Badge kind={standing(solve)}>{STATUS_WORDS[standing(solve)]}</Badge>
        {!final && (
          <button type="button" class="plain" disabled={props.cancelling || solve.cancel_requested} onClick={props.cancel}>
            {props.cancelling || solve.cancel_requested ? "Stopping" : "Cancel"}
          </button>
        )}
      </div>
      <p class="sentence" role="status">
        {sentence(solve, props.catalogue)}
      </p>
      <dl class="stats">
        <Stat strong name="Length" value={count(solve.length)} title="moves of the solution" />
        <Stat strong name="Lower bound" value={count(bound)} title="proven: no solution is shorter" />
        <Stat name="Expanded" value={count(expanded)} title="nodes whose successors were produced" />
        <Stat name="Nodes a second" value={figure(speed)} />
        <Stat name="Generated" value={count(counters?.generated ?? progress?.generated)} />
        <Stat name="Stored" value={count(counters?.stored ?? progress?.stored)} title="distinct states held" />
        <Stat name="Memory" value={bytes(memory)} />
        <Stat name="Time" value={final ? seconds(solve.seconds) : <Elapsed since={solve.started_at} />} />
        {counters && (
          <>
            <Stat name="Last f-layer" value={count(counters.expanded_last_layer)} title="expansions with f equal to the cost" />
            <Stat name="Reopened" value={count(counters.reopened)} />
            <Stat name="Evaluated" value={count(counters.evaluated)} title="heuristic evaluations" />
            <Stat name="Largest open list" value={count(counters.max_open)} />
            <Stat
              name="b*, generated"
              value={figure(counters.branching_generated)}
              title="generated nodes for each move of the solution"
            />
            <Stat name="b*, effective" value={figure(counters.branching_effective)} title="Russell and Norvig's" />
          </>
        )}
      </dl>
      {!final && <Spark values={speeds} />}
      {final && solve.layers && solve.layers.length > 1 && (
        <details>
          <summary>Expansions by f</summary>
          <LayerBars layers={solve.layers.map(([f, expanded]) => ({ f, expanded, own: null }))} width={330} theme={SCREEN} own={false} />
        </details>
      )}
      {final && solve.certificate?.status === "made" && (
        <Proof path={`/v1/jobs/${solve.id}/certificate`} name={`Proof: ${bytes(solve.certificate.bytes)}`} />
      )}
      {final && solve.certificate?.status === "none" && <p class="quiet">No proof was written: {solve.certificate.reason}.</p>}
      {solve.heuristic.expression !== "0" && <VerdictLine verdict={solve.heuristic} />}
    </section>
  );
}

function Elapsed(props: { since: string | null | undefined }): JSX.Element {
  return <>{props.since ? seconds(Math.max(0, Math.round((Date.now() - Date.parse(props.since)) / 1000))) : "–"}</>;
}
