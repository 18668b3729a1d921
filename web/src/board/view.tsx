/**
 * The analysis board: one puzzle in the middle; h, h* and f along a line of moves; and four answers beside it.
 *
 * `#/board?...` is a question, and the same address always shows the same answer. `#/board/ID` is an analysis that has been
 * made, with the trace that was given to it.
 */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Puzzle, useAlgorithms, useHeuristics, usePuzzle, usePuzzles, useSolid } from "../api/catalogue";
import { api, ask, askJob, newKey, Problem, type Schemas } from "../api/client";
import { useLoaded, useSettled } from "../api/hooks";
import { count } from "../parts/format";
import { Badge, Choice, Failed, Field, Notice, Waiting } from "../parts/parts";
import { Playback } from "../puzzle/playback";
import { afterMoves } from "../puzzle/solid";
import { Stage, type State } from "../puzzle/stage";
import { go, link, type Route } from "../route";
import { HeuristicInput, VERDICT_WORDS } from "../solve/heuristic";
import { MoveSetSelect, PuzzlePicker } from "../solve/puzzle";
import { givenState, scrambled, type SolveRequest, startKind, unpainted } from "../solve/question";
import { Start } from "../solve/start";
import { Admissible, type AnswerProps, Compare, Nodes, Shortest } from "./answers";
import { Chart, SCREEN } from "./chart";
import { type Analysis, type AnalysisJob, bodyOf, EXAMPLES, keyOf, ownNames, type Question, questionOf, readQuestion, writeQuestion } from "./question";
import { reportPng, reportSvg, save } from "./report";

const FINAL = ["done", "cancelled", "failed"];
const MOST_TRACE = 900_000;
const ANSWERS = { admissible: "Is h admissible?", nodes: "Where did the nodes go?", shortest: "What is shortest?", compare: "How do I compare?" } as const;
type Answer = keyof typeof ANSWERS;

export function BoardView(props: { route: Route }): JSX.Element {
  const { id, query } = props.route;
  const catalogue = useAlgorithms();
  const made = useLoaded(["analysis", id], async () => (id === null ? null : askJob("analysis", id)));
  const text = query.toString();
  const job = id !== null && made.data?.id === id ? made.data : null;
  const question = useMemo(() => (job ? questionOf(job) : readQuestion(new URLSearchParams(text), catalogue.data)), [job, text, catalogue.data]);
  if (id !== null && made.problem) return <Failed problem={made.problem} retry={made.reload} />;
  if (catalogue.problem) return <Failed problem={catalogue.problem} retry={catalogue.reload} />;
  if ((id !== null && job === null) || !catalogue.data) return <Waiting what="the board" lines={10} />;
  return <Board question={question} catalogue={catalogue.data} />;
}

/** The analysis of a question, kept until the next one is there. */
async function analysed(text: string, key: string, signal: AbortSignal): Promise<AnalysisJob> {
  const header = { Prefer: "wait=10", "Idempotency-Key": key };
  let job = (await ask(api.POST("/v1/analyses", { params: { header }, body: JSON.parse(text) as Schemas["AnalysisRequest"], signal }))) as AnalysisJob;
  while (!FINAL.includes(job.status)) {
    job = await askJob("analysis", job.id, { wait: 10, signal });
  }
  return job;
}

