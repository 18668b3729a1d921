/** Build an experiment: `#/experiments/new?...`. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAlgorithms, useDefaultLimits, useHeuristics, usePuzzle, usePuzzles } from "../api/catalogue";
import { api, ask, connection, Problem, type Schemas } from "../api/client";
import { count } from "../parts/format";
import { Failed, Field, Notice, NumberInput, Snippets, Waiting } from "../parts/parts";
import { go, link, type Route } from "../route";
import { body, curl } from "../solve/command";
import { LimitFields, OptionField } from "../solve/options";
import { MoveSetSelect, PuzzlePicker } from "../solve/puzzle";
import { type Option, optionsOf, tidy } from "../solve/question";
import { command, type ExperimentRequest, fromQuery, ksText, parseKs, searches, toQuery } from "./request";
import { Values } from "./values";

export function Build(props: { route: Route }): JSX.Element {
  const catalogue = useAlgorithms();
  const known = catalogue.data;
  const standard = useDefaultLimits().data;
  const request = fromQuery(props.route.query, known);
  const puzzles = usePuzzles();
  const puzzle = usePuzzle(request.puzzle).data;
  const named = useHeuristics(request.puzzle).data ?? [];
  const [refused, setRefused] = useState<Problem | undefined>();
  const [ks, setKs] = useState(ksText(request.k));
  const [sending, setSending] = useState(false);
  const readable = parseKs(ks) !== null;
  const change = (part: Partial<ExperimentRequest>) => {
    setRefused(undefined);
    go(link("experiments", "new", toQuery(tidy({ ...request, ...part }))), true);
  };
  const algorithms: string[] = request.algorithms ?? ["astar"];
  const used = (known?.options ?? []).filter(({ name }) => algorithms.some((one) => optionsOf(known, one).some((option) => option.name === name)));
  const given = request as unknown as Record<string, unknown>;
  const turn = (next: string[]) => {
    const left = (known?.options ?? []).filter(({ name }) => !next.some((one) => optionsOf(known, one).some((option) => option.name === name)));
    change({ ...Object.fromEntries(left.map(({ name, plural }) => [plural ?? name, undefined])), algorithms: next } as Partial<ExperimentRequest>);
  };
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
  if (catalogue.problem) return <Failed problem={catalogue.problem} retry={catalogue.reload} />;
  const head = (
    <div class="head">
      <h1>New experiment</h1>
      <a href="#/experiments">All experiments</a>
    </div>
  );
  if (!known) {
    return (
      <div class="view build">
        {head}
        <Waiting what="the algorithms" lines={10} />
      </div>
    );
  }
  const total = searches(request, known);
  const names = known.items.map(({ name }) => name);
  const values = (option: Option, field = option.plural ?? option.name) =>
    option.plural ? (
      <Values
        key={option.name}
        option={option}
        hint={option.name === "heuristic" && puzzle ? `Names or expressions. Empty: ${puzzle.default_heuristic}` : undefined}
        values={(given[field] ?? []) as unknown[]}
        set={(list) => change({ [field]: list })}
        faults={refused && [...refused.at(`/${field}`), ...(option.name === "heuristic" && refused.code === "invalid-heuristic" ? refused.faults : [])]}
      />
    ) : (
      <OptionField
        key={option.name}
        option={option}
        values={(option.schema.enum ?? []) as string[]}
        value={(given[field] ?? undefined) as string | number | undefined}
        set={(value) => change({ [field]: value })}
        problem={refused}
      />
    );
  return (
    <div class="view build">
      {head}
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
              <Field label="For each k" faults={refused?.at("/trials")}>
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
                {[...new Set([...names, ...algorithms])].map((name) => (
                  <label key={name} class="check">
                    <input
                      type="checkbox"
                      checked={algorithms.includes(name)}
                      onChange={(event) => {
                        const next = event.currentTarget.checked ? [...algorithms, name] : algorithms.filter((one) => one !== name);
                        if (next.length) turn(next);
                        else event.currentTarget.checked = true;
                      }}
                    />
                    {name}
                  </label>
                ))}
              </div>
            </div>
            {used.filter(({ name }) => name === "heuristic").map((option) => values(option))}
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
            {used.filter(({ name }) => name !== "heuristic").map((option) => values(option))}
          </fieldset>
          <fieldset>
            <legend>Each search stops at</legend>
            <LimitFields
              catalogue={known}
              limits={request.limits ?? {}}
              standard={standard}
              set={(limits) => change({ limits: limits as ExperimentRequest["limits"] } as Partial<ExperimentRequest>)}
              problem={refused}
            />
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
            "Command line": command(request, known, location.origin),
            curl: curl("/v1/experiments", request, location.origin, connection.key !== null),
            JSON: body(request),
          }}
        />
      </section>
    </div>
  );
}
