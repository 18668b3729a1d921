/** A board of sliding tiles; where `swap` is given, tiles can be dragged onto others, or exchanged with the keyboard. */
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";

export function Board(props: {
  tiles: readonly number[];
  columns: number;
  goal: readonly number[];
  title: string;
  swap?: ((from: number, to: number) => void) | undefined;
}): JSX.Element {
  const { tiles, columns, goal, swap } = props;
  const rows = Math.ceil(tiles.length / columns);
  const [picked, pick] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [here, setHere] = useState(0);
  const root = useRef<HTMLDivElement>(null);
  const place = (tile: number) => tiles.indexOf(tile);
  const inOrder = [...tiles].sort((a, b) => a - b);

  const at = (event: PointerEvent): number | null => {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-cell]");
    return found && root.current?.contains(found) ? Number(found.dataset.cell) : null;
  };
  const exchange = (from: number, to: number) => {
    if (from !== to) swap?.(from, to);
    pick(null);
    setOver(null);
  };
  const choose = (cell: number) => (picked === null ? pick(cell) : exchange(picked, cell));
  const keys = (event: KeyboardEvent, cell: number) => {
    const column = cell % columns;
    const next: Record<string, number | false> = {
      ArrowLeft: column > 0 && cell - 1,
      ArrowRight: column < columns - 1 && cell + 1,
      ArrowUp: cell >= columns && cell - columns,
      ArrowDown: cell + columns < tiles.length && cell + columns,
    };
    if (event.key === "Escape") pick(null);
    else if (event.key === "Enter" || event.key === " ") choose(cell);
    else if (event.key in next) {
      const to = next[event.key];
      if (typeof to === "number") root.current?.querySelector<HTMLElement>(`[data-cell="${to}"]`)?.focus();
    } else return;
    event.preventDefault();
  };

  const words = Array.from({ length: rows }, (_, row) =>
    tiles.slice(row * columns, (row + 1) * columns).map((tile) => (tile === 0 ? "blank" : tile)).join(" "),
  ).join(" / ");
  return (
    <div
      ref={root}
      class={`board${swap ? " editable" : ""}`}
      role={swap ? "group" : "img"}
      aria-label={`${props.title}: ${words}`}
      style={{ "--columns": String(columns), "--rows": String(rows) }}
    >
      {inOrder.map((tile) => {
        const cell = place(tile);
        const home = goal[cell] === tile;
        const state = `${tile === 0 ? "blank" : home ? "home" : "away"}${cell === picked ? " picked" : ""}${cell === over ? " over" : ""}`;
        return (
          <div
            key={tile}
            class={`tile ${state}`}
            data-cell={cell}
            data-tile={tile}
            style={{ "--x": String(cell % columns), "--y": String(Math.floor(cell / columns)) }}
            {...(swap && {
              role: "button",
              tabIndex: cell === here ? 0 : -1,
              onFocus: () => setHere(cell),
              "aria-label": `row ${Math.floor(cell / columns) + 1}, column ${(cell % columns) + 1}: ${tile || "blank"}`,
              "aria-pressed": cell === picked,
              onKeyDown: (event: KeyboardEvent) => keys(event, cell),
              onPointerDown: (event: PointerEvent) => {
                (event.currentTarget as HTMLElement).focus();
                if (picked === null) pick(cell);
                else exchange(picked, cell);
                event.preventDefault();
              },
              onPointerMove: (event: PointerEvent) => {
                if (picked !== null && event.buttons === 1) setOver(at(event));
              },
              onPointerUp: (event: PointerEvent) => {
                const to = at(event);
                if (picked !== null && to !== null && to !== picked) exchange(picked, to);
              },
            })}
          >
            {tile || ""}
          </div>
        );
      })}
    </div>
  );
}
