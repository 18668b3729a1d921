/** The expansions of a search by f, beside those of one's own trace. */
import type { JSX } from "preact";
import { count, figure, rough } from "../parts/format";
import type { Theme } from "./chart";
import type { Analysis } from "./question";

type Layer = Analysis["search"]["layers"][number];

const ROW = 19;
/** more layers than this are drawn as some together; the largest and the one before stand by themselves */
const MOST = 6;

/** The largest layer, its share, and how much larger a layer is than the one before. */
export function eaten(layers: readonly Layer[]): { layer: Layer; share: number; growth: number | null } | null {
  const all = layers.reduce((sum, layer) => sum + layer.expanded, 0);
  const largest = [...layers].sort((a, b) => b.expanded - a.expanded)[0];
  if (largest === undefined || all === 0) return null;
  const full = layers.filter((layer) => layer.expanded > 0);
  const [before, last] = [full[full.indexOf(largest) - 1], largest];
  return { layer: largest, share: largest.expanded / all, growth: before ? last.expanded / before.expanded : null };
}

export function whyItTook(search: Analysis["search"], cost: number | null | undefined): string {
  const found = eaten(search.layers);
  if (found === null) return "The start is the goal: nothing was expanded.";
  const { layer, share, growth } = found;
  const all = search.counters.expanded;
  const ate = `f = ${figure(layer.f)} took ${count(layer.expanded)} of ${count(all)} expansions (${Math.round(100 * share)} %)`;
  const grows = growth !== null && growth > 1 ? `, ${figure(growth)} times the layer before` : "";
  if (search.outcome === "limit_reached") {
    const next = growth !== null && growth > 1 ? ` At that rate the next layer takes about ${rough(layer.expanded * growth)}.` : "";
    return `It died in f = ${figure(search.layers[search.layers.length - 1]?.f)}: ${ate}${grows}.${next}`;
  }
  const away = cost == null ? null : layer.f - cost;
  const place =
    away === null ? "" : away > 1e-6 ? ` That is above the cost ${cost}: h overestimates on every shortest way.` : away < -1e-6 ? ` f is below the cost ${cost}, so no tie-breaking saves them.` : " It is the last layer: ties decide how much of it is expanded.";
  return `${ate}${grows}.${place}`;
}

export function LayerBars(props: { layers: readonly Layer[]; width: number; theme: Theme; own: boolean }): JSX.Element {
  const { width, theme, own } = props;
  const layers = folded(props.layers);
  const most = Math.max(1, ...layers.flatMap((layer) => [layer.expanded, layer.own ?? 0]));
  const row = own ? ROW + 9 : ROW;
  const [left, right] = [58, 62];
  const bar = (value: number) => (value === 0 ? 0 : Math.max(2, ((width - left - right) * value) / most));
  const worst = eaten(props.layers)?.layer.f;
  const height = Math.max(1, layers.length) * row + 4;
  const told = layers.map((layer) => `f ${layer.name}: ${layer.expanded}${own ? `, yours ${layer.own ?? 0}` : ""}`).join("; ");
  return (
    <svg class="layer-bars" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`Expansions by f. ${told}`} font-size="12" font-family="inherit">
      {layers.map((layer, number) => (
        <g key={layer.name} transform={`translate(0 ${number * row})`}>
          <text x={left - 8} y={13} text-anchor="end" fill={theme.soft}>
            f {/^[≤≥]/.test(layer.name) ? layer.name : `= ${layer.name}`}
          </text>
          <rect x={left} y={3} width={bar(layer.expanded)} height={12} rx={2.5} fill={layer.name === figure(worst) ? theme.accent : theme.cool} />
          <text x={left + bar(layer.expanded) + 6} y={13} fill={theme.ink}>
            {count(layer.expanded)}
          </text>
          {own && (
            <>
              <rect x={left} y={17} width={bar(layer.own ?? 0)} height={6} rx={2} fill={theme.ink} fill-opacity={0.55} />
              <text x={left + bar(layer.own ?? 0) + 6} y={24} font-size="10" fill={theme.soft}>
                {count(layer.own ?? 0)} yours
              </text>
            </>
          )}
        </g>
      ))}
    </svg>
  );
}

function folded(layers: readonly Layer[]): (Layer & { name: string })[] {
  const named = layers.map((layer) => ({ ...layer, name: figure(layer.f) }));
  if (named.length <= MOST) return named;
  const worst = layers.findIndex(({ f }) => f === eaten(layers)?.layer.f);
  // As late as the layer before the largest allows: the last layers are those that a search is about.
  const from = Math.max(1, Math.min(named.length - MOST + 1, worst - 1));
  const to = from === named.length - MOST + 1 ? named.length : from + MOST - 2;
  return [...together(named.slice(0, from), "≤", -1), ...named.slice(from, to), ...together(named.slice(to), "≥", 0)];
}

/** Layers as one, called after one of them. */
function together(layers: readonly (Layer & { name: string })[], sign: "≤" | "≥", after: -1 | 0): (Layer & { name: string })[] {
  const called = layers.at(after);
  if (called === undefined || layers.length === 1) return [...layers];
  const sum = (what: "expanded" | "own") => layers.reduce((total, layer) => total + (layer[what] ?? 0), 0);
  return [{ ...called, name: `${sign} ${called.name}`, expanded: sum("expanded"), own: sum("own") }];
}
