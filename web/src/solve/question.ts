/**
 * A request to solve, as the form, the address bar, HTTP and the command line write it: all of them are inverses.
 *
 * Options and limits are those of `GET /v1/algorithms`; none is named here but the heuristic, whose answer is an object.
 */
import type { Schemas } from "../api/client";

export type SolveRequest = Partial<Schemas["SolveRequest"]> & Pick<Schemas["SolveRequest"], "puzzle">;
export type Catalogue = Schemas["AlgorithmList"];
export type Option = Schemas["OptionInfo"];
export type Limits = Record<string, number | null | undefined>;

const STARTS = ["state", "scramble", "alg", "random", "shorten"] as const;
export type StartKind = (typeof STARTS)[number];

/** The fields of a request that the address does not have by their own name. */
const WRITTEN_APART = new Set<string>([...STARTS, "puzzle", "goal", "target", "labels", "tags", "limits"]);

/** What a visitor finds who brings no question. */
export const FIRST: SolveRequest = { puzzle: "megaminx", scramble: { k: 6, seed: 1, moves: "all" }, moves: "all" };

/** A scrambled puzzle, in the moves in which its community counts. */
export function scrambled(puzzles: readonly Schemas["PuzzleSummary"][], puzzle: string, k: number): SolveRequest {
  const moves = puzzles.find(({ name }) => name === puzzle)?.metric ?? undefined;
  return tidy({ puzzle, scramble: tidy({ k, seed: 1, moves }), moves });
}

export const startKind = (request: SolveRequest): StartKind => STARTS.find((name) => request[name] != null) ?? "scramble";

/** Of a puzzle that has a solver of its own, the algorithm that uses it. */
const OWN_SOLVER: Record<string, string> = { clock: "auto", square1: "anytime" };
const SEARCHING = ["heuristic", "weight", "width", "tie_breaking"] as const;

/** The algorithm of a request that names none, as the service fills it in. */
export function algorithmOf(request: SolveRequest): string {
  const own = SEARCHING.every((name) => request[name] == null) ? OWN_SOLVER[request.puzzle] : undefined;
  return request.algorithm ?? (request.shorten != null ? "anytime" : request.plan != null ? "plan" : own ?? "astar");
}

/** The algorithm's own description; undefined if there is none of this name. */
export const described = (catalogue: Catalogue | undefined, algorithm: string) =>
  catalogue?.items.find(({ name }) => name === algorithm);

/** The options that an algorithm uses, in the order in which they are shown, with the values that it takes of them. */
export function optionsOf(catalogue: Catalogue | undefined, algorithm: string): (Option & { values: string[] })[] {
  const method = described(catalogue, algorithm);
  if (catalogue === undefined || method === undefined) return [];
  return catalogue.options
    .filter(({ name }) => method.options.includes(name))
    .map((option) => ({ ...option, own: method.own[option.name] ?? option.own, values: (method.choices[option.name] ?? option.schema.enum ?? []) as string[] }));
}

export const isNumber = (schema: Record<string, unknown>) => schema.type === "number" || schema.type === "integer";
/** Whether its values are objects or lists, which are written as JSON. */
export const isStructured = (schema: Record<string, unknown>) => Array.isArray(schema.anyOf);

