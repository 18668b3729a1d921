/** The submissions to an assignment, newest first, and one of them with its reasons. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, ask, gone, type Schemas } from "../api/client";
import { useLoaded, useSettled } from "../api/hooks";
import { ago, points } from "../parts/format";
import { Badge, Confirm, Empty, Field, Notice, Snippets, Waiting } from "../parts/parts";
import { cursorOf, go, link, type Route } from "../route";
import { GradingReport, PointsBar } from "./grading";
import { Bulk } from "./bulk";
import { Requests } from "./requests";
import { useAssignment } from "./view";

export type Submission = Schemas["SubmissionSummary"];

export const GRADING_WORDS: Record<Submission["status"], string> = {
  queued: "waits to be graded",
  running: "being graded",
  done: "graded",
  cancelled: "not graded",
  failed: "not graded",
};
export const graded = (one: Submission) => one.status === "done" || one.status === "cancelled" || one.status === "failed";

export function Submissions(props: { assignment: Schemas["AssignmentObject"]; route: Route }): JSX.Element {
  const { id } = props.assignment;
  const { query } = props.route;
  const [typed, type] = useState(query.get("student") ?? "");
  const student = useSettled(typed.trim(), 250);
  const cursor = query.get("cursor");
  const chosen = query.get("submission");
  const list = useLoaded(
    ["submissions", id, student, cursor],
    () =>
      ask(
        api.GET("/v1/assignments/{id}/submissions", {
          params: { path: { id }, query: { limit: 50, ...(student && { student }), ...(cursor && { cursor }) } },
        }),
      ),
    (page) => (page.items.every((one) => graded(one) && !one.regrading) ? 5000 : 1000),
  );
  const to = (changes: Record<string, string | null>) => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    return link("class", id, next);
  };
  const onwards = cursorOf(list.data?.next);
  return (
    <div class="stack">
      <Bulk assignment={id} changed={list.reload} folded={chosen !== null} />
      <div class={chosen ? "twos wide reading" : ""}>
      <div class="listing">
        <div class="row filters">
          <Field label="Student">
            {(at) => (
              <input
                {...at}
                placeholder="all"
                value={typed}
                onInput={(event) => {
                  const of = event.currentTarget.value;
                  type(of);
                  // The result of somebody else must not stay beside the list.
                  go(to({ student: of.trim(), cursor: null, submission: null }), true);
                }}
              />
            )}
          </Field>
        </div>
        {list.problem && <Notice problem={list.problem} retry={list.reload} />}
        {!list.data && !list.problem && <Waiting what="submissions" lines={8} />}
        {list.data?.items.length === 0 && (
          <Empty title={student ? "No submissions of this student" : "No submissions yet"}>
            Students hand in a file or paste it. <a href={link("hand-in", id)}>See what they see</a>.
          </Empty>
        )}
        {list.data && list.data.items.length > 0 && (
          <div class="scroll" tabIndex={0} role="region" aria-label="Submissions">
            <table class="stacks book">
              <thead>
                <tr>
                  <th>Student</th>
                  <th class="number">Attempt</th>
                  <th>Status</th>
                  <th class="number">Score</th>
                  <th>
                    <span class="unseen">Share of the points</span>
                  </th>
                  <th>Handed in</th>
                </tr>
              </thead>
              <tbody>
                {list.data.items.map((one) => (
                  <tr key={one.id} class={one.id === chosen ? "chosen" : ""}>
                    <td>
                      <a href={to({ submission: one.id })} aria-current={one.id === chosen ? "true" : undefined}>
                        {one.student}
                      </a>{" "}
                      <small>{one.name}</small>
                    </td>
                    <td class="number" data-of="Attempt">{one.attempt}</td>
                    <td>
                      <Badge kind={one.regrading ? "running" : one.status}>{one.regrading ? "graded again" : GRADING_WORDS[one.status]}</Badge>
                    </td>
                    <td class="number" data-of="Score">
                      <strong>{points(one.worth)}</strong>
                      <Extra one={one} />
                    </td>
                    <td class="barcell">{one.worth != null && one.max_score ? <PointsBar share={one.worth / one.max_score} /> : null}</td>
                    <td data-of="Handed in">
                      <time dateTime={one.submitted_at}>{ago(one.submitted_at)}</time>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <div class="bar pages">
          {cursor && <a href={to({ cursor: null })}>Newest</a>}
          {onwards && <a href={to({ cursor: onwards })}>Older</a>}
        </div>
      </div>
      {chosen && <One key={chosen} assignment={id} submission={chosen} close={to({ submission: null })} changed={list.reload} />}
      </div>
    </div>
  );
}

const signed = (value: number) => `${value > 0 ? "+" : "−"}${points(Math.abs(value))}`;

/** What was granted, and taken off for lateness. */
function changes({ adjustment, late_percent: late }: Submission): string[] {
  return [...(adjustment ? [`${signed(adjustment)} granted`] : []), ...(late > 0 ? [`−${points(late)} % late`] : [])];
}

