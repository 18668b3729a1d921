/** Claimed solutions as people write them, one in a line: where it starts, a colon, the solution. */
import type { Schemas } from "../api/client";

export type Item = Partial<Schemas["VerificationRequest"]> & Pick<Schemas["VerificationRequest"], "puzzle" | "solution">;

export interface LineFault {
  line: number;
  message: string;
}

const START = "Write where it starts, a colon, and the solution.";
const MOST = 1000;

/** The items of a text; the start is moves from solved, a board, or "k 6 seed 1". JSON is taken as it is.
 *
 * What the puzzle's moves are called is read as moves: their names may be numbers, or begin as JSON or a comment.
 */
export function readLines(
  text: string,
  common: { puzzle: string; moves?: string | undefined },
  names: readonly string[] = [],
): { items: Item[]; faults: LineFault[] } {
  const known = new Set(names);
  const beginsWithMove = (line: string) => known.has(wordsOf(line)[0] ?? "");
  if (/^\s*[[{]/.test(text) && !beginsWithMove(text)) return readJson(text);
  const items: Item[] = [];
  const faults: LineFault[] = [];
  for (const [number, written] of text.split("\n").entries()) {
    const line = written.trim();
    if (line === "" || (line.startsWith("#") && !beginsWithMove(line))) continue;
    const colon = line.lastIndexOf(":");
    if (colon < 0) {
      faults.push({ line: number + 1, message: START });
      continue;
    }
    const [start, solution] = [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    const from = wordsOf(start).every((word) => known.has(word)) ? { alg: start } : startOf(start);
    items.push({ ...common, ...from, solution } as Item);
  }
  if (items.length > MOST) faults.push({ line: 0, message: `At most ${MOST} at once; these are ${items.length}.` });
  return { items, faults };
}

const wordsOf = (text: string) => text.trim().split(/\s+/);

function startOf(text: string): Pick<Item, "alg" | "state" | "scramble"> {
  const scramble = /^k\s*=?\s*(\d+)[\s,]+seed\s*=?\s*(\d+)$/i.exec(text);
  if (scramble) return { scramble: { k: Number(scramble[1]), seed: Number(scramble[2]) } };
  if (/^\d+([\s,/]+\d+)*$/.test(text)) return { state: text.split(/[\s,/]+/).map(Number) };
  return { alg: text };
}

function readJson(text: string): { items: Item[]; faults: LineFault[] } {
  try {
    const found = JSON.parse(text) as Item[] | { items: Item[] } | Item;
    const items = Array.isArray(found) ? found : "items" in found ? found.items : [found];
    return { items, faults: [] };
  } catch (error) {
    return { items: [], faults: [{ line: 0, message: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` }] };
  }
}

/** The start of an item in a few words. */
export function startText(item: Item): string {
  if (item.scramble) return `k = ${item.scramble.k}, seed ${item.scramble.seed}`;
  if (item.alg !== undefined && item.alg !== null) return item.alg || "solved";
  return Array.isArray(item.state) ? item.state.join(" ") : typeof item.state === "string" ? item.state : "a state";
}
