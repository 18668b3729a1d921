/** A request to solve, as the form, the address bar, HTTP and the command line write it: all of them are inverses. */
import type { Schemas } from "../api/client";

export type SolveRequest = Partial<Schemas["SolveRequest"]> & Pick<Schemas["SolveRequest"], "puzzle">;
export type StartKind = "scramble" | "alg" | "state";

export type Algorithm = NonNullable<SolveRequest["algorithm"]>;

export const ALGORITHMS: Record<Algorithm, string> = {
  auto: "the strongest that proves its solutions",
  astar: "A*: best-first by f = g + weight × h",
  ida_star: "IDA*: depth-first below rising thresholds of f",
  greedy: "greedy best-first by h alone: fast, seldom optimal",
  breadth_first: "breadth-first: layer by layer from the start",
  bidirectional: "bidirectional: layers from the start and from the goal",
  constructive: "constructive: the first solution of a direct method",
  beam: "beam: layers, only the most promising states of each",
  two_phase: "two-phase: into a subgroup, then home within it (Kociemba)",
  windows: "windows: a direct solution, its parts made shortest",
  anytime: "anytime: some solution soon, then shorter ones until a limit",
};

export const takesHeuristic = (algorithm: string) => ["astar", "ida_star", "greedy"].includes(algorithm);
export const takesWeight = (algorithm: string) => ["astar", "ida_star"].includes(algorithm);
/** Whether it goes on after its first solution, so that an end without a proof is only a lower bound of its counts. */
export const goesOn = (algorithm: string) => ["auto", "anytime", "two_phase", "windows"].includes(algorithm);
export const takesWidth = (algorithm: string) => algorithm === "beam";
export const takesTies = (algorithm: string) => ["astar", "greedy"].includes(algorithm);

export const LIMITS = ["expanded", "generated", "seconds", "memory_mib"] as const;
export type LimitName = (typeof LIMITS)[number];

/** What a visitor finds who brings no question. */
export const FIRST: SolveRequest = { puzzle: "megaminx", scramble: { k: 6, seed: 1 } };

export function startKind(request: SolveRequest): StartKind {
  if (request.state !== undefined && request.state !== null) return "state";
  return request.alg !== undefined && request.alg !== null ? "alg" : "scramble";
}

function number(text: string | null): number | undefined {
  if (text === null || text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** A state as it is typed and linked: tiles as numbers, facelets as a line for each face, anything else as JSON. */
export function stateText(state: SolveRequest["state"]): string {
  if (Array.isArray(state)) return state.join(" ");
  if (typeof state !== "object" || state === null) return state ?? "";
  const { facelets } = state;
  if (typeof facelets !== "object" || facelets === null) return JSON.stringify(state);
  return Object.entries(facelets as Record<string, string[]>)
    .map(([face, shown]) => `${face}: ${shown.map((colour) => colour || "?").join(" ")}`)
    .join("\n");
}

/** The inverse; a text that is none of these goes to the service as it is, which reads more. */
export function parseState(text: string): NonNullable<SolveRequest["state"]> {
  if (/^\s*\d+([\s,/]+\d+)*\s*$/.test(text)) return text.split(/[\s,/]+/).filter(Boolean).map(Number);
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === "object" && found !== null) return found as Record<string, unknown>;
  } catch {
    // not JSON
  }
  const lines = text.trim().split("\n");
  if (!lines.every((line) => /^\w+:/.test(line))) return text;
  const facelets = lines.map((line) => {
    const [face = "", shown = ""] = line.split(":", 2);
    return [face.trim(), shown.trim().split(/\s+/).map((colour) => (colour === "?" ? "" : colour))];
  });
  return { facelets: Object.fromEntries(facelets) };
}

export function toQuery(request: SolveRequest): URLSearchParams {
  const query = new URLSearchParams({ puzzle: request.puzzle });
  const put = (name: string, value: unknown) => {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  };
  if (request.goal) query.set("goal", [request.goal].flat(2).join(" "));
  const kind = startKind(request);
  if (kind === "scramble" && typeof request.scramble === "object" && request.scramble !== null) {
    put("k", request.scramble.k);
    put("seed", request.scramble.seed);
    put("scramble_moves", request.scramble.moves);
  } else if (kind === "scramble") {
    put("scramble", request.scramble);
  } else if (kind === "alg") {
    query.set("alg", request.alg ?? "");
  } else {
    query.set("state", stateText(request.state));
  }
  put("moves", request.moves);
  put("algorithm", request.algorithm);
  put("heuristic", request.heuristic);
  put("weight", request.weight);
  put("width", request.width);
  put("tie_breaking", request.tie_breaking);
  for (const name of LIMITS) put(`limit_${name}`, request.limits?.[name]);
  return query;
}

