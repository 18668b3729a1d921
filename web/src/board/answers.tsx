/** The four answers beside the board: is h admissible, where did the nodes go, what is shortest, how do I compare. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { namable, type Puzzle } from "../api/catalogue";
import { api, ask, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { count, figure } from "../parts/format";
import { Badge, Field, NumberInput } from "../parts/parts";
import { link } from "../route";
import { useCheck, VERDICT_WORDS } from "../solve/heuristic";
import { SCREEN } from "./chart";
import { LayerBars, whyItTook } from "./layers";
import { type Analysis, labelsOf, ownNames, type Question } from "./question";

export interface AnswerProps {
  puzzle: Puzzle;
  question: Question;
  analysis: Analysis;
  set: (part: Partial<Question>, anew?: boolean) => void;
  done: number;
  go: (done: number) => void;
}

const JUDGED = { true: "proven", convention: "proven", possible: "unknown", false: "refuted", unknown: "unknown" } as const;
const JUDGED_WORDS = { true: "the service's count", convention: "right by a convention", possible: "could be right", false: "cannot be", unknown: "cannot be judged" } as const;

export function Admissible(props: AnswerProps): JSX.Element {
  const { puzzle, analysis, question, set, go } = props;
  const check = useCheck(puzzle, analysis.moves, analysis.heuristic.name ?? analysis.heuristic.expression);
  const known = check.data;
  const verdict = known ?? analysis.heuristic;
  const where = analysis.overestimates;
  const at = where === null ? undefined : analysis.line[where];
  const found = known?.counterexample ?? null;
  const alg = found?.scramble.join(" ") ?? "";
  const compared = analysis.line.filter((one) => one.distance !== null).length;
  const every = new URLSearchParams({ puzzle: puzzle.name, heuristic: question.request.heuristic ?? "", moves: analysis.moves });
  return (
    <>
      <p class="row badges corner">
        <Badge kind={verdict.admissible}>admissible: {VERDICT_WORDS[verdict.admissible]}</Badge>
      </p>
      <p class="sentence">
        {at && where !== null ? (
          <>
            On this line it overestimates: <strong class="lost">h = {figure(at.h)}</strong>, but h* = {at.distance}{" "}
            <button type="button" class="inline" onClick={() => go(where)}>
              {where === 0 ? "at the start" : `after move ${where}`}
            </button>
            .
          </>
        ) : verdict.admissible === "refuted" ? (
          <>It overestimates elsewhere, not on this line.</>
        ) : (
          <>
            {compared === 0 ? "Of no position of this line h* is known." : compared === 1 ? "At the one position of this line with a known h* it does not overestimate." : `At none of the ${count(compared)} positions of this line with a known h* does it overestimate.`}
          </>
        )}
      </p>
      <p class="quiet">
        Consistent: {VERDICT_WORDS[verdict.consistent]}. {capital(verdict.reason)}.
      </p>
      <p class="row acts">
        <a href={link("audit", null, every)}>Audit all states</a>
        {found && alg !== question.request.alg && (
          <button type="button" class="plain" onClick={() => set({ request: { puzzle: puzzle.name, alg, moves: analysis.moves, ...(question.request.heuristic && { heuristic: question.request.heuristic }) }, line: undefined, trace: undefined }, true)}>
            Show the counterexample
          </button>
        )}
      </p>
    </>
  );
}

export function Nodes(props: AnswerProps): JSX.Element {
  const { analysis, question } = props;
  const { search, trace } = analysis;
  const longer = search.length !== null && analysis.length !== null && analysis.optimality === "proven" && search.length > analysis.length;
  const harder = new URLSearchParams({ puzzle: analysis.puzzle, alg: (analysis.start.alg ?? []).join(" "), moves: analysis.moves });
  return (
    <>
      <p class="sentence">{whyItTook(search, search.length)}</p>
      <LayerBars layers={search.layers} width={330} theme={SCREEN} own={trace !== null} />
      {longer && (
        <p class="lost">
          A* with this heuristic returns {search.length} moves; {analysis.length} suffice.
        </p>
      )}
      <p class="quiet">
        {count(search.counters.expanded)} expanded, {count(search.counters.generated)} generated, effective branching factor b* {figure(search.counters.branching_effective)}; ties: smaller h first.
        {search.outcome === "limit_reached" && analysis.start.alg && (
          <>
            {" "}
            <a href={link("solve", null, harder)}>Solve it with the strongest method</a>
          </>
        )}
      </p>
      {trace && <TraceFound trace={trace} question={question} />}
    </>
  );
}

function TraceFound(props: { trace: NonNullable<Analysis["trace"]>; question: Question }): JSX.Element {
  const { trace } = props;
  return (
    <div class="traced">
      <p>
        <strong>Your trace</strong>: {count(trace.rows)} rows, columns {Object.entries(trace.columns).map(([column, what]) => (column === what ? what : `${column} = ${what}`)).join(", ")}
        {trace.checked > 0 && `; h computed again in ${count(trace.checked)}`}.
      </p>
      {trace.faults.length === 0 ? (
        <p>
          <Badge kind="proven">nothing wrong</Badge>
        </p>
      ) : (
        <ul>
          {trace.faults.slice(0, 4).map((fault) => (
            <li key={`${fault.row} ${fault.kind}`}>
              <span class="lost">Row {fault.row}</span>: {fault.message}
            </li>
          ))}
          {trace.faults.length + trace.more_faults > 4 && <li class="quiet">and {count(trace.faults.length + trace.more_faults - 4)} more</li>}
        </ul>
      )}
    </div>
  );
}

export function Shortest(props: AnswerProps): JSX.Element {
  const { puzzle, analysis, question, set } = props;
  const { solution, length } = analysis;
  const own = ownNames(question.request.labels);
  const notations = puzzle.notations ?? [];
  const value = question.request.labels ? "own" : (question.notation ?? notations[0]?.name ?? "");
  const rename = (names: Record<string, string>) => set({ request: { ...question.request, labels: labelsOf(puzzle, names) }, notation: undefined, line: undefined });
  const choose = (name: string) => {
    const { labels: _labels, ...request } = question.request;
    if (name === "own") rename(own);
    else set({ request, notation: name === notations[0]?.name ? undefined : name, line: undefined });
  };
  return (
    <>
      <p class="sentence">
        {solution === null
          ? analysis.lower_bound === null
            ? "These moves do not solve it."
            : `Not found within the limit: at least ${analysis.lower_bound} moves.`
          : length === 0
            ? "It is solved."
            : analysis.optimality === "proven"
              ? `${length} moves, and no solution is shorter.`
              : `${length} moves; at least ${analysis.lower_bound} are needed.`}
      </p>
      {solution && solution.length > 0 && (
        <p class="alg code" tabIndex={0} aria-label="Shortest solution">
          {solution.join(" ")}
        </p>
      )}
      {solution && question.line !== undefined && (
        <p>
          <button type="button" class="plain" onClick={() => set({ line: undefined })}>
            Follow the shortest solution
          </button>
        </p>
      )}
      {(notations.length > 1 || namable(puzzle).length > 0) && (
        <Field label="Moves named">
          {(at) => (
            <select {...at} value={value} onChange={(event) => choose(event.currentTarget.value)}>
              {notations.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.name === notations[0]?.name ? `as here: ${one.example}` : `${one.name}: ${one.example}`}
                </option>
              ))}
              {namable(puzzle).length > 0 && <option value="own">by names of my own</option>}
            </select>
          )}
        </Field>
      )}
      {question.request.labels && <OwnNames puzzle={puzzle} own={own} set={rename} />}
    </>
  );
}

function OwnNames(props: { puzzle: Puzzle; own: Record<string, string>; set: (names: Record<string, string>) => void }): JSX.Element {
  const [names, setNames] = useState(props.own);
  return (
    <fieldset class="own-names" aria-label="Names of the faces">
      {namable(props.puzzle).map((face) => (
        <label key={face.name}>
          <span>
            {face.name} <small>{face.colour}</small>
          </span>
          <input
            value={names[face.name] ?? face.name}
            maxLength={16}
            onInput={(event) => setNames({ ...names, [face.name]: event.currentTarget.value })}
            onChange={(event) => props.set({ ...names, [face.name]: event.currentTarget.value })}
          />
        </label>
      ))}
    </fieldset>
  );
}

export function Compare(props: AnswerProps & { upload: (file: File) => void; fault: string | undefined }): JSX.Element {
  const { analysis, question, set } = props;
  const [typed, type] = useState(question.expanded);
  useEffect(() => type(question.expanded), [question.expanded]);
  const counting = analysis.counting.find(({ what }) => what === "expanded") ?? analysis.counting[0];
  const { assignment, instance } = question;
  const found = useLoaded(["class counts", assignment, instance], async (signal) =>
    assignment && instance ? ask(api.GET("/v1/assignments/{id}/counts", { params: { path: { id: assignment }, query: { instance } }, signal })) : null,
  );
  const others = found.data ?? null;
  return (
    <>
      <div class="row">
        <Field label="I expanded">
          {(at) => <NumberInput {...at} min={0} step="1" placeholder="nodes" value={typed} set={(to) => (type(to), set({ expanded: to }))} />}
        </Field>
        <Field label="or my A* wrote" {...(props.fault !== undefined && { faults: [{ where: "", message: props.fault }] })}>
          {(at) => (
            <span class="filepick">
              <input
                {...at}
                type="file"
                accept=".csv,.json,.jsonl,.txt,.tsv,text/*"
                onChange={(event) => {
                  const file = event.currentTarget.files?.[0];
                  if (file) props.upload(file);
                }}
              />
            </span>
          )}
        </Field>
      </div>
      {counting ? (
        <>
          <p class="row badges corner">
            <Badge kind={JUDGED[counting.judged.judgement]}>
              {count(counting.claimed)}: {JUDGED_WORDS[counting.judged.judgement]}
            </Badge>
          </p>
          <Spread analysis={analysis} counting={counting} others={counting.what === "expanded" ? others : null} />
          {others && <Class others={others} claimed={counting.what === "expanded" ? counting.claimed : null} />}
          <p class="quiet">{capital(counting.judged.reason)}.</p>
          {counting.nearest_in_words && counting.judged.judgement !== "true" && counting.judged.judgement !== "convention" && (
            <p class="quiet">
              The nearest convention gives {count(counting.nearest_count)}: {counting.nearest_in_words}.
            </p>
          )}
        </>
      ) : (
        <p class="quiet">
          Enter your number of expanded nodes, or choose a file with a line for each node that your A* expanded (columns g, h, and the moves that lead there, if you have them). The service expands{" "}
          {count(analysis.search.counters.expanded)}.
        </p>
      )}
      {!assignment && (
        <p class="quiet">
          To stand beside your class, open the board from a result: in <a href="#/hand-in">Hand in</a> choose your attempt, and there an instance by its name.
        </p>
      )}
    </>
  );
}

/** How the class counted, in words. */
function Class(props: { others: Schemas["ClassCounts"]; claimed: number | null }): JSX.Element {
  const { students, expanded, instance } = props.others;
  if (!expanded) {
    return <p class="quiet">{students < 5 ? `Of the class ${count(students)} reported a count for ${instance}; from five on they are shown here.` : "The class's counts are shown once you have handed in one of your own."}</p>;
  }
  const at = (quantile: string) => expanded[quantile] ?? 0;
  const part = props.claimed === null ? "" : ` Yours is ${props.claimed < at("0.25") ? "below that" : props.claimed > at("0.75") ? "above that" : "among them"}.`;
  return (
    <p class="quiet class-counts">
      Of {count(students)} students of the class half expanded {count(at("0.25"))} to {count(at("0.75"))} nodes, the median {count(at("0.5"))}.{part}
    </p>
  );
}

