/** The submissions to an assignment, newest first, and one of them with its reasons. */
import type { JSX } from "preact";
import { api, ask, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { ago, points } from "../parts/format";
import { Badge, Empty, Field, Notice, Snippets, TextInput, Waiting } from "../parts/parts";
import { cursorOf, go, link, type Route } from "../route";
import { boardOf, GradingReport, PointsBar } from "./grading";
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
  const student = query.get("student") ?? "";
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
    <div class={chosen ? "twos wide" : ""}>
      <div class="listing">
        <Bulk assignment={id} changed={list.reload} />
        <div class="row filters">
          <Field label="Student">
            {(at) => (
              <TextInput {...at} placeholder="all" value={student} set={(of) => go(to({ student: of.trim(), cursor: null, submission: null }), true)} />
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
            <table>
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
                    <td class="number">{one.attempt}</td>
                    <td>
                      <Badge kind={one.regrading ? "running" : one.status}>{one.regrading ? "graded again" : GRADING_WORDS[one.status]}</Badge>
                    </td>
                    <td class="number">
                      {points(one.score)}
                      <Extra one={one} />
                    </td>
                    <td class="barcell">{one.score != null && one.max_score ? <PointsBar share={one.score / one.max_score} /> : null}</td>
                    <td>
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
      {chosen && <One assignment={id} submission={chosen} close={to({ submission: null })} />}
    </div>
  );
}

/** What the gradebook takes off or adds. */
export function Extra(props: { one: Submission }): JSX.Element | null {
  const { late_percent: late, adjustment } = props.one;
  const told = [late > 0 ? `−${points(late)} %` : "", adjustment ? `${adjustment > 0 ? "+" : "−"}${points(Math.abs(adjustment))}` : ""].filter(Boolean);
  return told.length ? <small title="late, and what an instructor gave or took"> {told.join(" ")}</small> : null;
}

function One(props: { assignment: string; submission: string; close: string }): JSX.Element {
  const { assignment, submission } = props;
  const found = useLoaded(
    ["submission", assignment, submission],
    () =>
      ask(
        api.GET("/v1/assignments/{id}/submissions/{submission}", {
          params: { path: { id: assignment, submission }, query: { view: "instructor" } },
        }),
      ),
    (one) => (graded(one) ? null : 700),
  );
  const copy = useAssignment(assignment, "student").data;
  const one = found.data;
  return (
    <section class="panel submission" aria-label="Submission">
      {found.problem && <Notice problem={found.problem} retry={found.reload} />}
      {!one && !found.problem && <Waiting what="the submission" lines={8} />}
      {one && (
        <>
          <div class="bar">
            <h2>
              {one.student}, attempt {one.attempt}
            </h2>
            <a href={props.close}>Close</a>
          </div>
          {one.error && <p class="notice">{one.error}</p>}
          {!one.grading && !one.error && <Waiting what="the grading" lines={5} />}
          {one.grading && <GradingReport grading={one.grading} board={(graded) => (copy ? boardOf(copy, graded) : null)} />}
          <Requests assignment={assignment} student={one.student} submission={one.id} answering changed={found.reload} />
          <details class="features">
            <summary>As a command or request</summary>
            <Snippets texts={{ curl: `curl ${location.origin}/v1/assignments/${assignment}/submissions/${one.id}` }} />
          </details>
        </>
      )}
    </section>
  );
}