export function fromQuery(query: URLSearchParams): SolveRequest {
  const puzzle = query.get("puzzle");
  if (puzzle === null) return FIRST;
  const request: SolveRequest = { puzzle };
  const goal = query.get("goal");
  if (goal !== null) request.goal = goal.split(/[\s,]+/).map(Number);
  const [alg, state, scramble] = [query.get("alg"), query.get("state"), query.get("scramble")];
  if (state !== null) request.state = parseState(state);
  else if (alg !== null) request.alg = alg;
  else if (scramble !== null) request.scramble = scramble;
  else {
    const moves = query.get("scramble_moves");
    request.scramble = { k: number(query.get("k")) ?? 6, seed: number(query.get("seed")) ?? 1, ...(moves ? { moves } : {}) };
  }
  const algorithm = query.get("algorithm");
  if (algorithm !== null && algorithm in ALGORITHMS) request.algorithm = algorithm as Algorithm;
  const ties = query.get("tie_breaking");
  if (ties === "low_h" || ties === "lifo" || ties === "fifo") request.tie_breaking = ties;
  const [moves, heuristic, weight] = [query.get("moves"), query.get("heuristic"), number(query.get("weight"))];
  if (moves) request.moves = moves;
  if (heuristic) request.heuristic = heuristic;
  if (weight !== undefined) request.weight = weight;
  const width = number(query.get("width"));
  if (width !== undefined) request.width = width;
  const limits: Partial<Record<LimitName, number>> = {};
  for (const name of LIMITS) {
    const value = number(query.get(`limit_${name}`));
    if (value !== undefined) limits[name] = value;
  }
  if (Object.keys(limits).length > 0) request.limits = limits;
  return request;
}

/** The request that made a solve, so that it can be changed and asked again. */
export function fromSolve(solve: Schemas["Solve"], defaults: { limits: Partial<Record<LimitName, number | null>>; heuristic?: string | undefined }): SolveRequest {
  const request: SolveRequest = { puzzle: solve.puzzle };
  if (solve.goal) request.goal = solve.goal;
  const { start } = solve;
  if (start.given_as === "scramble" && start.scramble) {
    const { k, seed, moves } = start.scramble;
    request.scramble = { k, seed, moves };
  } else if (start.given_as === "alg") request.alg = (start.alg ?? []).join(" ");
  else request.state = givenState(start.state);
  request.moves = solve.moves;
  request.algorithm = solve.algorithm;
  const own = defaults.heuristic?.replaceAll('"', "'") === solve.heuristic.expression.replaceAll('"', "'");
  if (takesHeuristic(solve.algorithm) && !own) request.heuristic = solve.heuristic.name ?? solve.heuristic.expression;
  if (takesWeight(solve.algorithm) && solve.weight !== 1) request.weight = solve.weight;
  if (takesWidth(solve.algorithm) && solve.width) request.width = solve.width;
  if (takesTies(solve.algorithm) && solve.tie_breaking !== "low_h") request.tie_breaking = solve.tie_breaking;
  const limits: Partial<Record<LimitName, number>> = {};
  for (const name of LIMITS) {
    const value = solve.limits[name];
    // A solve that names none has those of the service.
    if (value !== null && value !== undefined && value !== defaults.limits[name]) limits[name] = value;
  }
  if (Object.keys(limits).length > 0) request.limits = limits;
  return request;
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

/** A word as a POSIX shell reads it. */
export function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (word.includes("'") && !/["$`\\!]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command in one line if that is short, else with each option in a line of its own. */
export function commandLine(words: readonly string[]): string {
  const whole = words.join(" ");
  return whole.length <= 60 ? whole : whole.replaceAll(/ (?=--)/g, " \\\n  ");
}

export function body(request: SolveRequest): string {
  return JSON.stringify(request, null, 2);
}

export function curl(request: SolveRequest, origin: string, secured: boolean): string {
  const key = secured ? ` \\\n  -H "Authorization: Bearer $HSTAR_API_KEY"` : "";
  const sent = quoted(JSON.stringify(request));
  return `curl ${origin}/v1/solves${key} \\\n  -H 'Content-Type: application/json' \\\n  -H 'Prefer: wait=30' \\\n  -d ${sent}`;
}

export function command(request: SolveRequest): string {
  const words = ["hstar", "solve", request.puzzle];
  const put = (option: string, value: unknown) => {
    if (value !== undefined && value !== null && value !== "") words.push(option, quoted(String(value)));
  };
  const kind = startKind(request);
  if (kind === "alg") words.push("--alg", quoted(request.alg ?? ""));
  else if (kind === "state") put("--state", Array.isArray(request.state) ? stateText(request.state) : JSON.stringify(request.state));
  else if (typeof request.scramble === "object" && request.scramble !== null) {
    put("--k", request.scramble.k);
    put("--seed", request.scramble.seed);
    put("--scramble-moves", request.scramble.moves);
  }
  put("--goal", request.goal && [request.goal].flat(2).join(" "));
  put("--moves", request.moves);
  put("--algorithm", request.algorithm);
  put("--heuristic", request.heuristic);
  put("--weight", request.weight);
  put("--width", request.width);
  put("--tie-breaking", request.tie_breaking);
  put("--limit-expanded", request.limits?.expanded);
  put("--limit-generated", request.limits?.generated);
  put("--limit-seconds", request.limits?.seconds);
  put("--limit-memory-mib", request.limits?.memory_mib);
  return commandLine(words);
}
