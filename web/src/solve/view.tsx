/** Solve: ask, watch, and play the answer. `#/solve?...` is a question, `#/solve/ID` one that has been asked. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Puzzle, useAlgorithms, useDefaultLimits, usePuzzle, usePuzzles } from "../api/catalogue";
import { api, ask, askJob, connection, newKey, Problem, type Schemas } from "../api/client";
import { type Loaded, useLoaded, useSettled } from "../api/hooks";
import { Failed, Notice, Snippets, Waiting } from "../parts/parts";
import { Playback } from "../puzzle/playback";
import { Stage, type State } from "../puzzle/stage";
import { go, link, type Route } from "../route";
import { PuzzlePicker } from "./puzzle";
import { body, command, curl } from "./command";
import { type Catalogue, fromQuery, fromSolve, givenState, scrambled, type SolveRequest, startKind, toQuery, unpainted } from "./question";
import { isFinal, Result } from "./result";
import { Search } from "./search";
import { Start } from "./start";

export function SolveView(props: { route: Route }): JSX.Element {
  const { id, query } = props.route;
  const asked = useLoaded(
    ["solve", id],
    async () => (id === null ? null : askJob("solve", id)),
    (solve) => (solve === null || isFinal(solve) ? null : 400),
  );
  const limits = useDefaultLimits();
  const catalogue = useAlgorithms();
  const known = catalogue.data;
  const solve = id !== null && asked.data?.id === id ? asked.data : null;
  const text = query.toString();
  const puzzle = usePuzzle(solve?.puzzle ?? fromQuery(query, known).puzzle);
  const heuristic = puzzle.data?.default_heuristic;
  const request = useMemo(
    () =>
      solve && known
        ? fromSolve(solve, known, { limits: limits.data ?? {}, heuristic })
        : fromQuery(new URLSearchParams(text), known),
    [solve?.id, text, limits.data, heuristic, known],
  );
  if (id !== null && asked.problem) return <Failed problem={asked.problem} retry={asked.reload} />;
  if (catalogue.problem) return <Failed problem={catalogue.problem} retry={catalogue.reload} />;
  if (id !== null && (solve === null || (!limits.data && !limits.problem))) return <Waiting what="the solve" lines={8} />;
  // Drawn as a whole: parts that came one by one would push the others down.
  if (!known || (!puzzle.data && !puzzle.problem)) return <Waiting what="the puzzle" lines={8} />;
  return <Question request={request} puzzle={puzzle} catalogue={known} solve={solve} reload={asked.reload} />;
}

function Question(props: {
  request: SolveRequest;
  puzzle: Loaded<Puzzle>;
  catalogue: Catalogue;
  solve: Schemas["Solve"] | null;
  reload: () => void;
}): JSX.Element {
  const { request, puzzle, catalogue, solve } = props;
  const puzzles = usePuzzles();
  const [refused, setRefused] = useState<Problem | undefined>();
  const [sending, setSending] = useState(false);
  const [cancelling, setCancelling] = useState(false);
  const [done, setDone] = useState(0);
  const form = useRef<HTMLFormElement>(null);

  const change = (next: SolveRequest) => {
    setRefused(undefined);
    setDone(0);
    go(link("solve", null, toQuery(next)), solve === null);
  };

  // Where the form leads to is asked for as it is typed; the state it had before stays until then.
  const { puzzle: name, goal, state, scramble, alg, random, shorten, labels } = request;
  const start = useSettled(JSON.stringify({ puzzle: name, goal, state, scramble, alg, random, shorten, labels }), 120);
  const read = useLoaded(["state", solve ? solve.id : start], () => {
    if (!solve) return unpainted(request.state) > 0 ? Promise.resolve(null) : readStart(JSON.parse(start) as SolveRequest);
    const { goal, start: { alg, labels } } = solve;
    const told = alg && !labels && !solve.solution;
    return told ? readStart({ puzzle: solve.puzzle, goal, alg: alg.join(" ") } as SolveRequest) : Promise.resolve(null);
  });
  const solution = solve?.solution ?? null;
  const along = useLoaded(["path", solve?.id, solution?.join(" ")], async () => {
    if (!solve || !solution?.length) return [];
    const from = { puzzle: solve.puzzle, goal: solve.goal ?? null, state: givenState(solve.start.state) };
    const answer = await ask(api.POST("/v1/states", { body: { ...from, then: solution.join(" ") } as Schemas["StateRequest"] }));
    return answer.path;
  });
  // As the puzzle's notation writes them, unless they have names of one's own.
  const words = along.data?.map(({ move }) => move).join(" ") === solution?.join(" ") ? along.data?.map(({ written }) => written) : undefined;

  useEffect(() => setDone(0), [solve?.id]);
  useEffect(() => setCancelling(false), [solve?.id, solve?.status]);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (sending) return;
    setSending(true);
    setRefused(undefined);
    try {
      const taken = (await ask(
        api.POST("/v1/solves", {
          params: { header: { "Idempotency-Key": newKey() } },
          body: request as Schemas["SolveRequest"],
        }),
      )) as Schemas["Solve"];
      go(link("solve", taken.id ?? null));
      const seen = document.querySelector(".see");
      if (seen && seen.getBoundingClientRect().top > window.innerHeight / 2) seen.scrollIntoView({ block: "start" });
    } catch (error) {
      setRefused(error instanceof Problem ? error : new Problem("broken", "This page failed", String(error)));
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
    } finally {
      setSending(false);
    }
  };

  const cancel = async () => {
    if (!solve?.id) return;
    setCancelling(true);
    try {
      await ask(api.POST("/v1/jobs/{id}/cancel", { params: { path: { id: solve.id } } }));
      props.reload();
    } catch {
      setCancelling(false);
    }
  };

  const kind = startKind(request);
  // That of a solve is there at once, so that nothing jumps.
  const fits = solve ?? (read.data?.puzzle === request.puzzle ? read.data : undefined);
  const first = (kind === "state" && !labels && painted(request.state)) || (fits?.start.state as State | undefined);
  const shown = done > 0 ? ((along.data?.[done - 1]?.state as State | undefined) ?? first) : first;
  const title = `${puzzle.data?.title ?? request.puzzle}, ${done === 0 ? "start" : `after ${done} moves`}`;
  const editable = kind === "state" && solve === null;
  const problem = refused ?? (solve === null ? read.problem : undefined);

  return (
    <div class={`view solve${solve || sending ? " asked" : ""}`}>
      <h1 class="unseen">Solve a puzzle</h1>
      <form class="panel ask" ref={form} onSubmit={submit} aria-label="Problem" noValidate>
        <div class="fields">
        <PuzzlePicker
          puzzles={puzzles.data ?? []}
          value={request.puzzle}
          choose={(chosen) => change(scrambled(puzzles.data ?? [], chosen, chosen.includes("puzzle") ? 30 : 6))}
          problem={puzzle.problem}
        />
        {puzzles.problem && <Notice problem={puzzles.problem} retry={puzzles.reload} />}
        {puzzle.data && (
          <>
            <Start
              puzzle={puzzle.data}
              catalogue={catalogue}
              request={request}
              change={change}
              problem={ofStart(problem)}
              shown={fits && givenState(fits.start.state)}
            />
            <Search puzzle={puzzle.data} catalogue={catalogue} request={request} change={change} problem={problem} />
          </>
        )}
        {refused && <Notice problem={refused} />}
        </div>
        <button type="submit" class="go" disabled={sending || !puzzle.data || unpainted(request.state) > 0}>
          {sending ? "Sending" : solve ? "Solve again" : "Solve"}
        </button>
      </form>
      <section class="panel see" aria-label="Picture">
        {puzzle.data ? (
          <Stage
            puzzle={puzzle.data}
            state={shown}
            title={title}
            goal={Array.isArray(request.goal) ? request.goal.flat() : undefined}
            turning={{ moves: solution ?? [], done }}
            change={editable ? (next) => change({ ...request, state: next.tiles ?? { facelets: next.facelets } }) : undefined}
          />
        ) : (
          <div class="stage">
            <div class="picture" />
          </div>
        )}
        {solution && solution.length > 0 ? (
          <Playback moves={words ?? solution} done={done} go={setDone} />
        ) : (
          <p class="quiet startline">{startLine(request, fits?.start.alg ?? null, read.data)}</p>
        )}
      </section>
      <div class="answer">
        {solve ? (
          <Result solve={solve} catalogue={catalogue} cancel={cancel} cancelling={cancelling} />
        ) : (
          <section class="panel result">
            <div class="welcome">
              <h2>Shortest solutions, proven</h2>
              <p>
                Scramble a puzzle and press Solve. hstar searches for a solution, proves that none is shorter, and counts
                every node on the way.
              </p>
            </div>
          </section>
        )}
        <section class="panel" aria-label="As a command or request">
          <h2>As a command or request</h2>
          <Snippets
            texts={{
              "Command line": command(request, catalogue),
              curl: curl("/v1/solves", request, location.origin, connection.key !== null, true),
              JSON: body(request),
            }}
          />
        </section>
      </div>
    </div>
  );
}

/** The start of a request, which is read by the service. */
async function readStart(asked: SolveRequest): Promise<Read> {
  if (typeof asked.scramble !== "string") return ask(api.POST("/v1/states", { body: asked as Schemas["StateRequest"] }));
  const { puzzle, alg, state } = await ask(api.GET("/v1/scrambles/{id}", { params: { path: { id: asked.scramble } } }));
  return { puzzle, start: { alg, state } };
}

