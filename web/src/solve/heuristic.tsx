/** A heuristic, by name or as an expression, with what is known of it. */
import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { Puzzle } from "../api/catalogue";
import { api, ask, type Problem, type Schemas } from "../api/client";
import { type Loaded, useLoaded, useSettled } from "../api/hooks";
import { Badge } from "../parts/parts";

export interface Verdict {
  admissible: "proven" | "refuted" | "unknown";
  consistent: "proven" | "refuted" | "unknown";
  reason: string;
}

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

/** What the service knows of a heuristic, asked for once it has not changed for a moment. */
export function useCheck(puzzle: Puzzle, moves: string, heuristic: string): Loaded<Schemas["HeuristicCheck"]> & { asked: string } {
  const goal = puzzle.name.startsWith("tiles:") ? (puzzle.goal ?? null) : null;
  // The puzzle settles with it: what was written for another one is not asked about this one.
  const settled = useSettled(JSON.stringify({ puzzle: puzzle.name, moves, heuristic, goal }), 250);
  const body = JSON.parse(settled) as Schemas["HeuristicCheckRequest"];
  const found = useLoaded(["check", settled], (signal) => ask(api.POST("/v1/heuristics/check", { body, signal })));
  const asked = body.puzzle === puzzle.name ? body.heuristic : heuristic;
  return { ...found, asked };
}

export function HeuristicInput(props: {
  puzzle: Puzzle;
  moves: string;
  named: readonly Schemas["NamedHeuristic"][];
  value: string;
  set: (value: string) => void;
  problem: Problem | undefined;
  label?: string;
  /** faults and the expression only, where the verdict is said elsewhere */
  brief?: boolean;
}): JSX.Element {
  const { puzzle, moves, named, value } = props;
  const id = useId();
  const written = value.trim() || puzzle.default_heuristic;
  const check = useCheck(puzzle, moves, written);
  const ours = props.problem?.code === "invalid-heuristic" || (props.problem?.at("/heuristic").length ?? 0) > 0;
  const problem = check.problem ?? (ours ? props.problem : undefined);
  const faults = problem ? (problem.faults.length ? problem.faults : [{ where: "", message: problem.detail }]) : [];
  const columns = faults.map((fault) => Number(/column (\d+)/.exec(fault.where)?.[1])).filter((column) => column > 0);
  const wrong = faults.length > 0;
  const known = check.data;
  return (
    <div class={`field${wrong ? " wrong" : ""}`}>
      <label for={id}>{props.label ?? "Heuristic h"}</label>
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
      <div class={`says${props.brief ? "" : " tall"}`} id={`${id}-says`} aria-live="polite">
        {wrong && (
          <>
            {columns.length > 0 && <Pointed text={check.problem ? check.asked : written} columns={columns} />}
            {columns.length > 0 && <p>{problem?.detail}</p>}
            {faults.slice(0, 3).map((fault) => (
              <p key={fault.where + fault.message}>
                {columns.length > 0 && `Column ${fault.where.replace(/\D+/g, "")}: `}
                {fault.message}
              </p>
            ))}
          </>
        )}
        {!wrong && known && (
          <>
            {props.brief && value.trim() === "" ? (
              <>
                Left empty: <code>{written}</code>
              </>
            ) : (
              known.name === written && <code>{known.expression}</code>
            )}
            {!props.brief && <VerdictLine verdict={known} />}
          </>
        )}
        {!wrong && !known && !props.brief && <p>Looking at it.</p>}
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
