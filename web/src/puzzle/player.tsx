/** The puzzle in space: cubing.js's twisty-player, loaded when it is first shown. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Waiting } from "../parts/parts";
import type { Definition, Twisty } from "./twisty";

/** What the player calls a puzzle, by our name. The Master Pyraminx is cut so that it has its tips. */
const DEFINITIONS: Record<string, Definition> = {
  megaminx: { puzzle: "megaminx" },
  master_pyraminx: { description: "t v 0 v 1 v 2" },
  pyraminx: { puzzle: "pyraminx" },
  "2x2x2": { puzzle: "2x2x2" },
  "3x3x3": { puzzle: "3x3x3" },
};

export function hasPlayer(puzzle: string): boolean {
  return puzzle in DEFINITIONS && webgl();
}

let found: boolean | undefined;
function webgl(): boolean {
  found ??= document.createElement("canvas").getContext("webgl2") !== null;
  return found;
}

/**
 * The puzzle after `done` of `moves`; a step of one move is turned, a larger one jumps.
 *
 * setup: moves from the solved state to where `moves` begin
 */
export function Player(props: {
  puzzle: string;
  setup: string;
  moves: readonly string[];
  done: number;
  inverse: (move: string) => string;
  title: string;
}): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const twisty = useRef<Twisty | null>(null);
  const shown = useRef({ setup: "", moves: "", done: 0 });
  const [state, setState] = useState<"loading" | "ready" | "failed">("loading");

  useEffect(() => {
    let gone = false;
    import("./twisty").then(
      ({ makePlayer }) => {
        if (gone || place.current === null) return;
        twisty.current = makePlayer(DEFINITIONS[props.puzzle] ?? {});
        place.current.append(twisty.current);
        shown.current = { setup: "?", moves: "", done: 0 };
        setState("ready");
      },
      () => setState("failed"),
    );
    return () => {
      gone = true;
      twisty.current?.remove();
      twisty.current = null;
    };
  }, [props.puzzle]);

  const key = props.moves.join(" ");
  useEffect(() => {
    const player = twisty.current;
    if (player === null) return;
    const before = shown.current;
    const step = props.done - before.done;
    const move = step === 1 ? props.moves[before.done] : step === -1 ? props.moves[props.done] : undefined;
    if (before.setup === props.setup && before.moves === key && move !== undefined) {
      player.experimentalAddMove(step === 1 ? move : props.inverse(move), { cancel: false });
    } else if (before.setup !== props.setup || before.moves !== key || step !== 0) {
      player.experimentalSetupAlg = props.setup;
      player.alg = props.moves.slice(0, props.done).join(" ");
      player.jumpToEnd();
    }
    shown.current = { setup: props.setup, moves: key, done: props.done };
  }, [state, props.setup, key, props.done]);

  return (
    <div class="player" ref={place} role="img" aria-label={props.title}>
      {state === "loading" && <Waiting what="the 3D player" lines={0} />}
      {state === "failed" && <p class="quiet">The 3D player could not be loaded. The net shows the same.</p>}
    </div>
  );
}
