/** Where things stand in a JSON text: which line a JSON pointer such as /rubric/2/points leads to. */

export interface Unreadable {
  message: string;
  line: number;
}

/** The value of a JSON text, or why it has none and on which line. */
export function readJson(text: string): { value: unknown } | Unreadable {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const place = new Reader(text);
    place.value("", new Map());
    return { message: error instanceof Error ? error.message.replace(/^JSON\.parse: /, "") : String(error), line: place.line };
  }
}

/** The line, from 1, of every pointer of a JSON text. */
export function linesOf(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  new Reader(text).value("", lines);
  return lines;
}

/** The line of a pointer, or of the nearest thing around it that there is. */
export function lineOf(lines: ReadonlyMap<string, number>, pointer: string): number {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const line = lines.get(at);
    if (line !== undefined) return line;
  }
  return 1;
}

/** Reads as far as it can; afterwards `at` is the end, or the first character that cannot stand there. */
class Reader {
  private at = 0;
  line = 1;

  constructor(private readonly text: string) {}

  value(pointer: string, lines: Map<string, number>): boolean {
    this.space();
    lines.set(pointer, this.line);
    const first = this.text[this.at];
    if (first === "{") return this.several("}", () => this.member(pointer, lines));
    if (first === "[") return this.several("]", (number) => this.value(`${pointer}/${number}`, lines));
    if (first === '"') return this.string() !== null;
    return this.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y) !== null;
  }

  private member(pointer: string, lines: Map<string, number>): boolean {
    this.space();
    const line = this.line;
    const name = this.string();
    if (name === null) return false;
    const place = `${pointer}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`;
    this.space();
    if (this.text[this.at] !== ":") return false;
    this.at += 1;
    const whole = this.value(place, lines);
    lines.set(place, line);
    return whole;
  }

  private several(end: string, one: (number: number) => boolean): boolean {
    this.at += 1;
    this.space();
    if (this.text[this.at] === end) {
      this.at += 1;
      return true;
    }
    for (let number = 0; ; number += 1) {
      if (!one(number)) return false;
      this.space();
      const next = this.text[this.at];
      if (next !== "," && next !== end) return false;
      this.at += 1;
      if (next === end) return true;
    }
  }

  private string(): string | null {
    const found = this.match(/"(?:[^"\\\n]|\\.)*"/y);
    if (found === null) return null;
    try {
      return JSON.parse(found) as string;
    } catch {
      return null;
    }
  }

  /** Lines end between things alone: a string of JSON has none. */
  private space(): void {
    this.line += (this.match(/\s*/y) ?? "").split("\n").length - 1;
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return null;
    this.at += found[0].length;
    return found[0];
  }
}

/** A value as people write JSON: what fits on a line of 90 letters stands on one. */
export function writeJson(value: unknown, indent = ""): string {
  const flat = oneLine(value);
  if (typeof value !== "object" || value === null || (indent !== "" && indent.length + flat.length <= 90)) return flat;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((one) => deeper + writeJson(one, deeper))
    : Object.entries(value).map(([name, one]) => `${deeper}${JSON.stringify(name)}: ${writeJson(one, deeper)}`);
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${oneLine(one)}`);
  return `{${parts.join(", ")}}`;
}
