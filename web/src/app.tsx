/** The frame around every view: name, views, whether the service answers, and the key if it wants one. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { AuditView } from "./audit/view";
import { connection } from "./api/client";
import { useConnection } from "./api/hooks";
import { MeContext, studentOf, useAskedMe } from "./api/me";
import { Empty, Field } from "./parts/parts";
import { link, type Route, useRoute } from "./route";
import { SolveView } from "./solve/view";
import { HandInView } from "./class/handin";
import { ClassView } from "./class/view";
import { ExperimentsView } from "./experiments/view";
import { JobsView } from "./jobs/view";
import { TraceView } from "./trace/view";
import { VerifyView } from "./verify/view";

const VIEWS: Record<string, { name: string; view: (props: { route: Route }) => JSX.Element }> = {
  solve: { name: "Solve", view: SolveView },
  search: { name: "Search", view: TraceView },
  audit: { name: "Audit", view: AuditView },
  verify: { name: "Verify", view: VerifyView },
  experiments: { name: "Experiments", view: ExperimentsView },
  class: { name: "Class", view: ClassView },
  "hand-in": { name: "Hand in", view: HandInView },
  jobs: { name: "Jobs", view: JobsView },
};

/** What a student's key is refused. */
const FOR_INSTRUCTORS = ["class"];

export function App(): JSX.Element {
  const route = useRoute();
  const { online, keyWanted, key } = useConnection();
  const main = useRef<HTMLElement>(null);
  const found = VIEWS[route.view];
  const me = useAskedMe();
  const refused = studentOf(me) === null ? [] : FOR_INSTRUCTORS;
  useEffect(() => {
    document.title = found ? `${found.name} · hstar` : "hstar";
    // On a narrow screen the views are one line that scrolls.
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [found]);
  return (
    <MeContext.Provider value={me}>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        To the content
      </a>
      <header>
        <a class="home" href="#/solve">
          <span class="mark" aria-hidden="true" />
          hstar
        </a>
        <nav aria-label="Views">
          {Object.entries(VIEWS)
            .filter(([view]) => !refused.includes(view))
            .map(([view, { name }]) => (
              <a key={view} href={`#/${view}`} aria-current={view === route.view ? "page" : undefined}>
                {name}
              </a>
            ))}
        </nav>
        <span class="aside">
          {key !== null && me && (
            <span class="who" title={me.course ? `${me.role} of ${me.course}` : me.role}>
              {me.owner} <small>{me.role}</small>
            </span>
          )}
          {key !== null && (
            <button type="button" class="plain" onClick={() => connection.setKey(null)}>
              Forget key
            </button>
          )}
          <a href="/docs">API</a>
        </span>
      </header>
      <div class={`offline${online ? "" : " shown"}`} role="status">
        {!online && "The service does not answer. This page looks every second and goes on when it is back."}
      </div>
      <main ref={main} id="main" tabIndex={-1}>
        {keyWanted ? <Login /> : !found ? <Lost /> : refused.includes(route.view) ? <ForInstructors route={route} /> : <found.view route={route} />}
      </main>
    </MeContext.Provider>
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
      <a href="#/solve">Solve a puzzle</a> instead.
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
