/** The frame around every view: name, views, whether the service answers, and the key if it wants one. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { AuditView } from "./audit/view";
import { BoardView } from "./board/view";
import { connection } from "./api/client";
import { useConnection } from "./api/hooks";
import { type Me, MeContext, studentOf, useAskedMe } from "./api/me";
import { Choice, Empty, Field, Waiting } from "./parts/parts";
import { go, link, parse, type Route, useRoute } from "./route";
import { SolveView } from "./solve/view";
import { HandInView } from "./class/handin";
import { ClassView } from "./class/view";
import { ExperimentsView } from "./experiments/view";
import { JobsView } from "./jobs/view";
import { VerifyView } from "./verify/view";

const VIEWS: Record<string, { name: string; view: (props: { route: Route }) => JSX.Element }> = {
  board: { name: "Board", view: BoardView },
  solve: { name: "Solve", view: SolveView },
  audit: { name: "Audit", view: AuditView },
  verify: { name: "Verify", view: VerifyView },
  experiments: { name: "Experiments", view: ExperimentsView },
  class: { name: "Class", view: ClassView },
  "hand-in": { name: "Hand in", view: HandInView },
  jobs: { name: "Jobs", view: JobsView },
};

/** What a student's key is refused. */
const FOR_INSTRUCTORS = ["class"];

/** What each face of the page shows first; the other views are behind More. */
const FIRST_OF = { student: ["board", "solve", "hand-in"], instructor: ["class", "board", "experiments"] } as const;
type Face = keyof typeof FIRST_OF;
/** of these, what stands behind More where a line has no room for it */
const SPARE = { student: "solve", instructor: "experiments" } as const;
const FACE_KEY = "hstar-face";

/** A student's key has one face; others choose, and the browser keeps it. */
function useFace(me: Me | undefined): [Face, ((face: Face) => void) | null] {
  const [chosen, choose] = useState(() => localStorage.getItem(FACE_KEY) as Face | null);
  if (studentOf(me) !== null) return ["student", null];
  const set = (face: Face) => {
    localStorage.setItem(FACE_KEY, face);
    choose(face);
    go(faced(parse(location.hash), face));
  };
  return [chosen ?? (connection.key === null ? "student" : "instructor"), set];
}

/** What a face shows of the same assignment; else its first page. */
function faced(route: Route, face: Face): string {
  const other = face === "student" ? "instructor" : "student";
  const only = (FIRST_OF[face] as readonly string[]).filter((view) => !(FIRST_OF[other] as readonly string[]).includes(view));
  if (only.includes(route.view)) return location.hash;
  const [from, to] = face === "student" ? ["class", "hand-in"] : ["hand-in", "class"];
  if (route.view !== from) return "#/";
  const kept = new URLSearchParams([...route.query].filter(([name]) => name === "student" || name === "submission"));
  return route.id === null || route.id === "new" || route.id === "roster" ? link(to) : link(to, route.id, kept);
}

