/** Audit: is this heuristic admissible? If not, the state that shows it, on the puzzle. `#/audit?puzzle=...&heuristic=...` */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Puzzle, useHeuristics, usePuzzle, usePuzzles } from "../api/catalogue";
import { api, ask, askJob, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { count, figure } from "../parts/format";
import { Badge, Empty, Failed, Field, Notice, Snippets, Stat, Waiting } from "../parts/parts";
import { Proof } from "../parts/proof";
import { Stage, type State } from "../puzzle/stage";
import { go, link, type Route } from "../route";
import { HeuristicInput, useCheck, VERDICT_WORDS } from "../solve/heuristic";
import { MoveSetSelect, PuzzlePicker } from "../solve/puzzle";
import { commandLine, quoted } from "../solve/command";
import { toQuery } from "../solve/question";
import { ended } from "../jobs/job";
import { Distances } from "./distances";
import { type AuditJob, ByRadius } from "./radius";

export function AuditView(props: { route: Route }): JSX.Element {
  const { id } = props.route;
  const job = useLoaded(
    ["audit", id],
    async () => (id === null ? null : askJob("heuristic-audit", id)),
    (found) => (found === null || ended(found) ? null : 500),
  );
  if (id !== null && job.problem) return <Failed problem={job.problem} retry={job.reload} />;
  const found = job.data?.id === id ? job.data : null;
  if (id !== null && found === null) return <Waiting what="the audit" lines={10} />;
  return <Question query={found ? asQuery(found.request) : props.route.query} job={found} reload={job.reload} />;
}

function asQuery(request: Schemas["HeuristicAuditRequest"]): URLSearchParams {
  const { puzzle, heuristic, moves, radius } = request;
  return new URLSearchParams({ puzzle, heuristic: heuristic ?? "", ...(moves && { moves }), ...(radius != null && { radius: String(radius) }) });
}

function Question(props: { query: URLSearchParams; job: AuditJob | null; reload: () => void }): JSX.Element {
  const { query, job } = props;
  const name = query.get("puzzle") ?? "megaminx";
  const first = name === "megaminx" && query.get("heuristic") === null ? "ceil(misplaced_facelets / 5)" : "";
  const heuristic = query.get("heuristic") ?? first;
  const puzzles = usePuzzles();
  const puzzle = usePuzzle(name);
  const named = useHeuristics(name).data ?? [];
  const set = (part: Record<string, string>) => {
    const kept = Object.fromEntries(["moves", "radius"].flatMap((one) => (query.get(one) ? [[one, query.get(one) ?? ""]] : [])));
    const next = new URLSearchParams({ puzzle: name, heuristic, ...kept, ...part });
    if (part.puzzle) {
      for (const one of ["moves", "radius"]) next.delete(one);
      next.set("heuristic", "");
    }
    go(link("audit", null, next), job === null);
  };
  const moves = query.get("moves") ?? puzzle.data?.default_moves ?? "";
  return (
    <div class="view audit">
      <section class="panel ask" aria-label="Heuristic">
        <div class="fields">
          <h1>Audit a heuristic</h1>
          <PuzzlePicker puzzles={puzzles.data ?? []} value={name} choose={(to) => set({ puzzle: to })} problem={puzzle.problem} />
          {puzzle.data && (
            <>
              <Field label="Moves, each at cost 1" hint={puzzle.data.move_sets[moves]?.description}>
                {(at) => <MoveSetSelect {...at} puzzle={puzzle.data} value={moves} choose={(to) => set({ moves: to })} />}
              </Field>
              <HeuristicInput
                puzzle={puzzle.data}
                moves={moves}
                named={named}
                value={heuristic}
                set={(to) => set({ heuristic: to })}
                problem={undefined}
              />
            </>
          )}
        </div>
      </section>
      {puzzle.data ? (
        <Found
          key={puzzle.data.name}
          puzzle={puzzle.data}
          moves={moves}
          heuristic={heuristic.trim() || puzzle.data.default_heuristic}
          radius={Number(query.get("radius") ?? 4)}
          setRadius={(radius) => set({ radius: String(radius) })}
          job={job}
          reload={props.reload}
        />
      ) : (
        <Waiting what="the puzzle" lines={8} />
      )}
    </div>
  );
}

function Found(props: {
  puzzle: Puzzle;
  moves: string;
  heuristic: string;
  radius: number;
  setRadius: (radius: number) => void;
  job: AuditJob | null;
  reload: () => void;
}): JSX.Element {
  const { puzzle, moves } = props;
  const check = useCheck(puzzle, moves, props.heuristic);
  const { asked } = check;
  const [wanted, setWanted] = useState(3000);
  const near = useLoaded(["nearby", puzzle.name, moves, asked, wanted], (signal) =>
    ask(api.POST("/v1/heuristics/nearby", { body: { puzzle: puzzle.name, moves, heuristic: asked, states: wanted }, signal })),
  );
  const found = check.data && withAudit(check.data, props.job?.answer ?? null);
  if (!found && check.problem)
    return (
      <section class="panel">
        <Empty title="This heuristic cannot be read">The line below it says where. The picture returns when it can be read.</Empty>
      </section>
    );
  if (!found) return <Waiting what="the verdict" lines={10} />;
  const request = { puzzle: puzzle.name, heuristic: asked, moves };
  return (
    <>
      <div class="evidence">
        <section class="panel result" aria-label="Verdict">
          <div class="row badges">
            <Badge kind={found.admissible}>admissible: {VERDICT_WORDS[found.admissible]}</Badge>
            <Badge kind={found.consistent}>consistent: {VERDICT_WORDS[found.consistent]}</Badge>
          </div>
          <p class="sentence" role="status">
            {words(found)}
          </p>
          <p class="quiet">{found.reason}</p>
          <dl class="stats">
            <Stat name="Mean h" value={figure(found.mean)} title={`on ${found.scrambles} scrambles of ${found.scramble_length} moves`} />
            <Stat name="h lies between" value={`${figure(found.bounds.low)} and ${figure(found.bounds.high)}`} />
            <Stat name="A move lowers h by" value={`at most ${figure(found.bounds.drop)}`} />
            <Stat name="A move raises h by" value={`at most ${figure(found.bounds.rise)}`} />
          </dl>
        </section>
        <figure class="panel chart">
          <h2>h against the true distance h*, on the states nearest to the goal</h2>
          {near.problem && <Notice problem={near.problem} />}
          {!near.problem && !near.data && <Waiting what="the picture" lines={6} />}
          {!near.problem && near.data && (
            <div class="beside">
              <Distances found={near.data} />
              <figcaption class="quiet">
                <p>
                  {count(near.data.states)} states{near.data.whole ? ": all that there are" : `, all of those up to distance ${near.data.radius}${near.data.cells.some((cell) => cell.distance > (near.data?.radius ?? 0)) ? " and some beyond" : ""}`}.
                  Each square is the states with one h* and one h, stronger where there are more. Above the line h is too large.
                </p>
                {!near.data.whole && wanted < 20_000 && (
                  <button type="button" class="plain" onClick={() => setWanted(20_000)}>
                    Look at more
                  </button>
                )}
              </figcaption>
            </div>
          )}
        </figure>
        <Counterexample
          puzzle={puzzle}
          moves={moves}
          check={found}
          audit={check.data?.counterexample ? null : props.job?.answer?.counterexample ? props.job.id : null}
        />
      </div>
      <ByRadius request={{ ...request, radius: props.radius }} setRadius={props.setRadius} job={props.job} reload={props.reload} />
      <Beside check={found} />
      <section class="panel" aria-label="As a command or request">
        <h2>As a command or request</h2>
        <Snippets
          texts={{
            "Command line": commandLine(["hstar", "audit", "heuristic", puzzle.name, quoted(asked), "--moves", moves]),
            curl: `curl ${location.origin}/v1/heuristics/check \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(request))}`,
            JSON: JSON.stringify(request, null, 2),
          }}
        />
      </section>
    </>
  );
}

function words(found: Schemas["HeuristicCheck"]): string {
  const { counterexample } = found;
  if (counterexample && counterexample.scramble.length === 0) return `h is ${counterexample.h} at the goal, where it has to be 0.`;
  if (counterexample)
    return `It overestimates: ${counterexample.true_distance === 1 ? "one move" : `${counterexample.true_distance} moves`} from the goal it says ${counterexample.h}. A* with it may miss the shortest solution.`;
  if (found.admissible === "proven") return "It never overestimates. A* with it finds a shortest solution.";
  if (found.admissible === "refuted") return "It overestimates somewhere. A* with it may miss the shortest solution.";
  return "Not known: there is no proof, and no counterexample near the goal.";
}

/** `audit`: the job whose counterexample it is, if the quick check has none. */
function Counterexample(props: {
  puzzle: Puzzle;
  moves: string;
  check: Schemas["HeuristicCheck"];
  audit: string | null;
}): JSX.Element {
  const { puzzle, check } = props;
  const shown = check.counterexample ?? check.inconsistency;
  const alg = shown?.scramble.join(" ") ?? "";
  const state = useLoaded(["state of", puzzle.name, alg], () => ask(api.POST("/v1/states", { body: { puzzle: puzzle.name, alg } })));
  const solve = link("solve", null, toQuery({ puzzle: puzzle.name, alg, moves: props.moves, heuristic: check.written }));
  return (
    <section class="panel see" aria-label="Counterexample">
      <h2>{check.counterexample ? "Counterexample" : check.inconsistency ? "Where one move lowers h by more than 1" : "No counterexample"}</h2>
      {shown ? (
        <>
          <Stage
            puzzle={puzzle}
            state={state.data?.start.state as State | undefined}
            title={`Counterexample: ${alg || "the goal"}`}
            turning={{ moves: shown.scramble, done: shown.scramble.length }}
          />
          <p>
            <code>{alg || "the goal itself"}</code>
          </p>
          {check.counterexample ? (
            <p>
              h = {check.counterexample.h}, and h* = {check.counterexample.true_distance}. <a href={solve}>Solve it</a>
            </p>
          ) : (
            <p>
              {check.inconsistency?.move ? `The move ${check.inconsistency.move} lowers h by more than 1 here.` : "h is not 0 here."}
            </p>
          )}
          {props.audit === null ? (
            <Proof path="/v1/heuristics/check" body={{ puzzle: puzzle.name, moves: props.moves, heuristic: check.written }} />
          ) : (
            <Proof path={`/v1/jobs/${props.audit}/certificate`} />
          )}
        </>
      ) : (
        <Empty title={check.admissible === "proven" ? "There is none" : "None was found"}>
          {check.admissible === "proven" ? "The proof covers every state." : "A state far from the goal may still be one."}
        </Empty>
      )}
    </section>
  );
}

/** The quick check, with the counterexample of an audit where it has none itself. */
function withAudit(check: Schemas["HeuristicCheck"], audit: Schemas["HeuristicAudit"] | null): Schemas["HeuristicCheck"] {
  const found = audit?.counterexample;
  if (check.counterexample || !found?.alg) return check;
  return { ...check, admissible: "refuted", counterexample: { scramble: found.alg, h: found.h, true_distance: found.distance } };
}

/** The named heuristics on the same scrambles, as bars. */
function Beside(props: { check: Schemas["HeuristicCheck"] }): JSX.Element {
  const { check } = props;
  const all = [
    ...check.beside.filter((one) => one.name !== check.name).map((one) => ({ ...one, own: false })),
    { name: check.name ?? "this heuristic", expression: check.expression, mean: check.mean, admissible: check.admissible, own: true },
  ].sort((a, b) => b.mean - a.mean);
  const most = Math.max(...all.map((one) => one.mean), 1);
  return (
    <section class="panel" aria-label="Compared with the named heuristics">
      <h2>
        Mean h on {check.scrambles} scrambles of {check.scramble_length} moves
      </h2>
      <ul class="bars">
        {all.map((one) => (
          <li key={one.name} class={one.own ? "own" : ""}>
            <span class="clip" title={one.expression}>
              {one.name}
            </span>
            <span class="track" aria-hidden="true">
              <span class={one.admissible} style={{ width: `${(100 * one.mean) / most}%` }} />
            </span>
            <span class="number">{figure(one.mean)}</span>
            <Badge kind={one.admissible}>{VERDICT_WORDS[one.admissible]}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}
