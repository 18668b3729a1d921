/** A heuristic, by name or as an expression, with what is known of it. */
import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { Puzzle } from "../api/catalogue";
import type { Problem, Schemas } from "../api/client";
import { Badge } from "../parts/parts";

export type Verdict = Pick<Schemas["Verdict"], "admissible" | "consistent" | "reason">;

export const VERDICT_WORDS = {
  proven: "proven",
  refuted: "refuted",
  unknown: "not known",
} as const;

export function VerdictLine(props: { verdict: Verdict }): JSX.Element {
  const { admissible, consistent, reason } = props.verdict;
  return (
    <div class="verdict">
      <Badge kind={admissible}>admissible: {VERDICT_WORDS[admissible]}</Badge>{" "}
      <Badge kind={consistent}>consistent: {VERDICT_WORDS[consistent]}</Badge>
      <p>{reason}</p>
    </div>
  );
}

/** The expression with a mark under each column that a fault names. */
export function Pointed(props: { text: string; columns: readonly number[] }): JSX.Element {
  const last = Math.max(props.text.length, ...props.columns);
  const marks = Array.from({ length: last }, (_, i) => (props.columns.includes(i + 1) ? "^" : " ")).join("");
  return (
    <pre class="pointed" aria-hidden="true">
      {props.text}
      {"\n"}
      {marks}
    </pre>
  );
}

export function HeuristicInput(props: {
  puzzle: Puzzle;
  moves: string;
  named: readonly Schemas["NamedHeuristic"][];
  value: string;
  set: (value: string) => void;
  problem: Problem | undefined;
}): JSX.Element {
  const { puzzle, moves, named, value, problem } = props;
  const id = useId();
  const asked = value.trim() || puzzle.default_heuristic;
  const known = named.find(({ name, expression }) => name === asked || expression === asked);
  const verdict = known?.move_sets[moves];
  const refused = problem?.code === "invalid-heuristic" ? problem : undefined;
  const faults = refused ? (refused.faults.length ? refused.faults : [{ where: "", message: refused.detail }]) : (problem?.at("/heuristic") ?? []);
  const columns = faults.map((fault) => Number(/\d+/.exec(fault.where)?.[0])).filter((column) => column > 0);
  const wrong = faults.length > 0;
  return (
    <div class={`field${wrong ? " wrong" : ""}`}>
      <label for={id}>Heuristic h</label>
      <input
        id={id}
        class="code"
        list={`${id}-named`}
        value={value}
        placeholder={puzzle.default_heuristic}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        aria-describedby={`${id}-says`}
        aria-invalid={wrong}
        onInput={(event) => props.set(event.currentTarget.value)}
      />
      <datalist id={`${id}-named`}>
        {named.map(({ name, expression }) => (
          <option key={name} value={name}>
            {expression}
          </option>
        ))}
      </datalist>
      <div class="says tall" id={`${id}-says`} aria-live="polite">
        {wrong && (
          <>
            {columns.length > 0 && <Pointed text={asked} columns={columns} />}
            {faults.map((fault) => (
              <p key={fault.where + fault.message}>
                {columns.length > 0 && `Column ${fault.where.replace(/\D+/g, "")}: `}
                {fault.message}
              </p>
            ))}
          </>
        )}
        {!wrong && known && known.name === asked && <code>{known.expression}</code>}
        {!wrong && verdict && <VerdictLine verdict={verdict} />}
        {!wrong && !known && <p>A name, or an expression over the features of the puzzle.</p>}
      </div>
      <details class="features">
        <summary>Features of this puzzle</summary>
        <dl>
          {Object.entries(puzzle.features).map(([signature, meaning]) => (
            <div key={signature}>
              <dt>
                <code>{signature}</code>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}
