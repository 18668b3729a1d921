/** One claim: its verdict in words, and the claim played on the puzzle. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { usePuzzle } from "../api/catalogue";
import { api, ask, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { count } from "../parts/format";
import { Badge, Stat, Waiting } from "../parts/parts";
import { Proof } from "../parts/proof";
import { Playback } from "../puzzle/playback";
import { Stage, type State } from "../puzzle/stage";
import { givenState } from "../solve/question";
import { KINDS, kindOf, sentence, type VerificationJob } from "./verdict";

const JUDGED = { true: "proven", convention: "proven", possible: "unknown", false: "refuted", unknown: "unknown" } as const;

export function One(props: { job: VerificationJob }): JSX.Element {
  const { job } = props;
  const verdict = job.answer;
  const puzzle = usePuzzle(job.request.puzzle);
  const [done, setDone] = useState(0);
  const played = verdict?.solution ?? [];
  const key = played.join(" ");
  useEffect(() => setDone(0), [job.id, key]);
  const labelled = job.request.labels != null || job.request.notation != null;
  const along = useLoaded(["claim", job.id, key, labelled], async () => {
    if (!verdict || played.length === 0 || labelled) return [];
    const from = { puzzle: verdict.puzzle, goal: verdict.goal ?? null, state: givenState(verdict.start.state) };
    const answer = await ask(api.POST("/v1/states", { body: { ...from, then: key } as Schemas["StateRequest"] }));
    return answer.path.map((step) => step.state as State);
  });
  const start = verdict?.start.state as State | undefined;
  const shown = done > 0 ? (along.data?.[done - 1] ?? start) : start;
  const kind = KINDS[kindOf(job)];
  return (
    <div class="evidence">
      <section class="panel result" aria-label="Verdict on the claim">
        <div>
          <Badge kind={kind.badge}>{kind.words}</Badge>
        </div>
        <p class="sentence" role="status">
          {sentence(job)}
        </p>
        <dl class="stats">
          <Stat strong name="Length" value={count(verdict?.length)} />
          <Stat strong name="Shortest" value={verdict?.optimal_length == null && verdict?.lower_bound != null ? `≥ ${verdict.lower_bound}` : count(verdict?.optimal_length)} />
          <Stat name="Moves allowed" value={verdict?.moves ?? job.request.moves ?? "–"} />
          <Stat name="Expanded to prove it" value={count(verdict?.searched)} />
        </dl>
        {verdict && (!verdict.valid || (verdict.excess ?? 0) > 0) && (
          <Proof path={`/v1/jobs/${job.id}/certificate`} name={verdict.valid ? "Proof of a shorter solution" : "Proof that it fails"} />
        )}
        {verdict && (verdict.claims?.length ?? 0) > 0 && (
          <ul class="faultlist">
            {verdict.claims?.map((one) => (
              <li key={one.claim}>
                <Badge kind={JUDGED[one.judgement]}>
                  {one.claim} {String(one.claimed)}: {one.judgement}
                </Badge>
                <p>{one.reason}</p>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section class="panel see" aria-label="The claim on the puzzle">
        {puzzle.data && verdict ? (
          <Stage
            puzzle={puzzle.data}
            state={shown}
            title={`${puzzle.data.title}, ${done === 0 ? "start" : `after ${done} moves`}`}
            turning={{ moves: played, done }}
          />
        ) : (
          <Waiting what="the picture" lines={6} />
        )}
        {played.length > 0 && !labelled && <Playback moves={played} done={done} go={setDone} />}
      </section>
    </div>
  );
}