function Board(props: { question: Question; catalogue: Schemas["AlgorithmList"] }): JSX.Element {
  const { question, catalogue } = props;
  const { request } = question;
  const puzzles = usePuzzles();
  const puzzle = usePuzzle(request.puzzle);
  const named = useHeuristics(request.puzzle).data ?? [];
  const solid = useSolid(request.puzzle).data ?? null;
  const [done, setDone] = useState(0);
  const [answer, setAnswer] = useState<Answer>(question.assignment ? "compare" : "admissible");
  const [asking, setAsking] = useState(() => matchMedia("(min-width: 70rem)").matches);
  const [fault, setFault] = useState<string | undefined>();
  const again = useRef<string | null>(null);
  const picture = useRef<HTMLElement>(null);

  /** `anew`: going back leads to the board as it was */
  const set = (part: Partial<Question>, anew = false) => {
    const next = { ...question, ...part };
    if (part.request) delete next.trace;
    // A count is of one search: another start has another, and no one has given it yet.
    if (part.request && JSON.stringify(startOf({ ...part.request, labels: undefined })) !== JSON.stringify(startOf({ ...request, labels: undefined }))) {
      delete next.expanded;
      delete next.generated;
    }
    if (part.request && JSON.stringify(startOf(part.request)) !== JSON.stringify(startOf(request))) {
      if (!("line" in part)) delete next.line;
      delete next.assignment;
      delete next.instance;
      setDone(0);
    }
    go(link("board", null, writeQuestion(next)), !anew);
  };
  const change = (next: SolveRequest) => set({ request: next, ...(next.puzzle !== request.puzzle && { line: undefined, notation: undefined }) });

  // The start is drawn as soon as it is known, before anything is searched.
  const asked = JSON.stringify(bodyOf(question));
  const painting = unpainted(request.state) > 0;
  const start = JSON.stringify(startOf(request));
  const read = useLoaded(["board start", start, painting], () =>
    painting ? Promise.resolve(null) : ask(api.POST("/v1/states", { body: JSON.parse(start) as Schemas["StateRequest"] })),
  );
  const settled = useSettled(asked, 250);
  const found = useLoaded(["board", settled, painting], async (signal) => {
    if (painting) return null;
    const key = again.current ?? keyOf(settled);
    again.current = null;
    return { settled, job: await analysed(settled, key, signal) };
  });
  const answered = found.data?.job.answer ?? null;
  const analysis = answered && answered.puzzle === canonical(puzzle.data, request.puzzle) ? answered : null;
  const fresh = found.data?.settled === asked && !found.loading;

  // Moves that were made by hand are shown at once; what is known of their positions comes with the analysis.
  const following = question.line === undefined;
  const lineMoves = useMemo(() => {
    if (following) return (analysis?.line ?? []).slice(1).map((at) => ({ move: at.move ?? "", written: at.written ?? "" }));
    const known = (analysis?.line ?? []).slice(1);
    return words(question.line ?? "").map((move, i) => (known[i] && (known[i]?.move === move || known[i]?.written === move) ? { move: known[i]?.move ?? move, written: known[i]?.written ?? move } : { move, written: move }));
  }, [analysis, question.line, following]);
  const moves = lineMoves.map(({ move }) => move);
  const here = Math.min(done, moves.length);
  useEffect(() => {
    if (done > moves.length && fresh) setDone(moves.length);
  }, [done, moves.length, fresh]);

  const kind = startKind(request);
  const first = (kind === "state" && !request.labels && drawn(request.state)) || (read.data?.start.state as State | undefined) || (analysis?.line[0]?.state as State | undefined);
  const at = useMemo(() => {
    if (here === 0) return first;
    if (solid && first?.facelets) {
      const facelets = afterMoves(solid, first.facelets, moves.slice(0, here));
      if (facelets) return { facelets };
    }
    return analysis?.line[here]?.move === moves[here - 1] ? (analysis?.line[here]?.state as State | undefined) : undefined;
  }, [solid, first, here, moves.join(" "), analysis]);

  const turn = (move: string) => {
    const line = [...moves.slice(0, here), move];
    setDone(line.length);
    set({ line: line.join(" "), trace: undefined });
  };
  const startHere = () => {
    const made = moves.slice(0, here);
    const { scramble: _s, state: _t, random: _r, shorten: _h, alg: _a, ...rest } = request;
    const alg = read.data?.start.alg;
    const from = alg ? { alg: [...alg, ...made].join(" ") } : at ? { state: givenState(at as Record<string, unknown>) } : null;
    if (from) set({ request: { ...rest, ...from }, line: undefined }, true);
    setDone(0);
  };
  const upload = async (file: File) => {
    setFault(undefined);
    if (file.size > MOST_TRACE) return setFault(`At most ${count(MOST_TRACE)} bytes; this file has ${count(file.size)}. Its first lines suffice.`);
    try {
      const body = bodyOf({ ...question, trace: await file.text(), expanded: undefined });
      const job = (await ask(api.POST("/v1/analyses", { params: { header: { "Idempotency-Key": newKey(), Prefer: "wait=10" } }, body }))) as AnalysisJob;
      setAnswer("nodes");
      go(link("board", job.id));
    } catch (error) {
      setFault(error instanceof Problem ? (error.faults[0]?.message ?? error.detail) : String(error));
    }
  };

  const problem = read.problem ?? found.problem;
  const failed = found.data?.job.status === "failed" ? found.data.job.error : null;
  const moveSet = request.moves ?? puzzle.data?.default_moves ?? "";
  const title = `${puzzle.data?.title ?? request.puzzle}, ${here === 0 ? "start" : `after ${here} moves`}`;
  const parts: AnswerProps | null = puzzle.data && analysis ? { puzzle: puzzle.data, question, analysis, set, done: here, go: setDone } : null;
  const figure = () => reportSvg({
    title: `${puzzle.data?.title}: ${summary(request)}`,
    analysis: analysis as Analysis,
    picture: picture.current?.querySelector<SVGSVGElement>(".picture svg") ?? null,
    tiles: at?.tiles ? { tiles: at.tiles, columns: puzzle.data?.columns ?? 3 } : null,
  });
  return (
    <div class="view analysis">
      <h1 class="unseen">Analysis board</h1>
      <details class="panel ask" open={asking} onToggle={(event) => setAsking(event.currentTarget.open)}>
        <summary>
          <span>
            <strong>{puzzle.data?.title ?? request.puzzle}</strong> {summary(request)}
          </span>
          <span class="row">
            <code>{request.heuristic || puzzle.data?.default_heuristic}</code>
            {/* What a change of h does, where the answers are out of sight. */}
            {analysis && <Badge kind={fresh ? judged(analysis) : "running"}>h ≤ h*: {fresh ? VERDICT_WORDS[judged(analysis)] : "looking"}</Badge>}
          </span>
        </summary>
        <div class="fields">
          <Field label="Examples">
            {(at) => (
              <select
                {...at}
                value=""
                onChange={(event) => {
                  const example = EXAMPLES[Number(event.currentTarget.value)];
                  if (example) (setDone(0), go(link("board", null, writeQuestion(example.question))));
                }}
              >
                <option value="">Choose an example</option>
                {EXAMPLES.map((example, number) => (
                  <option key={example.name} value={number}>
                    {example.says}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <PuzzlePicker
            puzzles={puzzles.data ?? []}
            value={request.puzzle}
            choose={(chosen) => change(scrambled(puzzles.data ?? [], chosen, chosen.includes("puzzle") || chosen.startsWith("tiles:") ? 14 : 5))}
            problem={puzzle.problem}
          />
          {puzzle.data && (
            <>
              <HeuristicInput puzzle={puzzle.data} moves={moveSet} named={named} value={request.heuristic ?? ""} set={(heuristic) => set({ request: { ...request, heuristic } })} problem={found.problem} brief />
              <Start
                puzzle={puzzle.data}
                catalogue={catalogue}
                request={request}
                change={change}
                problem={read.problem}
                shown={read.data ? givenState(read.data.start.state) : undefined}
                kinds={["scramble", "alg", "state", "random"]}
              />
              <Field label="Moves, each at cost 1" hint={puzzle.data.move_sets[moveSet]?.description}>
                {(at) => <MoveSetSelect {...at} puzzle={puzzle.data} value={moveSet} choose={(to) => set({ request: { ...request, moves: to } })} />}
              </Field>
            </>
          )}
        </div>
      </details>
      <section class="panel see" aria-label="Board" ref={picture}>
        {puzzle.data ? (
          <Stage
            puzzle={puzzle.data}
            state={at}
            title={title}
            goal={analysis?.goal ?? (Array.isArray(request.goal) ? request.goal.flat() : undefined)}
            turning={{ moves, done: here }}
            change={kind === "state" && here === 0 && question.line === undefined ? (next) => change({ ...request, state: next.tiles ?? { facelets: next.facelets } } as SolveRequest) : undefined}
            turn={turn}
            names={ownNames(request.labels)}
          />
        ) : (
          <div class="stage">
            <div class="picture" />
            {/* the room of the line with the goal */}
            {/puzzle$|^tiles:/.test(request.puzzle) && <p class="quiet goal">{"\u00a0"}</p>}
          </div>
        )}
        <Playback moves={lineMoves.map(({ written }) => written)} done={here} go={setDone} />
        <form
          class="row turnline"
          onSubmit={(event) => {
            event.preventDefault();
            const input = event.currentTarget.elements.namedItem("turns") as HTMLInputElement;
            const typed = words(input.value);
            if (typed.length === 0) return;
            const line = [...moves.slice(0, here), ...typed];
            setDone(line.length);
            set({ line: line.join(" "), trace: undefined });
            input.value = "";
          }}
        >
          <input name="turns" class="code" aria-label="Moves to make from here" placeholder={`moves: ${puzzle.data?.move_sets[moveSet]?.moves.slice(0, 2).join(" ") ?? ""}`} spellcheck={false} autocapitalize="off" autocomplete="off" />
          <button type="button" class="plain" disabled={here === 0} onClick={startHere}>
            Start here
          </button>
          <button type="button" class="plain" disabled={following} onClick={() => (setDone(0), set({ line: undefined }))}>
            Shortest line
          </button>
        </form>
        {!problem && <LineChart analysis={analysis} done={here} go={setDone} />}
        {problem && <Notice problem={problem} retry={() => ((again.current = newKey()), found.reload())} />}
        {failed && <p class="notice">{failed}</p>}
      </section>
      <div class={`answers${fresh ? "" : " stale"}`} aria-busy={!fresh}>
        <div class="tabs-narrow">
          <Choice label="Answer" value={answer} options={{ admissible: "h ≤ h*?", nodes: "Nodes", shortest: "Shortest", compare: "Compare" }} choose={setAnswer} />
        </div>
        {(Object.keys(ANSWERS) as Answer[]).map((name) => (
          <section key={name} class={`panel answer-${name}${name === answer ? " chosen" : ""}`} aria-label={ANSWERS[name]}>
            <h2>{ANSWERS[name]}</h2>
            {parts === null ? (
              problem ? <p class="quiet">There is no answer to this question.</p> : <Waiting what={ANSWERS[name]} lines={2} />
            ) : name === "admissible" ? (
              <Admissible {...parts} />
            ) : name === "nodes" ? (
              <Nodes {...parts} />
            ) : name === "shortest" ? (
              <Shortest {...parts} />
            ) : (
              <Compare {...parts} upload={upload} fault={fault} />
            )}
          </section>
        ))}
      </div>
      <div class="row acts take">
        <CopyLink />
        <button type="button" class="plain" disabled={!analysis} onClick={() => save("hstar-board.svg", new Blob([figure()], { type: "image/svg+xml" }))}>
          Figure as SVG
        </button>
        <button type="button" class="plain" disabled={!analysis} onClick={async () => save("hstar-board.png", await reportPng(figure()))}>
          PNG
        </button>
      </div>
    </div>
  );
}

/** As wide as its place. */
function LineChart(props: { analysis: Analysis | null; done: number; go: (done: number) => void }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (place.current === null) return;
    const watch = new ResizeObserver(([one]) => one && setWidth(Math.max(220, Math.floor(one.contentRect.width))));
    watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  return (
    <div class="line-chart" ref={place}>
      {props.analysis && (
        <Chart line={props.analysis.line} width={width} height={width < 420 ? 132 : 176} theme={SCREEN} done={Math.min(props.done, props.analysis.line.length - 1)} go={props.go} />
      )}
    </div>
  );
}

function CopyLink(): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
    } catch {
      prompt("The link to this board", location.href);
      return;
    }
    setCopied(true);
    window.setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" class="plain" onClick={copy}>
      {copied ? "Copied" : "Copy the link"}
    </button>
  );
}

const words = (text: string) => text.split(/\s+/).filter(Boolean);

/** One position with h above h* refutes, whatever else is known. */
const judged = ({ overestimates, heuristic }: Analysis) => (overestimates === null ? heuristic.admissible : "refuted");

function startOf(request: SolveRequest): object {
  const { puzzle, goal, state, scramble, alg, random, labels } = request;
  return { puzzle, goal, state, scramble, alg, random, labels };
}

const canonical = (puzzle: Puzzle | undefined, asked: string) => puzzle?.name ?? asked;

/** A state that is drawn as it is sent, right or wrong. */
function drawn(state: SolveRequest["state"]): State | undefined {
  if (Array.isArray(state)) return { tiles: state.flat() };
  if (typeof state === "object" && state !== null && ("facelets" in state || "pieces" in state)) return state as State;
  return undefined;
}

function summary(request: SolveRequest): string {
  const { scramble } = request;
  if (typeof scramble === "object" && scramble !== null) return `k = ${scramble.k}, seed ${scramble.seed}`;
  if (request.alg != null) return request.alg.length > 30 ? `${request.alg.slice(0, 30)} …` : request.alg || "solved";
  if (request.random != null) return `random state ${request.random}`;
  return "a given state";
}
