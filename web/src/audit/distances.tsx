/** h against h*: a square for the states with one distance and one h, the line where they are equal. */
import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import { count, figure } from "../parts/format";

const SIDE = 28;

export function Distances(props: { found: Schemas["Nearby"] }): JSX.Element {
  const { cells } = props.found;
  const far = Math.max(...cells.map((cell) => cell.distance), 3);
  const values = [...new Set(cells.map((cell) => cell.h))];
  const high = Math.max(...values, far);
  const most = Math.max(...cells.map((cell) => cell.states));
  // A cell of its own for every whole number; what lies between is drawn in its place.
  const top = Math.ceil(high);
  const width = 46 + (far + 1) * SIDE + 10;
  const step = top > 40 ? Math.ceil(top / 20) : 1;
  const scale = top > 40 ? (20 * SIDE) / top : SIDE;
  const height = (top + 1) * scale + 44;
  const x = (distance: number) => 46 + distance * SIDE;
  const y = (h: number) => (top - h) * scale + 6;
  const told = cells.map((cell) => `${cell.states} states at distance ${cell.distance} with h ${figure(cell.h)}`).slice(0, 60);
  return (
    <div class="scroll plain-scroll" tabIndex={0} role="region" aria-label="h against h*">
      <svg class="distances" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={told.join("; ")}>
        {Array.from({ length: Math.floor(top / step) + 1 }, (_, i) => (
          <text key={i} x={38} y={y(i * step) + scale / 2 + 4} text-anchor="end">
            {i * step}
          </text>
        ))}
        {Array.from({ length: far + 1 }, (_, distance) => (
          <text key={distance} x={x(distance) + SIDE / 2} y={(top + 1) * scale + 22} text-anchor="middle">
            {distance}
          </text>
        ))}
        <text x={x(0) + ((far + 1) * SIDE) / 2} y={(top + 1) * scale + 40} text-anchor="middle">
          h*
        </text>
        <text x={6} y={y(top / 2)}>
          h
        </text>
        {cells.map((cell) => (
          <rect
            key={`${cell.distance} ${cell.h}`}
            class={cell.h > cell.distance + 1e-9 ? "over" : "under"}
            x={x(cell.distance) + 1.5}
            y={y(cell.h) + 1.5}
            width={SIDE - 3}
            height={Math.max(scale - 3, 3)}
            rx={4}
            fill-opacity={0.15 + (0.85 * Math.log1p(cell.states)) / Math.log1p(most)}
          >
            <title>{`h* = ${cell.distance}, h = ${figure(cell.h)}: ${count(cell.states)} states`}</title>
          </rect>
        ))}
        <path class="equal" d={Array.from({ length: Math.min(far, top) + 1 }, (_, i) => `${i ? "L" : "M"}${x(i)} ${y(i)}H${x(i) + SIDE}`).join("")} />
      </svg>
    </div>
  );
}
