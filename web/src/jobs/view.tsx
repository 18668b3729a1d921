/** Everything running and recent, newest first. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { usePuzzles } from "../api/catalogue";
import { api, ask, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { ago, count, STATUS_WORDS, seconds } from "../parts/format";
import { Badge, Empty, Field, Notice, Waiting } from "../parts/parts";
import { go, link, type Route } from "../route";
import { isFinal } from "../solve/result";

type Solve = Schemas["Solve"];

const STATUSES = ["queued", "running", "solved", "limit_reached", "exhausted", "cancelled", "failed"] as const;

export function JobsView(props: { route: Route }): JSX.Element {
  const { query } = props.route;
  const cursor = query.get("cursor") ?? undefined;
  const filter = {
    status: (query.get("status") ?? undefined) as Solve["status"] | undefined,
    puzzle: query.get("puzzle") ?? undefined,
    tag: query.getAll("tag"),
    experiment: query.get("experiment") ?? undefined,
  };
  const puzzles = usePuzzles();
  const list = useLoaded(
    ["solves", query.toString()],
    () => ask(api.GET("/v1/solves", { params: { query: { ...filter, ...(cursor && { cursor }), limit: 50 } } })),
    (page) => (page.items.some((solve) => !isFinal(solve)) ? 1000 : 5000),
  );
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    next.delete("cursor");
    if (value) next.set(name, value);
    else next.delete(name);
    go(link("jobs", null, next), true);
  };
  const onwards = list.data?.next ? new URLSearchParams(list.data.next.split("?")[1]).get("cursor") : null;
  const page = (to: string | null) => {
    const next = new URLSearchParams(query);
    if (to) next.set("cursor", to);
    else next.delete("cursor");
    return link("jobs", null, next);
  };
  return (
    <div class="view jobs">
      <div class="head">
        <h1>Jobs</h1>
        <div class="row filters">
          <Field label="Status">
            {(at) => (
              <select {...at} value={filter.status ?? ""} onChange={(event) => set("status", event.currentTarget.value)}>
                <option value="">any</option>
                {STATUSES.map((status) => (
                  <option key={status} value={status}>
                    {STATUS_WORDS[status]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Puzzle">
            {(at) => (
              <select {...at} value={filter.puzzle ?? ""} onChange={(event) => set("puzzle", event.currentTarget.value)}>
                <option value="">any</option>
                {puzzles.data?.map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Tag">
            {(at) => (
              <input
                {...at}
                placeholder="key:value"
                value={filter.tag[0] ?? ""}
                onChange={(event) => set("tag", event.currentTarget.value.trim())}
              />
            )}
          </Field>
        </div>
      </div>
      {list.problem && <Notice problem={list.problem} retry={list.reload} />}
      {!list.data && !list.problem && <Waiting what="jobs" lines={8} />}
      {list.data && list.data.items.length === 0 && (
        <Empty title="No jobs">
          Nothing fits these filters. <a href="#/solve">Solve a puzzle</a>, and it stands here.
        </Empty>
      )}
      {list.data && list.data.items.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Jobs">
          <table>
            <thead>
              <tr>
                <th>Status</th>
                <th>Puzzle</th>
                <th>Search</th>
                <th class="number">Length</th>
                <th class="number">Expanded</th>
                <th class="number">Time</th>
                <th>Asked</th>
                <th>
                  <span class="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {list.data.items.map((solve) => (
                <Row key={solve.id} solve={solve} reload={list.reload} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div class="bar pages">
        {cursor && <a href={page(null)}>Newest</a>}
        {onwards && <a href={page(onwards)}>Older</a>}
      </div>
    </div>
  );
}

function Row(props: { solve: Solve; reload: () => void }): JSX.Element {
  const { solve } = props;
  const [asked, setAsked] = useState(false);
  const cancel = async () => {
    setAsked(true);
    try {
      await ask(api.DELETE("/v1/solves/{id}", { params: { path: { id: solve.id ?? "" } } }));
    } catch {
      setAsked(false);
    }
    props.reload();
  };
  const { scramble, alg } = solve.start;
  const from = scramble ? `k = ${scramble.k}, seed ${scramble.seed}` : alg ? `${alg.length} moves` : "a state";
  return (
    <tr>
      <td>
        <Badge kind={solve.status}>{STATUS_WORDS[solve.status]}</Badge>
      </td>
      <td>
        <a href={link("solve", solve.id ?? null)}>
          {solve.puzzle} <small>{from}</small>
        </a>
      </td>
      <td>
        {solve.method ?? solve.algorithm} <small class="clip">{solve.heuristic.name ?? solve.heuristic.expression}</small>
      </td>
      <td class="number">{count(solve.length)}</td>
      <td class="number">{count(solve.counters?.expanded ?? solve.progress?.expanded)}</td>
      <td class="number">{seconds(solve.seconds)}</td>
      <td>
        <time dateTime={solve.created_at ?? ""}>{ago(solve.created_at)}</time>
      </td>
      <td>
        {!isFinal(solve) && (
          <button type="button" class="plain" disabled={asked || solve.cancel_requested} onClick={cancel}>
            Cancel
          </button>
        )}
      </td>
    </tr>
  );
}
