/** A grading: the score, and for every point that was lost why, with the command that shows it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Schemas } from "../api/client";
import { writeQuestion } from "../board/question";
import { count, points } from "../parts/format";
import { Badge } from "../parts/parts";
import { link } from "../route";
import { itemName } from "./form";
import { type SolveRequest, tidy } from "../solve/question";

type Grading = Schemas["Grading"];
type Part = Schemas["Part"];
type Deduction = Schemas["Deduction"];

const VISIBILITY_WORDS = { visible: "", hidden: "hidden from students", after_due_date: "shown after the due date" } as const;
/** More reasons of one item than this are shown when asked for. */
const REASONS = 6;

/** An instance on the analysis board, with one's own count beside the class's; null: it is not written out. */
function boardOf(copy: Schemas["AssignmentObject"], graded: Schemas["Graded"]): string | null {
  const { puzzle, goal, moves, heuristic, instances } = copy.assignment;
  const found = (instances ?? []).find(({ name }) => name === graded.instance);
  if (found === undefined || (found.alg == null && found.state == null)) return null;
  const request = tidy({ puzzle, goal, alg: found.alg, state: found.state, moves, heuristic }) as SolveRequest;
  return link("board", null, writeQuestion({ request, expanded: graded.expanded ?? undefined, assignment: copy.id, instance: graded.instance }));
}

/** A state that the submitted heuristic overestimates, on the analysis board. */
function overestimateOn(copy: Schemas["AssignmentObject"], seen: Schemas["Overestimate"]): string {
  const { puzzle, goal, moves } = copy.assignment;
  const request = tidy({ puzzle, goal, alg: seen.alg.join(" "), moves, heuristic: seen.heuristic }) as SolveRequest;
  return link("board", null, writeQuestion({ request }));
}

/** `copy`: the assignment, as a student sees it; what is in it can be looked at on the board. */
export function GradingReport(props: { grading: Grading; copy: Schemas["AssignmentObject"] | undefined }): JSX.Element {
  const { grading, copy } = props;
  const lost = grading.parts.filter((part) => (part.deductions ?? []).length > 0);
  const reasons = lost.flatMap((part) => part.deductions ?? []);
  const shown = reasons.filter((one) => one.command != null).length;
  const told =
    shown === reasons.length ? " Each reason has a command that shows it." : shown > 0 ? ` ${count(shown)} of ${count(reasons.length)} reasons have a command that shows it; what was not handed in needs none.` : "";
  const [faults, ignored] = [grading.faults ?? [], grading.ignored ?? []];
  const share = grading.max_score > 0 ? grading.score / grading.max_score : 0;
  return (
    <div class="grading">
      <div class="total">
        <p class="score">
          <strong>{points(grading.score)}</strong> <span>of {points(grading.max_score)} points</span>
        </p>
        <PointsBar share={share} />
        <p class="quiet" role="status">
          {lost.length === 0
            ? "Every item has all its points."
            : `Points were lost in ${lost.length === 1 ? "one item" : `${lost.length} items`}.${told}`}
        </p>
      </div>
      {grading.counting && (
        <p class="quiet">
          {count(grading.counting.explained)} of {count(grading.counting.of)} reported counts are those of one convention:{" "}
          {grading.counting.convention}.
        </p>
      )}
      <ol class="parts">
        {grading.parts.map((part) => (
          <Item key={`${part.number} ${part.visibility}`} part={part} copy={copy} />
        ))}
      </ol>
      {(faults.length > 0 || ignored.length > 0) && (
        <section class="faults" aria-label="What could not be read">
          <h3>What could not be read, and is not graded</h3>
          <ul>
            {faults.map((fault) => (
              <li key={fault.where + fault.message}>
                {fault.where && <code>{fault.where}</code>} {fault.message}
              </li>
            ))}
            {ignored.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      )}
      <Instances graded={grading.graded} copy={copy} />
    </div>
  );
}

export function PointsBar(props: { share: number }): JSX.Element {
  const share = Math.min(1, Math.max(0, props.share));
  const kind = share >= 0.999 ? "proven" : share > 0 ? "part" : "none";
  return (
    <span class="track" aria-hidden="true">
      <span class={kind} style={{ width: `${100 * share}%` }} />
    </span>
  );
}

function Item(props: { part: Part; copy: Schemas["AssignmentObject"] | undefined }): JSX.Element {
  const { part } = props;
  const [all, setAll] = useState(false);
  const reasons = part.deductions ?? [];
  const shown = all ? reasons : reasons.slice(0, REASONS);
  const hidden = VISIBILITY_WORDS[part.visibility];
  return (
    <li>
      <div class="item">
        <span class="name">
          {itemName(part.name)} {hidden && <Badge kind="unknown">{hidden}</Badge>}
        </span>
        <PointsBar share={part.max_score > 0 ? part.score / part.max_score : 0} />
        <span class="number">
          <strong>{points(part.score)}</strong> / {points(part.max_score)}
        </span>
      </div>
      {(part.notes ?? []).map((note) => (
        <p key={note} class="quiet note">
          {note}
        </p>
      ))}
      {shown.length > 0 && (
        <ul class="reasons">
          {shown.map((one, number) => (
            <Reason key={number} deduction={one} copy={props.copy} />
          ))}
        </ul>
      )}
      {reasons.length > shown.length && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          Show {count(reasons.length - shown.length)} more
        </button>
      )}
    </li>
  );
}

