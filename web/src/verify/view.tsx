/** Verify: claimed solutions, one in a line, each replayed and held against the optimum. `#/verify?...`, `#/verify/ID` for one. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { usePuzzle, usePuzzles } from "../api/catalogue";
import { api, ask, askBatch, askJob, connection, newKey, type Problem, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { count } from "../parts/format";
import { Badge, Failed, Field, Notice, Snippets, Stat, Waiting } from "../parts/parts";
import { go, link, type Route } from "../route";
import { MoveSetSelect, PuzzlePicker } from "../solve/puzzle";
import { commandLine, quoted } from "../solve/command";
import { type Item, readLines, startText } from "./lines";
import { One } from "./one";
import { capital, KINDS, type Kind, kindOf, type VerificationJob } from "./verdict";

/** What a visitor finds: a shortest solution, a detour, and a slip. */
const FIRST: Record<string, string> = {
  megaminx: "k 3 seed 1 : FR' B' DR'\nU F : F' U' U' U' U' U' U'\nU F R : R' F'",
  "8-puzzle": "k 6 seed 1 : D L U U R D\nU L : R D U D\nU L : R",
};

export function VerifyView(props: { route: Route }): JSX.Element {
  const { id } = props.route;
  return id === null ? <Batch route={props.route} /> : <Single key={id} id={id} />;
}

function Single(props: { id: string }): JSX.Element {
  const found = useLoaded(
    ["verification", props.id],
    () => askJob("verification", props.id),
    (job) => (kindOf(job) === "waiting" ? 700 : null),
  );
  if (found.problem) return <Failed problem={found.problem} retry={found.reload} />;
  if (!found.data) return <Waiting what="the verification" lines={8} />;
  const { request } = found.data;
  return (
    <div class="view jobs">
      <div class="head">
        <div>
          <p class="quiet">
            <a href={link("jobs", null, new URLSearchParams({ kind: "verification" }))}>All verifications</a>
          </p>
          <h1>
            {request.puzzle}, {startText(request)}
          </h1>
        </div>
      </div>
      <One job={found.data} />
      <Elsewhere items={[request]} />
    </div>
  );
}