export function App(): JSX.Element {
  const route = useRoute();
  const { online, keyWanted, key } = useConnection();
  const main = useRef<HTMLElement>(null);
  const { me, waiting } = useAskedMe();
  const [face, setFace] = useFace(me);
  const shown = route.view === "home" ? FIRST_OF[face][0] : route.view;
  const found = VIEWS[shown];
  const refused = studentOf(me) === null ? [] : FOR_INSTRUCTORS;
  useEffect(() => {
    document.title = found ? `${found.name} · hstar` : "hstar";
  }, [found]);
  const first: readonly string[] = FIRST_OF[face];
  const entry = (view: string, only = "") => (
    <a key={view} href={`#/${view}`} class={only} aria-current={view === shown ? "page" : undefined}>
      {VIEWS[view]?.name}
    </a>
  );
  return (
    <MeContext.Provider value={me}>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        To the content
      </a>
      <header>
        <a class="home" href="#/">
          <span class="mark" aria-hidden="true" />
          hstar
        </a>
        <nav aria-label="Views">
          {first.map((view) => entry(view, view === SPARE[face] ? "roomy" : ""))}
          <Menu current={!first.includes(shown)}>
            {entry(SPARE[face], "narrow")}
            {Object.keys(VIEWS)
              .filter((view) => !first.includes(view) && !refused.includes(view))
              .map((view) => entry(view))}
            <a href="/manual">Manual</a>
            <a href="/docs">API</a>
          </Menu>
        </nav>
        <span class="aside">
          {key !== null && me && (
            <span class="who" title={me.course ? `${me.role} of ${me.course}` : me.role}>
              {me.owner} <small>{me.role}</small>
            </span>
          )}
          {key !== null && !keyWanted && (
            <button type="button" class="plain" onClick={() => connection.setKey(null)}>
              Forget key
            </button>
          )}
          {setFace && <Faces face={face} set={setFace} />}
        </span>
      </header>
      <div class={`offline${online ? "" : " shown"}`} role="status">
        {!online && "The service does not answer. This page looks every second and goes on when it is back."}
      </div>
      <main ref={main} id="main" tabIndex={-1}>
        {keyWanted ? <Login /> : !found ? <Lost /> : refused.includes(shown) ? <ForInstructors route={route} /> : waiting && FOR_INSTRUCTORS.includes(shown) ? <Waiting what="the view" /> : <found.view route={route} />}
      </main>
    </MeContext.Provider>
  );
}

function Faces(props: { face: Face; set: (face: Face) => void }): JSX.Element {
  const names = { student: "Student", instructor: "Instructor" };
  return (
    <>
      <span class="roomy quiet" aria-hidden="true">
        I am a
      </span>
      <div class="roomy">
        <Choice label="Page for" value={props.face} options={names} choose={props.set} />
      </div>
      <select class="narrow" aria-label="Page for" value={props.face} onChange={(event) => props.set(event.currentTarget.value as Face)}>
        {Object.entries(names).map(([face, name]) => (
          <option key={face} value={face}>
            {name}
          </option>
        ))}
      </select>
    </>
  );
}

/** The views that are not needed every day. */
function Menu(props: { current: boolean; children: ComponentChildren }): JSX.Element {
  const place = useRef<HTMLDetailsElement>(null);
  const close = () => place.current?.removeAttribute("open");
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (!place.current?.contains(event.target as Node)) close();
    };
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, []);
  return (
    <details
      class="menu"
      ref={place}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        close();
        place.current?.querySelector("summary")?.focus();
      }}
    >
      <summary class={props.current ? "current" : ""}>More</summary>
      <div onClick={close}>{props.children}</div>
    </details>
  );
}

function ForInstructors(props: { route: Route }): JSX.Element {
  return (
    <Empty title="This is for instructors">
      Your key is a student's. What you hand in, its score and its reasons are in{" "}
      <a href={link("hand-in", props.route.id === "new" ? null : props.route.id)}>Hand in</a>.
    </Empty>
  );
}

function Lost(): JSX.Element {
  return (
    <Empty title="There is no such view">
      <a href="#/">Begin at the first page</a> instead.
    </Empty>
  );
}

function Login(): JSX.Element {
  const [key, set] = useState("");
  const wrong = connection.key !== null;
  return (
    <form
      class="panel login"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim()) connection.setKey(key.trim());
      }}
    >
      <h1>API key</h1>
      <p>This service needs a key. Ask the operator for one.</p>
      <Field
        label="Key"
        hint="Kept in this tab only, until you close it."
        faults={wrong ? [{ where: "", message: "This key is not one of the service's." }] : []}
      >
        {(at) => (
          <input {...at} type="password" autocomplete="off" value={key} onInput={(event) => set(event.currentTarget.value)} />
        )}
      </Field>
      <button type="submit" class="go">
        Go on
      </button>
    </form>
  );
}
