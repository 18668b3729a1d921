/** Class, for who teaches: assignments, and for each one its submissions, statistics, gradebook and rubric. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { usePuzzleTitles } from "../api/catalogue";
import { api, ask, askGradebook, gone, Problem, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { useMe } from "../api/me";
import { count, day, points } from "../parts/format";
import { Confirm, Empty, Failed, Notice, Stat, Waiting } from "../parts/parts";
import { go, link, type Route } from "../route";
import { AssignmentForm } from "./form";
import { Gradebook } from "./gradebook";
import { Statistics } from "./statistics";
import { RequestList } from "./requests";
import { Submissions } from "./submissions";
import { Rubric } from "./rubric";
import { RosterView } from "./roster";
import { makeExample } from "./example";

const TABS = { submissions: "Submissions", requests: "Regrade requests", statistics: "Statistics and copies", gradebook: "Gradebook", rubric: "Rubric" } as const;
type Tab = keyof typeof TABS;

export function ClassView(props: { route: Route }): JSX.Element {
  const { route } = props;
  if (route.id === null) return <Assignments to="class" />;
  if (route.id === "roster") return <RosterView route={route} />;
  if (route.id === "new") {
    return (
      <div class="view class">
        <div class="head">
          <h1>New assignment</h1>
          <a href="#/class">All assignments</a>
        </div>
        <AssignmentForm />
      </div>
    );
  }
  return <One key={route.id} id={route.id} route={route} />;
}

/** Makes a small class to look at, and shows its gradebook. */
function ExampleClass(props: { look: string }): JSX.Element {
  const me = useMe();
  const [problem, setProblem] = useState<Problem | undefined>();
  const [making, setMaking] = useState(false);
  const example = async () => {
    setMaking(true);
    try {
      go(link("class", await makeExample(me?.course ?? null), new URLSearchParams({ show: "gradebook" })));
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem("broken", "This page failed", String(error)));
      setMaking(false);
    }
  };
  return (
    <>
      {problem && <Notice problem={problem} />}
      <button type="button" class={props.look} disabled={making} onClick={example}>
        {making ? "Making it" : "Example class"}
      </button>
    </>
  );
}

export const useAssignment = (id: string, view: "instructor" | "student") =>
  useLoaded(["assignment", id, view], () => ask(api.GET("/v1/assignments/{id}", { params: { path: { id }, query: { view } } })));

