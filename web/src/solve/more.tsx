/** What few requests have: another goal, names of one's own, tags. */
import type { JSX } from "preact";
import { namable, type Puzzle } from "../api/catalogue";
import type { Problem } from "../api/client";
import { Field, NumberInput, TextInput } from "../parts/parts";
import { parseJson, parseState, type SolveRequest, stateText } from "./question";

export function More(props: {
  puzzle: Puzzle;
  request: SolveRequest;
  set: (part: Record<string, unknown>) => void;
  problem: Problem | undefined;
}): JSX.Element {
  const { puzzle, request, set, problem } = props;
  const json = (value: unknown) => (typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value));
  const fields = [
    ...(puzzle.rows ? [{ name: "goal", label: "Goal board", hint: `Row by row, 0 the blank. Empty: ${(puzzle.goal ?? []).join(" ")}`, text: stateText(request.goal), read: parseState }] : []),
    { name: "target", label: "State to reach instead", hint: 'A state, or {"alg": "moves"} or {"random": seed}.', text: stateText(request.target), read: parseState },
    ...(namable(puzzle).length > 0 ? [{ name: "labels", label: "Own names of the faces", hint: '{"neighbours": {"face": ["its neighbours, clockwise"]}}', text: json(request.labels), read: parseJson }] : []),
    { name: "tags", label: "Tags", hint: 'To find it again: {"course": "ai"}', text: json(request.tags), read: parseJson },
  ];
  const given = request as Record<string, unknown>;
  const some = [...fields.map(({ name }) => name), "priority", "certificate"].some((name) => given[name] != null || (problem?.at(`/${name}`).length ?? 0) > 0);
  return (
    <details class="more" open={some || undefined}>
      <summary>More</summary>
      <fieldset aria-label="More">
        {fields.map(({ name, label, hint, text, read }) => (
          <Field key={name} label={label} hint={hint} faults={problem?.at(`/${name}`)}>
            {(at) => (
              <TextInput {...at} rows={1} spellcheck={false} value={text} set={(typed) => set({ [name]: typed.trim() ? read(typed.trim()) : undefined })} />
            )}
          </Field>
        ))}
        <Field label="Priority" hint="Higher runs first." faults={problem?.at("/priority")}>
          {(at) => <NumberInput {...at} step="1" placeholder="0" value={request.priority} set={(priority) => set({ priority })} />}
        </Field>
        <label class="check">
          <input
            type="checkbox"
            checked={request.certificate ?? false}
            onChange={(event) => set({ certificate: event.currentTarget.checked || undefined })}
          />
          Also write a proof that anybody can check
        </label>
      </fieldset>
    </details>
  );
}
