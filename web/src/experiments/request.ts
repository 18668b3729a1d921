/** A request for an experiment, as the form, the address bar, HTTP and the command line write it. */
import type { Schemas } from "../api/client";
import { board, commandLine, quoted, searchWords, withoutTags, word } from "../solve/command";
import { type Catalogue, described, type Option, putRest, putter, readOption, readRest, tidy } from "../solve/question";

type Asked = Schemas["ExperimentRequest"];
/** What the form asks for: scrambles. */
export type ExperimentRequest = Partial<Asked> & Pick<Asked, "puzzle"> & { k: NonNullable<Asked["k"]>; seed: number };
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

/** The instances of any experiment, in words. */
export function instancesText({ k, random, instances }: Asked): string {
  if (k) return `k = ${ksText(k)}`;
  return random ? `${random.toLocaleString("en")} random states` : `${(instances ?? []).length.toLocaleString("en")} given instances`;
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

/** The fields that the address has by another name or in another form. */
const WRITTEN_APART = new Set(["puzzle", "k", "algorithms", "goal", "tags", "limits", "true_distance"]);

/** The values of an option in a request: of several that are compared, all. */
export function valuesOf(request: object, option: Option): unknown[] {
  const value = (request as Record<string, unknown>)[option.plural ?? option.name] ?? [];
  return Array.isArray(value) ? value : [value];
}

export function toQuery(request: ExperimentRequest): URLSearchParams {
  const query = new URLSearchParams({ puzzle: request.puzzle, k: ksText(request.k) });
  const put = putter(query);
  for (const one of request.algorithms ?? []) put("algorithm", one);
  for (const [name, value] of Object.entries(request)) {
    if (WRITTEN_APART.has(name)) continue;
    if (Array.isArray(value)) for (const one of value) put(name, one);
    else put(name, value);
  }
  putRest(put, request);
  if (request.true_distance) query.set("true_distance", "yes");
  return query;
}

/** The inverse. Until the catalogue is there, without options and limits. */
export function fromQuery(query: URLSearchParams, catalogue: Catalogue | undefined): ExperimentRequest {
  const puzzle = query.get("puzzle");
  if (puzzle === null) return FIRST;
  const found: Record<string, unknown> = {
    puzzle,
    k: parseKs(query.get("k") ?? "") ?? { from: 3, to: 8 },
    seed: Number(query.get("seed") || 1),
    ...readRest(query, catalogue),
  };
  for (const name of ["trials", "priority"]) if (query.get(name)) found[name] = Number(query.get(name));
  for (const name of ["scramble_moves", "moves"]) if (query.get(name)) found[name] = query.get(name);
  if (query.has("algorithm")) found.algorithms = query.getAll("algorithm");
  for (const option of catalogue?.options ?? []) {
    // Links of earlier versions have the option's name.
    const texts = [...new Set([option.plural ?? option.name, option.name])].flatMap((name) => query.getAll(name)).filter(Boolean);
    const values = texts.map((text) => readOption(option, text));
    if (values.length > 0) found[option.plural ?? option.name] = option.plural ? values : values[0];
  }
  if (query.get("true_distance")) found.true_distance = true;
  return found as ExperimentRequest;
}

/** The request of an experiment, without what was left out of it. */
export function fromExperiment(request: Schemas["ExperimentRequest"]): ExperimentRequest {
  const limits = tidy(request.limits ?? {});
  const kept = Object.entries(tidy({ ...request, limits })).filter(([, value]) => value !== false && !(Array.isArray(value) && value.length === 0));
  return Object.fromEntries(kept) as ExperimentRequest;
}

/** How many searches a request makes, proofs of true distances not counted: an option counts where it is used. */
export function searches(request: ExperimentRequest, catalogue: Catalogue): number {
  const k = (typeof request.k === "string" ? parseKs(request.k) : request.k) ?? [];
  const ks = Array.isArray(k) ? new Set(k).size : Math.max(0, k.to - k.from + 1);
  const instances = request.random ?? request.instances?.length ?? ks * (request.trials ?? 5);
  const ways = (algorithm: string) =>
    catalogue.options
      .filter(({ name }) => described(catalogue, algorithm)?.options.includes(name))
      .reduce((product, option) => product * Math.max(1, new Set(valuesOf(request, option)).size), 1);
  return instances * (request.algorithms ?? ["astar"]).reduce((sum, name) => sum + ways(name), 0);
}

/** The options for the instances; given ones are what the JSON of the request lists. */
function which(request: ExperimentRequest): string[] {
  if (request.instances) return ["--instances", "instances.json"];
  return [...(request.random ? ["--random", String(request.random)] : ["--k", ksText(request.k)]), "--seed", String(request.seed)];
}

export function command(request: ExperimentRequest, catalogue: Catalogue, origin: string): string {
  const words = ["hstar", "experiment", quoted(request.puzzle), ...which(request)];
  words.push(...word("--trials", request.trials), ...board("--goal", request.goal));
  words.push(...word("--scramble-moves", request.scramble_moves), ...word("--moves", request.moves));
  for (const one of request.algorithms ?? []) words.push(...word("--algorithm", one));
  words.push(...searchWords(catalogue, request));
  if (request.true_distance) words.push("--true-distance");
  return withoutTags(request, commandLine([...words, "--server", quoted(origin)]));
}

/** A way to search in a few words; what all of them share is left out. */
export function seriesName(series: Series, all: readonly Series[], options: readonly Option[]): string {
  const differ = (part: (one: Series) => unknown) => new Set(all.map(part)).size > 1;
  const words: string[] = [];
  if (differ((one) => one.algorithm) || all.length === 1) words.push(series.algorithm);
  if (series.heuristic !== null && (differ((one) => one.heuristic) || all.length === 1)) words.push(series.heuristic ?? "");
  for (const { name, series: words_ } of options.filter((option) => option.name !== "heuristic")) {
    const value = (one: Series) => (one as unknown as Record<string, unknown>)[name] ?? null;
    if (differ(value) && value(series) !== null) words.push(words_.replace(/\{[^}]*\}/, () => String(value(series))));
  }
  return words.join(", ") || series.algorithm;
}

/** Whether a row, or another series, has the algorithm, the heuristic and the options of a series. */
export const sameSeries = (series: Series, other: object) =>
  Object.entries(series).every(([name, value]) => ((other as Record<string, unknown>)[name] ?? null) === (value ?? null));

/** Every series of a table, in its order: the order of the colours. */
export function seriesOf(groups: readonly Schemas["Group"][]): Series[] {
  const found: Series[] = [];
  for (const { series } of groups) if (!found.some((one) => sameSeries(one, series))) found.push(series);
  return found;
}

/** Okabe and Ito's, as in the library's plots; the last is ink on any paper. */
export const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b57d00", "#3a9bd1", "currentColor"];

export const colourOf = (number: number) => COLOURS[number % COLOURS.length] ?? "currentColor";