function Reason(props: { deduction: Deduction; copy: Schemas["AssignmentObject"] | undefined }): JSX.Element {
  const { deduction, copy } = props;
  const place = [deduction.instance, deduction.row != null ? `line ${deduction.row}` : null].filter(Boolean).join(", ");
  return (
    <li>
      <span class="number lost">−{points(deduction.points)}</span>
      <div>
        <p>
          {place && <small class="place">{place}</small>} {deduction.reason}
        </p>
        {copy && deduction.overestimate && (
          <p>
            <a href={overestimateOn(copy, deduction.overestimate)}>See it on the board</a>
          </p>
        )}
        {deduction.command && <Command text={deduction.command} />}
      </div>
    </li>
  );
}

/** A command to take along, on one line that scrolls. */
export function Command(props: { text: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.text);
      setCopied(true);
      window.setTimeout(() => setCopied(false), 1500);
    } catch {
      // No clipboard here: the text can be selected.
    }
  };
  return (
    <div class="command">
      <code tabIndex={0} role="group" aria-label="Command">
        {props.text}
      </code>
      <button type="button" class="plain" onClick={copy}>
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}

function Instances(props: { graded: readonly Schemas["Graded"][]; copy: Schemas["AssignmentObject"] | undefined }): JSX.Element | null {
  const { copy } = props;
  if (props.graded.length === 0) return null;
  return (
    <details class="features" open={props.graded.length <= 12}>
      <summary>Instance by instance</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Instances">
        <table class="stacks short">
          <thead>
            <tr>
              <th>Instance</th>
              <th class="number">k</th>
              <th>Verdict</th>
              <th class="number">Length</th>
              <th class="number">Shortest</th>
              <th class="number">Nodes claimed</th>
              <th class="number">Line</th>
            </tr>
          </thead>
          <tbody>
            {props.graded.map((one) => (
              <tr key={one.instance}>
                <td>
                  <Place name={one.instance} to={copy ? boardOf(copy, one) : null} /> {VISIBILITY_WORDS[one.visibility] && <small>{VISIBILITY_WORDS[one.visibility]}</small>}
                </td>
                <td class="number" data-of="k">{count(one.k)}</td>
                <td>
                  <Badge kind={verdict(one)}>{VERDICTS[verdict(one)]}</Badge>
                </td>
                <td class="number" data-of="Length">{count(one.length)}</td>
                <td class="number" data-of="Shortest">{count(one.optimal_length)}</td>
                <td class="number" data-of="Nodes">{count(one.expanded)}</td>
                <td class="number" data-of="Line">{count(one.row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Place(props: { name: string; to: string | null }): JSX.Element {
  return props.to === null ? <>{props.name}</> : <a href={props.to} title="Look at it on the board">{props.name}</a>;
}

const VERDICTS = { proven: "shortest", done: "valid", longer: "valid, longer", failed: "wrong", missing: "not handed in" } as const;

function verdict(one: Schemas["Graded"]): keyof typeof VERDICTS {
  if (one.row === null) return "missing";
  if (!one.valid) return "failed";
  if (one.optimal_length === null || one.length === null) return "done";
  return one.length <= one.optimal_length ? "proven" : "longer";
}
