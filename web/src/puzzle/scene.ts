/** Draws a solid into an SVG and turns it. Parts of a cut solid are convex, so that painting them in order is exact. */
import { coloursOf, dot, middle, partsOf, rotated, type Solid, type Turn, type Vector } from "./solid";
import { inkOn, type Facelets } from "./geometry";

const NS = "http://www.w3.org/2000/svg";
/** how far the eye is from the middle, in distances of a face */
const EYE = 9;
const LIGHT: Vector = [-0.36, 0.62, 0.7];
/** how much of a facelet is its frame */
const INSET = 0.075;
const BODY = { fill: "#16181c", stroke: "#16181c", "stroke-width": "0.7", "stroke-linejoin": "round" };
/** what the eye sees first: the top and the front; of a tetrahedron two faces, of an octahedron the four around a corner */
const CAMERAS: Record<string, { yaw: number; pitch: number }> = {
  megaminx: { yaw: -16, pitch: 27 },
  fto: { yaw: -9, pitch: 8 },
  master_pyraminx: { yaw: 57, pitch: 24 },
  pyraminx: { yaw: 57, pitch: 24 },
};
/** their moves are named by corners, which are three times as far from the middle as faces */
const BY_CORNERS = ["master_pyraminx", "pyraminx"];

interface Drawn {
  polygon: SVGPolygonElement;
  body: SVGPolygonElement;
  corners: Vector[];
  inner: Vector[];
  normal: Vector;
  centre: Vector;
}

export interface Held {
  turn: Turn;
  /** clockwise degrees, so far */
  degrees: number;
}

export class Scene {
  yaw = 0;
  pitch = 0;
  held: Held | null = null;
  private drawn: Drawn[];
  private layer: SVGGElement;
  private labels: { text: SVGTextElement; at: Vector; normal: Vector | null }[] = [];
  private colours: string[] = [];
  private scale = 60;
  private offset: [number, number] = [0, 0];
  private cut: { turn: Turn; parts: ReturnType<typeof partsOf>; groups: SVGGElement[]; caps: { polygon: SVGPolygonElement; part: number; cap: number }[] } | null = null;

  constructor(
    private readonly svg: SVGSVGElement,
    readonly solid: Solid,
  ) {
    this.layer = svg.appendChild(document.createElementNS(NS, "g"));
    this.drawn = solid.facelets.map(({ face, index, corners }, number) => {
      const centre = middle(corners as Vector[]);
      const inner = (corners as Vector[]).map((corner) => corner.map((part, i) => part + INSET * ((centre[i] ?? 0) - part)) as unknown as Vector);
      const body = document.createElementNS(NS, "polygon");
      // Not in a style sheet, so that a figure that is taken along has them.
      for (const [name, value] of Object.entries(BODY)) body.setAttribute(name, value);
      const polygon = document.createElementNS(NS, "polygon");
      polygon.dataset.number = String(number);
      polygon.dataset.face = face;
      polygon.dataset.facelet = String(index);
      this.layer.append(body, polygon);
      return { polygon, body, corners: corners as Vector[], inner, normal: solid.normals[face] as unknown as Vector, centre };
    });
    this.look();
    this.fit();
  }

  /** Back to where the camera was first. */
  look(): void {
    const camera = CAMERAS[this.solid.puzzle] ?? { yaw: -30, pitch: 25 };
    this.yaw = camera.yaw;
    this.pitch = camera.pitch;
  }

  show(facelets: Facelets): void {
    this.colours = coloursOf(this.solid, facelets);
  }

  /** Names of faces in their middle, and of corners that moves are named by beside them. */
  name(names: Record<string, string>): void {
    for (const { text } of this.labels) text.remove();
    const corners = BY_CORNERS.includes(this.solid.puzzle);
    const ends: [string, Vector, Vector | null][] = corners
      ? this.solid.turns.filter(({ move }) => /^[A-Z]$/.test(move) && move !== "D").map(({ move, axis }) => [move, (axis as number[]).map((part) => part * 3.3) as unknown as Vector, null])
      : Object.entries(this.solid.normals).map(([face, normal]) => [names[face] ?? face, this.drawn[this.inner(face)]?.centre ?? (normal as unknown as Vector), normal as unknown as Vector]);
    this.labels = ends.map(([name, at, normal]) => {
      const text = this.svg.appendChild(document.createElementNS(NS, "text"));
      text.setAttribute("font-size", "8.5");
      text.setAttribute("font-weight", "700");
      text.setAttribute("pointer-events", "none");
      if (normal === null) text.setAttribute("fill", "#7a828e");
      text.setAttribute("text-anchor", "middle");
      text.textContent = name;
      text.dataset.of = normal ? (Object.entries(this.solid.normals).find(([, one]) => (one as unknown as Vector) === normal)?.[0] ?? "") : "";
      return { text, at, normal };
    });
  }

