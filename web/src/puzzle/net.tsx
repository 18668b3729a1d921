/** The unfolded puzzle; where `paint` is given, its facelets can be painted with pointer and keyboard. */
import type { JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { type Facelets, type Geometry, inkOn, neighbour } from "./geometry";

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function Net(props: {
  geometry: Geometry;
  facelets: Facelets;
  title: string;
  names?: Record<string, string>;
  letters?: boolean;
  paint?: ((face: string, index: number) => void) | undefined;
}): JSX.Element {
  const { geometry, facelets, paint, letters } = props;
  const [here, setHere] = useState(0);
  const root = useRef<SVGSVGElement>(null);
  const size = useMemo(() => (geometry.facelets.length > 100 ? 11 : 15), [geometry]);
  const colourOf = (face: string, index: number) => facelets[face]?.[index] ?? "";
  const say = (face: string, index: number) => {
    const colour = colourOf(face, index);
    const shown = colour === "" ? "not painted" : (props.names?.[colour] ?? colour);
    return `${face} ${index}: ${shown}`;
  };
  const keys = (event: KeyboardEvent) => {
    const arrow = ARROWS[event.key];
    const at = geometry.facelets[here];
    if (arrow !== undefined) {
      const next = neighbour(geometry.facelets, here, ...arrow);
      setHere(next);
      root.current?.querySelector<SVGElement>(`[data-number="${next}"]`)?.focus();
    } else if ((event.key === "Enter" || event.key === " ") && at !== undefined) {
      paint?.(at.face, at.index);
    } else return;
    event.preventDefault();
  };
  return (
    <svg
      ref={root}
      class={`net${paint ? " paintable" : ""}`}
      viewBox={`0 0 ${geometry.width} ${geometry.height}`}
      role={paint ? "group" : "img"}
      aria-label={props.title}
      onKeyDown={paint ? keys : undefined}
    >
      <g stroke="#1d1d1b" stroke-width="1.6" stroke-linejoin="round">
        {geometry.facelets.map(({ face, index, points }, number) => (
          <polygon
            key={number}
            points={points}
            fill={geometry.palette[colourOf(face, index)] ?? "transparent"}
            data-number={number}
            data-face={face}
            data-facelet={index}
            data-colour={colourOf(face, index)}
            {...(paint && {
              role: "button",
              tabindex: number === here ? 0 : -1,
              "aria-label": say(face, index),
              onFocus: () => setHere(number),
              onClick: () => paint(face, index),
            })}
          />
        ))}
      </g>
      <g class="marks" aria-hidden="true">
        {geometry.marks.map(({ tag: Tag, attributes, text }, number) => (
          <Tag key={number} {...(attributes as object)}>
            {text}
          </Tag>
        ))}
        {letters &&
          geometry.facelets.map(({ face, index, centre }, number) => {
            const colour = colourOf(face, index);
            return (
              <text
                key={`letter ${number}`}
                x={centre[0]}
                y={centre[1] + size / 3}
                font-size={size}
                text-anchor="middle"
                fill={inkOn(geometry.palette[colour] ?? "#ffffff")}
              >
                {colour}
              </text>
            );
          })}
      </g>
    </svg>
  );
}