/** A state that is drawn as it is sent, right or wrong. */
function painted(state: SolveRequest["state"]): State | undefined {
  if (Array.isArray(state)) return { tiles: state.flat() };
  if (typeof state === "object" && state !== null && ("facelets" in state || "pieces" in state)) return state as State;
  return undefined;
}

interface Read {
  start: Pick<Schemas["Start"], "alg" | "state">;
  puzzle: string;
  written?: string | null;
}

/** Only a problem with the start is shown beside it. */
function ofStart(problem: Problem | undefined): Problem | undefined {
  if (problem === undefined) return undefined;
  const codes = ["invalid-state", "invalid-alg"];
  const places = ["/state", "/alg", "/scramble", "/random", "/shorten"].flatMap((place) => problem.at(place));
  return codes.includes(problem.code) || places.length > 0 ? problem : undefined;
}

function startLine(request: SolveRequest, alg: readonly string[] | null, read: Read | null | undefined): string {
  if (startKind(request) === "state") return "The state that you give.";
  if (startKind(request) === "random") return "A random state.";
  if (startKind(request) === "shorten") return "The state that these moves solve.";
  if (alg === null) return "\u00a0";
  const plain = alg.join(" ");
  const words = (read?.start.alg?.join(" ") === plain ? (read.written ?? plain) : plain).split(" ");
  return alg.length === 0 ? "Solved." : `From solved: ${words.slice(0, 40).join(" ")}${words.length > 40 ? " …" : ""}`;
}
