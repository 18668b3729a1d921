/** Everything that waits, runs and ran, newest first: of all kinds, or of one. `#/jobs/ID` is one job with its answer. */
import type { ComponentChildren, JSX } from "preact";
import { usePuzzles } from "../api/catalogue";
import { api, ask, type Schemas } from "../api/client";
import { type Loaded, useLoaded } from "../api/hooks";
import { ago, count, KIND_WORDS, STATUS_WORDS, seconds } from "../parts/format";
import { Badge, Empty, Field, Notice, TextInput, Waiting } from "../parts/parts";
import { cursorOf, go, link, type Route } from "../route";
import { isFinal, standing } from "../solve/result";
import { CancelButton, ended, OneJob, took } from "./job";

type Solve = Schemas["Solve"];
type Job = Schemas["JobHead"];

const OUTCOMES = ["solved", "limit_reached", "exhausted"] as const satisfies readonly Outcome[];
const STATES = ["queued", "running", "done", "cancelled", "failed"] as const;
type Outcome = NonNullable<Solve["outcome"]>;
/** Without requests and answers, which may be large. */
const HEAD = { fields: "id,kind,status,about,cancel_requested,created_at,started_at,finished_at" };
/** What only solves are filtered by. */
const OF_SOLVES = ["outcome", "puzzle", "tag", "experiment"];

