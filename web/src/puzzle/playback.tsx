/** Step through moves: buttons, a slider, and every move to jump to. Each step is announced. A move without a word is
 * written with the next one. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

const STEP_MS = 650;

export function Playback(props: { moves: readonly string[]; done: number; go: (done: number) => void }): JSX.Element {
  const { moves, done, go } = props;
  const [playing, play] = useState(false);
  const last = moves.length;
  useEffect(() => {
    if (!playing) return;
    if (done >= last) {
      play(false);
      return;
    }
    const timer = window.setTimeout(() => go(done + 1), STEP_MS);
    return () => window.clearTimeout(timer);
  }, [playing, done, last]);
  const step = (to: number) => {
    play(false);
    go(Math.max(0, Math.min(last, to)));
  };
  const start = () => {
    if (done >= last) go(0);
    play(!playing);
  };
  const jumps = moves.flatMap((move, number) => (move === "" ? [] : [{ move, after: number + 1 }]));
  const now = jumps.findIndex(({ after }) => after >= done);
  const here = done === 0 ? "start" : `after move ${done} of ${last}, ${jumps[now]?.move}`;
  return (
    <div class="playback" role="group" aria-label="Solution">
      <div class="controls">
        <button type="button" class="icon" aria-label="To the start" disabled={done === 0} onClick={() => step(0)}>
          <Icon path="M5 4v12M15 4 7 10l8 6z" />
        </button>
        <button type="button" class="icon" aria-label="One move back" disabled={done === 0} onClick={() => step(done - 1)}>
          <Icon path="M14 4 6 10l8 6z" />
        </button>
        <button type="button" class="icon main" aria-label={playing ? "Pause" : "Play"} disabled={last === 0} onClick={start}>
          <Icon path={playing ? "M7 4v12M13 4v12" : "M6 3.5 16 10 6 16.5z"} />
        </button>
        <button type="button" class="icon" aria-label="One move on" disabled={done >= last} onClick={() => step(done + 1)}>
          <Icon path="M6 4l8 6-8 6z" />
        </button>
        <button type="button" class="icon" aria-label="To the end" disabled={done >= last} onClick={() => step(last)}>
          <Icon path="M15 4v12M5 4l8 6-8 6z" />
        </button>
        <input
          type="range"
          min={0}
          max={last}
          value={done}
          aria-label="Moves made"
          aria-valuetext={here}
          onInput={(event) => step(event.currentTarget.valueAsNumber)}
        />
        <output aria-live="off">
          {done}/{last}
        </output>
      </div>
      <ol class="moves">
        {jumps.map(({ move, after }, number) => (
          <li key={after}>
            <button
              type="button"
              class={done > 0 && number <= now ? "made" : ""}
              aria-current={done > 0 && number === now ? "step" : undefined}
              aria-label={`move ${after}: ${move}`}
              onClick={() => step(after)}
            >
              {move}
            </button>
          </li>
        ))}
      </ol>
      <p class="unseen" role="status">
        {here}
      </p>
    </div>
  );
}

function Icon(props: { path: string }): JSX.Element {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <path d={props.path} />
    </svg>
  );
}