  private turnView(v: Vector): Vector {
    return rotated(rotated(v, [0, 1, 0], -this.yaw), [1, 0, 0], -this.pitch);
  }

  /** Where a point is on the page. */
  private page(v: Vector): [number, number] {
    const size = (this.scale * EYE) / (EYE - v[2]);
    return [v[0] * size + this.offset[0], -v[1] * size + this.offset[1]];
  }

  private fit(): void {
    const ends = BY_CORNERS.includes(this.solid.puzzle) ? this.solid.turns.map(({ axis }) => (axis as number[]).map((part) => part * 3.45) as unknown as Vector) : [];
    const points = [...this.drawn.flatMap(({ corners }) => corners), ...ends].map((corner) => this.page(this.turnView(corner)));
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    this.scale *= 186 / Math.max(right - left, bottom - top);
    const factor = 186 / Math.max(right - left, bottom - top);
    this.offset = [(-(left + right) / 2) * factor, (-(top + bottom) / 2) * factor];
  }

  private toward(point: Vector, normal: Vector): boolean {
    return dot(normal, [-point[0], -point[1], EYE - point[2]]) > 0;
  }

  draw(): void {
    const { held } = this;
    this.prepare(held?.turn ?? null);
    const moving = new Set(held ? held.turn.facelets : []);
    const place = (v: Vector, moves: boolean) => this.turnView(moves && held ? rotated(v, held.turn.axis as Vector, held.degrees) : v);
    this.drawn.forEach(({ polygon, body, corners, inner, normal, centre }, number) => {
      const moves = moving.has(number);
      const facing = place(normal, moves);
      const seen = this.toward(place(centre, moves), facing);
      const display = seen ? "" : "none";
      if (polygon.style.display !== display) polygon.style.display = body.style.display = display;
      const colour = this.colours[number] ?? "";
      if (polygon.dataset.colour !== colour) polygon.dataset.colour = colour;
      if (!seen) return;
      const points = (all: readonly Vector[]) => all.map((corner) => this.page(place(corner, moves)).map((part) => part.toFixed(2)).join(",")).join(" ");
      body.setAttribute("points", points(corners));
      polygon.setAttribute("points", points(inner));
      polygon.setAttribute("fill", shaded(this.solid.colours[colour] ?? "#3a3f46", facing));
    });
    for (const { text, at, normal } of this.labels) {
      const moves = held !== null && normal !== null && dot(normal, held.turn.axis as Vector) > 0.999;
      const point = place(at, moves);
      const seen = normal === null ? point[2] > -1.2 : this.toward(point, place(normal, moves)) && place(normal, moves)[2] > 0.3;
      text.style.display = seen ? "" : "none";
      if (!seen) continue;
      const [x, y] = this.page(point);
      text.setAttribute("x", x.toFixed(2));
      text.setAttribute("y", (y + 2.8).toFixed(2));
      if (normal) text.setAttribute("fill", inkOn(this.solid.colours[this.colourAt(text.dataset.of ?? "")] ?? "#ffffff"));
    }
    if (this.cut === null) return;
    for (const { polygon, part, cap } of this.cut.caps) {
      const { caps, turns } = this.cut.parts.parts[part] as (typeof this.cut.parts.parts)[number];
      const { corners, normal } = caps[cap] as (typeof caps)[number];
      const at = corners.map((corner) => place(corner, turns));
      const seen = at[0] !== undefined && this.toward(at[0], place(normal, turns));
      polygon.style.display = seen ? "" : "none";
      if (seen) polygon.setAttribute("points", at.map((point) => this.page(point).map((one) => one.toFixed(2)).join(",")).join(" "));
    }
    this.order();
  }

  private colourAt(face: string): string {
    return this.colours[this.inner(face)] ?? "";
  }

  /** The facelet in the middle of a face, which has its name; of an even cube one beside the middle. */
  private inner(face: string): number {
    const normal = this.solid.normals[face] as unknown as Vector;
    const away = (number: number) => {
      const centre = this.drawn[number]?.centre ?? normal;
      return Math.round(1e6 * dot(centre, centre)) - Math.round(1e6 * dot(centre, normal) ** 2);
    };
    const own = this.solid.facelets.flatMap((one, number) => (one.face === face ? [number] : []));
    return own.reduce((best, number) => (away(number) < away(best) ? number : best), own[0] ?? 0);
  }