export function JobsView(props: { route: Route }): JSX.Element {
  const { route } = props;
  if (route.id !== null) return <OneJob key={route.id} id={route.id} />;
  const { query } = route;
  const kind = OF_SOLVES.some((name) => query.has(name)) ? "solve" : (query.get("kind") ?? "");
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    next.delete("cursor");
    if (value) next.set(name, value);
    else next.delete(name);
    if (name === "kind") for (const other of [...OF_SOLVES, "status"]) next.delete(other);
    go(link("jobs", null, next), true);
  };
  const filters = (
    <Field label="Kind">
      {(at) => (
        <select {...at} value={kind} onChange={(event) => set("kind", event.currentTarget.value)}>
          <option value="">all</option>
          {Object.entries(KIND_WORDS).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
  return kind === "solve" ? (
    <Solves query={query} set={set} kinds={filters} />
  ) : (
    <AllKinds query={query} kind={kind} set={set} kinds={filters} />
  );
}

interface ListProps {
  query: URLSearchParams;
  set: (name: string, value: string) => void;
  kinds: JSX.Element;
}

function OneOf(props: { label: string; value: string; of: readonly string[]; set: (value: string) => void }): JSX.Element {
  return (
    <Field label={props.label}>
      {(at) => (
        <select {...at} value={props.value} onChange={(event) => props.set(event.currentTarget.value)}>
          <option value="">any</option>
          {props.of.map((one) => (
            <option key={one} value={one}>
              {STATUS_WORDS[one]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Pages(props: { query: URLSearchParams; next: string | null | undefined }): JSX.Element {
  const page = (cursor: string | null) => {
    const next = new URLSearchParams(props.query);
    if (cursor) next.set("cursor", cursor);
    else next.delete("cursor");
    return link("jobs", null, next);
  };
  const onwards = cursorOf(props.next);
  return (
    <div class="bar pages">
      {props.query.has("cursor") && <a href={page(null)}>Newest</a>}
      {onwards && <a href={page(onwards)}>Older</a>}
    </div>
  );
}

/** A list with what filters it: loading, refused, empty or there. */
function Listing<T>(props: {
  query: URLSearchParams;
  filters: ComponentChildren;
  list: Loaded<{ items: T[]; next?: string | null }>;
  columns: JSX.Element;
  row: (one: T) => JSX.Element;
}): JSX.Element {
  const { list } = props;
  return (
    <div class="view jobs">
      <div class="head">
        <h1>Jobs</h1>
        <div class="row filters">{props.filters}</div>
      </div>
      {list.problem && <Notice problem={list.problem} retry={list.reload} />}
      {!list.data && !list.problem && <Waiting what="jobs" lines={8} />}
      {list.data?.items.length === 0 && (
        <Empty title="No jobs">
          No job matches these filters. <a href="#/solve">Solve a puzzle</a>, and it appears here.
        </Empty>
      )}
      {list.data && list.data.items.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Jobs">
          <table class="stacks book">
            <thead>
              <tr>
                {props.columns}
                <th>
                  <span class="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>{list.data.items.map(props.row)}</tbody>
          </table>
        </div>
      )}
      <Pages query={props.query} next={list.data?.next} />
    </div>
  );
}

function AllKinds(props: ListProps & { kind: string }): JSX.Element {
  const { query, kind } = props;
  const cursor = query.get("cursor");
  const status = (query.get("status") ?? undefined) as Job["status"] | undefined;
  const list = useLoaded(
    ["jobs", query.toString()],
    () =>
      ask(
        api.GET("/v1/jobs", {
          params: { query: { limit: 50, ...(kind && { kind: [kind] }), ...(status && { status: [status] }), ...(cursor && { cursor }), ...HEAD } },
        }),
      ) as Promise<{ items: Job[]; next?: string | null }>,
    (page) => (page.items.every(ended) ? 5000 : 1000),
  );
  return (
    <Listing
      query={query}
      list={list}
      filters={
        <>
          {props.kinds}
          <OneOf label="Status" value={status ?? ""} of={STATES} set={(to) => props.set("status", to)} />
        </>
      }
      columns={
        <>
          <th>Status</th>
          <th>Kind</th>
          <th>About</th>
          <th class="number">Time</th>
          <th>Asked</th>
        </>
      }
      row={(job) => <JobRow key={job.id} job={job} reload={list.reload} />}
    />
  );
}

/** Where a job of this kind is looked at. */
function placeOf(job: Job): string {
  const view = { solve: "solve", "heuristic-audit": "audit", verification: "verify" }[job.kind];
  return link(view ?? "jobs", job.id);
}

function JobRow(props: { job: Job; reload: () => void }): JSX.Element {
  const { job } = props;
  const [first = KIND_WORDS[job.kind] ?? job.kind, ...rest] = job.about;
  return (
    <tr>
      <td>
        <Badge kind={job.status}>{STATUS_WORDS[job.status]}</Badge>
      </td>
      <td>{KIND_WORDS[job.kind] ?? job.kind}</td>
      <td>
        <a href={placeOf(job)}>{first}</a> <small class="clip">{rest.join(" · ")}</small>
      </td>
      <td class="number" data-of="Time">{took(job) === 0 ? "< 1 ms" : seconds(took(job))}</td>
      <td data-of="Asked">
        <time dateTime={job.created_at}>{ago(job.created_at)}</time>
      </td>
      <td>{!ended(job) && <CancelButton id={job.id} asked={job.cancel_requested} reload={props.reload} />}</td>
    </tr>
  );
}

function Solves(props: ListProps): JSX.Element {
  const { query, set } = props;
  const cursor = query.get("cursor") ?? undefined;
  const status = (query.get("status") ?? undefined) as Job["status"] | undefined;
  const outcome = (query.get("outcome") ?? undefined) as Outcome | undefined;
  const filter = {
    ...(status && { status: [status] }),
    ...(outcome && { outcome: [outcome] }),
    puzzle: query.get("puzzle") ?? undefined,
    tag: query.getAll("tag"),
    experiment: query.get("experiment") ?? undefined,
  };
  const puzzles = usePuzzles();
  const list = useLoaded(
    ["solves", query.toString()],
    () =>
      ask(api.GET("/v1/jobs", { params: { query: { kind: ["solve"], ...filter, ...(cursor && { cursor }), limit: 50 } } })) as Promise<{
        items: Solve[];
        next?: string | null;
      }>,
    (page) => (page.items.every(isFinal) ? 5000 : 1000),
  );
  return (
    <Listing
      query={query}
      list={list}
      filters={
        <>
          {props.kinds}
          <OneOf label="Status" value={status ?? ""} of={STATES} set={(to) => set("status", to)} />
          <OneOf label="Outcome" value={outcome ?? ""} of={OUTCOMES} set={(to) => set("outcome", to)} />
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
              <TextInput {...at} placeholder="key:value" value={filter.tag[0] ?? ""} set={(tag) => set("tag", tag.trim())} />
            )}
          </Field>
        </>
      }
      columns={
        <>
          <th>Status</th>
          <th>Puzzle</th>
          <th>Search</th>
          <th class="number">Length</th>
          <th class="number">Expanded</th>
          <th class="number">Time</th>
          <th>Asked</th>
        </>
      }
      row={(solve) => <SolveRow key={solve.id} solve={solve} reload={list.reload} />}
    />
  );
}

function SolveRow(props: { solve: Solve; reload: () => void }): JSX.Element {
  const { solve } = props;
  const { scramble, alg } = solve.start;
  const from = scramble ? `k = ${scramble.k}, seed ${scramble.seed}` : alg ? `${alg.length} moves` : "a state";
  return (
    <tr>
      <td>
        <Badge kind={standing(solve)}>{STATUS_WORDS[standing(solve)]}</Badge>
      </td>
      <td>
        <a href={link("solve", solve.id ?? null)}>{solve.puzzle}</a> <small>{from}</small>
      </td>
      <td>
        {solve.method ?? solve.algorithm} <small class="clip">{solve.heuristic.name ?? solve.heuristic.expression}</small>
      </td>
      <td class="number" data-of="Length">{count(solve.length)}</td>
      <td class="number" data-of="Expanded">{count(solve.counters?.expanded ?? solve.progress?.expanded)}</td>
      <td class="number" data-of="Time">{seconds(solve.seconds)}</td>
      <td data-of="Asked">
        <time dateTime={solve.created_at ?? ""}>{ago(solve.created_at)}</time>
      </td>
      <td>{!isFinal(solve) && <CancelButton id={solve.id ?? ""} asked={solve.cancel_requested ?? false} reload={props.reload} />}</td>
    </tr>
  );
}
