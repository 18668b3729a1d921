/** h, h* and f along a line of moves. One picture for the page and for reports: colours come from a theme. */
import type { JSX } from "preact";
import { figure } from "../parts/format";
import type { Analysis } from "./question";

export interface Theme {
  ink: string;
  soft: string;
  line: string;
  sunk: string;
  cool: string;
  bad: string;
  accent: string;
}

export const SCREEN: Theme = {
  ink: "var(--ink)", soft: "var(--soft)", line: "var(--line)", sunk: "var(--sunk)", cool: "var(--cool)", bad: "var(--bad)", accent: "var(--accent)",
};
export const PRINT: Theme = { ink: "#1f2328", soft: "#5a616c", line: "#e0dbd1", sunk: "#f4f1eb", cool: "#1d5aa6", bad: "#a8271d", accent: "#a8380f" };

const TOP = 26;
const BOTTOM = 34;
const LEFT = 30;
const RIGHT = 14;
/** above h*, but for what may be rounding */
export const above = (h: number, distance: number | null | undefined) => distance != null && h > distance + 1e-6;

export function Chart(props: {
  line: Analysis["line"];
  width: number;
  height: number;
  theme: Theme;
  done?: number;
  go?: (done: number) => void;
}): JSX.Element {
  const { line, width, height, theme, done, go } = props;
  const cost = line[0]?.distance ?? null;
  const most = Math.max(1, ...line.map((at, g) => Math.max(at.h + g, at.distance ?? 0)));
  const top = Math.ceil(most);
  const step = (width - LEFT - RIGHT) / Math.max(1, line.length);
  const x = (g: number) => LEFT + (g + 0.5) * step;
  const y = (value: number) => TOP + (1 - value / top) * (height - TOP - BOTTOM);
  const every = Math.max(1, Math.ceil(top / 6));
  const named = Math.max(1, Math.ceil(30 / step));
  const path = (value: (at: Analysis["line"][number], g: number) => number | null | undefined) => {
    let pen = "M";
    return line
      .map((at, g) => {
        const found = value(at, g);
        if (found == null) {
          pen = "M";
          return "";
        }
        const part = `${pen}${x(g).toFixed(1)} ${y(found).toFixed(1)}`;
        pen = "L";
        return part;
      })
      .join("");
  };
  const told = line.map((at, g) => `${at.written ?? "start"}: h ${figure(at.h)}, h* ${at.distance ?? "not known"}, f ${figure(at.h + g)}`).join("; ");
  return (
    <svg class="chart-line" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={`h, h* and f along the line. ${told}`} font-size="12" font-family="inherit">
      <g fill={theme.soft}>
        {Array.from({ length: Math.floor(top / every) + 1 }, (_, i) => i * every).map((value) => (
          <g key={value}>
            <line x1={LEFT} x2={width - RIGHT} y1={y(value)} y2={y(value)} stroke={theme.line} />
            <text x={LEFT - 7} y={y(value) + 4} text-anchor="end">
              {value}
            </text>
          </g>
        ))}
      </g>
      {done !== undefined && <rect x={x(done) - step / 2} y={TOP - 6} width={step} height={height - TOP - BOTTOM + 12} rx={5} fill={theme.sunk} />}
      {cost !== null && <line x1={LEFT} x2={width - RIGHT} y1={y(cost)} y2={y(cost)} stroke={theme.soft} stroke-dasharray="2 4" />}
      <path d={path((at, g) => at.h + g)} fill="none" stroke={theme.accent} stroke-width={1.6} stroke-dasharray="6 4" />
      <path d={path((at) => at.distance)} fill="none" stroke={theme.ink} stroke-width={2} />
      {line.map((at, g) =>
        above(at.h, at.distance) ? <line key={g} x1={x(g)} x2={x(g)} y1={y(at.distance ?? 0)} y2={y(at.h)} stroke={theme.bad} stroke-width={7} stroke-opacity={0.3} stroke-linecap="round" /> : null,
      )}
      <path d={path((at) => at.h)} fill="none" stroke={theme.cool} stroke-width={2} />
      {line.map((at, g) => (
        <g key={g}>
          {at.distance != null && <circle cx={x(g)} cy={y(at.distance)} r={3.4} fill={theme.ink} />}
          <circle cx={x(g)} cy={y(at.h)} r={4.2} fill={above(at.h, at.distance) ? theme.bad : theme.cool} />
        </g>
      ))}
      <g fill={theme.soft}>
        {line.map((at, g) =>
          g % named === 0 || g === done ? (
            <text key={g} x={x(g)} y={height - BOTTOM + 20} text-anchor="middle" fill={g === done ? theme.ink : theme.soft} font-weight={g === done ? 700 : 400}>
              {at.written ?? "start"}
            </text>
          ) : null,
        )}
      </g>
      <g font-weight="600">
        <circle cx={LEFT + 5} cy={9} r={4.2} fill={theme.cool} />
        <text x={LEFT + 14} y={13} fill={theme.cool}>
          h
        </text>
        <circle cx={LEFT + 41} cy={9} r={3.6} fill={theme.ink} />
        <text x={LEFT + 50} y={13} fill={theme.ink}>
          h*, true distance
        </text>
        <line x1={LEFT + 176} x2={LEFT + 196} y1={9} y2={9} stroke={theme.accent} stroke-width={1.8} stroke-dasharray="6 4" />
        <text x={LEFT + 202} y={13} fill={theme.accent}>
          f = g + h
        </text>
        {cost !== null && width > 400 && (
          <text x={width - RIGHT} y={13} fill={theme.soft} text-anchor="end" font-weight="400">
            dotted: cost {cost}
          </text>
        )}
      </g>
      {go &&
        line.map((_, g) => (
          <rect key={g} class="hit" x={x(g) - step / 2} y={0} width={step} height={height} fill="transparent" onClick={() => go(g)} />
        ))}
    </svg>
  );
}
