/** A request for an experiment, as the form, the address bar, HTTP and the command line write it. */
import type { Schemas } from "../api/client";
import { commandLine, quoted } from "../solve/question";

export type ExperimentRequest = Partial<Schemas["ExperimentRequest"]> & Pick<Schemas["ExperimentRequest"], "puzzle" | "k" | "seed">;
export type Series = Schemas["Series"];

export const FIRST: ExperimentRequest = {
  puzzle: "8-puzzle",
  k: { from: 4, to: 24 },
  trials: 5,
  seed: 1,
  heuristics: ["misplaced_tiles", "manhattan"],
  limits: { expanded: 100_000 },
};

/** 3-14 or 3,5,8-10, as the command line takes it. */
export function ksText(k: ExperimentRequest["k"]): string {
  if (typeof k === "string") return k;
  if (!Array.isArray(k)) return `${k.from}-${k.to}`;
  const parts: string[] = [];
  const sorted = [...new Set(k)].sort((a, b) => a - b);
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    parts.push(end > i + 1 ? `${sorted[i]}-${sorted[end]}` : sorted.slice(i, end + 1).join(","));
    i = end + 1;
  }
  return parts.join(",");
}

/** The inverse; null for what is no list of numbers. */
export function parseKs(text: string): { from: number; to: number } | number[] | null {
  const parts = text.split(",").map((part) => /^\s*(\d+)(?:\s*[-–]\s*(\d+))?\s*$/.exec(part));
  if (parts.length === 0 || parts.some((part) => part === null)) return null;
  const [only] = parts;
  if (parts.length === 1 && only?.[2] !== undefined) return { from: Number(only[1]), to: Number(only[2]) };
  const ks: number[] = [];
  for (const part of parts) {
    const [from, to] = [Number(part?.[1]), Number(part?.[2] ?? part?.[1])];
    if (to - from > 10_000) return null;
    for (let k = from; k <= to; k += 1) ks.push(k);
  }
  return ks;
}

export function toQuery(request: ExperimentRequest): URLSearchParams {
  const query = new URLSearchParams({ puzzle: request.puzzle, k: ksText(request.k), seed: String(request.seed) });
  const put = (name: string, value: unknown) => {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  };
  put("trials", request.trials);
  put("scramble_moves", request.scramble_moves);
  put("moves", request.moves);
  for (const one of request.algorithms ?? []) query.append("algorithm", one);
  for (const one of request.heuristics ?? []) query.append("heuristic", one);
  for (const one of request.weights ?? []) query.append("weight", String(one));
  for (const one of request.widths ?? []) query.append("width", String(one));
  put("limit_expanded", request.limits?.expanded);
  put("limit_seconds", request.limits?.seconds);
  put("limit_memory_mib", request.limits?.memory_mib);
  if (request.true_distance) query.set("true_distance", "yes");
  return query;
}

export function fromQuery(query: URLSearchParams): ExperimentRequest {
  const puzzle = query.get("puzzle");
  if (puzzle === null) return FIRST;
  const request: ExperimentRequest = {
    puzzle,
    k: parseKs(query.get("k") ?? "") ?? { from: 3, to: 8 },
    seed: Number(query.get("seed") ?? 1),
  };
  if (query.get("trials")) request.trials = Number(query.get("trials"));
  const [scrambled, moves] = [query.get("scramble_moves"), query.get("moves")];
  if (scrambled) request.scramble_moves = scrambled;
  if (moves) request.moves = moves;
  const [algorithms, heuristics, weights] = [query.getAll("algorithm"), query.getAll("heuristic"), query.getAll("weight")];
  if (algorithms.length) request.algorithms = algorithms as NonNullable<ExperimentRequest["algorithms"]>;
  if (heuristics.length) request.heuristics = heuristics;
  if (weights.length) request.weights = weights.map(Number);
  const widths = query.getAll("width");
  if (widths.length) request.widths = widths.map(Number);
  const limits: NonNullable<ExperimentRequest["limits"]> = {};
  if (query.get("limit_expanded")) limits.expanded = Number(query.get("limit_expanded"));
  if (query.get("limit_seconds")) limits.seconds = Number(query.get("limit_seconds"));
  if (query.get("limit_memory_mib")) limits.memory_mib = Number(query.get("limit_memory_mib"));
  if (Object.keys(limits).length) request.limits = limits;
  if (query.get("true_distance")) request.true_distance = true;
  return request;
}

