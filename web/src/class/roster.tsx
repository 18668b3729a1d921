/** Who is in a course: read from a file of any spreadsheet, Canvas or Moodle, and shown before it is stored. `#/class/roster` */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, ask, download, gone, Problem, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { useMe } from "../api/me";
import { count } from "../parts/format";
import { Badge, Choice, Confirm, Empty, Field, Notice, TextInput } from "../parts/parts";
import { go, link, type Route } from "../route";
import { contentOf } from "./handin";

/** what a column has, where its name is not the word */
const MEANS: Record<string, string> = { student: "id", first: "first name", last: "last name", email: "e-mail", canvas_id: "Canvas' number" };

type Body = Awaited<ReturnType<typeof contentOf>>;

const FORMATS = { csv: "CSV", canvas: "Canvas", moodle: "Moodle" } as const;

export function RosterView(props: { route: Route }): JSX.Element {
  const fixed = useMe()?.course ?? null;
  const course = fixed ?? props.route.query.get("course") ?? "";
  const courses = useLoaded(["courses"], () => ask(api.GET("/v1/courses")));
  const [text, setText] = useState("");
  const [file, setFile] = useState<{ name: string; body: Body } | null>(null);
  const [mode, setMode] = useState<"add" | "replace">("add");
  const [seen, setSeen] = useState<Schemas["RosterImport"] | undefined>();
  const [problem, setProblem] = useState<Problem | undefined>();
  const path = { course };
  const list = useLoaded(["roster", course], async () => {
    if (!course) return null;
    return (await ask(api.GET("/v1/courses/{course}/roster", { params: { path } }))) as unknown as Schemas["RosterObject"];
  });
  const read = async (check: boolean, given = file) => {
    setProblem(undefined);
    try {
      const body = { ...(given ? { filename: given.name, ...given.body } : { filename: "roster.csv", content: text }), mode, check };
      const found = await ask(api.PUT("/v1/courses/{course}/roster", { params: { path }, body }));
      setSeen(found);
      if (!check) {
        setText("");
        setFile(null);
        list.reload();
        courses.reload();
      }
    } catch (error) {
      setSeen(undefined);
      setProblem(error instanceof Problem ? error : new Problem("broken", "This page failed", String(error)));
    }
  };
  const students = list.data?.students ?? [];
  const names = (courses.data?.items ?? []).map((one) => one.course);
  const others = names.filter((name) => name !== course);
  const known = others.length > 0 ? `Also known: ${others.slice(0, 6).join(", ")}${others.length > 6 ? " …" : ""}.` : "";
  return (
    <div class="view class">
      <div class="head">
        <div>
          <p class="quiet">
            <a href="#/class">All assignments</a>
          </p>
          <h1>Roster</h1>
        </div>
        {students.length > 0 && (
          <div class="downloads">
            <span class="quiet">Download as</span>
            {(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((format) => (
              <button key={format} type="button" class="plain" onClick={() => void download(`/v1/courses/${encodeURIComponent(course)}/roster?format=${format}`, `${course}-${format}`)}>
                {FORMATS[format]}
              </button>
            ))}
          </div>
        )}
      </div>
      <div class="twos wide">
        <section class="panel stack" aria-label="Read a roster">
          <Field label="Course" hint={fixed ? "Your key is of this course." : known || (course ? undefined : "A name, such as ai-2026")}>
            {(at) => <TextInput {...at} value={course} readOnly={fixed !== null} set={(to) => go(link("class", "roster", new URLSearchParams({ course: to.trim() })), true)} />}
          </Field>
          <Field label="A file with its students" hint={`${course ? "" : "Name the course first. "}Excel or CSV, Canvas' gradebook, Moodle's participants or grades`}>
            {(at) => (
              <input
                {...at}
                type="file"
                accept=".csv,.txt,.tsv,.xlsx,text/csv"
                disabled={!course}
                onChange={async (event) => {
                  const chosen = event.currentTarget.files?.[0];
                  if (!chosen) return;
                  const given = { name: chosen.name, body: await contentOf(chosen) };
                  setText("content" in given.body ? given.body.content : "");
                  setFile(given);
                  void read(true, given);
                }}
              />
            )}
          </Field>
          <Field label="or paste lines">{(at) => <textarea {...at} rows={5} spellcheck={false} placeholder={"id,name,e-mail\nada,Ada Lovelace,ada@example.org"} value={text} onInput={(event) => (setText(event.currentTarget.value), setFile(null), setSeen(undefined))} />}</Field>
          <Choice label="Students who are there" value={mode} options={{ add: "Add and change", replace: "Replace all" }} choose={(to) => (setMode(to), setSeen(undefined))} />
          {problem && <Notice problem={problem} />}
          {seen && !seen.stored && (
            <div class="stack">
              <p>
                {count(seen.students.length)} students{seen.format !== "csv" && ` (${FORMATS[seen.format]})`}:{" "}
                {[`${count(seen.added)} new`, ...(seen.changed ? [`${count(seen.changed)} changed`] : []), ...(seen.removed ? [`${count(seen.removed)} removed`] : [])].join(", ")}.
              </p>
              <p class="quiet">
                {Object.entries(seen.columns)
                  .map(([column, means]) => `${column} → ${means === null ? "not read" : (MEANS[means] ?? means)}`)
                  .join(", ")}
              </p>
              {(seen.faults?.length ?? 0) > 0 && (
                <ul class="lost">
                  {seen.faults?.slice(0, 6).map((fault) => (
                    <li key={fault.where + fault.message}>
                      {fault.where}: {fault.message}
                    </li>
                  ))}
                </ul>
              )}
            </div>
          )}
          <div class="row acts">
            <button type="button" class="plain" disabled={!course || (file === null && text.trim() === "")} onClick={() => read(true)}>
              Preview
            </button>
            <button type="button" class="go" disabled={!seen || seen.stored} onClick={() => read(false)}>
              Store
            </button>
            <p role="status">{seen?.stored && <Badge kind="done">Stored</Badge>}</p>
            {seen?.stored && <a href="#/class/new">Write an assignment</a>}
          </div>
        </section>
        <section class="stack" aria-label="Students">
          {list.problem && <Notice problem={list.problem} retry={list.reload} />}
          {students.length === 0 ? (
            <Empty title="Nobody yet">The gradebook has a row for everybody on the roster, also for those who hand nothing in.</Empty>
          ) : (
            <>
            <h2>{count(students.length)} on the roster</h2>
            <div class="scroll" tabIndex={0} role="region" aria-label="Roster">
              <table class="stacks book">
                <thead>
                  <tr>
                    <th>Student</th>
                    <th>Name</th>
                    <th>E-mail</th>
                    <th>Section</th>
                    <th>
                      <span class="unseen">Remove</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {students.map((one) => (
                    <tr key={one.student}>
                      <td>{one.student}</td>
                      <td>{one.name ?? "–"}</td>
                      <td data-of="E-mail">{one.email ?? "–"}</td>
                      <td data-of="Section">{one.section ?? "–"}</td>
                      <td>
                        <Confirm
                          label="Remove"
                          name={`Remove ${one.student}`}
                          title={`Remove ${one.name ?? one.student} from the roster?`}
                          yes="Remove"
                          act={async () => {
                            await gone(api.DELETE("/v1/courses/{course}/roster", { params: { path, query: { student: one.student } } }));
                            list.reload();
                            courses.reload();
                          }}
                        >
                          {() => <p>The gradebook has no row for {one.student} any more, unless something was handed in. Submissions and grades stay.</p>}
                        </Confirm>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            </>
          )}
        </section>
      </div>
    </div>
  );
}
