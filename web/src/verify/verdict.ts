/** What a verification says, in words. */
import type { Schemas } from "../api/client";

export type VerificationJob = Schemas["VerificationJob"];
export type Verdict = Schemas["Verification"];

export type Kind = "waiting" | "shortest" | "longer" | "open" | "wrong" | "lost";

export function kindOf(job: VerificationJob): Kind {
  const verdict = job.answer;
  if (job.status === "queued" || job.status === "running") return "waiting";
  if (!verdict) return "lost";
  if (!verdict.valid) return "wrong";
  return verdict.optimality === "proven" ? "shortest" : verdict.excess == null ? "open" : "longer";
}

/** In a few words, for a badge, and the style of the badge. */
export const KINDS: Record<Kind, { words: string; badge: string }> = {
  shortest: { words: "shortest", badge: "proven" },
  longer: { words: "valid, not shortest", badge: "unknown" },
  open: { words: "valid", badge: "running" },
  wrong: { words: "not a solution", badge: "refuted" },
  waiting: { words: "being checked", badge: "running" },
  lost: { words: "not checked", badge: "failed" },
};

export const moves = (count: number) => (count === 1 ? "1 move" : `${count} moves`);

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function sentence(job: VerificationJob): string {
  const verdict = job.answer;
  switch (kindOf(job)) {
    case "waiting":
      return job.status === "queued" ? "Waiting for a free worker." : "Replaying it, and searching for a shorter one.";
    case "lost":
      return job.error ?? "It was cancelled.";
    case "wrong":
      return verdict?.first_wrong != null ? `Move ${verdict.first_wrong} is wrong: ${verdict.reason}.` : `${capital(verdict?.reason ?? "it does not solve the puzzle")}.`;
    case "shortest":
      return `It solves the puzzle in ${moves(verdict?.length ?? 0)}, and no solution is shorter.`;
    case "longer":
      return `It solves the puzzle in ${moves(verdict?.length ?? 0)}. ${moves(verdict?.optimal_length ?? 0)} suffice.`;
    default:
      return `It solves the puzzle in ${moves(verdict?.length ?? 0)}. Whether fewer suffice is not known: at least ${verdict?.lower_bound ?? 0} are needed.`;
  }
}