  /** Cut the solid for a turn, or put it together. */
  private prepare(turn: Turn | null): void {
    if ((this.cut?.turn ?? null) === turn) return;
    for (const group of this.cut?.groups ?? []) group.remove();
    for (const { body, polygon } of this.drawn) this.layer.append(body, polygon);
    this.cut = null;
    if (turn === null) return;
    const parts = partsOf(this.solid, turn);
    const caps: { polygon: SVGPolygonElement; part: number; cap: number }[] = [];
    const groups = parts.parts.map((part, number) => {
      const group = document.createElementNS(NS, "g");
      part.caps.forEach((_, cap) => {
        const polygon = group.appendChild(document.createElementNS(NS, "polygon"));
        for (const [name, value] of Object.entries(BODY)) polygon.setAttribute(name, value);
        caps.push({ polygon, part: number, cap });
      });
      for (const facelet of part.facelets) {
        const drawn = this.drawn[facelet];
        if (drawn) group.append(drawn.body, drawn.polygon);
      }
      this.layer.append(group);
      return group;
    });
    this.cut = { turn, parts, groups, caps };
  }

  /** What lies farther along the axis is painted first. */
  private order(): void {
    if (this.cut === null) return;
    const axis = this.turnView(this.cut.turn.axis as Vector);
    const eye = axis[2] * EYE;
    const { groups, parts } = this.cut;
    const from = parts.from;
    // The part in which the eye is along the axis comes last; those beyond it on either side come from the outside in.
    let at = 0;
    from.forEach((begins, number) => {
      if (eye >= begins) at = number;
    });
    const wanted = [...groups.slice(0, at), ...groups.slice(at + 1).reverse(), groups[at]].filter((group) => group !== undefined);
    wanted.forEach((group, number) => {
      if (this.layer.children[number] !== group) this.layer.append(group);
    });
  }

  // What follows is about a pointer on the page.

  /** The point of a facelet that is under the pointer; x and y as in the view box. */
  under(number: number, x: number, y: number): Vector | null {
    const drawn = this.drawn[number];
    if (drawn === undefined) return null;
    const [normal, centre] = [this.turnView(drawn.normal), this.turnView(drawn.centre)];
    // The ray from the eye through the page: the page's scale is that of z = 0.
    const ray: Vector = [(x - this.offset[0]) / this.scale, -(y - this.offset[1]) / this.scale, -EYE];
    const along = dot(ray, normal);
    if (Math.abs(along) < 1e-9) return null;
    const far = (dot(centre, normal) - EYE * normal[2]) / along;
    const seen: Vector = [ray[0] * far, ray[1] * far, EYE + ray[2] * far];
    return rotated(rotated(seen, [1, 0, 0], this.pitch), [0, 1, 0], this.yaw);
  }

  /** The turn that carries a point most nearly into a direction on the page, and the way that it goes for each degree. */
  turnToward(number: number, point: Vector, dx: number, dy: number): { turn: Turn; way: [number, number] } | null {
    let best: { turn: Turn; way: [number, number] } | null = null;
    let most = 0;
    const here = this.page(this.turnView(point));
    const tried = new Set<string>();
    for (const turn of this.solid.turns) {
      if (turn.degrees <= 0 || !turn.facelets.includes(number)) continue;
      const key = turn.facelets.join();
      if (tried.has(key)) continue;
      tried.add(key);
      const there = this.page(this.turnView(rotated(point, turn.axis as Vector, 1)));
      const way: [number, number] = [there[0] - here[0], there[1] - here[1]];
      const length = Math.hypot(...way);
      if (length < 1e-6) continue;
      // Of layers that go the same way, the one with fewer facelets is meant.
      const fits = (Math.abs(way[0] * dx + way[1] * dy) / (length * Math.hypot(dx, dy))) * Math.min(1, length / 0.35) - turn.facelets.length * 1e-4;
      if (fits > most) [most, best] = [fits, { turn, way }];
    }
    return best;
  }

  /** The turn of the same layer by so many degrees; null for none. */
  byDegrees(turn: Turn, degrees: number): Turn | null {
    const around = (value: number) => ((Math.round(value) % 360) + 360) % 360;
    const key = turn.facelets.join();
    const same = this.solid.turns.filter((one) => one.facelets.join() === key && Math.sign(dot(one.axis as Vector, turn.axis as Vector)) !== 0);
    return same.find((one) => around(one.degrees * Math.sign(dot(one.axis as Vector, turn.axis as Vector))) === around(degrees)) ?? null;
  }
}

/** A colour in the light that falls on a face. */
function shaded(colour: string, normal: Vector): string {
  const light = Math.max(0, dot(normal, LIGHT));
  const by = 0.78 + 0.24 * light;
  const channel = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) * by;
    return Math.round(Math.min(255, value)).toString(16).padStart(2, "0");
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}
