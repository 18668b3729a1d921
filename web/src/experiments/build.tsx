/** Build an experiment: `#/experiments/new?...`. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { usePuzzle, usePuzzles, useHeuristics } from "../api/catalogue";
import { api, ask, connection, Problem, type Schemas } from "../api/client";
import { count } from "../parts/format";
import { Field, Notice, NumberInput, Snippets, Waiting } from "../parts/parts";
import { go, link, type Route } from "../route";
import { MoveSetSelect, PuzzlePicker } from "../solve/puzzle";
import { ALGORITHMS, type Algorithm, takesWidth } from "../solve/question";
import { command, curl, type ExperimentRequest, fromQuery, ksText, parseKs, searches, toQuery } from "./request";

export function Build(props: { route: Route }): JSX.Element {
  const request = fromQuery(props.route.query);
  const puzzles = usePuzzles();
  const puzzle = usePuzzle(request.puzzle).data;
  const named = useHeuristics(request.puzzle).data ?? [];
  const [refused, setRefused] = useState<Problem | undefined>();
  const [ks, setKs] = useState(ksText(request.k));
  const [sending, setSending] = useState(false);
  const readable = parseKs(ks) !== null;
  const change = (part: Partial<ExperimentRequest>) => {
    setRefused(undefined);
    const next = { ...request, ...part };
    for (const name of Object.keys(part) as (keyof ExperimentRequest)[]) if (next[name] === undefined) delete next[name];
    go(link("experiments", "new", toQuery(next)), true);
  };
  const algorithms = request.algorithms ?? ["astar"];
  const submit = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    setRefused(undefined);
    try {
      const made = await ask(api.POST("/v1/experiments", { body: request as Schemas["ExperimentRequest"] }));
      go(link("experiments", made.id ?? null));
    } catch (error) {
      setRefused(error instanceof Problem ? error : new Problem("broken", "This page failed", String(error)));
    } finally {
      setSending(false);
    }
  };
  const total = searches(request);
  return (
    <div class="view build">
      <div class="head">
        <h1>New experiment</h1>
        <a href="#/experiments">All experiments</a>
      </div>
      <form class="panel ask" onSubmit={submit} noValidate aria-label="Experiment">
        <div class="columns">
          <fieldset>
            <legend>Scrambles, the same for every search</legend>
            <PuzzlePicker
              puzzles={puzzles.data ?? []}
              value={request.puzzle}
              choose={(name) => change({ puzzle: name, heuristics: undefined, moves: undefined, scramble_moves: undefined } as Partial<ExperimentRequest>)}
              problem={undefined}
            />
            <Field
              label="Moves, k"
              hint="Such as 3-14 or 3, 5, 8-10."
              faults={readable ? refused?.at("/k") : [{ where: "/k", message: "Write numbers and ranges, such as 3-14 or 3, 5, 8-10." }]}
            >
              {(at) => (
                <input
                  {...at}
                  value={ks}
                  onInput={(event) => {
                    setKs(event.currentTarget.value);
                    const k = parseKs(event.currentTarget.value);
                    if (k !== null) change({ k });
                  }}
                />
              )}
            </Field>
            <div class="row">
              <Field label="Scrambles for each k" faults={refused?.at("/trials")}>
                {(at) => <NumberInput {...at} min={1} value={request.trials ?? 5} set={(trials = 1) => change({ trials })} />}
              </Field>
              <Field label="Seed" faults={refused?.at("/seed")}>
                {(at) => <NumberInput {...at} min={0} value={request.seed} set={(seed = 0) => change({ seed })} />}
              </Field>
            </div>
            {puzzle && Object.keys(puzzle.move_sets).length > 1 && (
              <div class="row">
                {(["scramble_moves", "moves"] as const).map((name) => (
                  <Field key={name} label={name === "moves" ? "Solved with" : "Scrambled with"} faults={refused?.at(`/${name}`)}>
                    {(at) => (
                      <MoveSetSelect
                        {...at}
                        puzzle={puzzle}
                        value={request[name] ?? (name === "moves" ? puzzle.default_moves : puzzle.default_scramble_moves)}
                        choose={(to) => change({ [name]: to })}
                      />
                    )}
                  </Field>
                ))}
              </div>
            )}
          </fieldset>
          <fieldset>
            <legend>Ways to search, each with each</legend>
            <div class="field" role="group" aria-label="Algorithms">
              <span class="label">Algorithms</span>
              <div class="checks">
                {(Object.keys(ALGORITHMS) as Algorithm[]).map((name) => (
                  <label key={name} class="check">
                    <input
                      type="checkbox"
                      checked={algorithms.includes(name)}
                      onChange={(event) => {
                        const next = event.currentTarget.checked ? [...algorithms, name] : algorithms.filter((one) => one !== name);
                        if (next.length) change({ algorithms: next });
                        else event.currentTarget.checked = true;
                      }}
                    />
                    {name}
                  </label>
                ))}
              </div>
            </div>
            <Field
              label="Heuristics, one in each line"
              hint={puzzle ? `Names or expressions. Empty: ${puzzle.default_heuristic}` : ""}
              faults={refused && [...refused.at("/heuristics"), ...(refused.code === "invalid-heuristic" ? refused.faults : [])]}
            >
              {(at) => (
                <textarea
                  {...at}
                  rows={3}
                  spellcheck={false}
                  value={(request.heuristics ?? []).join("\n")}
                  onChange={(event) => {
                    const lines = event.currentTarget.value.split("\n").map((line) => line.trim()).filter(Boolean);
                    change({ heuristics: lines.length ? lines : undefined } as Partial<ExperimentRequest>);
                  }}
                />
              )}
            </Field>
            <details class="features">
              <summary>Named heuristics of this puzzle</summary>
              <div class="names">
                {named.map(({ name, expression }) => (
                  <button
                    key={name}
                    type="button"
                    class="plain"
                    title={expression}
                    onClick={() => change({ heuristics: [...new Set([...(request.heuristics ?? []), name])] })}
                  >
                    {name}
                  </button>
                ))}
              </div>
            </details>
            <Field label="Weights of h" hint="By commas; 1 is plain." faults={refused?.at("/weights")}>
              {(at) => (
                <input
                  {...at}
                  placeholder="1"
                  value={(request.weights ?? []).join(", ")}
                  onChange={(event) => {
                    const weights = event.currentTarget.value.split(/[\s,]+/).filter(Boolean).map(Number).filter(Number.isFinite);
                    change({ weights: weights.length ? weights : undefined } as Partial<ExperimentRequest>);
                  }}
                />
              )}
            </Field>
            {algorithms.some(takesWidth) && (
              <Field label="Widths of beam" hint="By commas." faults={refused?.at("/widths")}>
                {(at) => (
                  <input
                    {...at}
                    placeholder="1000"
                    value={(request.widths ?? []).join(", ")}
                    onChange={(event) => {
                      const widths = event.currentTarget.value.split(/[\s,]+/).filter(Boolean).map(Number).filter(Number.isInteger);
                      change({ widths: widths.length ? widths : undefined } as Partial<ExperimentRequest>);
                    }}
                  />
                )}
              </Field>
            )}
          </fieldset>
          <fieldset>
            <legend>Each search stops at</legend>
            {(["expanded", "seconds", "memory_mib"] as const).map((name) => (
              <Field
                key={name}
                label={{ expanded: "Nodes expanded", seconds: "Seconds", memory_mib: "Memory, MiB" }[name]}
                faults={refused?.at(`/limits/${name}`)}
              >
                {(at) => (
                  <NumberInput
                    {...at}
                    min={0}
                    placeholder={name === "memory_mib" ? "1024" : "none"}
                    value={request.limits?.[name]}
                    set={(value) => {
                      const { [name]: _before, ...rest } = request.limits ?? {};
                      change({ limits: value === undefined ? rest : { ...rest, [name]: value } });
                    }}
                  />
                )}
              </Field>
            ))}
            <label class="check">
              <input
                type="checkbox"
                checked={request.true_distance ?? false}
                onChange={(event) => change({ true_distance: event.currentTarget.checked || undefined } as Partial<ExperimentRequest>)}
              />
              Also prove the true distance of every scramble
            </label>
          </fieldset>
        </div>
        {!puzzle && <Waiting what="the puzzle" lines={1} />}
        {refused && <Notice problem={refused} />}
        <div class="bar">
          <button type="submit" class="go" disabled={sending || !readable}>
            {sending ? "Sending" : `Run ${count(total)} searches`}
          </button>
        </div>
      </form>
      <section class="panel" aria-label="As a command or request">
        <h2>As a command or request</h2>
        <Snippets
          texts={{
            "Command line": command(request, location.origin),
            curl: curl(request, location.origin, connection.key !== null),
            JSON: JSON.stringify(request, null, 2),
          }}
        />
      </section>
    </div>
  );
}