/** Beside what a submission is worth: its grading, and what changed it. */
export function Extra(props: { one: Submission }): JSX.Element | null {
  const { one } = props;
  const told = changes(one);
  return one.worth == null || told.length === 0 ? null : <small class="extra">{[points(one.score), ...told].join(", ")}</small>;
}

/** The same as a sentence, below a grading. */
export function Worth(props: { one: Submission }): JSX.Element | null {
  const { one } = props;
  const told = changes(one);
  if (one.worth == null || told.length === 0) return null;
  return (
    <p class="answered">
      {points(one.score)} by the grading, {told.join(", ")}: this attempt is worth <strong>{points(one.worth)}</strong> of {points(one.max_score)}.
    </p>
  );
}

/** What the student has in the gradebook, of which a submission is only a part. */
function InGradebook(props: { assignment: string; one: Submission }): JSX.Element | null {
  const { assignment, one } = props;
  const found = useLoaded(["record of", assignment, one.student, one.worth, one.regrading], () =>
    ask(api.GET("/v1/assignments/{id}/record", { params: { path: { id: assignment }, query: { student: one.student } } })),
  );
  const entry = found.data?.entry;
  // Its place is kept until it is there, so that nothing below it jumps.
  if (!found.data && !found.problem) return <p class="quiet in-book" />;
  if (entry?.score == null) return null;
  const adjustment = found.data?.adjustment;
  const told = [
    ...(entry.counted ? [entry.submission === one.id ? "this attempt counts" : `attempt ${entry.counted} counts`] : []),
    ...(entry.marks ? [`+${points(entry.marks)} marked by a person`] : []),
    ...(adjustment ? [`${signed(adjustment.points)}: ${adjustment.reason}`] : []),
  ];
  return (
    <p class="quiet in-book">
      In the gradebook {one.student} has <strong>{points(entry.score)}</strong> of {points(entry.max_score)}
      {told.length > 0 && ` (${told.join("; ")})`}.
    </p>
  );
}

function One(props: { assignment: string; submission: string; close: string; changed: () => void }): JSX.Element {
  const { assignment, submission } = props;
  const found = useLoaded(
    ["submission", assignment, submission],
    () =>
      ask(
        api.GET("/v1/assignments/{id}/submissions/{submission}", {
          params: { path: { id: assignment, submission }, query: { view: "instructor" } },
        }),
      ),
    (one) => (graded(one) && !one.regrading ? null : 700),
  );
  const changed = () => {
    found.reload();
    props.changed();
  };
  const copy = useAssignment(assignment, "student");
  const one = found.data;
  // With the assignment, so that no link to the board comes later.
  const grading = copy.data || copy.problem ? one?.grading : undefined;
  const panel = useRef<HTMLElement>(null);
  const there = grading != null;
  useEffect(() => {
    if (there && (panel.current?.getBoundingClientRect().top ?? 0) > innerHeight / 2) panel.current?.scrollIntoView({ block: "start" });
  }, [there]);
  return (
    <section class="panel submission" aria-label="Submission" ref={panel}>
      {found.problem && <Notice problem={found.problem} retry={found.reload} />}
      {!one && !found.problem && <Waiting what="the submission" lines={8} />}
      {one && (
        <>
          <div class="bar">
            <h2>
              {one.student}, attempt {one.attempt}
            </h2>
            <div class="row acts">
              <Confirm
                label="Delete"
                title={`Delete attempt ${one.attempt} of ${one.student}?`}
                yes="Delete for good"
                act={async () => {
                  await gone(api.DELETE("/v1/assignments/{id}/submissions/{submission}", { params: { path: { id: assignment, submission } } }));
                  props.changed();
                  go(props.close);
                }}
              >
                {() => (
                  <>
                    <p>
                      Deleted for good: the file, its grading{one.worth != null && ` (${points(one.worth)} of ${points(one.max_score)} points)`}, and what was asked and granted about it.
                    </p>
                    <p>
                      {one.student} has this attempt back, and the gradebook is as if it had not been handed in. Marks, extension, adjustment and comment of {one.student} stay.
                    </p>
                  </>
                )}
              </Confirm>
              <a href={props.close}>Close</a>
            </div>
          </div>
          {one.error && <p class="notice">{one.error}</p>}
          {!grading && !one.error && <Waiting what="the grading" lines={5} />}
          <Worth one={one} />
          <InGradebook assignment={assignment} one={one} />
          {grading && <GradingReport grading={grading} copy={copy.data} />}
          <Requests assignment={assignment} student={one.student} submission={one.id} answering changed={changed} />
          <details class="features">
            <summary>As a command or request</summary>
            <Snippets texts={{ curl: `curl ${location.origin}/v1/assignments/${assignment}/submissions/${one.id}` }} />
          </details>
        </>
      )}
    </section>
  );
}
