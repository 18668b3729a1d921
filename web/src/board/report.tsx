/** One figure for a report: the position, h and h* along the line, the f-layers, and what was asked. SVG or PNG. */
import { render } from "preact";
import { Chart, PRINT } from "./chart";
import { LayerBars, whyItTook } from "./layers";
import type { Analysis } from "./question";

const WIDTH = 960;
const HEIGHT = 470;
const FONT = "Helvetica, Arial, sans-serif";

export interface Described {
  title: string;
  analysis: Analysis;
  /** the picture that the page shows */
  picture: SVGSVGElement | null;
  tiles: { tiles: readonly number[]; columns: number } | null;
}

function Report(props: Described): preact.JSX.Element {
  const { analysis, title, tiles } = props;
  const { heuristic, moves, solution, length, optimality } = analysis;
  const optimum = solution === null ? `h* is at least ${analysis.lower_bound}` : `${length} moves${optimality === "proven" ? ", proven shortest" : ""}: ${solution.slice(0, 16).join(" ")}${solution.length > 16 ? " …" : ""}`;
  const verdict = { proven: "admissible", refuted: "not admissible", unknown: "admissibility not known" }[heuristic.admissible];
  const left = 330;
  return (
    <svg xmlns="http://www.w3.org/2000/svg" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} font-family={FONT}>
      <title>{title}</title>
      <rect width={WIDTH} height={HEIGHT} fill="#ffffff" />
      <text x={24} y={36} font-size="19" font-weight="700" fill={PRINT.ink}>
        {title}
      </text>
      <text x={24} y={58} font-size="13" fill={PRINT.soft}>
        {`h = ${heuristic.expression} · ${verdict} for ${moves} moves`}
      </text>
      <g id="picture" />
      {tiles && <Tiles {...tiles} />}
      <svg x={left} y={76} width={WIDTH - left - 20} height={220}>
        <Chart line={analysis.line} width={WIDTH - left - 20} height={220} theme={PRINT} />
      </svg>
      <svg x={left} y={306} width={WIDTH - left - 20} height={130}>
        <text y={12} font-size="12" fill={PRINT.ink}>
          {whyItTook(analysis.search, analysis.search.length)}
        </text>
        <svg y={20} width={WIDTH - left - 20} height={112}>
          <LayerBars layers={analysis.search.layers} width={WIDTH - left - 40} theme={PRINT} own={analysis.trace !== null} />
        </svg>
      </svg>
      <text x={24} y={HEIGHT - 16} font-size="12" fill={PRINT.ink}>
        {optimum}
      </text>
    </svg>
  );
}

function Tiles(props: { tiles: readonly number[]; columns: number }): preact.JSX.Element {
  const side = 260 / props.columns;
  return (
    <g transform="translate(28 90)" text-anchor="middle" font-size={side * 0.4} font-weight="700">
      {props.tiles.map((tile, cell) =>
        tile === 0 ? null : (
          <g key={tile} transform={`translate(${(cell % props.columns) * side} ${Math.floor(cell / props.columns) * side})`}>
            <rect width={side - 4} height={side - 4} rx={6} fill="#fbf6ea" stroke="#4a4f57" />
            <text x={side / 2 - 2} y={side * 0.62} fill={PRINT.ink}>
              {tile}
            </text>
          </g>
        ),
      )}
    </g>
  );
}

export function reportSvg(described: Described): string {
  const host = document.createElement("div");
  render(<Report {...described} />, host);
  const svg = host.querySelector("svg");
  const place = svg?.querySelector("#picture");
  if (described.picture && place) {
    const copy = described.picture.cloneNode(true) as SVGSVGElement;
    for (const hidden of copy.querySelectorAll<SVGElement>("polygon, text")) {
      if (hidden.style.display === "none") hidden.remove();
      hidden.removeAttribute("style");
    }
    for (const [name, value] of Object.entries({ x: "20", y: "80", width: "296", height: "330" })) copy.setAttribute(name, value);
    for (const name of ["class", "tabindex", "role", "aria-label"]) copy.removeAttribute(name);
    place.append(copy);
  }
  const text = svg === null ? "" : new XMLSerializer().serializeToString(svg);
  render(null, host);
  return text;
}

export function save(name: string, content: Blob): void {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(content);
  anchor.download = name;
  anchor.click();
  window.setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}

/** The figure in pixels, twice as many as its size. */
export async function reportPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * WIDTH, 2 * HEIGHT];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((found) => (found ? done(found) : failed(new Error("no picture"))), "image/png"));
}
