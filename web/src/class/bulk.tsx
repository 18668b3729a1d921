/** Files of a whole class at once: a folder, a zip, or many files. One row a file, whatever is in it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, ask, newKey, Problem, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { ago, count } from "../parts/format";
import { Badge, Field, Notice } from "../parts/parts";
import { contentOf } from "./handin";
import { answersFor, NotationQuestion } from "./notation";

type Upload = Schemas["Upload"];
/** files that go in one request, and its Idempotency-Key */
interface Part {
  key: string;
  files: File[];
}

const WORDS: Record<Upload["status"], { words: string; badge: string }> = {
  submitted: { words: "submitted", badge: "done" },
  mapping: { words: "notation to confirm", badge: "unknown" },
  unassigned: { words: "whose is it?", badge: "unknown" },
  refused: { words: "cannot be read", badge: "failed" },
};
const BY = { given: "as you said", "file name": "by its file's name", id: "by the id inside", "e-mail": "by the e-mail inside", name: "by the name inside" } as const;
/** files that one confirmation is offered for */
const MOST_AT_ONCE = 30;
/** of more files, those that became submissions are rows only when asked for */
const FEW = 12;
const named = (one: Upload) => `${one.filename}${one.student ? ` of ${one.student}` : ""}`;
/** a request has at most a mebibyte; base64 takes a third more */
const AT_ONCE = 600_000;

