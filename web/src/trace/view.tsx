/** Search: every node that A* expands, by g and h, and which of them another heuristic skips. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Puzzle, useHeuristics, usePuzzle, usePuzzles } from "../api/catalogue";
import { api, ask, Problem, type Schemas } from "../api/client";
import { useLoaded, useSettled } from "../api/hooks";
import { count } from "../parts/format";
import { Badge, Field, Notice, NumberInput, Snippets, Waiting } from "../parts/parts";
import { quoted } from "../solve/command";
import { givenState } from "../solve/question";
import { Stage, type State } from "../puzzle/stage";
import { go, link, type Route } from "../route";
import { HeuristicInput } from "../solve/heuristic";
import { PuzzlePicker } from "../solve/puzzle";
import { type Cell, cellsOf, Grid, Layers } from "./grid";

type Traced = Schemas["TracedSearch"];

const PAIRS: Record<string, [string, string]> = {
  "8-puzzle": ["misplaced_tiles", "manhattan"],
  "15-puzzle": ["manhattan", "manhattan + linear_conflict"],
  megaminx: ["ceil(misplaced_facelets / 30)", "ceil(misplaced_facelets / 15)"],
  master_pyraminx: ["ceil(misplaced_facelets / 40)", "ceil(misplaced_facelets / 27)"],
};

export function TraceView(props: { route: Route }): JSX.Element {
  const { query } = props.route;
  const name = query.get("puzzle") ?? "8-puzzle";
  const [one, two] = PAIRS[name] ?? ["misplaced_tiles", "manhattan"];
  const first = query.get("first") ?? one;
  const second = query.get("second") ?? two;
  const k = Number(query.get("k") ?? (name === "8-puzzle" ? 14 : name === "15-puzzle" ? 18 : 3));
  const seed = Number(query.get("seed") ?? 3);
  const puzzles = usePuzzles();
  const puzzle = usePuzzle(name);
  const named = useHeuristics(name).data ?? [];
  const set = (part: Record<string, string>) => {
    const next = part.puzzle
      ? new URLSearchParams(part)
      : new URLSearchParams({ puzzle: name, k: String(k), seed: String(seed), first, second, ...part });
    go(link("search", null, next), true);
  };
  const request = { puzzle: name, scramble: { k, seed }, heuristics: [first, second].map((text) => text.trim()).filter(Boolean), expanded: 3000 };
  const settled = useSettled(JSON.stringify(request), 300);
  const traced = useLoaded(["trace", settled], (signal) => ask(api.POST("/v1/traces", { body: JSON.parse(settled) as Schemas["TraceRequest"], signal })));
  return (
    <div class="view trace">
      <section class="panel ask" aria-label="Problem">
        <div class="fields">
          <h1>What A* expands</h1>
          <PuzzlePicker puzzles={puzzles.data ?? []} value={name} choose={(to) => set({ puzzle: to })} problem={puzzle.problem} />
          <div class="row">
            <Field label="Moves, k">{(at) => <NumberInput {...at} min={0} max={60} value={k} set={(to = 0) => set({ k: String(to) })} />}</Field>
            <Field label="Seed">{(at) => <NumberInput {...at} min={0} value={seed} set={(to = 0) => set({ seed: String(to) })} />}</Field>
            <button type="button" class="plain dice" onClick={() => set({ seed: String(Math.floor(Math.random() * 1e4)) })}>
              Shuffle
            </button>
          </div>
          {puzzle.data && (
            <>
              <HeuristicInput
                label="First heuristic"
                puzzle={puzzle.data}
                moves={puzzle.data.default_moves}
                named={named}
                value={first}
                set={(to) => set({ first: to })}
                problem={undefined}
              />
              <HeuristicInput
                label="Second heuristic"
                puzzle={puzzle.data}
                moves={puzzle.data.default_moves}
                named={named}
                value={second}
                set={(to) => set({ second: to })}
                problem={undefined}
              />
            </>
          )}
        </div>
      </section>
      <div class="seen">
        {traced.problem && <Notice problem={traced.problem} />}
        {!traced.problem && !traced.data && <Waiting what="the searches" lines={10} />}
        {traced.data && puzzle.data && <Searches trace={traced.data} puzzle={puzzle.data} />}
        <section class="panel" aria-label="As a command or request">
          <h2>As a command or request</h2>
          <Snippets
            texts={{
              curl: `curl ${location.origin}/v1/traces \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(request))}`,
              JSON: JSON.stringify(request, null, 2),
            }}
          />
        </section>
      </div>
    </div>
  );
}

function Searches(props: { trace: Schemas["Trace"]; puzzle: Puzzle }): JSX.Element {
  const { trace, puzzle } = props;
  const longest = Math.max(...trace.searches.map((search) => search.nodes.length), 1);
  const [made, setMade] = useState(longest);
  const [picked, pick] = useState<{ search: number; cell: Cell } | null>(null);
  useEffect(() => {
    setMade(longest);
    pick(null);
  }, [trace]);
  const expanded = useMemo(() => trace.searches.map((search) => new Set(search.nodes.map((node) => node.state))), [trace]);
  return (
    <>
      <section class="panel" aria-label="Order">
        <Field label={`Expansions made: ${count(Math.min(made, longest))} of ${count(longest)}`}>
          {(at) => (
            <input {...at} type="range" min={0} max={longest} value={made} onInput={(event) => setMade(event.currentTarget.valueAsNumber)} />
          )}
        </Field>
        <p class="legend">
          <span class="swatch">
            <span class="dot both" />
            both expand it
          </span>
          <span class="swatch">
            <span class="dot only" />
            the other one skips it
          </span>
          <span class="quiet">Areas are numbers of nodes. Lines from upper left to lower right have one f = g + h. Press a circle to see its states.</span>
        </p>
      </section>
      <div class="pair">
        {trace.searches.map((search, number) => {
          const other = expanded[1 - number];
          const cells = cellsOf(search.nodes.slice(0, made), other);
          return (
            <section key={number} class="panel result" aria-label={`Search with ${search.heuristic}`}>
              <h2>
                <code>{search.heuristic}</code>
              </h2>
              <p>
                <Badge kind={search.status}>{search.status === "solved" ? `solved in ${search.solution.length}` : "stopped"}</Badge>{" "}
                <strong>{count(search.nodes.length)}</strong> expanded
                {other && (
                  <>
                    , of which the other one skips <strong>{count(skipped(search, other))}</strong>
                  </>
                )}
              </p>
              <Grid cells={cells} all={trace.searches.flatMap((one) => one.nodes)} picked={picked?.search === number ? picked.cell : null} pick={(cell) => pick({ search: number, cell })} />
              <Layers nodes={search.nodes.slice(0, made)} other={other} all={trace.searches} />
            </section>
          );
        })}
      </div>
      {picked && <States trace={trace} puzzle={puzzle} search={trace.searches[picked.search]} cell={picked.cell} />}
    </>
  );
}

function skipped(search: Traced, other: ReadonlySet<number>): number {
  return new Set(search.nodes.filter((node) => !other.has(node.state)).map((node) => node.state)).size;
}

/** Some of the states of a cell, drawn. */
function States(props: { trace: Schemas["Trace"]; puzzle: Puzzle; search: Traced | undefined; cell: Cell }): JSX.Element {
  const { trace, puzzle, search, cell } = props;
  const nodes = (search?.nodes ?? []).filter((node) => node.g === cell.g && node.h === cell.h).slice(0, 6);
  const found = useLoaded(["states of", trace.start, nodes.map((node) => node.state).join()], () =>
    Promise.all(
      nodes.map(async (node) => {
        const moves = wayTo(search?.nodes ?? [], node.state);
        if (moves.length === 0) return { moves, state: trace.start.state as State };
        const body = { puzzle: trace.puzzle, goal: trace.goal, state: givenState(trace.start.state), then: moves.join(" ") };
        const answer = await ask(api.POST("/v1/states", { body: body as Schemas["StateRequest"] }));
        return { moves, state: answer.path[answer.path.length - 1]?.state as State };
      }),
    ),
  );
  return (
    <section class="panel" aria-label="States" role="status">
      <h2>
        g = {cell.g}, h = {cell.h}: {count(cell.count)} expanded{cell.count > nodes.length ? `, the first ${nodes.length} of them` : ""}
      </h2>
      {found.problem instanceof Problem && <Notice problem={found.problem} />}
      <ul class="gallery">
        {found.data?.map(({ moves, state }, i) => (
          <li key={i}>
            <Stage puzzle={puzzle} state={state} title={`after ${moves.join(" ") || "no move"}`} turning={{ setup: null, moves: [], done: 0 }} />
            <code>{moves.join(" ") || "start"}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function wayTo(nodes: readonly Schemas["TraceNode"][], state: number): string[] {
  const last = new Map(nodes.map((node) => [node.state, node]));
  const moves: string[] = [];
  for (let at = last.get(state); at && at.parent !== null; at = last.get(at.parent)) moves.unshift(at.move ?? "");
  return moves;
}
