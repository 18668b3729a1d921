/** Hand in, for a student: a file or its text, then the score with a reason for every point, and what attempts are left. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { usePuzzle, usePuzzleTitles } from "../api/catalogue";
import { api, ask, connection, newKey, Problem, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { studentOf, useMe } from "../api/me";
import { ago, count, day, points } from "../parts/format";
import { Badge, Choice, Empty, Failed, Field, Notice, Snippets, Stat, Waiting } from "../parts/parts";
import { go, link, type Route } from "../route";
import { asks, itemName } from "./form";
import { GradingReport } from "./grading";
import { NotationQuestion } from "./notation";
import { Requests } from "./requests";
import { save } from "../board/report";
import { type SolveRequest, stateText, tidy } from "../solve/question";
import { Extra, GRADING_WORDS, graded, type Submission, Worth } from "./submissions";
import { Assignments, useAssignment } from "./view";

export function HandInView(props: { route: Route }): JSX.Element {
  const { id } = props.route;
  return id === null ? <Assignments to="hand-in" /> : <One key={id} id={id} route={props.route} />;
}

interface Chosen {
  name: string;
  size: number;
  body: { content: string } | { content_base64: string };
}

function One(props: { id: string; route: Route }): JSX.Element {
  const { id, route } = props;
  const own = studentOf(useMe());
  const student = own ?? route.query.get("student") ?? sessionStorage.getItem("hstar-student") ?? "";
  const chosen = route.query.get("submission");
  const found = useAssignment(id, "student");
  const titleOf = usePuzzleTitles();
  const handedIn = useLoaded(
    ["own submissions", id, student],
    async () =>
      student ? (await ask(api.GET("/v1/assignments/{id}/submissions", { params: { path: { id }, query: { student, limit: 200, view: "student" } } }))).items : [],
    (items) => (items.every((one) => graded(one) && !one.regrading) ? null : 700),
  );
  const stands = useLoaded(["standing", id, student, handedIn.data?.length, handedIn.data?.every(graded)], async () =>
    student ? ask(api.GET("/v1/assignments/{id}/standing", { params: { path: { id }, query: { student, view: "student" } } })) : null,
  );
  const one = found.data;
  if (found.problem) return <Failed problem={found.problem} retry={found.reload} />;
  if (!one) return <Waiting what="the assignment" lines={10} />;
  const attempts = handedIn.data ?? [];
  const standing = stands.data?.student === student ? stands.data : null;
  const due = standing ? standing.due : one.assignment.due;
  const allowed = one.assignment.attempts ?? null;
  const left = standing ? standing.attempts_left : allowed;
  const shown = attempts.find((each) => each.id === chosen) ?? attempts[0];
  const to = (changes: Record<string, string>) => link("hand-in", id, new URLSearchParams({ ...(student && { student }), ...changes }));
  const counts = standing?.entry;
  // On a telephone the result is far below the form.
  const result = useRef<HTMLDivElement>(null);
  const made = useRef<string | null>(null);
  const toResult = () => result.current?.scrollIntoView({ block: "start" });
  useEffect(() => {
    if (made.current === null || shown?.id !== made.current) return;
    made.current = null;
    if ((result.current?.getBoundingClientRect().top ?? 0) > innerHeight / 2) toResult();
  }, [shown?.id]);
  return (
    <div class="view class">
      <div class="head">
        <div>
          <p class="quiet">
            <a href="#/hand-in">All assignments</a>
          </p>
          <h1>{one.assignment.title}</h1>
        </div>
      </div>
      <dl class="panel stats inline facts">
        <Stat name="Puzzle" value={titleOf(one.assignment.puzzle)} />
        <Stat name={due === one.assignment.due ? "Due" : "Due, extended"} value={day(due) ?? "never"} title={due ?? ""} />
        <Stat name="Attempts left" value={left === null ? "any number" : `${left} of ${allowed}`} />
        <Stat name="What counts" value={one.assignment.counts === "last" ? "your last attempt" : "your best attempt"} />
        {counts && <Stat name="Your score" title={`attempt ${counts.counted}`} value={<button type="button" class="inline" onClick={toResult}>{`${points(counts.score)} of ${points(counts.max_score)}`}</button>} />}
      </dl>
      <div class="twos handin">
        <div class="stack">
          <Form
            assignment={one}
            student={student}
            fixed={own !== null}
            left={left}
            standing={standing}
            known={(name) => {
              sessionStorage.setItem("hstar-student", name);
              go(link("hand-in", id, new URLSearchParams({ student: name })));
            }}
            handedIn={(one) => {
              made.current = one.id;
              sessionStorage.setItem("hstar-student", one.student);
              handedIn.reload();
              go(link("hand-in", id, new URLSearchParams({ student: one.student, submission: one.id })));
            }}
          />
          <ToSolve assignment={one} />
          <section class="panel" aria-label="What is asked">
            <h2>What gives points</h2>
            <table class="rubric">
              <tbody>
                {one.assignment.rubric.map((item, number) => (
                  <tr key={number}>
                    <td>
                      {itemName(item.name ?? item.kind)} <small>{asks(item)}</small>
                    </td>
                    <td class="number">{points(item.points)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </div>
        <div class="stack" ref={result}>
          <section class="panel" aria-label="Your attempts">
            <h2>Your attempts</h2>
            {handedIn.problem && <Notice problem={handedIn.problem} retry={handedIn.reload} />}
            {attempts.length === 0 && (
              <Empty title="Nothing handed in yet">The score appears here, with a reason for every point that was lost.</Empty>
            )}
            {attempts.length > 0 && (
              <ol class="attempts">
                {attempts.map((each) => (
                  <li key={each.id}>
                    <a href={to({ submission: each.id })} aria-current={each === shown ? "true" : undefined}>
                      <span>Attempt {each.attempt}</span>
                      <Badge kind={each.status}>{GRADING_WORDS[each.status]}</Badge>
                      <time dateTime={each.submitted_at}>{ago(each.submitted_at)}</time>
                      <span class="number">
                        {each.worth != null ? `${points(each.worth)} / ${points(each.max_score)}` : ""}
                        <Extra one={each} />
                      </span>
                    </a>
                  </li>
                ))}
              </ol>
            )}
            {counts && <InAll entry={counts} />}
          </section>
          {shown && <Result assignment={one} submission={shown} />}
        </div>
      </div>
    </div>
  );
}

/** What changes the score besides the attempt that counts, and why. */
function InAll(props: { entry: Schemas["Entry"] }): JSX.Element | null {
  const { entry } = props;
  const told = [
    ...(entry.marks ? [`+${points(entry.marks)} marked by a person`] : []),
    ...(entry.adjustment ? [`${entry.adjustment > 0 ? "+" : "−"}${points(Math.abs(entry.adjustment))}: ${entry.adjustment_reason ?? "granted with a regrade"}`] : []),
    ...(entry.late_percent > 0 ? [`−${points(entry.late_percent)} % for lateness`] : []),
  ];
  if (told.length === 0 && !entry.comment) return null;
  return (
    <>
      {told.length > 0 && (
        <p class="answered">
          In all <strong>{points(entry.score)}</strong> of {points(entry.max_score)} ({told.join("; ")}).
        </p>
      )}
      {entry.comment && <p class="answered">{entry.comment}</p>}
    </>
  );
}

