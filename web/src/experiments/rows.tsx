/** Every row of an experiment, as many as there are: only those in sight are loaded and drawn. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, ask, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { bytes, count, STATUS_WORDS, seconds } from "../parts/format";
import { Badge, Notice } from "../parts/parts";
import { link } from "../route";

const LINE = 34;
const PAGE = 100;
/** Browsers draw nothing beyond some millions of pixels. */
const MOST_PIXELS = 8_000_000;

type Row = Schemas["RowInShort"];

export function Rows(props: { id: string; rows: number; done: number }): JSX.Element {
  const { id, rows } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  const tall = Math.min(rows * LINE, MOST_PIXELS);
  // Scrolled as far down as the box allows, the last row is the last one in sight.
  const visible = Math.ceil(height / LINE);
  const share = tall > height ? top / (tall - height) : 0;
  const first = Math.min(Math.max(0, rows - visible + 1), Math.floor(share * Math.max(0, rows - visible + 1)));
  const page = Math.floor(first / PAGE);
  const kept = useRef(new Map<number, Row[]>());
  useEffect(() => kept.current.clear(), [id, props.done]);
  const loaded = useLoaded(["rows", id, props.done, page], async (signal) => {
    const missing = [page, page + 1].filter((one) => !kept.current.has(one) && one * PAGE < rows);
    const load = async (one: number) => {
      const query = { first: one * PAGE, limit: PAGE };
      const part = await ask(api.GET("/v1/experiments/{id}/rows", { params: { path: { id }, query }, signal }));
      kept.current.set(one, part.items);
    };
    await Promise.all(missing.map(load));
    return page;
  });
  useEffect(() => {
    const node = box.current;
    if (node === null) return;
    const observer = new ResizeObserver(() => setHeight(node.clientHeight));
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  const numbers = Array.from({ length: Math.min(visible + 1, rows - first) }, (_, i) => first + i);
  const rowOf = (number: number) => kept.current.get(Math.floor(number / PAGE))?.[number % PAGE];
  return (
    <>
      {loaded.problem && <Notice problem={loaded.problem} retry={loaded.reload} />}
      <div
        ref={box}
        class="scroll virtual"
        tabIndex={0}
        role="region"
        aria-label="Rows"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div style={{ height: `${tall + LINE}px` }}>
          <table aria-rowcount={rows + 1}>
            <thead>
              <tr aria-rowindex={1}>
                <th class="number">Row</th>
                <th>Status</th>
                <th class="number">k</th>
                <th class="number">Scramble</th>
                <th>Search</th>
                <th class="number">Length</th>
                <th class="number">h*</th>
                <th class="number">Expanded</th>
                <th class="number">Generated</th>
                <th class="number">Time</th>
                <th class="number">Memory</th>
              </tr>
            </thead>
            <tbody>
              {numbers.map((number) => (
                <Line key={number} number={number} row={rowOf(number)} />
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </>
  );
}

function Line(props: { number: number; row: Row | undefined }): JSX.Element {
  const { number, row } = props;
  return (
    <tr aria-rowindex={number + 2}>
      <td class="number">{row ? <a href={link("solve", row.id)}>{count(number + 1)}</a> : count(number + 1)}</td>
      <td>{row && <Badge kind={row.outcome ?? row.status}>{STATUS_WORDS[row.outcome ?? row.status]}</Badge>}</td>
      <td class="number">{row?.k ?? row?.instance}</td>
      <td class="number" title={row && (row.seed === null ? undefined : `seed ${row.seed}`)}>
        {row && count(row.trial)}
      </td>
      <td>
        {row && (
          <>
            {row.method ?? row.algorithm} <small class="clip">{row.heuristic}</small>
          </>
        )}
      </td>
      <td class="number">{row && count(row.length)}</td>
      <td class="number">{row && count(row.true_distance)}</td>
      <td class="number">{row && count(row.expanded)}</td>
      <td class="number">{row && count(row.generated)}</td>
      <td class="number">{row && seconds(row.seconds)}</td>
      <td class="number">{row && bytes(row.peak_bytes)}</td>
    </tr>
  );
}
