/** Numbers and times as people read them. */
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const twoDigits = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** 1234567 as 1,234,567. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : whole.format(value);
}

/** Three significant digits. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  return Math.abs(value) >= 1000 ? whole.format(value) : short.format(value);
}

/** Two significant digits, for an estimate. */
export function rough(value: number): string {
  return new Intl.NumberFormat("en", { maximumSignificantDigits: 2 }).format(value);
}

/** Points of a grading, with two digits after the point at the most. */
export function points(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : twoDigits.format(value);
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (value < 0.001) return `${short.format(value * 1e6)} µs`;
  if (value < 1) return `${short.format(value * 1e3)} ms`;
  if (value < 120) return `${short.format(value)} s`;
  return value < 7200 ? `${whole.format(value / 60)} min` : `${short.format(value / 3600)} h`;
}

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  let rest = value;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit += 1;
  }
  return `${short.format(rest)} ${units[unit]}`;
}

/** 10000000000000 as 1.0 × 10¹³. */
export function magnitude(decimal: string): string {
  if (decimal.length < 8) return whole.format(Number(decimal));
  const digits = [...String(decimal.length - 1)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
  return `${decimal[0]}.${decimal[1]} × 10${digits}`;
}

export function ago(moment: string | null | undefined, now = Date.now()): string {
  if (!moment) return "–";
  const passed = (now - Date.parse(moment)) / 1000;
  if (passed < 5) return "now";
  if (passed < 60) return `${Math.floor(passed)} s ago`;
  if (passed < 3600) return `${Math.floor(passed / 60)} min ago`;
  if (passed < 86_400) return `${Math.floor(passed / 3600)} h ago`;
  return new Date(moment).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/** A day and its time, in the reader's time zone; null for none. */
export function day(moment: string | null | undefined): string | null {
  if (!moment) return null;
  return new Date(moment).toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** The statuses of jobs, and the outcomes of searches that are done. */
export const STATUS_WORDS: Record<string, string> = {
  queued: "queued",
  running: "running",
  done: "done",
  cancelled: "cancelled",
  failed: "failed",
  solved: "solved",
  exhausted: "no solution",
  limit_reached: "stopped at a limit",
};

export const KIND_WORDS: Record<string, string> = {
  solve: "Solve",
  database: "Pattern database",
  verification: "Verification",
  analysis: "Analysis",
  "heuristic-audit": "Heuristic audit",
  "model-audit": "Model audit",
  grading: "Grading",
  subtree: "Part of a search",
};
