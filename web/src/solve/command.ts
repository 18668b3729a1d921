/** A request to solve as a command and as an HTTP request, to take along. */
import { type Catalogue, type SolveRequest, startKind } from "./question";

/** A word as a POSIX shell reads it. */
export function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (word.includes("'") && !/["$`\\!]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command in one line if that is short, else with each option in a line of its own. */
export function commandLine(words: readonly string[]): string {
  const whole = words.join(" ");
  if (whole.length <= 60) return whole;
  return words.reduce((line, word) => line + (word.startsWith("--") ? " \\\n  " : " ") + word);
}

/** Options of the command line for all options of a search that are given, and for its limits. */
export function searchWords(catalogue: Catalogue, request: object): string[] {
  const given = request as Record<string, unknown>;
  const options = catalogue.options.flatMap(({ name, plural, flag }) =>
    [given[name], ...((plural && (given[plural] as unknown[] | undefined)) || [])].map((value) => [flag, value] as const),
  );
  const limits = (given.limits ?? {}) as Record<string, unknown>;
  return [...options, ...catalogue.limits.map(({ name, flag }) => [flag, limits[name]] as const)].flatMap(([flag, value]) => word(flag, value));
}

/** An option with its value, if there is one; what is no text or number as JSON. */
export function word(option: string, value: unknown): string[] {
  if (value === undefined || value === null || value === "") return [];
  return [option, quoted(typeof value === "object" ? JSON.stringify(value) : String(value))];
}

/** What of a request only the service has, in a comment before the command. */
export function withoutTags(request: { tags?: unknown; priority?: unknown }, command: string): string {
  const left = (["tags", "priority"] as const).filter((name) => request[name]);
  return left.length > 0 ? `# without its ${left.join(" and ")}, which only the service has\n${command}` : command;
}

/** A text that the command would take for the name of a file, or for JSON. */
const misread = (text: unknown) => typeof text === "string" && /^-$|^[^\s{}[\]]*\.[A-Za-z]\w*$|^\s*[{[]|\0/.test(text);

/** The command that asks the same, or a comment why there is none. */
export function command(request: SolveRequest, catalogue: Catalogue): string {
  const kind = startKind(request);
  const { scramble } = request;
  const cannot = request.labels
    ? "names of your own for the faces come from a file (--labels)"
    : kind === "scramble" && typeof scramble === "string"
      ? "stored scrambles are at the service"
      : misread(request.state) || misread(request.target)
        ? "this state would be read as the name of a file"
        : null;
  if (cannot !== null) return `# No command asks this: ${cannot}.`;
  const words = ["hstar", "solve", quoted(request.puzzle)];
  if (kind === "alg" || kind === "shorten") words.push(`--${kind}`, quoted(request[kind] ?? ""));
  else if (kind === "state") words.push(...board("--state", request.state));
  else if (kind === "random") words.push("--random", ...word("--seed", request.random));
  else if (typeof scramble === "object" && scramble !== null) {
    words.push(...word("--k", scramble.k), ...word("--seed", scramble.seed), ...word("--scramble-moves", scramble.moves));
  }
  words.push(...board("--target", request.target), ...board("--goal", request.goal));
  words.push(...word("--moves", request.moves), ...word("--algorithm", request.algorithm), ...searchWords(catalogue, request));
  if (request.certificate) words.push("--certificate", "proof.hcert");
  return withoutTags(request, commandLine(words));
}

/** Tiles as text, which is easier to read than JSON. */
export function board(option: string, state: SolveRequest["state"]): string[] {
  return word(option, Array.isArray(state) ? state.flat().join(" ") : state);
}

export function curl(path: string, request: object, origin: string, secured: boolean, wait = false): string {
  const key = secured ? ` \\\n  -H "Authorization: Bearer $HSTAR_API_KEY"` : "";
  const prefer = wait ? ` \\\n  -H 'Prefer: wait=30'` : "";
  return `curl ${origin}${path}${key} \\\n  -H 'Content-Type: application/json'${prefer} \\\n  -d ${quoted(JSON.stringify(request))}`;
}

export const body = (request: object): string => JSON.stringify(request, null, 2);