export function Bulk(props: { assignment: string; changed: () => void; /** beside it something else is looked at */ folded: boolean }): JSX.Element {
  const { assignment, changed } = props;
  const [problem, setProblem] = useState<Problem | undefined>();
  const [sent, setSent] = useState<{ done: number; of: number; left: readonly Part[] } | null>(null);
  /** what is asked about, and the files that the same answer would do for */
  const [asking, setAsking] = useState<{ one: Schemas["UploadObject"]; others: Schemas["UploadObject"][] } | null>(null);
  const [tooLarge, setTooLarge] = useState<string[]>([]);
  const [all, setAll] = useState(false);
  const path = { id: assignment };
  const list = useLoaded(["uploads", assignment], () => ask(api.GET("/v1/assignments/{id}/uploads", { params: { path, query: { limit: 200 } } })));
  /** Send what is left. A request that broke off is sent again with its key, so that no file is handed in twice. */
  const go = async (parts: readonly Part[], of: number) => {
    setProblem(undefined);
    let left = [...parts];
    try {
      for (const part of parts) {
        setSent({ done: of - left.reduce((sum, { files }) => sum + files.length, 0), of, left });
        const files = await Promise.all(part.files.map(async (file) => ({ filename: file.webkitRelativePath || file.name, ...(await contentOf(file)) })));
        await ask(api.POST("/v1/assignments/{id}/uploads", { params: { path, header: { "Idempotency-Key": part.key } }, body: { files } as Schemas["UploadsIn"] }));
        left = left.slice(1);
      }
      setSent({ done: of, of, left });
    } catch (error) {
      setSent({ done: of - left.reduce((sum, { files }) => sum + files.length, 0), of, left });
      setProblem(error instanceof Problem ? error : new Problem("broken", "This page failed", String(error)));
    }
    list.reload();
    changed();
  };
  const send = (chosen: FileList | null) => {
    const files = [...(chosen ?? [])].filter((file) => !file.name.startsWith("."));
    if (files.length === 0) return;
    setTooLarge(files.filter((file) => file.size > AT_ONCE).map((file) => file.name));
    const parts: Part[] = [];
    let size = AT_ONCE;
    for (const file of files.filter((one) => one.size <= AT_ONCE)) {
      size += file.size;
      if (size > AT_ONCE || (parts.at(-1)?.files.length ?? 0) >= 100) (parts.push({ key: newKey(), files: [] }), (size = file.size));
      parts.at(-1)?.files.push(file);
    }
    void go(parts, files.filter((one) => one.size <= AT_ONCE).length);
  };
  const act = async (work: Promise<unknown>) => {
    setProblem(undefined);
    try {
      await work;
    } catch (error) {
      if (error instanceof Problem) setProblem(error);
    }
    list.reload();
    changed();
  };
  const whole = (one: Upload) => ask(api.GET("/v1/assignments/{id}/uploads/{upload}", { params: { path: { ...path, upload: one.id } } }));
  const confirm = (one: Upload, notation: Schemas["Notation"]) => ask(api.PUT("/v1/assignments/{id}/uploads/{upload}", { params: { path: { ...path, upload: one.id } }, body: { notation } }));
  /** Ask about one file, and find those that the same answer would do for. */
  const question = async (one: Upload) => {
    const waiting = items.filter((other) => other.status === "mapping" && other.id !== one.id && other.student !== null).slice(0, MOST_AT_ONCE);
    const [first, ...rest] = await Promise.all([one, ...waiting].map(whole));
    if (first) setAsking({ one: first, others: rest.filter((other) => first.reading && other.reading && answersFor(first.reading, other.reading)) });
  };
  const items = list.data?.items ?? [];
  const open = items.filter((one) => one.status !== "submitted");
  const submitted = items.filter((one) => one.status === "submitted");
  const shown = all || items.length <= FEW ? [...open, ...submitted] : open;
  return (
    <section class="panel bulk" aria-label="Files of the class">
      <div class="bar">
        <h2>Files of the class</h2>
        <div class="row acts">
          <label class="plain filebutton">
            Many files or a zip
            <input type="file" multiple aria-label="Many files or a zip" onChange={(event) => send(event.currentTarget.files)} />
          </label>
          <label class="plain filebutton">
            A folder
            <input type="file" multiple aria-label="A folder" {...{ webkitdirectory: true }} onChange={(event) => send(event.currentTarget.files)} />
          </label>
        </div>
      </div>
      <p class="quiet" role="status">
        {sent === null
          ? "Also what Canvas and Moodle pack when all submissions are downloaded. A file that cannot be read is a row here, and stops nothing."
          : `${count(sent.done)} of ${count(sent.of)} files sent. ${count(items.length - open.length)} became submissions, ${count(open.length)} need a look.`}
      </p>
      {tooLarge.length > 0 && <p class="warning">Too large to be sent: {tooLarge.join(", ")}.</p>}
      {problem && <Notice problem={problem} {...(sent && sent.left.length > 0 && { retry: () => void go(sent.left, sent.of) })} />}
      {asking?.one.reading && (
        <NotationQuestion
          key={asking.one.id}
          of={named(asking.one)}
          others={asking.others.map(named)}
          reading={asking.one.reading}
          sending={false}
          close={() => setAsking(null)}
          confirm={(notation) => {
            setAsking(null);
            void act(confirm(asking.one, notation));
          }}
          confirmAll={() => {
            setAsking(null);
            void act(Promise.all([asking.one, ...asking.others].map((one) => one.reading && confirm(one, one.reading.notation))));
          }}
        />
      )}
      {list.problem && <Notice problem={list.problem} retry={list.reload} />}
      {items.length > 0 && (
        <details key={String(props.folded)} open={(open.length > 0 && !props.folded) || undefined}>
          <summary>
            {count(items.length)} files, {count(open.length)} to look at
          </summary>
          <div class="scroll bare uploads" tabIndex={0} role="region" aria-label="Uploaded files">
            <table class="stacks">
              <thead>
                <tr>
                  <th>File</th>
                  <th>State</th>
                  <th>Student</th>
                  <th>What is wrong</th>
                  <th>When</th>
                  <th>
                    <span class="unseen">Confirm or remove</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((one) => (
                  <tr key={one.id}>
                    <td>
                      <span class="clip" title={one.filename}>
                        {one.filename}
                      </span>
                    </td>
                    <td>
                      <Badge kind={WORDS[one.status].badge}>{WORDS[one.status].words}</Badge>
                    </td>
                    <td>
                      {one.status === "submitted" ? (
                        <span title={one.by ? BY[one.by] : ""}>{one.student}</span>
                      ) : (
                        <Whose upload={one} save={(student) => act(ask(api.PUT("/v1/assignments/{id}/uploads/{upload}", { params: { path: { ...path, upload: one.id } }, body: { student } })))} />
                      )}
                    </td>
                    <td class="why">
                      {one.message}
                      {one.named_in_file && <span class="lost"> Inside it stands {one.named_in_file}.</span>}
                    </td>
                    <td class="when">{ago(one.uploaded_at)}</td>
                    <td>
                      <div class="row acts">
                      {one.status === "mapping" && (
                        <button type="button" class="plain" onClick={() => act(question(one))}>
                          Confirm
                        </button>
                      )}
                      {one.status !== "submitted" && (
                        <button type="button" class="plain" onClick={() => act(ask(api.DELETE("/v1/assignments/{id}/uploads/{upload}", { params: { path: { ...path, upload: one.id } } })))}>
                          Remove
                        </button>
                      )}
                      </div>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {shown.length < items.length && (
            <button type="button" class="plain" onClick={() => setAll(true)}>
              Show the {count(items.length - shown.length)} that became submissions
            </button>
          )}
        </details>
      )}
    </section>
  );
}

function Whose(props: { upload: Upload; save: (student: string) => void }): JSX.Element {
  const [student, setStudent] = useState(props.upload.student ?? "");
  return (
    <form
      class="row whose"
      onSubmit={(event) => {
        event.preventDefault();
        if (student.trim()) props.save(student.trim());
      }}
    >
      <Field label={<span class="unseen">Student of {props.upload.filename}</span>}>{(at) => <input {...at} value={student} placeholder="id" onInput={(event) => setStudent(event.currentTarget.value)} />}</Field>
      <button type="submit" class="plain">
        Try again
      </button>
    </form>
  );
}