/** The list of assignments: of a class, or of those that can be handed in to. */
export function Assignments(props: { to: "class" | "hand-in" }): JSX.Element {
  const list = useLoaded(["assignments"], () => ask(api.GET("/v1/assignments")));
  const titleOf = usePuzzleTitles();
  const teaching = props.to === "class";
  const empty = list.data?.items.length === 0;
  return (
    <div class="view class">
      <div class="head">
        <h1>{teaching ? "Class" : "Hand in"}</h1>
        {teaching && (
          <div class="row acts">
            {list.data && !empty && <ExampleClass look="plain" />}
            <a class="plain" href="#/class/roster">
              Roster
            </a>
            <a class="go" href="#/class/new">
              New assignment
            </a>
          </div>
        )}
      </div>
      {list.problem && <Notice problem={list.problem} retry={list.reload} />}
      {!list.data && !list.problem && <Waiting what="assignments" lines={6} />}
      {empty &&
        (teaching ? (
          <Beginning />
        ) : (
          <Empty title="No assignments yet">
            When your instructor posts an assignment, it appears here. Are you the instructor? <a href="#/class">Begin here</a>.
          </Empty>
        ))}
      {list.data && list.data.items.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Assignments">
          <table class="stacks">
            <thead>
              <tr>
                <th>Assignment</th>
                {teaching && <th>Result</th>}
                <th>Puzzle</th>
                <th class="number">Instances</th>
                <th class="number">Points</th>
                <th class="number">Attempts</th>
                <th>Due</th>
                {teaching && <th>Written</th>}
              </tr>
            </thead>
            <tbody>
              {list.data.items.map((one) => (
                <tr key={one.id}>
                  <td>
                    <a href={link(props.to, one.id)}>{one.assignment.title}</a> {one.assignment.course && <small>{one.assignment.course}</small>}
                  </td>
                  {teaching && (
                    <td>
                      <a href={link("class", one.id, new URLSearchParams({ show: "gradebook" }))} aria-label={`Gradebook of ${one.assignment.title}`}>
                        Gradebook
                      </a>
                    </td>
                  )}
                  <td data-of="Puzzle">{titleOf(one.assignment.puzzle)}</td>
                  <td class="number" data-of="Instances">{count(one.instances.length)}</td>
                  <td class="number" data-of="Points">{points(one.max_score)}</td>
                  <td class="number" data-of="Attempts">{one.assignment.attempts ?? "any"}</td>
                  <td data-of="Due">{day(one.assignment.due) ?? <small>never</small>}</td>
                  {teaching && <td data-of="Written">{day(one.created_at)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

/** Where an instructor begins. */
function Beginning(): JSX.Element {
  return (
    <section class="steps" aria-label="Where to begin">
      <div class="panel first">
        <div>
          <h2>See all of it first</h2>
          <p>
            One click makes a class of six with their files: right and wrong solutions, a file that cannot be read, a report that you mark, and somebody who handed nothing in. You can delete it again.
          </p>
        </div>
        <ExampleClass look="go" />
      </div>
      <h2>From a list of students to a gradebook</h2>
      <ol>
        <li class="panel">
          <h3>Students</h3>
          <p>
            <a href="#/class/roster">Read the roster</a>, a file of Canvas, Moodle or any spreadsheet. Everybody on it has a row in the gradebook.
          </p>
        </li>
        <li class="panel">
          <h3>Assignment</h3>
          <p>
            <a href="#/class/new">Write an assignment</a>: choose a puzzle, instances by their true distances, and what gives points.
          </p>
        </li>
        <li class="panel">
          <h3>Submissions</h3>
          <p>Students hand in on this page, or you give all their files at once, as a folder or a zip. Any notation of moves that can be understood is.</p>
        </li>
        <li class="panel">
          <h3>Grades</h3>
          <p>Read why each point was lost, answer requests for a regrade, look at copies, and download the gradebook for Canvas or Moodle.</p>
        </li>
      </ol>
    </section>
  );
}

/** What goes with an assignment. */
function Lost(props: { id: string }): JSX.Element {
  const book = useLoaded(["lost", props.id], () => askGradebook(props.id));
  const entries = book.data?.entries ?? [];
  return (
    <p>
      Deleted with it, for good: {book.data ? `${count(entries.reduce((sum, one) => sum + one.attempts, 0))} graded submissions of ${count(entries.filter((one) => one.attempts > 0).length)} students` : "all submissions"}, their
      grades and regrade requests, marks, extensions and comments, and the files that could not be read. The roster stays. Download the gradebook first if you may need it.
    </p>
  );
}

function One(props: { id: string; route: Route }): JSX.Element {
  const { id, route } = props;
  const found = useAssignment(id, "instructor");
  const titleOf = usePuzzleTitles();
  const tab = (route.query.get("show") ?? "submissions") as Tab;
  const open = useLoaded(
    ["open requests", id, tab],
    async () => (await ask(api.GET("/v1/assignments/{id}/regrade-requests", { params: { path: { id }, query: { status: "open", limit: 200 } } }))).items.length,
  );
  const one = found.data;
  if (found.problem) return <Failed problem={found.problem} retry={found.reload} />;
  if (!one) return <Waiting what="the assignment" lines={10} />;
  const { assignment } = one;
  const show = (to: Tab) => go(link("class", id, new URLSearchParams(to === "submissions" ? {} : { show: to })));
  return (
    <div class="view class">
      <div class="head">
        <div>
          <p class="quiet">
            <a href="#/class">All assignments</a>
          </p>
          <h1>{assignment.title}</h1>
        </div>
        <div class="row">
          <a class="plain" href={link("hand-in", id)}>
            As a student sees it
          </a>
          <Confirm
            label="Delete"
            title={`Delete “${assignment.title}”?`}
            yes="Delete for good"
            act={async () => {
              await gone(api.DELETE("/v1/assignments/{id}", { params: { path: { id } } }));
              go("#/class");
            }}
          >
            {() => <Lost id={id} />}
          </Confirm>
        </div>
      </div>
      <dl class="panel stats inline facts">
        {assignment.course && <Stat name="Course" value={assignment.course} />}
        <Stat name="Puzzle" value={titleOf(assignment.puzzle)} />
        <Stat name="Points" value={points(one.max_score)} />
        <Stat name="Instances" value={count(one.instances.length)} />
        <Stat name="Attempts" value={assignment.attempts ?? "any number"} />
        <Stat name="Due" value={day(assignment.due) ?? "never"} title={assignment.due ?? ""} />
        <Stat name="What counts" value={assignment.counts === "last" ? "the last attempt" : "the best attempt"} />
      </dl>
      <div class="tabs" role="tablist" aria-label="Parts of the assignment">
        {(Object.keys(TABS) as Tab[]).map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === tab}
            aria-controls="tab-panel"
            tabIndex={name === tab ? 0 : -1}
            onClick={() => show(name)}
            onKeyDown={(event) => {
              const all = Object.keys(TABS) as Tab[];
              const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              if (step === undefined) return;
              event.preventDefault();
              const next = all[(all.indexOf(name) + step + all.length) % all.length] ?? name;
              show(next);
              document.getElementById(`tab-${next}`)?.focus();
            }}
          >
            {TABS[name]}
            {name === "requests" && !!open.data && ` (${count(open.data)})`}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} class="tabpanel">
        {tab === "submissions" && <Submissions assignment={one} route={route} />}
        {tab === "requests" && <RequestList assignment={one} changed={open.reload} />}
        {tab === "statistics" && <Statistics assignment={one} route={route} />}
        {tab === "gradebook" && <Gradebook assignment={one} />}
        {tab === "rubric" && <Rubric assignment={one} changed={found.reload} />}
      </div>
    </div>
  );
}

export type Assignment = Schemas["AssignmentObject"];
