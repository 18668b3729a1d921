/** Where the search starts: a scramble, moves, a state that is painted or dragged, a random one, or an alg to shorten. */
import type { JSX } from "preact";
import type { Puzzle } from "../api/catalogue";
import type { Problem } from "../api/client";
import { Choice, Field, NumberInput, TextInput } from "../parts/parts";
import { Proof } from "../parts/proof";
import { MoveSetSelect } from "./puzzle";
import { algorithmOf, type Catalogue, described, parseState, type SolveRequest, type StartKind, startKind, stateText, unpainted } from "./question";

const KINDS: Record<StartKind, string> = { scramble: "Scramble", alg: "Moves", state: "State", random: "Random", shorten: "Shorten" };

const seed = () => Math.floor(Math.random() * 1e6);

export function Start(props: {
  puzzle: Puzzle;
  catalogue: Catalogue;
  request: SolveRequest;
  change: (request: SolveRequest) => void;
  problem: Problem | undefined;
  /** the state that is shown now, to begin painting with; undefined: none is known yet */
  shown: NonNullable<SolveRequest["state"]> | undefined;
  /** ways to give it; all, if left out */
  kinds?: readonly StartKind[];
}): JSX.Element {
  const { puzzle, request, problem } = props;
  const kind = startKind(request);
  const faults = problem?.faults.length ? [...problem.faults] : problem ? [{ where: "", message: problem.detail }] : [];
  const missing = unpainted(request.state);
  const scramble = typeof request.scramble === "object" && request.scramble !== null ? request.scramble : null;

  const start = (from: Pick<SolveRequest, StartKind>) => {
    const { scramble: _scramble, alg: _alg, state: _state, random: _random, shorten: _shorten, ...rest } = request;
    const next = { ...rest, ...from };
    // An algorithm that begins with no solution is left out, and the service's own for it is used.
    const shortens = described(props.catalogue, algorithmOf(next))?.shortens;
    if (kind !== "shorten" && startKind(next) === "shorten" && !shortens) delete next.algorithm;
    props.change(next);
  };
  const turn = (to: StartKind) => {
    if (to === kind) return;
    if (to === "scramble") start({ scramble: { k: 6, seed: 1, ...(puzzle.metric && { moves: puzzle.metric }) } });
    else if (to === "alg" || to === "shorten") start({ [to]: request.alg ?? request.shorten ?? "" });
    else if (to === "random") start({ random: seed() });
    else start({ state: props.shown ?? solvedState(puzzle) });
  };

  return (
    <fieldset>
      <legend>Start</legend>
      <Choice label="Given as" value={kind} options={Object.fromEntries(Object.entries(KINDS).filter(([name]) => props.kinds?.includes(name as StartKind) ?? true)) as Record<StartKind, string>} choose={turn} />
      {kind === "scramble" && scramble && (
        <>
          <div class="row">
            <Field label="Moves, k" faults={problem?.at("/scramble/k")}>
              {(at) => (
                <NumberInput {...at} min={0} max={10000} value={scramble.k} set={(k = 0) => start({ scramble: { ...scramble, k } })} />
              )}
            </Field>
            <Field label="Seed" faults={problem?.at("/scramble/seed")}>
              {(at) => (
                <NumberInput {...at} min={0} value={scramble.seed} set={(seed = 0) => start({ scramble: { ...scramble, seed } })} />
              )}
            </Field>
            <button
              type="button"
              class="plain dice"
              title="Another seed"
              onClick={() => start({ scramble: { ...scramble, seed: seed() } })}
            >
              Shuffle
            </button>
          </div>
          {Object.keys(puzzle.move_sets).length > 1 && (
            <Field
              label="Scrambled with"
              hint={puzzle.move_sets[scramble.moves ?? puzzle.default_scramble_moves]?.description}
            >
              {(at) => (
                <MoveSetSelect
                  {...at}
                  puzzle={puzzle}
                  value={scramble.moves ?? puzzle.default_scramble_moves}
                  choose={(moves) => start({ scramble: { ...scramble, moves } })}
                />
              )}
            </Field>
          )}
        </>
      )}
      {kind === "scramble" && typeof request.scramble === "string" && (
        <Field label="Id of a stored scramble" faults={faults}>
          {(at) => <TextInput {...at} class="code" value={request.scramble as string} set={(scramble) => start({ scramble })} />}
        </Field>
      )}
      {kind === "random" && (
        <div class="row">
          <Field label="Seed" hint="Any state that the moves reach, each as likely." faults={faults}>
            {(at) => <NumberInput {...at} min={0} value={request.random} set={(random = 0) => start({ random })} />}
          </Field>
          <button type="button" class="plain dice" title="Another seed" onClick={() => start({ random: seed() })}>
            Shuffle
          </button>
        </div>
      )}
      {(kind === "alg" || kind === "shorten") && (
        <Field
          label={kind === "alg" ? "Moves from solved" : "Moves to make fewer"}
          hint={`Such as ${puzzle.moves.slice(0, 4).join(" ")}. Every notation of the puzzle is read.`}
          faults={faults}
        >
          {(at) => (
            <textarea
              {...at}
              rows={2}
              spellcheck={false}
              autocapitalize="off"
              value={request[kind] ?? ""}
              onInput={(event) => start({ [kind]: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      {kind === "state" && (
        <Field
          label={puzzle.rows ? "Board, row by row, 0 the blank" : puzzle.faces ? "Facelets" : "Pieces"}
          hint={
            puzzle.rows
              ? "Type it, or drag tiles onto one another in the picture."
              : !puzzle.faces
                ? "Pieces and orientations as JSON."
                : missing > 0
                ? `${missing} facelets are not painted yet.`
                : "Pick a colour below the net and paint. Or paste a state as JSON or text."
          }
          faults={faults}
        >
          {(at) => (
            <TextInput {...at} rows={puzzle.rows ? 2 : 4} spellcheck={false} value={stateText(request.state)} set={(typed) => start({ state: parseState(typed) })} />
          )}
        </Field>
      )}
      {kind === "state" && problem?.code === "invalid-state" && !request.labels && (
        <Proof path="/v1/states" body={{ puzzle: puzzle.name, goal: request.goal, moves: request.moves, state: request.state }} name="Proof that it cannot be solved" />
      )}
      {kind === "state" && (
        <div class="row">
          <button type="button" class="plain" onClick={() => start({ state: solvedState(puzzle) })}>
            Start from solved
          </button>
          {puzzle.faces && (
            <button type="button" class="plain" onClick={() => start({ state: { facelets: blank(puzzle) } })}>
              Clear
            </button>
          )}
        </div>
      )}
    </fieldset>
  );
}

export function solvedState(puzzle: Puzzle): NonNullable<SolveRequest["state"]> {
  if (puzzle.goal) return puzzle.goal;
  if (!puzzle.faces) {
    const orbits = puzzle.orbits as { name: string; pieces: number }[];
    const identity = (size: number) => ({ pieces: Array.from({ length: size }, (_, i) => i), orientation: Array(size).fill(0) });
    return { pieces: Object.fromEntries(orbits.map(({ name, pieces }) => [name, identity(pieces)])) };
  }
  const size = Number((puzzle as Record<string, unknown>).facelets_per_face);
  return { facelets: Object.fromEntries((puzzle.faces ?? []).map(({ name }) => [name, Array(size).fill(name)])) };
}

/** Nothing painted but what cannot move: the centre of each face of the Megaminx. */
function blank(puzzle: Puzzle): Record<string, string[]> {
  const size = Number((puzzle as Record<string, unknown>).facelets_per_face);
  const fixed = puzzle.name === "megaminx";
  return Object.fromEntries(
    (puzzle.faces ?? []).map(({ name }) => [name, Array.from({ length: size }, (_, i) => (fixed && i === 0 ? name : ""))]),
  );
}
