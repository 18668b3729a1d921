/** One job of any kind: where it stands, and its answer as the service gives it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, ask, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { day, KIND_WORDS, STATUS_WORDS, seconds } from "../parts/format";
import { Badge, Failed, Snippets, Stat, Waiting } from "../parts/parts";
import { Proof } from "../parts/proof";

type Job = Schemas["JobHead"];

export const ended = (job: { status: string }) => job.status !== "queued" && job.status !== "running";

export const took = (job: Pick<Job, "started_at" | "finished_at">) =>
  job.started_at && job.finished_at ? (Date.parse(job.finished_at) - Date.parse(job.started_at)) / 1000 : null;

export function OneJob(props: { id: string }): JSX.Element {
  const { id } = props;
  const found = useLoaded(
    ["job", id],
    () => ask(api.GET("/v1/jobs/{id}", { params: { path: { id } } })),
    (job) => (ended(job) ? null : 700),
  );
  const job = found.data;
  if (found.problem) return <Failed problem={found.problem} retry={found.reload} />;
  if (!job) return <Waiting what="the job" lines={8} />;
  const [first = "", ...rest] = job.about;
  return (
    <div class="view jobs">
      <div class="head">
        <div>
          <p class="quiet">
            <a href="#/jobs">All jobs</a>
          </p>
          <h1>
            {KIND_WORDS[job.kind] ?? job.kind}: {first}
          </h1>
          <p class="quiet">{rest.join(" · ")}</p>
        </div>
        {!ended(job) && <CancelButton id={id} asked={job.cancel_requested} reload={found.reload} />}
      </div>
      <div class="panel stack">
        <div>
          <Badge kind={job.status}>{STATUS_WORDS[job.status]}</Badge>
        </div>
        <dl class="stats inline">
          <Stat name="Asked" value={day(job.created_at) ?? "–"} />
          <Stat name="Time" value={seconds(took(job))} />
          <Stat name="Attempt" value={job.attempt} />
          <Stat name="Priority" value={job.priority} />
        </dl>
        {job.error && <p class="notice">{job.error}</p>}
      </div>
      {job.kind === "model-audit" && job.status === "done" && <Proof path={`/v1/jobs/${id}/certificate`} name="Proof of what is wrong" />}
      <section class="panel" aria-label="The job as the service gives it">
        <h2>The job as the service gives it</h2>
        <Snippets texts={{ JSON: pretty(job), curl: `curl ${location.origin}/v1/jobs/${id}` }} />
      </section>
      {job.kind === "grading" && (
        <p class="quiet">
          A grading is read with its submission, in <a href="#/class">Class</a>.
        </p>
      )}
    </div>
  );
}

export function CancelButton(props: { id: string; asked: boolean; reload: () => void }): JSX.Element {
  const [asked, setAsked] = useState(false);
  const cancel = async () => {
    setAsked(true);
    await ask(api.POST("/v1/jobs/{id}/cancel", { params: { path: { id: props.id } } })).catch(() => setAsked(false));
    props.reload();
  };
  return (
    <button type="button" class="plain" disabled={asked || props.asked} onClick={cancel}>
      {asked || props.asked ? "Stopping" : "Cancel"}
    </button>
  );
}

function pretty(job: object): string {
  return JSON.stringify(job, (_, value: unknown) => (value === null ? undefined : value), 2);
}
