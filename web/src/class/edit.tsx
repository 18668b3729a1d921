/** Write an assignment as JSON, checked as it is typed: `#/class/new`, or a part of one assignment's view. */
import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { api, ask, newKey, Problem, type Schemas } from "../api/client";
import { useLoaded, useSettled } from "../api/hooks";
import { count, points } from "../parts/format";
import { Badge, Notice } from "../parts/parts";
import { go, link } from "../route";
import { lineOf, linesOf, readJson, writeJson } from "./places";

type Assignment = Schemas["AssignmentObject"];

const FIRST = {
  title: "Megaminx with A*",
  puzzle: "megaminx",
  scramble_moves: "cw",
  moves: "ccw",
  instances: [
    { k: [3, 4], each: 2, seed: 1 },
    { k: 5, seed: 7 },
  ],
  rubric: [
    { kind: "valid", name: "valid solutions", points: 60 },
    { kind: "optimal", name: "shortest solutions", points: 40 },
  ],
  attempts: 3,
  due: "2030-12-01T23:59:00Z",
  late: { percent_a_day: 10, days: 5 },
};

/** The kinds of items, each ready to be put into a rubric. */
const ITEMS: Record<Schemas["RubricItem"]["kind"], { words: string; more?: Record<string, unknown> }> = {
  valid: { words: "a valid solution of each instance" },
  optimal: { words: "a shortest solution, or at most `excess` longer" },
  expanded_at_most: { words: "at most so many nodes expanded", more: { at_most: 10_000 } },
  claims_true: { words: "reported numbers that are true" },
  heuristic_admissible: { words: "a heuristic without a counterexample", more: { radius: 4 } },
  model_right: { words: "a right model of the puzzle" },
  covers_k: { words: "a valid solution with each k", more: { k: [3, 4, 5] } },
  manual: { words: "what a person marks, such as a report" },
};

interface Fault {
  where: string;
  message: string;
  line: number;
}

export function Edit(props: { assignment?: Assignment; saved?: () => void }): JSX.Element {
  const { assignment } = props;
  const [text, setText] = useState(() => writeJson(assignment ? given(assignment.assignment) : FIRST));
  const [refused, setRefused] = useState<Problem | undefined>();
  const [saving, setSaving] = useState(false);
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const settled = useSettled(text, 250);
  const read = readJson(settled);
  const checked = useLoaded(["check assignment", settled], async (signal) => {
    if (!("value" in read)) return null;
    return ask(api.POST("/v1/assignments/check", { body: read.value as Schemas["AssignmentIn"], signal }));
  });
  const faults = faultsOf(settled, read, checked.problem ?? refused);
  const found = faults.length === 0 ? checked.data : undefined;
  const save = async (event: Event) => {
    event.preventDefault();
    const now = readJson(text);
    if (!("value" in now)) return;
    const body = now.value as Schemas["AssignmentIn"];
    setSaving(true);
    setRefused(undefined);
    try {
      if (assignment) {
        await ask(api.PUT("/v1/assignments/{id}", { params: { path: { id: assignment.id } }, body }));
        props.saved?.();
      } else {
        const made = await ask(
          api.POST("/v1/assignments", { params: { header: { "Idempotency-Key": newKey() } }, body }),
        );
        go(link("class", made.id));
      }
    } catch (error) {
      setRefused(error instanceof Problem ? error : new Problem("broken", "This page failed", String(error)));
    } finally {
      setSaving(false);
    }
  };
  const addItem = (kind: keyof typeof ITEMS) => {
    const now = readJson(text);
    if (!("value" in now)) return;
    const value = now.value as { rubric?: unknown[] };
    const next = { ...value, rubric: [...(value.rubric ?? []), { kind, points: 10, ...ITEMS[kind].more }] };
    setText(writeJson(next));
  };
  const showLine = (line: number) => {
    const area = box.current;
    if (area === null) return;
    const before = text.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(before, before + (text.split("\n")[line - 1]?.length ?? 0));
    area.scrollTop = Math.max(0, (line - 6) * 20);
  };
  return (
    <form class="edit" onSubmit={save} noValidate aria-label="Assignment">
      <section class={`panel field${faults.length ? " wrong" : ""}`}>
        <label for={id}>The assignment, as JSON</label>
        <textarea
          ref={box}
          id={id}
          class="json"
          rows={26}
          spellcheck={false}
          autocapitalize="off"
          value={text}
          aria-invalid={faults.length > 0}
          aria-describedby={`${id}-says`}
          onInput={(event) => {
            setRefused(undefined);
            setText(event.currentTarget.value);
          }}
        />
        <p class="quiet">Fields are described in the <a href="/docs">reference of the API</a>. Limits are in expansions, so that a score is the same on every machine.</p>
      </section>
      <section class="panel checked" aria-label="Check">
        <div class="says" id={`${id}-says`} aria-live="polite">
          {faults.length > 0 ? (
            <ul class="faultlist">
              {faults.slice(0, 12).map((fault) => (
                <li key={fault.where + fault.message}>
                  <button type="button" class="plain" onClick={() => showLine(fault.line)}>
                    Line {fault.line}
                  </button>
                  <p>
                    {fault.where && <code>{fault.where}</code>} {fault.message}
                  </p>
                </li>
              ))}
              {faults.length > 12 && <li>and {faults.length - 12} more</li>}
            </ul>
          ) : (
            <p>{found ? <Badge kind="proven">It can be graded</Badge> : "Looking at it."}</p>
          )}
        </div>
        {refused && faults.length === 0 && <Notice problem={refused} />}
        {found && <Preview found={found} />}
        <details class="features">
          <summary>Add an item to the rubric</summary>
          <ul class="kinds">
            {(Object.keys(ITEMS) as (keyof typeof ITEMS)[]).map((kind) => (
              <li key={kind}>
                <button type="button" class="plain" onClick={() => addItem(kind)}>
                  {kind}
                </button>
                <span class="quiet">{ITEMS[kind].words}</span>
              </li>
            ))}
          </ul>
        </details>
        <div class="bar">
          <button type="submit" class="go" disabled={saving || !found}>
            {saving ? "Saving" : assignment ? "Save the new version" : "Create the assignment"}
          </button>
        </div>
      </section>
    </form>
  );
}

