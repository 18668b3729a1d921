/** How to search, and when to stop. */
import type { JSX } from "preact";
import { type Puzzle, useDefaultLimits, useHeuristics } from "../api/catalogue";
import type { Problem } from "../api/client";
import { Field } from "../parts/parts";
import { HeuristicInput } from "./heuristic";
import { More } from "./more";
import { LimitFields, OptionField } from "./options";
import { MoveSetSelect } from "./puzzle";
import { algorithmOf, type Catalogue, described, isStructured, optionsOf, type SolveRequest, tidy } from "./question";

export function Search(props: {
  puzzle: Puzzle;
  catalogue: Catalogue;
  request: SolveRequest;
  change: (request: SolveRequest) => void;
  problem: Problem | undefined;
}): JSX.Element {
  const { puzzle, catalogue, request, problem, change } = props;
  const named = useHeuristics(puzzle.name).data ?? [];
  const standard = useDefaultLimits().data;
  const algorithm = algorithmOf(request);
  const moves = request.moves ?? (request.shorten == null ? null : puzzle.metric) ?? puzzle.default_moves;
  const given = request as Record<string, unknown>;
  const set = (part: Record<string, unknown>) => change(tidy({ ...request, ...part }) as SolveRequest);
  const turn = (chosen: string) => {
    // What the other algorithm does not use, or not with this value, is left out.
    const used = new Map(optionsOf(catalogue, chosen).map(({ name, values }) => [name, values] as const));
    const left = catalogue.options.filter(({ name }) => {
      const values = used.get(name);
      return values === undefined || (values.length > 0 && !values.includes(String(given[name])));
    });
    set({ ...Object.fromEntries(left.map(({ name }) => [name, undefined])), algorithm: chosen });
  };
  const options = optionsOf(catalogue, algorithm);
  const plain = options.filter(({ name, schema }) => name !== "heuristic" && !isStructured(schema));
  const field = (option: (typeof options)[number]) => (
    <OptionField
      key={option.name}
      option={option}
      values={option.values}
      value={(given[option.name] ?? undefined) as string | number | undefined}
      set={(value) => set({ [option.name]: value })}
      problem={problem}
    />
  );
  const names = catalogue.items.map(({ name }) => name);
  const limited = Object.keys(request.limits ?? {}).length > 0;
  return (
    <>
      <details class="how" open={matchMedia("(min-width: 56rem)").matches || options.some(({ name }) => given[name] != null) || undefined}>
        <summary>Search</summary>
        <fieldset aria-label="Search">
          <Field label="Moves, each at cost 1" faults={problem?.at("/moves")} hint={puzzle.move_sets[moves]?.description}>
            {(at) => <MoveSetSelect {...at} puzzle={puzzle} value={moves} choose={(to) => set({ moves: to })} />}
          </Field>
          <Field label="Algorithm" faults={problem?.at("/algorithm")} hint={described(catalogue, algorithm)?.summary}>
            {(at) => (
              <select {...at} value={algorithm} onChange={(event) => turn(event.currentTarget.value)}>
                {(names.includes(algorithm) ? names : [...names, algorithm]).map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
          {options.some(({ name }) => name === "heuristic") && (
            <HeuristicInput
              puzzle={puzzle}
              moves={moves}
              named={named}
              value={request.heuristic ?? ""}
              set={(heuristic) => set({ heuristic: heuristic || undefined })}
              problem={problem}
            />
          )}
          {plain.length > 0 && <div class="row">{plain.map(field)}</div>}
          {options.filter(({ schema }) => isStructured(schema)).map(field)}
        </fieldset>
      </details>
      <details class="limits" open={limited || (problem?.at("/limits").length ?? 0) > 0}>
        <summary>Limits</summary>
        <div class="grid2">
          <LimitFields catalogue={catalogue} limits={request.limits ?? {}} standard={standard} set={(limits) => set({ limits })} problem={problem} />
        </div>
      </details>
      <More puzzle={puzzle} request={request} set={set} problem={problem} />
    </>
  );
}