/** How many searches a request makes, proofs of true distances not counted. */
export function searches(request: ExperimentRequest): number {
  const k = (typeof request.k === "string" ? parseKs(request.k) : request.k) ?? [];
  const ks = Array.isArray(k) ? new Set(k).size : Math.max(0, k.to - k.from + 1);
  const ways = (list: readonly unknown[] | undefined) => Math.max(1, list?.length ?? 1);
  return ks * (request.trials ?? 5) * ways(request.algorithms) * ways(request.heuristics) * ways(request.weights) * ways(request.widths);
}

export function command(request: ExperimentRequest, origin: string): string {
  const words = ["hstar", "experiment", request.puzzle, "--k", ksText(request.k), "--seed", String(request.seed)];
  const put = (option: string, value: unknown) => {
    if (value !== undefined && value !== null && value !== "") words.push(option, quoted(String(value)));
  };
  put("--trials", request.trials);
  put("--scramble-moves", request.scramble_moves);
  put("--moves", request.moves);
  for (const one of request.algorithms ?? []) put("--algorithm", one);
  for (const one of request.heuristics ?? []) put("--heuristic", one);
  for (const one of request.weights ?? []) put("--weight", one);
  for (const one of request.widths ?? []) put("--width", one);
  put("--limit-expanded", request.limits?.expanded);
  put("--limit-generated", request.limits?.generated);
  put("--limit-seconds", request.limits?.seconds);
  put("--limit-memory-mib", request.limits?.memory_mib);
  if (request.true_distance) words.push("--true-distance");
  put("--server", origin);
  return commandLine(words);
}

export function curl(request: ExperimentRequest, origin: string, secured: boolean): string {
  const key = secured ? ` \\\n  -H "Authorization: Bearer $HSTAR_API_KEY"` : "";
  return `curl ${origin}/v1/experiments${key} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(request))}`;
}

/** A way to search in a few words; what all of them share is left out. */
export function seriesName(series: Series, all: readonly Series[]): string {
  const differ = (part: (one: Series) => unknown) => new Set(all.map(part)).size > 1;
  const words: string[] = [];
  if (differ((one) => one.algorithm) || all.length === 1) words.push(series.algorithm);
  if (series.heuristic !== null && (differ((one) => one.heuristic) || all.length === 1)) words.push(series.heuristic ?? "");
  if (differ((one) => one.weight ?? 1)) words.push(`w = ${series.weight}`);
  if (differ((one) => one.width ?? null) && series.width) words.push(`width ${series.width}`);
  return words.join(", ") || series.algorithm;
}

export const sameSeries = (a: Series, b: Series) =>
  a.algorithm === b.algorithm && a.heuristic === b.heuristic && (a.weight ?? 1) === (b.weight ?? 1) && (a.width ?? null) === (b.width ?? null);

/** Every series of a table, in its order: the order of the colours. */
export function seriesOf(groups: readonly Schemas["Group"][]): Series[] {
  const found: Series[] = [];
  for (const { series } of groups) if (!found.some((one) => sameSeries(one, series))) found.push(series);
  return found;
}

/** Okabe and Ito's, as in the library's plots; the last is ink on any paper. */
export const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b57d00", "#3a9bd1", "currentColor"];

export const colourOf = (number: number) => COLOURS[number % COLOURS.length] ?? "currentColor";
