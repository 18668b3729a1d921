/** Every state up to a distance from the goal, looked at by a worker: h against h*, distance by distance. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, ask, newKey, Problem, type Schemas } from "../api/client";
import { CancelButton, ended } from "../jobs/job";
import { count, figure, STATUS_WORDS } from "../parts/format";
import { Badge, Field, Notice, NumberInput } from "../parts/parts";
import { go, link } from "../route";

export type AuditJob = Schemas["HeuristicAuditJob"];
type Audit = Schemas["HeuristicAudit"];

export function ByRadius(props: {
  request: { puzzle: string; heuristic: string; moves: string; radius: number };
  setRadius: (radius: number) => void;
  job: AuditJob | null;
  reload: () => void;
}): JSX.Element {
  const { request, job } = props;
  const [refused, setRefused] = useState<Problem | undefined>();
  const [sending, setSending] = useState(false);
  const [radius, setRadius] = useState(request.radius);
  const submit = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    setRefused(undefined);
    try {
      const made = (await ask(
        api.POST("/v1/audits/heuristic", {
          params: { header: { "Idempotency-Key": newKey() } },
          body: { ...request, radius } as Schemas["HeuristicAuditRequest"],
        }),
      )) as AuditJob;
      go(link("audit", made.id));
    } catch (error) {
      setRefused(error instanceof Problem ? error : new Problem("broken", "This page failed", String(error)));
    } finally {
      setSending(false);
    }
  };
  return (
    <section class="panel audited" aria-label="Audit up to a distance">
      <form class="bar" onSubmit={submit} noValidate>
        <div>
          <h2>Every state up to a distance from the goal</h2>
          <p class="quiet">A worker looks at each of them, and at every move from it.</p>
        </div>
        <div class="row">
          <Field label="Distance" faults={refused?.at("/radius")}>
            {(at) => <NumberInput {...at} min={0} max={1000} value={radius} set={(to = 0) => setRadius(to)} />}
          </Field>
          <button type="submit" class="go" disabled={sending}>
            {sending ? "Sending" : "Audit"}
          </button>
        </div>
      </form>
      {refused && <Notice problem={refused} />}
      {job && (
        <div class="bar" role="status">
          <span class="row">
            <Badge kind={job.status}>{STATUS_WORDS[job.status]}</Badge>
            {!ended(job) && (
              <span>{job.progress ? `${count(job.progress.expanded)} states looked at` : "Waiting for a worker."}</span>
            )}
            {job.status === "cancelled" && <span>Cancelled, so there is no verdict.</span>}
          </span>
          {!ended(job) && <CancelButton id={job.id} asked={job.cancel_requested} reload={props.reload} />}
        </div>
      )}
      {job && !ended(job) && <span class="progress" aria-hidden="true" />}
      {job?.error && <p class="notice">{job.error}</p>}
      {job?.answer && <Answer audit={job.answer} />}
    </section>
  );
}

function Answer(props: { audit: Audit }): JSX.Element {
  const { audit } = props;
  return (
    <>
      <p class="sentence">{sentence(audit)}</p>
      <div class="twos wide">
        <Picture audit={audit} />
        <div class="scroll bare" tabIndex={0} role="region" aria-label="By distance">
          <table>
            <thead>
              <tr>
                <th class="number">h*</th>
                <th class="number">States</th>
                <th class="number">h too large</th>
                <th class="number">Inconsistent</th>
                <th class="number">Mean h / h*</th>
                <th class="number">Most above</th>
              </tr>
            </thead>
            <tbody>
              {audit.by_distance.map((one) => (
                <tr key={one.distance}>
                  <td class="number">{one.distance}</td>
                  <td class="number">{count(one.states)}</td>
                  <td class={`number${one.inadmissible ? " lost" : ""}`}>{count(one.inadmissible)}</td>
                  <td class={`number${one.inconsistent ? " lost" : ""}`}>{count(one.inconsistent)}</td>
                  <td class="number">{figure(one.mean_ratio)}</td>
                  <td class="number">{one.largest_excess > 0 ? `+${figure(one.largest_excess)}` : "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </>
  );
}

function sentence(audit: Audit): string {
  const far = audit.whole_space ? `on all ${count(audit.states)} states` : `on all ${count(audit.states)} states up to distance ${audit.radius}`;
  const stopped = audit.limit ? ` It stopped early: the limit on ${audit.limit} was reached.` : "";
  if (audit.verdict === "refuted") {
    const wrong = audit.by_distance.reduce((sum, one) => sum + one.inadmissible, 0);
    return `It overestimates on ${count(wrong)} of ${count(audit.states)} states${audit.whole_space ? "" : ` up to distance ${audit.radius}`}, by ${figure(audit.largest_excess)} at the most.${stopped}`;
  }
  if (audit.verdict === "proven") return `It never overestimates ${far}: ${audit.reason}.${stopped}`;
  return `It does not overestimate ${far}. States farther away were not checked.${stopped}`;
}

const WIDTH = 460;
const HEIGHT = 280;
const LEFT = 44;
const BOTTOM = 40;

/** The mean of h at each distance, up to the most that it is too large by, beside the line where h = h*. */
function Picture(props: { audit: Audit }): JSX.Element {
  const all = props.audit.by_distance;
  const far = Math.max(...all.map((one) => one.distance), 1);
  const high = Math.max(...all.map((one) => one.distance + Math.max(0, one.largest_excess)), 1);
  const x = (distance: number) => LEFT + ((distance + 0.5) * (WIDTH - LEFT - 12)) / (far + 1);
  const y = (h: number) => 12 + (1 - h / high) * (HEIGHT - BOTTOM - 12);
  const mean = (one: Audit["by_distance"][number]) => (one.distance === 0 ? (props.audit.h_at_goal ?? 0) : (one.mean_ratio ?? 0) * one.distance);
  const step = (most: number) => Math.max(1, Math.ceil(most / 8));
  const every = (most: number) => Array.from({ length: Math.floor(most / step(most)) + 1 }, (_, i) => i * step(most));
  const told = all.map((one) => `at distance ${one.distance} mean h ${figure(mean(one))}`).join("; ");
  return (
    <figure class="against">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`h against h*: ${told}`}>
        {every(high).map((h) => (
          <g key={h}>
            <line class="rule" x1={LEFT} x2={WIDTH - 12} y1={y(h)} y2={y(h)} />
            <text x={LEFT - 8} y={y(h) + 4} text-anchor="end">
              {h}
            </text>
          </g>
        ))}
        {every(far).map((distance) => (
          <text key={distance} x={x(distance)} y={HEIGHT - BOTTOM + 18} text-anchor="middle">
            {distance}
          </text>
        ))}
        <text x={(LEFT + WIDTH - 12) / 2} y={HEIGHT - 4} text-anchor="middle">
          true distance h*
        </text>
        <text x={4} y={10}>
          h
        </text>
        <path class="equal" d={`M${x(0)} ${y(0)}L${x(far)} ${y(far)}`} />
        {all
          .filter((one) => one.largest_excess > 0)
          .map((one) => (
            <line key={one.distance} class="excess" x1={x(one.distance)} x2={x(one.distance)} y1={y(one.distance)} y2={y(one.distance + one.largest_excess)} />
          ))}
        <path class="mean" d={all.map((one, i) => `${i ? "L" : "M"}${x(one.distance)} ${y(mean(one))}`).join("")} />
        {all.map((one) => (
          <circle key={one.distance} class={one.inadmissible ? "over" : "under"} cx={x(one.distance)} cy={y(mean(one))} r={4}>
            <title>{`h* = ${one.distance}: mean h ${figure(mean(one))}, ${count(one.inadmissible)} of ${count(one.states)} states too large`}</title>
          </circle>
        ))}
      </svg>
      <figcaption class="quiet">
        Dots: mean of h. Line: h = h*. {all.some((one) => one.largest_excess > 0) && "Red: as far above the line as h gets."}
      </figcaption>
    </figure>
  );
}