function Batch(props: { route: Route }): JSX.Element {
  const { query } = props.route;
  const name = query.get("puzzle") ?? "megaminx";
  const text = query.get("lines") ?? FIRST[name] ?? "";
  const moves = query.get("moves") ?? undefined;
  const key = query.get("key");
  const puzzles = usePuzzles();
  const puzzle = usePuzzle(name);
  const { items, faults } = useMemo(
    () => readLines(text, { puzzle: name, moves }, puzzle.data?.moves),
    [text, name, moves, puzzle.data],
  );
  const set = (part: Record<string, string | undefined>) => {
    const next = new URLSearchParams(query);
    for (const [which, value] of Object.entries({ key: undefined, ...part })) {
      if (value === undefined) next.delete(which);
      else next.set(which, value);
    }
    go(link("verify", null, next), true);
  };
  // With the key of the first time the service answers with the jobs as they then stand, also after a reload.
  const checked = useLoaded(
    ["verifications", key, text, name, moves],
    async () => (key === null || items.length === 0 ? null : send(items, key)),
    (jobs) => (jobs?.some((job) => kindOf(job) === "waiting") ? Math.max(700, items.length * 3) : null),
  );
  const jobs = key === null ? null : checked.data;
  // What stands below the verdicts would jump as they come.
  const settled = key === null || checked.problem !== undefined || (jobs?.every((job) => kindOf(job) !== "waiting") ?? false);
  return (
    <div class="view audit">
      <form
        class="panel ask"
        noValidate
        aria-label="Claims"
        onSubmit={(event) => {
          event.preventDefault();
          if (items.length > 0 && faults.length === 0) set({ puzzle: name, lines: text, key: newKey() });
        }}
      >
        <div class="fields">
          <h1>Is it a solution?</h1>
          <PuzzlePicker
            puzzles={puzzles.data ?? []}
            value={name}
            choose={(to) => set({ puzzle: to, moves: undefined, lines: undefined })}
            problem={puzzle.problem}
          />
          {(!puzzle.data || Object.keys(puzzle.data.move_sets).length > 1) && (
            <Field label="With the moves" hint={puzzle.data?.move_sets[moves ?? puzzle.data.default_moves]?.description ?? "\u00a0"}>
              {(at) => (
                <MoveSetSelect
                  {...at}
                  puzzle={puzzle.data}
                  value={moves ?? puzzle.data?.default_moves}
                  choose={(to) => set({ puzzle: name, lines: text, moves: to })}
                />
              )}
            </Field>
          )}
          <Field
            label="Claims, one in each line"
            hint="Where it starts, a colon, the solution. It starts with moves from solved, a board, or k 6 seed 1. JSON is read, too."
            faults={faultsOf(faults, checked.problem)}
          >
            {(at) => (
              <textarea
                {...at}
                rows={10}
                spellcheck={false}
                autocapitalize="off"
                value={text}
                onInput={(event) => set({ puzzle: name, lines: event.currentTarget.value })}
              />
            )}
          </Field>
        </div>
        <button type="submit" class="go" disabled={items.length === 0 || faults.length > 0}>
          {items.length === 1 ? "Verify" : `Verify ${count(items.length)} solutions`}
        </button>
      </form>
      <div class="stack">
        {checked.problem && <Notice problem={checked.problem} retry={checked.reload} />}
        {key !== null && !jobs && !checked.problem && <Waiting what="the verdicts" lines={6} />}
        {jobs ? <Verdicts jobs={jobs} items={items} /> : key === null && <Welcome />}
        {settled && <Elsewhere items={items} />}
      </div>
    </div>
  );
}

async function send(items: readonly Item[], key: string): Promise<VerificationJob[]> {
  const body = { items } as unknown as Schemas["VerificationRequest"];
  const found = await ask(api.POST("/v1/verifications", { params: { header: { "Idempotency-Key": key } }, body }));
  return askBatch("verification", found as Schemas["JobBatch"]);
}

function faultsOf(faults: ReturnType<typeof readLines>["faults"], problem: Problem | undefined) {
  const own = faults.map(({ line, message }) => ({ where: "", message: line ? `Line ${line}: ${message}` : message }));
  return own.length ? own : problem?.faults.map(({ where, message }) => ({ where, message: `${where.replace(/^\/items\/(\d+).*/, (_, at) => `Claim ${Number(at) + 1}`)}: ${message}` }));
}

function Welcome(): JSX.Element {
  return (
    <section class="panel">
      <div class="welcome">
        <h2>Replayed move by move</h2>
        <p>
          Each claimed solution is replayed by code that did not find it. You see the first wrong move and why, how many moves a
          shortest solution has, and the claim turning on the puzzle.
        </p>
      </div>
    </section>
  );
}

const ORDER: readonly Kind[] = ["shortest", "longer", "open", "wrong", "waiting", "lost"];

