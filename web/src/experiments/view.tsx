/** Experiments: build one, watch it fill, read and compare it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, ask, type Schemas } from "../api/client";
import { useAlgorithms } from "../api/catalogue";
import { useLoaded } from "../api/hooks";
import { ago, count, STATUS_WORDS } from "../parts/format";
import { Badge, Empty, Notice, Waiting } from "../parts/parts";
import { cursorOf, link, type Route } from "../route";
import { Build } from "./build";
import { Detail } from "./detail";
import { fromExperiment, instancesText, ksText, searches } from "./request";

type Experiment = Schemas["Experiment"];

export function ExperimentsView(props: { route: Route }): JSX.Element {
  const { route } = props;
  if (route.id === "new") return <Build route={route} />;
  return route.id === null ? <List /> : <Detail key={route.id} id={route.id} route={route} />;
}

const running = (one: Experiment) => one.outcomes.pending !== 0 && one.status !== "cancelled";

function List(): JSX.Element {
  const [cursor, setCursor] = useState<string | undefined>();
  const catalogue = useAlgorithms().data;
  const list = useLoaded(
    ["experiments", cursor],
    () => ask(api.GET("/v1/experiments", { params: { query: { limit: 30, ...(cursor && { cursor }) } } })),
    (page) => (page.items.some(running) ? 1000 : 5000),
  );
  const next = cursorOf(list.data?.next);
  return (
    <div class="view jobs">
      <div class="head">
        <h1>Experiments</h1>
        <a class="go" href="#/experiments/new">
          New experiment
        </a>
      </div>
      {list.problem && <Notice problem={list.problem} retry={list.reload} />}
      {!list.data && !list.problem && <Waiting what="experiments" lines={8} />}
      {list.data?.items.length === 0 && (
        <Empty title="No experiments yet">
          An experiment searches the same scrambles in several ways and shows how the work grows with each move.{" "}
          <a href="#/experiments/new">Build one</a>.
        </Empty>
      )}
      {list.data && list.data.items.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Experiments">
          <table class="stacks book">
            <thead>
              <tr>
                <th>Status</th>
                <th>Puzzle</th>
                <th>k</th>
                <th>Searched with</th>
                <th class="number">Searches</th>
                <th>Done</th>
                <th>Asked</th>
              </tr>
            </thead>
            <tbody>
              {list.data.items.map((one) => (
                <tr key={one.id}>
                  <td>
                    <Badge kind={one.status}>{STATUS_WORDS[one.status]}</Badge>
                  </td>
                  <td>
                    <a href={link("experiments", one.id ?? null)}>{one.request.puzzle}</a>
                  </td>
                  <td data-of="k">{one.request.k ? ksText(one.request.k) : instancesText(one.request)}</td>
                  <td data-of="With">
                    <span class="clip">
                      {(one.request.heuristics?.length ? one.request.heuristics : (one.request.algorithms ?? ["astar"])).join(", ")}
                    </span>
                  </td>
                  <td class="number" data-of="Searches">{count(catalogue && searches(fromExperiment(one.request), catalogue))}</td>
                  <td>
                    <Meter experiment={one} />
                  </td>
                  <td data-of="Asked">
                    <time dateTime={one.created_at ?? ""}>{ago(one.created_at)}</time>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div class="bar pages">
        {cursor && (
          <button type="button" class="plain" onClick={() => setCursor(undefined)}>
            Newest
          </button>
        )}
        {next && (
          <button type="button" class="plain" onClick={() => setCursor(next)}>
            Older
          </button>
        )}
      </div>
    </div>
  );
}

/** How far an experiment is, and how its searches ended. */
export function Meter(props: { experiment: Experiment }): JSX.Element {
  const { outcomes, rows } = props.experiment;
  const parts = (["solved", "limit_reached", "exhausted", "failed", "cancelled"] as const).map((name) => [name, outcomes[name] ?? 0] as const);
  const words = parts.filter(([, n]) => n > 0).map(([name, n]) => `${n} ${STATUS_WORDS[name]}`);
  return (
    <div
      class="meter"
      role="progressbar"
      aria-valuenow={Math.round(props.experiment.fraction_done * 100)}
      aria-label={`${count(outcomes.n)} of ${count(rows)} searches have ended: ${words.join(", ") || "none"}`}
      title={words.join(", ")}
    >
      {parts.map(([name, n]) => (
        <span key={name} class={name} style={{ width: `${(100 * n) / Math.max(rows, 1)}%` }} />
      ))}
    </div>
  );
}
