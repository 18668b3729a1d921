/** What counts for each student, and the same as other systems take it. */
import { Fragment, type JSX } from "preact";
import { useState } from "preact/hooks";
import { api, ask, askGradebook, download, Problem, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { count, points } from "../parts/format";
import { Badge, Empty, Notice, Waiting } from "../parts/parts";
import { link } from "../route";
import { RecordForm } from "./record";

const FORMATS = {
  canvas: "Canvas",
  moodle: "Moodle",
  csv: "CSV",
  ags: "LTI scores",
  json: "JSON",
} as const;

/** for those whose name does not say what they are for */
const SAYS: Partial<Record<keyof typeof FORMATS, string>> = {
  ags: "A list of scores for a program that sends them to any learning system with LTI 1.3 (Assignment and Grade Services)",
  json: "All of it, for a program",
};

type Entry = Schemas["Entry"];

const STATUS: Record<NonNullable<Entry["status"]>, { words: string; badge: string }> = {
  graded: { words: "graded", badge: "done" },
  waiting: { words: "waiting", badge: "running" },
  failed: { words: "not graded", badge: "failed" },
  refused: { words: "cannot be read", badge: "failed" },
  mapping: { words: "notation to confirm", badge: "unknown" },
  missing: { words: "nothing handed in", badge: "" },
  excused: { words: "excused", badge: "" },
};

/** What the form is opened for. */
const action = (one: Entry) => ((one.pending ?? []).length > 0 ? "Mark" : "Change");

export function Gradebook(props: { assignment: Schemas["AssignmentObject"] }): JSX.Element {
  const { id } = props.assignment;
  const [failed, setFailed] = useState<Problem | undefined>();
  const book = useLoaded(
    ["gradebook", id],
    () => askGradebook(id),
    () => 5000,
  );
  const save = (format: string) => {
    setFailed(undefined);
    const name = `${props.assignment.assignment.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/-$/, "")}-${format}`;
    download(`/v1/assignments/${id}/gradebook?format=${format}`, name).catch((error: unknown) =>
      setFailed(error instanceof Problem ? error : undefined),
    );
  };
  const entries = book.data?.entries ?? [];
  const unowned = useLoaded(["unowned", id], () => ask(api.GET("/v1/assignments/{id}/uploads", { params: { path: { id }, query: { status: "unassigned", limit: 100 } } }))).data?.items ?? [];
  const [chosen, choose] = useState<string | null>(null);
  const result = (one: Entry) => link("class", id, new URLSearchParams({ student: one.student, ...(one.submission != null && { submission: one.submission }) }));
  const states = new Map<string, number>();
  for (const { status } of entries) states.set(STATUS[status ?? "graded"].words, (states.get(STATUS[status ?? "graded"].words) ?? 0) + 1);
  return (
    <>
      <div class="panel bar">
        <h2>Download the gradebook as</h2>
        <div class="downloads">
          {(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((format) => (
            <button key={format} type="button" class="plain" title={SAYS[format]} onClick={() => save(format)}>
              {FORMATS[format]}
            </button>
          ))}
        </div>
      </div>
      {entries.length > 0 && (
        <p role="status">
          {count(entries.length)} students: {[...states].map(([words, number]) => `${count(number)} ${words}`).join(", ")}.{" "}
          {unowned.length > 0 && (
            <a href={link("class", id)}>
              {unowned.length === 1 ? "One file is" : `${count(unowned.length)} files are`} of nobody who is known here.
            </a>
          )}
        </p>
      )}
      {failed && <Notice problem={failed} />}
      {book.problem && <Notice problem={book.problem} retry={book.reload} />}
      {!book.data && !book.problem && <Waiting what="the gradebook" lines={8} />}
      {book.data && entries.length === 0 && <Empty title="No scores yet">Everybody on the roster has a row here, and everybody who has handed in.</Empty>}
      {entries.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Gradebook">
          <table class="stacks book">
            <thead>
              <tr>
                <th>Student</th>
                <th>Name</th>
                <th>State</th>
                <th class="number">Attempts</th>
                <th class="number">Late</th>
                <th class="number">Score</th>
                <th class="number">Of</th>
                <th>Notes</th>
                <th>
                  <span class="unseen">Marks, points, dates, comment</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {entries.map((one) => (
                <Fragment key={one.student}>
                <tr class={one.student === chosen ? "chosen" : ""}>
                  <td>
                    <a href={result(one)}>{one.student}</a>
                  </td>
                  <td>{one.name ?? <small>–</small>}</td>
                  <td data-of="State">
                    <Badge kind={STATUS[one.status ?? "graded"].badge}>{STATUS[one.status ?? "graded"].words}</Badge>
                  </td>
                  <td data-of="Attempts" class="number">{count(one.attempts)}</td>
                  <td data-of="Late" class="number">{one.late_percent > 0 ? `−${points(one.late_percent)} %` : "–"}</td>
                  <td data-of="Score" class="number">
                    <strong>{points(one.score)}</strong>
                  </td>
                  <td data-of="Of" class="number">{points(one.max_score)}</td>
                  <td class="notes">
                    {one.status === "mapping" ? (
                      <p>
                        The file has a notation of its own: <a href={link("class", id)} aria-label={`Confirm the notation of ${one.student}`}>confirm it</a>
                      </p>
                    ) : (
                      (one.faults ?? []).slice(0, 2).map((fault) => (
                        <p key={fault} class="lost">
                          {fault}
                        </p>
                      ))
                    )}
                    {one.submission != null && one.score !== null && one.score < one.max_score && (
                      <p>
                        −{points(one.max_score - one.score)}: <a href={result(one)} aria-label={`Why ${one.student} lost points`}>why</a>
                      </p>
                    )}
                    {one.score !== null && one.score > one.max_score && <p class="lost">more than the maximum</p>}
                    {(one.pending ?? []).length > 0 && <p>To be marked: {one.pending?.join(", ")}</p>}
                    {one.adjustment ? (
                      <p>
                        {one.adjustment > 0 ? "+" : "−"}
                        {points(Math.abs(one.adjustment))}: {one.adjustment_reason ?? "granted with a regrade"}
                      </p>
                    ) : null}
                    {one.extension && <p>extension</p>}
                  </td>
                  <td>
                    <button type="button" class="plain" aria-label={`${action(one)} ${one.student}`} aria-expanded={one.student === chosen} onClick={() => choose(one.student === chosen ? null : one.student)}>
                      {action(one)}
                    </button>
                  </td>
                </tr>
                {one.student === chosen && (
                  <tr class="opened">
                    <td colSpan={9}>
                      <RecordForm assignment={props.assignment} student={chosen} close={() => choose(null)} saved={book.reload} />
                    </td>
                  </tr>
                )}
                </Fragment>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
