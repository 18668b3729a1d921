/** What was decided about one student on one assignment: extension, adjustment, marks of manual items, comment. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, ask, Problem, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { points } from "../parts/format";
import { Field, Notice, NumberInput, Waiting } from "../parts/parts";
import { local, moment } from "./form";

type Change = Schemas["RecordChange"];

export function RecordForm(props: { assignment: Schemas["AssignmentObject"]; student: string; close: () => void; saved: () => void }): JSX.Element {
  const { assignment, student } = props;
  const params = { path: { id: assignment.id }, query: { student } };
  const found = useLoaded(["record", assignment.id, student], () => ask(api.GET("/v1/assignments/{id}/record", { params })));
  const [change, setChange] = useState<Change>({});
  const [problem, setProblem] = useState<Problem | undefined>();
  useEffect(() => setChange({}), [student]);
  if (found.problem) return <Notice problem={found.problem} retry={found.reload} />;
  if (!found.data) return <Waiting what="the record" lines={4} />;
  const record = found.data;
  const extension = change.extension === undefined ? record.extension : change.extension;
  const adjustment = change.adjustment === undefined ? record.adjustment : change.adjustment;
  const manual = assignment.assignment.rubric.filter((item) => item.kind === "manual");
  const extend = (part: Partial<Schemas["Extension"]>) => setChange({ ...change, extension: { ...extension, ...part } });
  const adjust = (part: Partial<Schemas["Adjustment"]>) => setChange({ ...change, adjustment: { points: 0, reason: "", ...adjustment, ...part } });
  const unexplained = !!adjustment?.points && !adjustment.reason.trim();
  const save = async (event: Event) => {
    event.preventDefault();
    setProblem(undefined);
    try {
      await ask(api.PATCH("/v1/assignments/{id}/record", { params, body: change }));
      setChange({});
      found.reload();
      props.saved();
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem("broken", "This page failed", String(error)));
    }
  };
  return (
    <form class="record" onSubmit={save} noValidate aria-label={`Marks and changes for ${student}`}>
      <div class="bar">
        <h2>
          {record.roster?.name ?? student}: {record.entry?.score == null ? "no score yet" : `${points(record.entry.score)} of ${points(record.entry.max_score)}`}
        </h2>
        <button type="button" class="plain" onClick={props.close}>
          Close
        </button>
      </div>
      <div class="dates">
        <Field label="Due for this student" faults={problem?.at("/extension")}>
          {(at) => <input {...at} type="datetime-local" value={local(extension?.due)} onChange={(event) => extend({ due: moment(event.currentTarget.value) })} />}
        </Field>
        <Field label="Extra attempts">{(at) => <NumberInput {...at} min={0} step="1" value={extension?.attempts} set={(attempts) => extend({ attempts: attempts ?? null })} />}</Field>
        <Field label="Why the extension">{(at) => <input {...at} value={extension?.reason ?? ""} onInput={(event) => extend({ reason: event.currentTarget.value })} />}</Field>
      </div>
      <div class="dates">
        <Field label="Points to add or take off" faults={problem?.at("/adjustment")}>
          {(at) => <NumberInput {...at} step="any" value={adjustment?.points} set={(value) => (value === undefined ? setChange({ ...change, adjustment: null }) : adjust({ points: value }))} />}
        </Field>
        <Field label="Why the adjustment" hint={unexplained ? "Give a reason: the student reads it." : undefined} faults={problem?.at("/adjustment/reason")}>{(at) => <input {...at} value={adjustment?.reason ?? ""} onInput={(event) => adjust({ reason: event.currentTarget.value })} />}</Field>
        <label class="check">
          <input type="checkbox" checked={change.excused ?? record.excused} onChange={(event) => setChange({ ...change, excused: event.currentTarget.checked })} />
          excused
        </label>
      </div>
      {manual.map((item) => {
        const name = item.name ?? item.kind;
        const mark = change.marks?.[name] ?? record.marks[name];
        const set = (part: Partial<Schemas["Mark"]>) => {
          const { by: _by, at: _at, ...kept } = { ...mark, ...part } as Schemas["Mark"];
          setChange({ ...change, marks: { ...change.marks, [name]: kept } });
        };
        const criteria = item.criteria ?? [];
        return (
          <fieldset key={name} class="dates" aria-label={name}>
            {criteria.length === 0 ? (
              <Field label={`${name}, of ${points(item.points)}`} faults={problem?.at(`/marks/${name}`)}>
                {(at) => <NumberInput {...at} min={0} max={item.points} step="any" value={mark?.points} set={(value) => set({ points: value ?? null })} />}
              </Field>
            ) : (
              criteria.map((one) => (
                <Field key={one.name} label={`${name}: ${one.name}, of ${points(one.points)}`} hint={one.description}>
                  {(at) => (
                    <NumberInput {...at} min={0} max={one.points} step="any" value={mark?.criteria?.[one.name]} set={(value) => set({ points: null, criteria: { ...mark?.criteria, [one.name]: value ?? 0 } })} />
                  )}
                </Field>
              ))
            )}
            <Field label={`Comment on ${name}`}>{(at) => <input {...at} value={mark?.comment ?? ""} onInput={(event) => set({ comment: event.currentTarget.value || null })} />}</Field>
          </fieldset>
        );
      })}
      <Field label="Comment for the student">
        {(at) => <textarea {...at} rows={2} value={(change.comment === undefined ? record.comment : change.comment) ?? ""} onInput={(event) => setChange({ ...change, comment: event.currentTarget.value || null })} />}
      </Field>
      {problem && <Notice problem={problem} />}
      <div class="row acts">
        <button type="submit" class="go" disabled={Object.keys(change).length === 0 || unexplained}>
          Save
        </button>
        <p class="quiet" role="status">
          {Object.keys(change).length === 0 && record.changed_at ? "Saved." : ""}
        </p>
      </div>
    </form>
  );
}
