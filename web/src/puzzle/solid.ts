/** A puzzle in space: what can be computed of it without drawing. The service says where facelets are and what turns. */
import type { Schemas } from "../api/client";
import type { Facelets } from "./geometry";

export type Solid = Schemas["Solid"];
export type Turn = Solid["turns"][number];
export type Vector = readonly [number, number, number];

export const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vector, b: Vector): Vector => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

export function middle(points: readonly Vector[]): Vector {
  const sum = (axis: 0 | 1 | 2) => points.reduce((total, point) => total + point[axis], 0) / points.length;
  return [sum(0), sum(1), sum(2)];
}

/** A point after a rotation by so many degrees, clockwise as seen from the tip of the axis (Rodrigues). */
export function rotated(v: Vector, axis: Vector, degrees: number): Vector {
  const angle = (-degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [side, along] = [cross(axis, v), dot(axis, v) * (1 - cos)];
  return [0, 1, 2].map((i) => (v[i] ?? 0) * cos + (side[i] ?? 0) * sin + (axis[i] ?? 0) * along) as unknown as Vector;
}

/** What one part of a puzzle that is cut for a turn consists of. */
export interface Part {
  facelets: number[];
  /** the cuts that bound it, each a polygon with its outward normal */
  caps: { corners: Vector[]; normal: Vector }[];
  turns: boolean;
}

/** The parts along the axis of a turn, the lowest first, and where along the axis each begins. */
export function partsOf(solid: Solid, turn: Turn): { parts: Part[]; from: number[] } {
  const axis = turn.axis as Vector;
  const height = (point: Vector) => dot(point, axis);
  const moving = new Set(turn.facelets);
  const heights = turn.facelets.flatMap((number) => (solid.facelets[number]?.corners ?? []).map((one) => height(one as Vector)));
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const above: number[] = [];
  const below: number[] = [];
  solid.facelets.forEach((facelet, number) => {
    if (!moving.has(number)) (height(middle(facelet.corners as Vector[])) > (low + high) / 2 ? above : below).push(number);
  });
  const cap = (at: number, sign: number) => ({ corners: section(solid, axis, at), normal: axis.map((part) => part * sign) as unknown as Vector });
  const parts: Part[] = [];
  const from: number[] = [];
  if (below.length > 0) {
    parts.push({ facelets: below, caps: [cap(low, 1)], turns: false });
    from.push(Number.NEGATIVE_INFINITY);
  }
  parts.push({ facelets: turn.facelets, caps: [...(below.length ? [cap(low, -1)] : []), ...(above.length ? [cap(high, 1)] : [])], turns: true });
  from.push(below.length > 0 ? low : Number.NEGATIVE_INFINITY);
  if (above.length > 0) {
    parts.push({ facelets: above, caps: [cap(high, -1)], turns: false });
    from.push(high);
  }
  return { parts, from };
}

/** Where a plane across an axis cuts the solid, in order around the axis. */
function section(solid: Solid, axis: Vector, at: number): Vector[] {
  const found = solid.facelets.flatMap((facelet) => (facelet.corners as Vector[]).filter((corner) => Math.abs(dot(corner, axis) - at) < 1e-3));
  const centre = axis.map((part) => part * at) as unknown as Vector;
  const first = found[0] === undefined ? axis : minus(found[0], centre);
  const second = cross(axis, first);
  const angle = (point: Vector) => Math.atan2(dot(minus(point, centre), second), dot(minus(point, centre), first));
  return found.sort((a, b) => angle(a) - angle(b));
}

/** The colours of all facelets by their number in the solid. */
export const coloursOf = (solid: Solid, facelets: Facelets): string[] =>
  solid.facelets.map(({ face, index }) => facelets[face]?.[index] ?? "");

export function faceletsOf(solid: Solid, colours: readonly string[]): Facelets {
  const found: Facelets = {};
  solid.facelets.forEach(({ face, index }, number) => {
    (found[face] ??= [])[index] = colours[number] ?? "";
  });
  return found;
}

const permutations = new WeakMap<Turn, Map<number, number>>();

/** For each place that a turn fills, the place that its facelet comes from. */
function permutation(solid: Solid, turn: Turn): Map<number, number> {
  let found = permutations.get(turn);
  if (found === undefined) {
    found = new Map();
    const places = turn.facelets.map((number) => middle((solid.facelets[number]?.corners ?? []) as Vector[]));
    for (const [i, number] of turn.facelets.entries()) {
      const goes = rotated(places[i] as Vector, turn.axis as Vector, turn.degrees);
      const far = places.map((place) => Math.hypot(...minus(place, goes)));
      found.set(turn.facelets[far.indexOf(Math.min(...far))] ?? number, number);
    }
    permutations.set(turn, found);
  }
  return found;
}

export function turnedBy(solid: Solid, colours: readonly string[], turn: Turn): string[] {
  const from = permutation(solid, turn);
  return colours.map((colour, number) => colours[from.get(number) ?? number] ?? colour);
}

/** The facelets after some moves; null if one of them is not a turn of the solid. */
export function afterMoves(solid: Solid, facelets: Facelets, moves: readonly string[]): Facelets | null {
  let colours = coloursOf(solid, facelets);
  for (const move of moves) {
    const turn = solid.turns.find((one) => one.move === move);
    if (turn === undefined) return null;
    colours = turnedBy(solid, colours, turn);
  }
  return faceletsOf(solid, colours);
}
