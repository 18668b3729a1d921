/** Expanded nodes in the plane of g and h, and by f-layer. */
import type { JSX } from "preact";
import type { Schemas } from "../api/client";
import { count, figure } from "../parts/format";

type Node = Schemas["TraceNode"];

export interface Cell {
  g: number;
  h: number;
  count: number;
  /** of these the ones that the other search expands, too */
  shared: number;
}

export function cellsOf(nodes: readonly Node[], other: ReadonlySet<number> | undefined): Cell[] {
  const cells = new Map<string, Cell>();
  for (const { g, h, state } of nodes) {
    const key = `${g} ${h}`;
    let cell = cells.get(key);
    if (cell === undefined) {
      cell = { g, h, count: 0, shared: 0 };
      cells.set(key, cell);
    }
    cell.count += 1;
    if (other === undefined || other.has(state)) cell.shared += 1;
  }
  return [...cells.values()].sort((a, b) => a.g - b.g || a.h - b.h);
}

const SIDE = 26;

export function Grid(props: { cells: readonly Cell[]; all: readonly Node[]; picked: Cell | null; pick: (cell: Cell) => void }): JSX.Element {
  const { cells, all, picked } = props;
  const far = Math.max(...all.map((node) => node.g), 1);
  const high = Math.ceil(Math.max(...all.map((node) => node.h), 1));
  const counts = new Map<string, number>();
  for (const node of all) counts.set(`${node.g} ${node.h}`, (counts.get(`${node.g} ${node.h}`) ?? 0) + 1);
  const most = Math.max(...counts.values(), 1);
  const width = 34 + (far + 1) * SIDE;
  const height = (high + 1) * SIDE + 40;
  const x = (g: number) => 34 + (g + 0.5) * SIDE;
  const y = (h: number) => 8 + (high - h + 0.5) * SIDE;
  const radius = (n: number) => (n === 0 ? 0 : Math.max(2.2, Math.sqrt(n / most) * SIDE * 0.62));
  const fs = Array.from({ length: far + high + 1 }, (_, f) => f);
  return (
    <svg class="grid" viewBox={`0 0 ${width} ${height}`} role="group" aria-label="Expanded nodes by g and h">
      <g class="f-lines" aria-hidden="true">
        {fs.map((f) => {
          const [from, to] = [Math.max(0, f - high), Math.min(f, far)];
          return from < to ? <line key={f} x1={x(from)} y1={y(f - from)} x2={x(to)} y2={y(f - to)} /> : null;
        })}
      </g>
      <g aria-hidden="true">
        {Array.from({ length: far + 1 }, (_, g) => (
          <text key={g} x={x(g)} y={height - 18} text-anchor="middle">
            {g}
          </text>
        ))}
        {Array.from({ length: high + 1 }, (_, h) => (
          <text key={h} x={26} y={y(h) + 4} text-anchor="end">
            {h}
          </text>
        ))}
        <text x={x(far / 2)} y={height - 2} text-anchor="middle">
          g
        </text>
        <text x={2} y={y(high / 2) + 4}>
          h
        </text>
      </g>
      {cells.map((cell) => {
        const said = `g ${cell.g}, h ${figure(cell.h)}: ${count(cell.count)} expanded, ${count(cell.count - cell.shared)} of them skipped by the other`;
        const choose = () => props.pick(cell);
        return (
          <g
            key={`${cell.g} ${cell.h}`}
            class={`cell${picked?.g === cell.g && picked.h === cell.h ? " picked" : ""}`}
            role="button"
            tabindex={0}
            aria-label={said}
            onClick={choose}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== " ") return;
              event.preventDefault();
              choose();
            }}
          >
            <title>{said}</title>
            <rect x={x(cell.g) - SIDE / 2} y={y(cell.h) - SIDE / 2} width={SIDE} height={SIDE} />
            <circle class="only" cx={x(cell.g)} cy={y(cell.h)} r={radius(cell.count)} />
            <circle class="both" cx={x(cell.g)} cy={y(cell.h)} r={radius(cell.shared)} />
          </g>
        );
      })}
    </svg>
  );
}

/** How many nodes each f-layer has. */
export function Layers(props: {
  nodes: readonly Node[];
  other: ReadonlySet<number> | undefined;
  all: readonly Schemas["TracedSearch"][];
}): JSX.Element {
  const tally = (nodes: readonly Node[]) => {
    const layers = new Map<number, { count: number; shared: number }>();
    for (const node of nodes) {
      const layer = layers.get(node.g + node.h) ?? { count: 0, shared: 0 };
      layer.count += 1;
      if (props.other === undefined || props.other.has(node.state)) layer.shared += 1;
      layers.set(node.g + node.h, layer);
    }
    return layers;
  };
  const own = tally(props.nodes);
  const all = props.all.map((search) => tally(search.nodes));
  const fs = [...new Set(all.flatMap((layers) => [...layers.keys()]))].sort((a, b) => a - b);
  const most = Math.max(...all.flatMap((layers) => [...layers.values()].map((layer) => layer.count)), 1);
  return (
    <ul class="layers" aria-label="Expanded by f-layer">
      {fs.map((f) => {
        const layer = own.get(f) ?? { count: 0, shared: 0 };
        return (
          <li key={f}>
            <span>f = {figure(f)}</span>
            <span class="track" aria-hidden="true">
              <span class="both" style={{ width: `${(100 * layer.shared) / most}%` }} />
              <span class="only" style={{ width: `${(100 * (layer.count - layer.shared)) / most}%` }} />
            </span>
            <span class="number">{count(layer.count)}</span>
          </li>
        );
      })}
    </ul>
  );
}
