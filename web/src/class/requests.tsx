/** Regrade requests: a student asks with a note, an instructor answers. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, ask, newKey, Problem, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { ago, points } from "../parts/format";
import { Badge, Empty, Field, Notice, NumberInput, Waiting } from "../parts/parts";
import { link } from "../route";

type RegradeRequest = Schemas["RegradeRequestObject"];

const WORDS: Record<RegradeRequest["status"], string> = { open: "waits for an answer", granted: "granted", declined: "declined" };
const KINDS: Record<RegradeRequest["status"], string> = { open: "unknown", granted: "proven", declined: "cancelled" };

/** Every request of an assignment, with a form to answer those that are open. */
export function RequestList(props: { assignment: Schemas["AssignmentObject"]; changed: () => void }): JSX.Element {
  const { id } = props.assignment;
  const list = useLoaded(
    ["regrade requests", id],
    () => ask(api.GET("/v1/assignments/{id}/regrade-requests", { params: { path: { id }, query: { limit: 200 } } })),
    () => 5000,
  );
  const items = [...(list.data?.items ?? [])].sort((a, b) => Number(b.status === "open") - Number(a.status === "open"));
  return (
    <>
      {list.problem && <Notice problem={list.problem} retry={list.reload} />}
      {!list.data && !list.problem && <Waiting what="regrade requests" lines={5} />}
      {list.data && items.length === 0 && <Empty title="No requests">Students can ask for a regrade, with a note.</Empty>}
      <ul class="requests">
        {items.map((one) => (
          <li key={one.id} class="panel">
            <One assignment={id} request={one} answering changed={() => (list.reload(), props.changed())} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The requests about one submission; with `grading` a student may make another, with `answering` an instructor may answer. */
export function Requests(props: {
  assignment: string;
  student: string;
  submission: string;
  grading?: Schemas["Grading"];
  answering?: boolean;
  changed: () => void;
}): JSX.Element | null {
  const { assignment, student, submission, grading } = props;
  const list = useLoaded(
    ["requests of", assignment, student],
    async () =>
      (await ask(api.GET("/v1/assignments/{id}/regrade-requests", { params: { path: { id: assignment }, query: { student, limit: 200 } } }))).items,
    (items) => (items.some((one) => one.status === "open") ? 5000 : null),
  );
  const own = (list.data ?? []).filter((one) => one.submission === submission);
  const changed = () => {
    list.reload();
    props.changed();
  };
  if (list.problem) return <Notice problem={list.problem} retry={list.reload} />;
  return (
    <>
      {own.length > 0 && (
        <ul class="requests">
          {own.map((one) => (
            <li key={one.id}>
              <One assignment={assignment} request={one} answering={props.answering ?? false} changed={changed} />
            </li>
          ))}
        </ul>
      )}
      {grading && list.data && !own.some((one) => one.status === "open") && (
        <Ask assignment={assignment} submission={submission} grading={grading} asked={changed} />
      )}
    </>
  );
}

function One(props: { assignment: string; request: RegradeRequest; answering: boolean; changed: () => void }): JSX.Element {
  const { assignment, request } = props;
  return (
    <div class="request">
      <p class="row">
        <Badge kind={KINDS[request.status]}>{WORDS[request.status]}</Badge>
        {props.answering && (
          <a href={link("class", assignment, new URLSearchParams({ student: request.student, submission: request.submission }))}>{request.student}</a>
        )}
        <small>
          {request.item ? `about “${request.item}”` : "about the whole grading"}, {ago(request.created_at)}
        </small>
      </p>
      <blockquote>{request.note}</blockquote>
      {request.answer && (
        <p class="answered">
          <strong>Answer</strong> {request.answer}
          {request.adjustment ? ` (${request.adjustment > 0 ? "+" : "−"}${points(Math.abs(request.adjustment))} points)` : ""}
        </p>
      )}
      {props.answering && request.status === "open" && <Answer assignment={assignment} request={request} answered={props.changed} />}
    </div>
  );
}

function Answer(props: { assignment: string; request: RegradeRequest; answered: () => void }): JSX.Element {
  const { assignment, request } = props;
  const [answer, setAnswer] = useState("");
  const [adjustment, setAdjustment] = useState<number | undefined>();
  const [refused, setRefused] = useState<Problem | undefined>();
  const send = async (decision: "granted" | "declined") => {
    setRefused(undefined);
    try {
      await ask(
        api.PUT("/v1/assignments/{id}/regrade-requests/{regrade_request}/answer", {
          params: { path: { id: assignment, regrade_request: request.id } },
          body: { decision, answer, adjustment: decision === "granted" ? (adjustment ?? 0) : 0 },
        }),
      );
      props.answered();
    } catch (error) {
      if (error instanceof Problem) setRefused(error);
    }
  };
  return (
    <form class="answering" aria-label={`Answer the request of ${request.student}`} onSubmit={(event) => (event.preventDefault(), void send("granted"))}>
      <Field label="Answer" hint="The student reads it. Granting grades the submission again." faults={refused?.at("/answer")}>
        {(at) => <textarea {...at} rows={2} value={answer} onInput={(event) => setAnswer(event.currentTarget.value)} />}
      </Field>
      {refused && <Notice problem={refused} />}
      <div class="row">
        <Field label="Points to add" faults={refused?.at("/adjustment")}>
          {(at) => <NumberInput {...at} step="any" placeholder="0, or −2.5" value={adjustment} set={setAdjustment} />}
        </Field>
        <button type="submit" class="plain" disabled={!answer.trim()}>
          Grant
        </button>
        <button type="button" class="plain" disabled={!answer.trim()} onClick={() => void send("declined")}>
          Decline
        </button>
      </div>
    </form>
  );
}

function Ask(props: { assignment: string; submission: string; grading: Schemas["Grading"]; asked: () => void }): JSX.Element {
  const { assignment, submission, grading } = props;
  const [open, setOpen] = useState(false);
  const [note, setNote] = useState("");
  const [item, setItem] = useState("");
  const [refused, setRefused] = useState<Problem | undefined>();
  const send = async (event: Event) => {
    event.preventDefault();
    setRefused(undefined);
    try {
      await ask(
        api.POST("/v1/assignments/{id}/submissions/{submission}/regrade-requests", {
          params: { path: { id: assignment, submission }, header: { "Idempotency-Key": newKey() } },
          body: { note, ...(item && { item }) },
        }),
      );
      setOpen(false);
      setNote("");
      props.asked();
    } catch (error) {
      if (error instanceof Problem) setRefused(error);
    }
  };
  if (!open)
    return (
      <p class="quiet askline">
        Is something wrong with it?{" "}
        <button type="button" class="plain" onClick={() => setOpen(true)}>
          Ask for a regrade
        </button>
      </p>
    );
  const items = [...new Set(grading.parts.map((part) => part.name))];
  return (
    <form class="answering" onSubmit={send} aria-label="Ask for a regrade" noValidate>
      <Field label="About" faults={refused?.at("/item")}>
        {(at) => (
          <select {...at} value={item} onChange={(event) => setItem(event.currentTarget.value)}>
            <option value="">the whole grading</option>
            {items.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="What is wrong" hint="An instructor reads it and answers here." faults={refused?.at("/note")}>
        {(at) => <textarea {...at} rows={3} value={note} onInput={(event) => setNote(event.currentTarget.value)} />}
      </Field>
      {refused && <Notice problem={refused} />}
      <div class="row">
        <button type="submit" class="go" disabled={!note.trim()}>
          Send
        </button>
        <button type="button" class="plain" onClick={() => setOpen(false)}>
          Not now
        </button>
      </div>
    </form>
  );
}