/** One's own count among those of all conventions, and those of the class. */
function Spread(props: { analysis: Analysis; counting: Analysis["counting"][number]; others: Schemas["ClassCounts"] | null }): JSX.Element | null {
  const { analysis, counting } = props;
  const ours = analysis.search.counters[counting.what];
  const quantiles = props.others?.expanded ?? null;
  const at = (quantile: string) => quantiles?.[quantile] ?? 0;
  const { low, high } = counting.judged;
  const all = [...counting.spread.map((one) => one.count), ...Object.values(quantiles ?? {}), counting.claimed, ours, ...[low, high].filter((one) => one != null)];
  const [least, most] = [Math.max(1, Math.min(...all)), Math.max(...all, 2)];
  const [width, left, right] = [330, 8, 8];
  const log = most / least > 20;
  const part = (value: number) => (log ? Math.log(Math.max(value, 1) / least) / Math.log(most / least) : (value - least) / Math.max(1, most - least));
  const x = (value: number) => left + part(value) * (width - left - right);
  const many = Math.max(1, ...counting.spread.map((one) => one.conventions));
  const below = quantiles ? 24 : 0;
  const bars = counting.spread.length > 3 ? "bars: documented conventions" : "bars: the service's ties";
  const told = quantiles ? `; the class: half from ${at("0.25")} to ${at("0.75")}, median ${at("0.5")}` : "";
  return (
    <svg class="spread" viewBox={`0 0 ${width} ${80 + below}`} width={width} height={80 + below} role="img" aria-label={`Your count ${counting.claimed}, the service's ${ours}, all from ${least} to ${most}${told}`} font-size="11">
      <line x1={left} x2={width - right} y1={40} y2={40} stroke={SCREEN.line} />
      {low != null && high != null && <line class="range" x1={x(Math.max(low, least))} x2={x(high)} y1={41} y2={41} stroke={SCREEN.cool} stroke-width={3} stroke-opacity={0.45} />}
      {counting.spread.map((one) => (
        <rect key={one.count} x={x(one.count) - 1.5} y={40 - 4 - (18 * one.conventions) / many} width={3} height={4 + (18 * one.conventions) / many} rx={1} fill={SCREEN.cool} fill-opacity={0.65}>
          <title>{`${count(one.count)}: ${one.conventions === 1 ? "one convention" : `${one.conventions} conventions`}`}</title>
        </rect>
      ))}
      {quantiles && (
        <g class="quantiles">
          <line x1={x(at("0.1"))} x2={x(at("0.9"))} y1={56} y2={56} stroke={SCREEN.ink} stroke-width={1.2} />
          <rect x={x(at("0.25")) - 1} y={50} width={Math.max(2, x(at("0.75")) - x(at("0.25")) + 2)} height={12} rx={2} fill={SCREEN.sunk} stroke={SCREEN.ink} stroke-width={1.2}>
            <title>{`The class: tenth ${count(at("0.1"))}, quarter ${count(at("0.25"))}, median ${count(at("0.5"))}, three quarters ${count(at("0.75"))}, nine tenths ${count(at("0.9"))}`}</title>
          </rect>
          <line x1={x(at("0.5"))} x2={x(at("0.5"))} y1={50} y2={62} stroke={SCREEN.ink} stroke-width={2.2} />
        </g>
      )}
      <path d={`M${x(counting.claimed)} 40 l-5 -9 h10 z`} fill={SCREEN.accent} transform={`translate(0 -18)`} />
      <line x1={x(counting.claimed)} x2={x(counting.claimed)} y1={14} y2={46 + (quantiles ? 18 : 0)} stroke={SCREEN.accent} stroke-width={1.5} />
      <text x={Math.min(width - 42, Math.max(42, x(counting.claimed)))} y={10} text-anchor="middle" fill={SCREEN.accent} font-weight="700">
        yours {count(counting.claimed)}
      </text>
      <text x={left} y={62 + below} fill={SCREEN.soft}>
        {count(least)}
      </text>
      <text x={width / 2} y={76 + below} text-anchor="middle" fill={SCREEN.soft}>
        {bars}
        {low != null && high != null ? "; line: all ties" : ""}
        {quantiles ? "; box: class" : ""}
        {log ? "; log scale" : ""}
      </text>
      <text x={width - right} y={62 + below} text-anchor="end" fill={SCREEN.soft}>
        {count(most)}
      </text>
    </svg>
  );
}

/** As the beginning of a sentence; h stays h. */
const capital = (text: string) => (/^h\b/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));
