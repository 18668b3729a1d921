/** The geometry of a net, read from the picture that the service draws of the solved puzzle: one picture, two hands. */

export interface Facelet {
  /** where it lies: its face, and its number in the format of that face */
  face: string;
  index: number;
  points: string;
  centre: readonly [number, number];
}

export interface Mark {
  tag: "polygon" | "text" | "circle" | "line";
  attributes: Record<string, string>;
  text: string;
}

export interface Geometry {
  width: number;
  height: number;
  facelets: Facelet[];
  /** outlines and names, drawn over the facelets */
  marks: Mark[];
  /** the colour of each face */
  palette: Record<string, string>;
}

export type Facelets = Record<string, string[]>;

export function readGeometry(svg: string): Geometry {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const [, , width = 100, height = 100] = (root.getAttribute("viewBox") ?? "").split(" ").map(Number);
  const geometry: Geometry = { width, height, facelets: [], marks: [], palette: {} };
  for (const child of root.children) {
    const face = child.getAttribute("data-face");
    if (face !== null) {
      for (const drawn of child.querySelectorAll("[data-facelet]")) {
        const points = drawn.getAttribute("points") ?? "";
        geometry.palette[face] = drawn.getAttribute("fill") ?? "none";
        geometry.facelets.push({ face, index: Number(drawn.getAttribute("data-facelet")), points, centre: middle(points) });
      }
    } else if (["polygon", "text", "circle", "line"].includes(child.tagName)) {
      geometry.marks.push({
        tag: child.tagName as Mark["tag"],
        attributes: Object.fromEntries([...child.attributes].map((one) => [one.name, one.value])),
        text: child.textContent ?? "",
      });
    }
  }
  return geometry;
}

function middle(points: string): [number, number] {
  const corners = points.split(" ").map((pair) => pair.split(",").map(Number));
  const sum = (axis: number) => corners.reduce((total, corner) => total + (corner[axis] ?? 0), 0);
  return [sum(0) / corners.length, sum(1) / corners.length];
}

/** Black or white, whichever is read more easily on a colour (#rrggbb). */
export function inkOn(colour: string): string {
  const channel = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return luminance > 0.18 ? "#1d1d1b" : "#ffffff";
}

/** The facelet nearest to another one in a direction, for the arrow keys. */
export function neighbour(facelets: readonly Facelet[], from: number, dx: number, dy: number): number {
  const here = facelets[from]?.centre ?? [0, 0];
  let best = from;
  let least = Number.POSITIVE_INFINITY;
  facelets.forEach((facelet, number) => {
    const [x, y] = [facelet.centre[0] - here[0], facelet.centre[1] - here[1]];
    const along = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (along > 1 && along + 2.5 * aside < least) {
      least = along + 2.5 * aside;
      best = number;
    }
  });
  return best;
}