function Verdicts(props: { jobs: readonly VerificationJob[]; items: readonly Item[] }): JSX.Element {
  const { jobs, items } = props;
  const [chosen, choose] = useState(0);
  const [only, show] = useState<Kind | null>(null);
  const kinds = jobs.map(kindOf);
  const shown = jobs.map((job, number) => ({ job, number })).filter(({ number }) => only === null || kinds[number] === only);
  const one = jobs[chosen] ?? jobs[0];
  return (
    <>
      <section class="panel standing" aria-label="Verdicts">
        <Badge kind={kinds.includes("waiting") ? "running" : "done"}>{kinds.includes("waiting") ? "being checked" : "checked"}</Badge>
        <div class="meter" role="img" aria-label={ORDER.map((kind) => `${kinds.filter((one) => one === kind).length} ${KINDS[kind].words}`).join(", ")}>
          {ORDER.filter((kind) => kind !== "waiting").map((kind) => (
            <span key={kind} class={KINDS[kind].badge} style={{ width: `${(100 * kinds.filter((one) => one === kind).length) / jobs.length}%` }} />
          ))}
        </div>
        <dl class="stats inline">
          {ORDER.slice(0, 4).map((kind) => (
            <Stat key={kind} name={capital(KINDS[kind].words)} value={count(kinds.filter((one) => one === kind).length)} />
          ))}
        </dl>
      </section>
      {jobs.length > 8 && (
        <div class="row names">
          {([null, ...ORDER] as const)
            .filter((kind) => kind === null || kinds.includes(kind))
            .map((kind) => (
              <button key={kind ?? "all"} type="button" class="plain" aria-pressed={kind === only} onClick={() => show(kind)}>
                {kind === null ? "all" : KINDS[kind].words}
              </button>
            ))}
        </div>
      )}
      <div class="scroll numbers" tabIndex={0} role="region" aria-label="Claims">
        <table>
          <thead>
            <tr>
              <th class="number">Claim</th>
              <th>Start</th>
              <th>Verdict</th>
              <th class="number">Length</th>
              <th class="number">Shortest</th>
              <th class="number">Too long by</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ job, number }) => {
              const kind = KINDS[kindOf(job)];
              const { answer } = job;
              return (
                <tr key={job.id} class={job === one ? "chosen" : ""}>
                  <td class="number">
                    <button type="button" class="plain" aria-pressed={job === one} aria-label={`Claim ${number + 1}`} onClick={() => choose(number)}>
                      {number + 1}
                    </button>
                  </td>
                  <td>
                    <code class="clip">{startText(items[number] ?? job.request)}</code>
                  </td>
                  <td>
                    <Badge kind={kind.badge}>{kind.words}</Badge>{" "}
                    {answer?.first_wrong != null && <small>at move {answer.first_wrong}</small>}
                  </td>
                  <td class="number">{count(answer?.valid ? answer.length : null)}</td>
                  <td class="number">
                    {answer && answer.optimal_length == null && answer.lower_bound != null ? `≥ ${count(answer.lower_bound)}` : count(answer?.optimal_length)}
                  </td>
                  <td class="number">{count(answer?.excess)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {one && <One key={one.id} job={one} />}
    </>
  );
}

function Elsewhere(props: { items: readonly Item[] }): JSX.Element {
  const { items } = props;
  const [first] = items;
  const body = items.length === 1 ? first : { items };
  const key = connection.key !== null ? ` \\\n  -H "Authorization: Bearer $HSTAR_API_KEY"` : "";
  return (
    <section class="panel" aria-label="As a command or request">
      <h2>As a command or request</h2>
      <Snippets
        texts={{
          ...(first && { "Command line": items.map(command).slice(0, 20).join("\n") }),
          curl: `curl ${location.origin}/v1/verifications${key} \\\n  -H 'Content-Type: application/json' \\\n  -H 'Prefer: wait=30' \\\n  -d ${quoted(JSON.stringify(body))}`,
          JSON: JSON.stringify(body, null, 2),
        }}
      />
    </section>
  );
}

function command(item: Item): string {
  const words = ["hstar", "verify", item.puzzle];
  if (item.scramble) words.push("--k", String(item.scramble.k), "--seed", String(item.scramble.seed));
  else if (item.alg !== undefined && item.alg !== null) words.push("--alg", quoted(item.alg));
  else words.push("--state", quoted(Array.isArray(item.state) ? item.state.join(" ") : typeof item.state === "string" ? item.state : JSON.stringify(item.state)));
  if (item.moves) words.push("--moves", quoted(item.moves));
  words.push("--solution", quoted(item.solution));
  return commandLine(words);
}
