/** How to search, and when to stop. */
import type { JSX } from "preact";
import { type Puzzle, useHeuristics } from "../api/catalogue";
import type { Problem, Schemas } from "../api/client";
import { Field, NumberInput } from "../parts/parts";
import { MoveSetSelect } from "./puzzle";
import { HeuristicInput } from "./heuristic";
import { ALGORITHMS, type Algorithm, LIMITS, type SolveRequest, takesHeuristic, takesTies, takesWeight, takesWidth } from "./question";

const LIMIT_WORDS = {
  expanded: "Nodes expanded",
  generated: "Nodes generated",
  seconds: "Seconds",
  memory_mib: "Memory, MiB",
} as const;

export function Search(props: {
  puzzle: Puzzle;
  request: SolveRequest;
  change: (request: SolveRequest) => void;
  problem: Problem | undefined;
}): JSX.Element {
  const { puzzle, request, problem, change } = props;
  const named = useHeuristics(puzzle.name).data ?? [];
  const algorithm = request.algorithm ?? "astar";
  const moves = request.moves ?? puzzle.default_moves;
  const set = (part: Partial<SolveRequest>) => {
    const next = { ...request, ...part };
    for (const name of Object.keys(part) as (keyof SolveRequest)[]) if (next[name] === undefined) delete next[name];
    change(next);
  };
  const turn = (chosen: Algorithm) => {
    set({
      algorithm: chosen,
      ...(!takesHeuristic(chosen) && { heuristic: undefined }),
      ...(!takesWeight(chosen) && { weight: undefined }),
      ...(!takesWidth(chosen) && { width: undefined }),
      ...(!takesTies(chosen) && { tie_breaking: undefined }),
    } as Partial<SolveRequest>);
  };
  const limited = Object.keys(request.limits ?? {}).length > 0;
  return (
    <>
      <details class="how" open={matchMedia("(min-width: 56rem)").matches || request.heuristic !== undefined || undefined}>
        <summary>Search</summary>
        <fieldset aria-label="Search">
        <Field label="Moves, each at cost 1" faults={problem?.at("/moves")} hint={puzzle.move_sets[moves]?.description}>
          {(at) => <MoveSetSelect {...at} puzzle={puzzle} value={moves} choose={(to) => set({ moves: to })} />}
        </Field>
        <Field label="Algorithm" faults={problem?.at("/algorithm")} hint={ALGORITHMS[algorithm]}>
          {(at) => (
            <select {...at} value={algorithm} onChange={(event) => turn(event.currentTarget.value as Algorithm)}>
              {Object.keys(ALGORITHMS).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        {takesHeuristic(algorithm) && (
          <HeuristicInput
            puzzle={puzzle}
            moves={moves}
            named={named}
            value={request.heuristic ?? ""}
            set={(heuristic) => set({ heuristic: heuristic || undefined } as Partial<SolveRequest>)}
            problem={problem}
          />
        )}
        {takesWidth(algorithm) && (
          <Field label="Width" hint="States of each layer that are kept." faults={problem?.at("/width")}>
            {(at) => (
              <NumberInput
                {...at}
                min={1}
                max={10_000_000}
                step="1"
                placeholder="1000"
                value={request.width ?? undefined}
                set={(width) => set({ width } as Partial<SolveRequest>)}
              />
            )}
          </Field>
        )}
        {(takesWeight(algorithm) || takesTies(algorithm)) && (
          <div class="row">
            {takesWeight(algorithm) && (
              <Field label="Weight of h" faults={problem?.at("/weight")}>
                {(at) => (
                  <NumberInput
                    {...at}
                    min={1}
                    max={1000}
                    step="any"
                    placeholder="1"
                    value={request.weight}
                    set={(weight) => set({ weight } as Partial<SolveRequest>)}
                  />
                )}
              </Field>
            )}
            {takesTies(algorithm) && (
              <Field label="Ties" faults={problem?.at("/tie_breaking")}>
                {(at) => (
                  <select
                    {...at}
                    value={request.tie_breaking ?? "low_h"}
                    onChange={(event) => set({ tie_breaking: event.currentTarget.value as Schemas["SolveRequest"]["tie_breaking"] })}
                  >
                    <option value="low_h">lowest h</option>
                    <option value="lifo">newest</option>
                    <option value="fifo">oldest</option>
                  </select>
                )}
              </Field>
            )}
          </div>
        )}
        </fieldset>
      </details>
      <details class="limits" open={limited || (problem?.at("/limits").length ?? 0) > 0}>
        <summary>Limits</summary>
        <div class="grid2">
          {LIMITS.map((name) => (
            <Field key={name} label={LIMIT_WORDS[name]} faults={problem?.at(`/limits/${name}`)}>
              {(at) => (
                <NumberInput
                  {...at}
                  min={0}
                  step={name === "seconds" ? "any" : 1}
                  placeholder={name === "memory_mib" ? "1024" : "none"}
                  value={request.limits?.[name]}
                  set={(value) => {
                    const { [name]: _before, ...rest } = request.limits ?? {};
                    const limits = value === undefined ? rest : { ...rest, [name]: value };
                    set({ limits: Object.keys(limits).length ? limits : undefined } as Partial<SolveRequest>);
                  }}
                />
              )}
            </Field>
          ))}
        </div>
      </details>
    </>
  );
}
