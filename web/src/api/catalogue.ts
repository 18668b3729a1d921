/** What there is: asked once, and kept. */
import { api, ask, askText, Problem, type Schemas } from "./client";
import { useLoaded, type Loaded } from "./hooks";

export type Puzzle = Schemas["PuzzleDescription"] & {
  /** with neighbours if the faces can have names of one's own */
  faces?: { name: string; colour: string; neighbours?: string[] }[];
  rows?: number;
  columns?: number;
  goal?: number[];
  /** whether a state without faces has a picture of its own */
  drawn?: boolean;
};

/** The faces that can have names of one's own, and the faces around each. */
export function namable(puzzle: Puzzle): { name: string; colour: string; neighbours: string[] }[] {
  return (puzzle.faces ?? []).flatMap((face) => (face.neighbours ? [{ ...face, neighbours: face.neighbours }] : []));
}

const kept = new Map<string, Promise<unknown>>();

function once<T>(name: string, load: () => Promise<T>): Promise<T> {
  let found = kept.get(name) as Promise<T> | undefined;
  if (found === undefined) {
    found = load();
    kept.set(name, found);
    found.catch(() => kept.delete(name));
  }
  return found;
}

export function usePuzzles(): Loaded<Schemas["PuzzleSummary"][]> {
  return useLoaded(["puzzles"], () => once("puzzles", async () => (await ask(api.GET("/v1/puzzles"))).items));
}

/** Titles by name; until they are loaded, and of a puzzle that is not listed, the name. */
export function usePuzzleTitles(): (name: string) => string {
  const puzzles = usePuzzles().data ?? [];
  return (name) => {
    const found = puzzles.find((one) => one.name === name);
    return found ? shortTitle(found.title, puzzles) : name;
  };
}

/** A title without how the puzzle is held, which is long, unless others are told from it by that. */
export function shortTitle(title: string, puzzles: readonly { title: string }[]): string {
  const [short = title] = title.split(", ");
  return puzzles.filter((other) => other.title.split(", ")[0] === short).length > 1 ? title : short;
}

export function usePuzzle(name: string): Loaded<Puzzle> {
  return useLoaded(["puzzle", name], () =>
    once(`puzzle ${name}`, async () => (await ask(api.GET("/v1/puzzles/{name}", { params: { path: { name } } }))) as Puzzle),
  );
}

export function useHeuristics(puzzle: string): Loaded<Schemas["NamedHeuristic"][]> {
  return useLoaded(["heuristics", puzzle], () =>
    once(`heuristics ${puzzle}`, async () =>
      (await ask(api.GET("/v1/heuristics", { params: { query: { puzzle } } }))).items,
    ),
  );
}

/** The algorithms, options and limits: the only list of them that the page has. */
export function useAlgorithms(): Loaded<Schemas["AlgorithmList"]> {
  return useLoaded(["algorithms"], () => once("algorithms", () => ask(api.GET("/v1/algorithms"))));
}

/** The limits of a solve that names none. */
export function useDefaultLimits(): Loaded<Record<string, number | null | undefined>> {
  return useLoaded(["limits"], () =>
    once("limits", async () => {
      const { caps, default_memory_mib } = await ask(api.GET("/v1/limits"));
      return { ...caps, memory_mib: default_memory_mib };
    }),
  );
}

/** The picture of the solved puzzle; null where there is none. */
export function usePicture(puzzle: string): Loaded<string> {
  return useLoaded(["picture", puzzle], () =>
    once(`picture ${puzzle}`, () => askText(`/v1/puzzles/${encodeURIComponent(puzzle)}/picture.svg`)),
  );
}

/** The picture of a state, as an address. */
export const pictureOf = (puzzle: string, state: object) =>
  `/v1/puzzles/${encodeURIComponent(puzzle)}/picture.svg?${new URLSearchParams({ state: JSON.stringify(state) })}`;

/** The puzzle in space; null where its place in space is not known. */
export function useSolid(puzzle: string): Loaded<Schemas["Solid"] | null> {
  return useLoaded(["solid", puzzle], () =>
    once(`solid ${puzzle}`, async () => {
      try {
        return (await ask(api.GET("/v1/puzzles/{name}/solid", { params: { path: { name: puzzle } } }))) as Schemas["Solid"];
      } catch (error) {
        if (error instanceof Problem && error.code === "not-found") return null;
        throw error;
      }
    }),
  );
}