/** A number; a text that is none stays one, for the service to refuse. */
function number(text: string): number {
  const value = Number(text);
  const exact = Number.isFinite(value) && (!Number.isInteger(value) || Math.abs(value) <= 2 ** 53);
  return text.trim() !== "" && exact ? value : (text as unknown as number);
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** A state or a board as it is typed and linked: tiles as numbers, facelets as a line for each face, else JSON. */
export function stateText(state: SolveRequest["state"]): string {
  if (state === undefined || state === null) return "";
  const plain = plainText(state);
  return same(parseState(plain), state) ? plain : JSON.stringify(state);
}

function plainText(state: NonNullable<SolveRequest["state"]>): string {
  if (Array.isArray(state)) return state.join(" ");
  if (typeof state !== "object") return state;
  const { facelets } = state;
  if (typeof facelets !== "object" || facelets === null) return JSON.stringify(state);
  return Object.entries(facelets as Record<string, unknown>)
    .map(([face, shown]) => `${face}: ${Array.isArray(shown) ? shown.map((colour) => colour || "?").join(" ") : ""}`)
    .join("\n");
}

/** The inverse; a text that is none of these goes to the service as it is, which reads more. */
export function parseState(text: string): NonNullable<SolveRequest["state"]> {
  if (/^\s*\d+([\s,/]+\d+)*\s*$/.test(text)) return text.split(/[\s,/]+/).filter(Boolean).map(Number);
  const found = parseJson(text);
  if (found !== text) return found as Record<string, unknown>;
  const lines = text.trim().split("\n");
  if (!lines.every((line) => /^\w+:/.test(line))) return text;
  const facelets = lines.map((line) => {
    const [face = "", shown = ""] = line.split(":", 2);
    return [face.trim(), shown.trim().split(/\s+/).map((colour) => (colour === "?" ? "" : colour))];
  });
  return { facelets: Object.fromEntries(facelets) };
}

/** What a text says as JSON, if that is an object, a list or a text; else the text itself. */
export function parseJson(text: string): unknown {
  try {
    const found: unknown = JSON.parse(text);
    if ((typeof found === "object" && found !== null) || typeof found === "string") return found;
  } catch {
    // not JSON
  }
  return text;
}

/** A request without the fields that say nothing. */
export function tidy<T extends object>(request: T): T {
  const kept = Object.entries(request).filter(([name, value]) => {
    if (value === undefined || value === null) return false;
    return !(["limits", "tags"].includes(name) && Object.keys(value as object).length === 0);
  });
  return Object.fromEntries(kept) as T;
}

type Put = (name: string, value: unknown) => void;

/** Writes what is given into an address: texts and numbers as they are, others as JSON. */
export function putter(query: URLSearchParams): Put {
  return (name, value) => {
    if (value === undefined || value === null || value === "") return;
    query.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  };
}

/** What problems and experiments have in common, apart from options. */
export function putRest(put: Put, request: Partial<Pick<SolveRequest, "goal" | "tags" | "limits">>): void {
  put("goal", stateText(request.goal));
  if (Object.keys(request.tags ?? {}).length > 0) put("tags", request.tags);
  for (const [name, value] of Object.entries(request.limits ?? {})) put(`limit_${name}`, value);
}

/** The inverse. */
export function readRest(query: URLSearchParams, catalogue: Catalogue | undefined): Partial<Pick<SolveRequest, "goal" | "tags" | "limits">> {
  const found: Record<string, unknown> = {};
  const [goal, tags] = [query.get("goal"), query.get("tags")];
  if (goal) found.goal = parseState(goal);
  if (tags) found.tags = parseJson(tags);
  const limits = (catalogue?.limits ?? []).flatMap(({ name }) => {
    const text = query.get(`limit_${name}`);
    return text ? [[name, number(text)] as const] : [];
  });
  if (limits.length > 0) found.limits = Object.fromEntries(limits);
  return found;
}

/** The value of an option, from its text in an address. */
export const readOption = (option: Option, text: string): unknown => (isNumber(option.schema) ? number(text) : text);

export function toQuery(request: SolveRequest): URLSearchParams {
  const query = new URLSearchParams({ puzzle: request.puzzle });
  const put = putter(query);
  const { scramble } = request;
  const kind = startKind(request);
  if (kind === "scramble" && typeof scramble === "object" && scramble !== null) {
    put("k", scramble.k);
    put("seed", scramble.seed);
    put("scramble_moves", scramble.moves);
  } else if (kind === "state") query.set("state", stateText(request.state));
  else query.set(kind, String(request[kind] ?? ""));
  put("target", stateText(request.target));
  put("labels", request.labels);
  for (const [name, value] of Object.entries(request)) if (!WRITTEN_APART.has(name)) put(name, value);
  putRest(put, request);
  return query;
}

/** The inverse. Until the catalogue is there, without options and limits. */
export function fromQuery(query: URLSearchParams, catalogue: Catalogue | undefined): SolveRequest {
  const puzzle = query.get("puzzle");
  if (puzzle === null) return FIRST;
  const found: Record<string, unknown> = { puzzle, ...startIn(query), ...readRest(query, catalogue) };
  const [target, labels, priority] = [query.get("target"), query.get("labels"), query.get("priority")];
  if (target) found.target = parseState(target);
  if (labels) found.labels = parseJson(labels);
  if (priority) found.priority = number(priority);
  if (query.get("certificate")) found.certificate = query.get("certificate") === "true";
  for (const name of ["moves", "algorithm"]) if (query.get(name)) found[name] = query.get(name);
  for (const option of catalogue?.options ?? []) {
    const text = query.get(option.name);
    if (text) found[option.name] = readOption(option, text);
  }
  return found as SolveRequest;
}

function startIn(query: URLSearchParams): Partial<SolveRequest> {
  const kind = STARTS.find((name) => query.get(name) !== null);
  const text = kind && (query.get(kind) ?? "");
  if (kind === "state") return { state: parseState(text ?? "") };
  if (kind === "random") return { random: number(text ?? "") };
  if (kind !== undefined) return { [kind]: text };
  const moves = query.get("scramble_moves");
  return { scramble: { k: number(query.get("k") || "6"), seed: number(query.get("seed") || "1"), ...(moves ? { moves } : {}) } };
}

/** The request that made a solve, so that it can be changed and asked again. */
export function fromSolve(
  solve: Schemas["Solve"],
  catalogue: Catalogue,
  defaults: { limits: Limits; heuristic?: string | undefined },
): SolveRequest {
  const { start } = solve;
  const request: SolveRequest = { puzzle: solve.puzzle, ...startOf(start) };
  const goal = start.goal ?? solve.goal;
  if (goal) request.goal = goal;
  if (start.target) request.target = givenState(start.target);
  if (start.labels) request.labels = { neighbours: start.labels.neighbours, anchors: start.labels.faces };
  request.moves = solve.moves;
  request.algorithm = solve.algorithm;
  const answered = { ...solve, heuristic: solve.heuristic.name ?? solve.heuristic.expression } as Record<string, unknown>;
  const plain = (text: unknown) => String(text).replaceAll('"', "'");
  for (const { name, own, default: standard } of optionsOf(catalogue, solve.algorithm)) {
    const value = answered[name] ?? null;
    if (value === null || value === own || value === standard) continue;
    if (name === "heuristic" && plain(solve.heuristic.expression) === plain(defaults.heuristic)) continue;
    Object.assign(request, { [name]: value });
  }
  const limits: Record<string, number> = {};
  for (const [name, value] of Object.entries(solve.limits as Limits)) {
    // A solve that names none has those of the service.
    if (value !== null && value !== undefined && value !== defaults.limits[name]) limits[name] = value;
  }
  return tidy({ ...request, limits, tags: solve.tags ?? {}, ...(solve.priority ? { priority: solve.priority } : {}), ...(solve.certificate ? { certificate: true } : {}) });
}

/** The start as it was given; as moves or a state if its seed is larger than this page's numbers. */
function startOf(start: Schemas["Start"]): Partial<SolveRequest> {
  const alg = (start.alg ?? []).join(" ");
  if (start.given_as === "scramble" && start.scramble) {
    const { id, k, seed, moves } = start.scramble;
    if (id) return { scramble: id };
    return Number.isSafeInteger(seed) ? { scramble: { k, seed, moves } } : { alg };
  }
  if (start.given_as === "alg" || start.given_as === "shorten") return { [start.given_as]: alg };
  if (start.given_as === "random" && Number.isSafeInteger(start.random)) return { random: start.random as number };
  return { state: givenState(start.state) };
}

/** How many facelets of a painted state have no colour yet. */
export function unpainted(state: SolveRequest["state"]): number {
  if (typeof state !== "object" || state === null || Array.isArray(state)) return 0;
  const facelets = state.facelets;
  if (typeof facelets !== "object" || facelets === null) return 0;
  return Object.values(facelets as Record<string, unknown[]>).flat().filter((colour) => colour === "").length;
}

/** One of the formats in which a state is answered, as it is sent. */
export function givenState(state: Record<string, unknown>): NonNullable<SolveRequest["state"]> {
  if (Array.isArray(state.tiles)) return state.tiles as number[];
  return state.facelets ? { facelets: state.facelets } : { pieces: state.pieces };
}
