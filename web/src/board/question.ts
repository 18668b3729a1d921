/** What the board is asked, and the address that says it: a start, a line of moves, a heuristic, one's own counts. */
import { namable, type Puzzle } from "../api/catalogue";
import type { Schemas } from "../api/client";
import { type Catalogue, fromQuery, type SolveRequest, tidy, toQuery } from "../solve/question";

export type Analysis = Schemas["Analysis"];
export type AnalysisJob = Schemas["AnalysisJob"];

export interface Question {
  request: SolveRequest;
  /** undefined: a shortest solution */
  line?: string | undefined;
  notation?: string | undefined;
  expanded?: number | undefined;
  generated?: number | undefined;
  trace?: string | undefined;
  /** the class that one's own count is compared with, and which of its instances this is */
  assignment?: string | undefined;
  instance?: string | undefined;
}

export interface Example {
  name: string;
  says: string;
  question: Question;
}

const megaminx = (k: number, seed: number, heuristic: string): SolveRequest => ({
  puzzle: "megaminx",
  scramble: { k, seed, moves: "cw" },
  moves: "ccw",
  heuristic,
});

/** Problems of five course reports; the first is what a visitor finds. No count of nodes: it would look like the visitor's own. */
export const EXAMPLES: readonly Example[] = [
  {
    name: "Face distance",
    says: "Megaminx, k = 7, a heuristic that overestimates",
    question: { request: megaminx(7, 17, "s2-face-distance") },
  },
  {
    name: "Misplaced facelets",
    says: "Megaminx, k = 7, an admissible heuristic",
    question: { request: megaminx(7, 2, "s1-misplaced-facelets") },
  },
  {
    name: "Groups",
    says: "Master Pyraminx, k = 6, which was too much for a student's memory",
    question: { request: { puzzle: "master_pyraminx", scramble: { k: 6, seed: 9, moves: "layers32" }, moves: "layers32", heuristic: "s4-misplaced-groups" } },
  },
  {
    name: "8-puzzle",
    says: "8-puzzle, a board of 18 moves, and a goal of its own",
    question: {
      request: { puzzle: "8-puzzle", goal: [1, 2, 3, 8, 0, 4, 7, 6, 5], state: [2, 1, 6, 4, 0, 8, 7, 5, 3], heuristic: "misplaced_cells" } as SolveRequest,
    },
  },
];

const TEXTS = ["line", "notation", "assignment", "instance"] as const;
const NUMBERS = ["expanded", "generated"] as const;

export function readQuestion(query: URLSearchParams, catalogue: Catalogue | undefined): Question {
  if (query.get("puzzle") === null) return EXAMPLES[0]?.question as Question;
  const found: Question = { request: fromQuery(query, catalogue) };
  for (const name of TEXTS) if (query.get(name) !== null) found[name] = query.get(name) ?? "";
  for (const name of NUMBERS) if (query.get(name)) found[name] = Number(query.get(name));
  return found;
}

export function writeQuestion(question: Question): URLSearchParams {
  const query = toQuery(question.request);
  for (const name of [...TEXTS, ...NUMBERS]) if (question[name] !== undefined) query.set(name, String(question[name]));
  return query;
}

/** The body of `POST /v1/analyses`. */
export function bodyOf(question: Question): Schemas["AnalysisRequest"] {
  const { puzzle, goal, state, scramble, alg, random, labels, moves, heuristic, limits } = question.request;
  const { line, notation, trace } = question;
  const counts = tidy({ expanded: question.expanded, generated: question.generated });
  const expanded = limits?.expanded;
  return tidy({
    puzzle, goal, state, scramble, alg, random, labels, moves, heuristic, line, trace,
    notation: labels ? undefined : notation,
    ...(Object.keys(counts).length > 0 && { counts }),
    ...(expanded && { limits: { expanded } }),
  }) as Schemas["AnalysisRequest"];
}

/** The question that a job was asked. */
export function questionOf(job: AnalysisJob): Question {
  const { line, notation, trace, counts, limits, ...request } = job.request;
  return {
    request: tidy({ ...request, ...(limits?.expanded && limits.expanded !== 500_000 ? { limits: { expanded: limits.expanded } } : {}) }) as SolveRequest,
    line: line ?? undefined,
    notation: notation ?? undefined,
    trace: trace ?? undefined,
    expanded: counts?.expanded ?? undefined,
    generated: counts?.generated ?? undefined,
  };
}

/** The same text has the same key, so that opening a link again starts no second job. */
export function keyOf(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  const mix = (x: number, y: number) => Math.imul(x ^ (x >>> 16), 2246822507) ^ Math.imul(y ^ (y >>> 13), 3266489909);
  return `board-${[mix(a, b), mix(b, a)].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("")}-${text.length}`;
}

/** Names of one's own as the service takes them: for each face the names around it. */
export function labelsOf(puzzle: Puzzle, own: Record<string, string>): Schemas["LabelsIn"] {
  const name = (face: string) => own[face]?.trim() || face;
  const faces = namable(puzzle);
  return {
    neighbours: Object.fromEntries(faces.map((face) => [name(face.name), face.neighbours.map(name)])),
    anchors: Object.fromEntries(faces.map((face) => [name(face.name), face.name])),
  } as Schemas["LabelsIn"];
}

/** The inverse: our face by name. */
export function ownNames(labels: Schemas["LabelsIn"] | null | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(labels?.anchors ?? {}).map(([name, face]) => [face, name]));
}
