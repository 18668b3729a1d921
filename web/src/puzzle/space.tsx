/** The puzzle in space: drag a facelet to turn its layer, drag beside it to look from elsewhere. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Facelets } from "./geometry";
import { type Held, Scene } from "./scene";
import { afterMoves, type Solid, type Turn, type Vector } from "./solid";

/** pointer ways, in units of the view box, from which on a drag has a direction */
const DECIDED = 4;
const TURN_MS = 190;

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

interface Drag {
  id: number;
  number: number | null;
  from: [number, number];
  point: Vector | null;
  found: { turn: Turn; way: [number, number] } | null;
}

export function Space(props: {
  solid: Solid;
  facelets: Facelets;
  title: string;
  names: Record<string, string>;
  /** moves along which `done` steps; a step of one is turned, a larger one jumps */
  moves: readonly string[];
  done: number;
  turn?: ((move: string) => void) | undefined;
  paint?: ((face: string, index: number) => void) | undefined;
}): JSX.Element {
  const svg = useRef<SVGSVGElement>(null);
  const scene = useRef<Scene | null>(null);
  const drag = useRef<Drag | null>(null);
  const frame = useRef(0);
  const shown = useRef({ key: "", done: 0, turned: "" });
  /** what the layer that glides now does at its end */
  const ending = useRef<(() => void) | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const { solid, facelets, moves, done } = props;
  const names = JSON.stringify(props.names);

  // Before the browser paints: what is read of the page, and what is held of the puzzle, belongs to the state that it says.
  useLayoutEffect(() => {
    if (svg.current === null) return;
    scene.current = new Scene(svg.current, solid);
    scene.current.show(facelets);
    return () => {
      cancelAnimationFrame(frame.current);
      ending.current = null;
      svg.current?.replaceChildren();
      scene.current = null;
    };
  }, [solid]);

  useLayoutEffect(() => {
    scene.current?.name(JSON.parse(names) as Record<string, string>);
    scene.current?.draw();
  }, [solid, names]);

  const glide = (held: Held, to: number, then: () => void) => {
    const drawn = scene.current;
    if (drawn === null) return;
    ending.current?.();
    const from = held.degrees;
    const began = performance.now();
    const end = () => {
      cancelAnimationFrame(frame.current);
      ending.current = null;
      drawn.held = null;
      then();
      drawn.draw();
    };
    if (still()) return end();
    ending.current = end;
    const step = (now: number) => {
      const part = Math.min(1, (now - began) / TURN_MS);
      drawn.held = { turn: held.turn, degrees: from + (to - from) * (1 - (1 - part) ** 3) };
      drawn.draw();
      if (part < 1) frame.current = requestAnimationFrame(step);
      else end();
    };
    step(began);
  };

  const key = moves.join(" ");
  const state = JSON.stringify(facelets);
  useLayoutEffect(() => {
    const drawn = scene.current;
    if (drawn === null) return;
    const before = shown.current;
    shown.current = { key, done, turned: "" };
    const step = done - before.done;
    const went = step === 1 ? moves[done - 1] : step === -1 ? before.key.split(" ")[before.done - 1] : undefined;
    const same = step === 1 ? key.startsWith(before.key.split(" ").slice(0, before.done).join(" ")) : before.key === key;
    const turn = went === undefined || !same ? undefined : solid.turns.find((one) => one.move === went);
    if (turn === undefined || before.turned === went || drag.current !== null) {
      cancelAnimationFrame(frame.current);
      ending.current = null;
      if (!drag.current?.found) drawn.held = null;
      drawn.show(facelets);
      drawn.draw();
      return;
    }
    const degrees = step === 1 ? turn.degrees : -turn.degrees;
    // The colours that are drawn are those before the turn.
    glide({ turn, degrees: 0 }, degrees, () => drawn.show(facelets));
  }, [solid, state, key, done]);

  const at = (event: PointerEvent): [number, number] => {
    const box = svg.current?.getScreenCTM();
    if (!box) return [0, 0];
    return [(event.clientX - box.e) / box.a, (event.clientY - box.f) / box.d];
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0 || drag.current !== null || scene.current === null) return;
    // A person who turns quickly does not wait for the turn before: it is made now, and what is under the pointer may be another facelet.
    const gliding = ending.current !== null;
    ending.current?.();
    const target = (gliding ? document.elementFromPoint(event.clientX, event.clientY) : event.target) as SVGElement;
    const number = target.dataset?.number === undefined || !(props.turn || props.paint) ? null : Number(target.dataset.number);
    const from = at(event);
    drag.current = { id: event.pointerId, number, from, point: number === null ? null : scene.current.under(number, ...from), found: null };
    svg.current?.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    const held = drag.current;
    const drawn = scene.current;
    if (held === null || held.id !== event.pointerId || drawn === null) return;
    const [x, y] = at(event);
    const [dx, dy] = [x - held.from[0], y - held.from[1]];
    if (held.number === null || !props.turn) {
      drawn.yaw += dx * 0.7;
      drawn.pitch = Math.max(-85, Math.min(85, drawn.pitch + dy * 0.7));
      held.from = [x, y];
      drawn.draw();
      return;
    }
    if (held.found === null) {
      if (Math.hypot(dx, dy) < DECIDED || held.point === null) return;
      held.found = drawn.turnToward(held.number, held.point, dx, dy);
    }
    if (held.found === null) return;
    const { turn, way } = held.found;
    const length = way[0] ** 2 + way[1] ** 2;
    drawn.held = { turn, degrees: (dx * way[0] + dy * way[1]) / length };
    drawn.draw();
  };
  const up = (event: PointerEvent) => {
    const held = drag.current;
    const drawn = scene.current;
    if (held === null || held.id !== event.pointerId || drawn === null) return;
    drag.current = null;
    if (held.found === null || drawn.held === null) {
      const facelet = held.number === null ? undefined : solid.facelets[held.number];
      if (facelet && props.paint) props.paint(facelet.face, facelet.index);
      return;
    }
    const { turn } = held.found;
    const unit = Math.abs(turn.degrees);
    const to = Math.round(drawn.held.degrees / unit) * unit;
    const made = drawn.byDegrees(turn, to);
    glide(drawn.held, to, () => {
      if (made === null) return;
      shown.current.turned = made.move;
      const next = afterMoves(solid, latest.current.facelets, [made.move]);
      if (next !== null) drawn.show(next);
      latest.current.turn?.(made.move);
    });
  };
  const keys = (event: KeyboardEvent) => {
    const drawn = scene.current;
    const step: Record<string, [number, number]> = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };
    const by = step[event.key];
    if (drawn === null || (by === undefined && event.key !== "Home")) return;
    if (by === undefined) drawn.look();
    else {
      drawn.yaw += by[0];
      drawn.pitch = Math.max(-85, Math.min(85, drawn.pitch + by[1]));
    }
    drawn.draw();
    event.preventDefault();
  };
  return (
    <div class={`space${props.turn ? " turnable" : ""}`} tabIndex={0} role="group" aria-label="The puzzle in space. Arrow keys look at it from another side, Home from the front." onKeyDown={keys}>
      <svg
        ref={svg}
        viewBox="-100 -100 200 200"
        role="img"
        aria-label={props.title}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
      />
    </div>
  );
}
