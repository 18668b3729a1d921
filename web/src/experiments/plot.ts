/** The plot of a table: for each x and series a box of quartiles with its median, and open arrows where searches stopped. */
import * as Plot from "@observablehq/plot";
import type { Schemas } from "../api/client";
import { colourOf, sameSeries, type Series } from "./request";

type Group = Schemas["Group"];

interface Box {
  x: number;
  number: number;
  name: string;
  low: number;
  high: number;
  median: number;
  least: number;
  most: number;
  stopped: boolean;
  stops: number;
  solved: number;
}

export interface Point {
  x: number;
  y: number;
  number: number;
  stopped: boolean;
}

function boxes({ groups, series, names, measure }: PlotOptions): Box[] {
  return groups.flatMap((group): Box[] => {
    const summary = group.measures[measure];
    const median = summary?.median_all;
    if (group.x === null || !summary || median === null || median === undefined) return [];
    const number = series.findIndex((one) => sameSeries(one, group.series));
    return [
      {
        x: group.x,
        number,
        name: names[number] ?? "",
        low: summary.lower_quartile_all ?? median,
        high: summary.upper_quartile_all ?? median,
        median,
        least: summary.minimum ?? median,
        most: summary.maximum ?? median,
        stopped: summary.median_all_at_least ?? false,
        stops: summary.lower_bounds,
        solved: summary.exact,
      },
    ];
  });
}

export interface PlotOptions {
  groups: readonly Group[];
  series: readonly Series[];
  /** of each series */
  names: readonly string[];
  measure: string;
  unit: string;
  x: string;
  width: number;
  points: readonly Point[];
}

export function draw(options: PlotOptions): SVGSVGElement | HTMLElement {
  const { series, width, points } = options;
  const found = boxes(options);
  const xs = [...new Set(found.map((box) => box.x))].sort((a, b) => a - b);
  const gap = Math.min(...xs.slice(1).map((x, i) => x - (xs[i] ?? 0)), 1);
  // Series stand side by side within their x.
  const share = (0.8 * gap) / series.length;
  const left = (number: number, x: number) => x - 0.4 * gap + number * share + share * 0.12;
  const right = (number: number, x: number) => x - 0.4 * gap + (number + 1) * share - share * 0.12;
  const middle = (box: { number: number; x: number }) => (left(box.number, box.x) + right(box.number, box.x)) / 2;
  const positive = (value: number) => Math.max(value, 1e-9);
  const zero = found.some((box) => box.least <= 0);
  const lines = series.map((_, number) => found.filter((box) => box.number === number));
  return Plot.plot({
    className: "hplot",
    width,
    height: Math.max(260, Math.min(460, width * 0.55)),
    marginLeft: 62,
    marginRight: 12,
    marginBottom: 42,
    style: { background: "none", fontSize: "12px" },
    x: { label: options.x, labelAnchor: "center", labelArrow: "none", ticks: xs.filter((_, i) => i % Math.ceil((24 * xs.length) / width) === 0), tickFormat: "d", line: true },
    y: { type: zero ? "symlog" : "log", label: options.unit, labelArrow: "none", grid: true, tickFormat: (value: number) => compact.format(value), nice: !zero, ticks: zero ? powers(found) : 6 },
    marks: [
      Plot.ruleX(found, { x: middle, y1: (box: Box) => (zero ? box.least : positive(box.least)), y2: "most", stroke: (box: Box) => colourOf(box.number), strokeOpacity: 0.5 }),
      Plot.rect(found, {
        x1: (box: Box) => left(box.number, box.x),
        x2: (box: Box) => right(box.number, box.x),
        y1: "low",
        y2: "high",
        fill: (box: Box) => colourOf(box.number),
        fillOpacity: 0.22,
        stroke: (box: Box) => colourOf(box.number),
        strokeWidth: 1,
      }),
      ...lines.map((line, number) => Plot.line(line, { x: middle, y: "median", stroke: colourOf(number), strokeWidth: 2, strokeDasharray: number >= 7 ? "5 3" : undefined })),
      Plot.dot(points.filter((point) => !point.stopped), {
        x: (point: Point) => middle(point),
        y: "y",
        r: 2.2,
        fill: (point: Point) => colourOf(point.number),
        fillOpacity: 0.75,
      }),
      Plot.dot(points.filter((point) => point.stopped), {
        x: (point: Point) => middle(point),
        y: "y",
        r: 4,
        symbol: "triangle2",
        fill: "none",
        stroke: (point: Point) => colourOf(point.number),
      }),
      Plot.dot(points.length ? [] : found.filter((box) => box.stops > 0), {
        x: middle,
        y: "high",
        r: 5,
        dy: -8,
        symbol: "triangle2",
        fill: "none",
        stroke: (box: Box) => colourOf(box.number),
        strokeWidth: 1.4,
      }),
      Plot.tip(
        found,
        Plot.pointer({
          x: middle,
          y: "median",
          fill: "var(--panel)",
          stroke: "var(--edge)",
          title: (box: Box) =>
            [
              box.name,
              `${options.x} ${box.x}: ${box.solved} solved${box.stops ? `, ${box.stops} stopped at a limit` : ""}`,
              `median ${box.stopped ? "at least " : ""}${short(box.median)}`,
              `quartiles ${short(box.low)} to ${short(box.high)}`,
            ].join("\n"),
        }),
      ),
    ],
  });
}

/** 0 and the powers of ten: an axis that holds 0 has no other round numbers that are evenly spread. */
function powers(found: readonly Box[]): number[] {
  const most = Math.max(...found.map((box) => box.most), 1);
  const all = Array.from({ length: Math.ceil(Math.log10(most)) + 1 }, (_, i) => 10 ** i);
  return [0, ...all.filter((one) => one <= most)];
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const format = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const short = (value: number) => format.format(value);