/** What is worth how much, and the instances that it makes. */
export function Preview(props: { found: Schemas["AssignmentCheck"] | Assignment }): JSX.Element {
  const { found } = props;
  const { rubric } = found.assignment;
  const many = found.instances.length - 8;
  return (
    <>
      <table class="rubric">
        <caption class="unseen">Rubric</caption>
        <thead>
          <tr>
            <th>Item</th>
            <th>Kind</th>
            <th class="number">Points</th>
          </tr>
        </thead>
        <tbody>
          {rubric.map((item, number) => (
            <tr key={number}>
              <td>{item.name ?? item.kind}</td>
              <td>
                <small>{item.kind}</small> {item.visibility !== "visible" && item.visibility && <Badge kind="unknown">{item.visibility.replace(/_/g, " ")}</Badge>}
              </td>
              <td class="number">{points(item.points)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th colSpan={2}>In all</th>
            <td class="number">
              <strong>{points(found.max_score)}</strong>
            </td>
          </tr>
        </tfoot>
      </table>
      <p class="quiet">
        {found.instances.length === 0
          ? "No instances."
          : `${count(found.instances.length)} instances: ${found.instances.slice(0, 8).join(", ")}${many > 0 ? ` and ${count(many)} more` : ""}.`}
      </p>
    </>
  );
}

/** What was given, without what was left out of it. */
export function given(assignment: Schemas["AssignmentIn"]): unknown {
  return JSON.parse(JSON.stringify(assignment), (_, value: unknown) => (value === null ? undefined : value)) as unknown;
}

function faultsOf(text: string, read: ReturnType<typeof readJson>, problem: Problem | undefined): Fault[] {
  if (!("value" in read)) return [{ where: "", message: `This is not JSON yet: ${read.message}`, line: read.line }];
  if (problem === undefined || problem.code === "offline") return [];
  const lines = linesOf(text);
  const found = problem.faults.length ? problem.faults : [{ where: "", message: problem.detail || problem.title }];
  return found.map((fault) => ({ ...fault, line: lineOf(lines, fault.where) })).sort((a, b) => a.line - b.line);
}