/** The instances, and a file to write the solutions into. */
function ToSolve(props: { assignment: Schemas["AssignmentObject"] }): JSX.Element | null {
  const { assignment } = props.assignment;
  const instances = assignment.instances ?? [];
  const puzzle = usePuzzle(assignment.puzzle).data;
  const means = assignment.moves ? puzzle?.move_sets[assignment.moves]?.description : undefined;
  const solvedWith = assignment.moves && (means ? `${assignment.moves}: ${means}` : assignment.moves);
  const file = assignment.title.replace(/[^\p{L}\p{N}]+/gu, "-");
  const table = () => {
    const given = instances.every((one) => one.alg != null);
    const cell = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const rows = instances.map((one) => [one.name ?? "", ...(given ? [one.alg ?? ""] : []), ""].map(cell).join(","));
    return [given ? "instance,scramble,solution" : "instance,solution", ...rows, ""].join("\n");
  };
  return (
    <section class="panel tosolve" aria-label="What to solve">
      <div class="bar">
        <h2>What to solve{instances.length > 0 && `: ${count(instances.length)} ${instances.length === 1 ? "instance" : "instances"}`}</h2>
        {instances.length > 0 && (
          <div class="downloads">
            <button type="button" class="plain" onClick={() => save(`${file}.csv`, new Blob([table()], { type: "text/csv" }))}>
              Download as CSV
            </button>
            <button type="button" class="plain" onClick={() => save(`${file}.json`, new Blob([JSON.stringify(tidy(assignment), null, 2)], { type: "application/json" }))}>
              JSON
            </button>
          </div>
        )}
      </div>
      {instances.length > 0 && (
        <div class="scroll bare" tabIndex={0} role="region" aria-label="Instances to solve">
          <table>
            <thead>
              <tr>
                <th>Instance</th>
                <th>{instances.some((one) => one.alg == null) ? "Scramble or state" : "Scramble"}</th>
              </tr>
            </thead>
            <tbody>
              {instances.map((one) => (
                <tr key={one.name}>
                  <td>{one.name}</td>
                  <td>
                    <code>{one.alg ?? stateText(one.state as SolveRequest["state"])}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="quiet">
        {instances.length > 0
          ? `${solvedWith ? `Solve them with the moves ${solvedWith}. ` : ""}Write your solutions into the last column of the CSV file, and hand it in.`
          : assignment.own_scrambles != null
            ? "You choose the scrambles yourself: hand in each with its solution."
            : "The instances are not shown before your program is run."}
      </p>
    </section>
  );
}

function Form(props: {
  assignment: Schemas["AssignmentObject"];
  student: string;
  /** the key says who it is */
  fixed: boolean;
  left: number | null;
  standing: Schemas["Standing"] | null;
  /** the student has said who they are */
  known: (student: string) => void;
  handedIn: (made: Submission) => void;
}): JSX.Element {
  const { assignment, left, standing } = props;
  const [written, setStudent] = useState(props.student);
  const student = props.fixed ? props.student : written;
  const [name, setName] = useState("");
  const [way, setWay] = useState<"file" | "text">("file");
  const [text, setText] = useState("");
  const [file, setFile] = useState<Chosen | undefined>();
  const [over, setOver] = useState(false);
  const [sending, setSending] = useState(false);
  const [refused, setRefused] = useState<Problem | undefined>();
  const [reading, setReading] = useState<Schemas["Reading"] | undefined>();
  const picker = useRef<HTMLInputElement>(null);
  const body = way === "text" ? (text.trim() ? { content: text } : undefined) : file?.body;
  const take = async (given: File | undefined) => {
    if (given === undefined) return;
    setRefused(undefined);
    setReading(undefined);
    setFile({ name: given.name, size: given.size, body: await contentOf(given) });
  };
  const send = async (notation?: Schemas["Notation"]) => {
    if (body === undefined || sending) return;
    setSending(true);
    setRefused(undefined);
    const path = { id: assignment.id };
    const sent = {
      student: student.trim(),
      ...(name.trim() && { name: name.trim() }),
      ...(way === "file" && file && { filename: file.name }),
      ...(notation && { notation }),
      ...body,
    } as Schemas["SubmissionIn"];
    try {
      const made = await ask(api.POST("/v1/assignments/{id}/submissions", { params: { path, header: { "Idempotency-Key": newKey() } }, body: sent }));
      setFile(undefined);
      setReading(undefined);
      props.handedIn(made);
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem("broken", "This page failed", String(error));
      if (problem.code !== "notation-needed") setRefused(problem);
      else {
        try {
          setReading(await ask(api.POST("/v1/assignments/{id}/readings", { params: { path }, body: sent })));
        } catch {
          setRefused(problem);
        }
      }
    } finally {
      setSending(false);
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void send();
  };
  return (
    <form class="panel handin-form" onSubmit={submit} noValidate aria-label="Hand in">
      <h2>Hand in</h2>
      <div class="row">
        <Field label="Your id" hint={connection.key === null ? "No key is asked for here: who types your id sees your work." : undefined} faults={refused?.at("/student")}>
          {(at) => <input {...at} autocomplete="off" readOnly={props.fixed} value={student} onInput={(event) => setStudent(event.currentTarget.value)} onChange={() => student.trim() && props.known(student.trim())} />}
        </Field>
        <Field label="Your name" faults={refused?.at("/name")}>
          {(at) => <input {...at} placeholder="may be left out" value={name} onInput={(event) => setName(event.currentTarget.value)} />}
        </Field>
      </div>
      <Choice label="Handed in as" value={way} options={{ file: "A file", text: "Text" }} choose={setWay} />
      {way === "file" ? (
        <div
          class={`drop${over ? " over" : ""}`}
          onDragOver={(event) => (event.preventDefault(), setOver(true))}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            void take(event.dataTransfer?.files[0]);
          }}
        >
          <input
            ref={picker}
            class="unseen"
            type="file"
            id="handed-in"
            accept=".csv,.tsv,.txt,.md,.tex,.log,.out,.json,.jsonl,.xlsx,.zip"
            onChange={(event) => void take(event.currentTarget.files?.[0])}
          />
          <label for="handed-in" class="plain">
            Choose a file
          </label>
          <p class="quiet">
            {file ? (
              <>
                <strong>{file.name}</strong>, {count(file.size)} bytes
              </>
            ) : (
              "or drop it here: a table (CSV, Excel), JSON, what your program printed, or a zip with results.csv, heuristic.txt, model.json"
            )}
          </p>
        </div>
      ) : (
        <Field label="The submission" hint="CSV with the columns scramble (or instance) and solution, or JSON.">
          {(at) => (
            <textarea
              {...at}
              rows={9}
              spellcheck={false}
              placeholder={"scramble,solution\nU F R,R' F' U'"}
              value={text}
              onInput={(event) => (setRefused(undefined), setReading(undefined), setText(event.currentTarget.value))}
            />
          )}
        </Field>
      )}
      {refused && <Notice problem={refused} />}
      {reading && <NotationQuestion reading={reading} sending={sending} confirm={send} close={() => setReading(undefined)} />}
      {(standing?.late_percent ?? 0) > 0 && (
        <p class="warning">The due date has passed: {points(standing?.late_percent)} % would be taken off now.</p>
      )}
      {standing?.next_token_at && !standing.may_submit && left !== 0 && (
        <p class="warning">You have handed in too often. The next submission is taken at {day(standing.next_token_at)}.</p>
      )}
      <div class="bar">
        <button type="submit" class="go" disabled={sending || reading !== undefined || body === undefined || !student.trim() || standing?.may_submit === false}>
          {sending ? "Sending" : "Hand in"}
        </button>
        {left === 0 && <p class="quiet">No attempt is left.</p>}
      </div>
      {body && "content" in body && (
        <details class="features">
          <summary>As a command or request</summary>
          <Snippets
            texts={{
              curl: `curl ${location.origin}/v1/assignments/${assignment.id}/submissions \\\n  -H 'Content-Type: application/json' \\\n  -d '{"student": "${student.trim() || "ID"}", "content": "..."}'`,
            }}
          />
        </details>
      )}
    </form>
  );
}

function Result(props: { assignment: Schemas["AssignmentObject"]; submission: Submission }): JSX.Element {
  const { submission } = props;
  const assignment = props.assignment.id;
  const found = useLoaded(["own", assignment, submission.id, submission.status, submission.regrading], () =>
    ask(
      api.GET("/v1/assignments/{id}/submissions/{submission}", {
        params: { path: { id: assignment, submission: submission.id }, query: { view: "student" } },
      }),
    ),
  );
  const one = found.data?.id === submission.id ? found.data : undefined;
  return (
    <section class="panel submission" aria-label="Result">
      <h2>Attempt {submission.attempt}</h2>
      {found.problem && <Notice problem={found.problem} retry={found.reload} />}
      {one?.error && (
        <div class="notice">
          <strong>It could not be graded</strong>
          <p>{one.error}</p>
          <p>This costs no attempt. Hand in again.</p>
        </div>
      )}
      {!one?.grading && !one?.error && !found.problem && <Waiting what="the grading" lines={5} />}
      {one && <Worth one={one} />}
      {one?.grading && <GradingReport grading={one.grading} copy={props.assignment} />}
      {one?.grading && <Requests assignment={assignment} student={one.student} submission={one.id} grading={one.grading} changed={found.reload} />}
    </section>
  );
}

/** What is in a file: its text, or base64 where it is none. */
export async function contentOf(file: File): Promise<Chosen["body"]> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const zip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (!zip) {
    try {
      return { content: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
    } catch {
      // not UTF-8: the service says what it thinks of it
    }
  }
  let binary = "";
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return { content_base64: btoa(binary) };
}
