/** A state of a puzzle, and the states along its solution: drawn, turned in space, and said in words. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type Puzzle, pictureOf, usePicture, useSolid } from "../api/catalogue";
import { askText } from "../api/client";
import { useLoaded } from "../api/hooks";
import { Choice, Notice, Waiting } from "../parts/parts";
import { Board } from "./board";
import { type Facelets, readGeometry } from "./geometry";
import { Net } from "./net";
import { Space } from "./space";

export type State = {
  facelets?: Facelets;
  tiles?: number[];
  pieces?: Record<string, { pieces: number[]; orientation: number[] }>;
};

const VIEW_KEY = "hstar-view";

export function useView(): ["space" | "net", (view: "space" | "net") => void] {
  const [view, set] = useState<"space" | "net">(() => (localStorage.getItem(VIEW_KEY) === "net" ? "net" : "space"));
  return [
    view,
    (chosen) => {
      localStorage.setItem(VIEW_KEY, chosen);
      set(chosen);
    },
  ];
}

export interface Turning {
  moves: readonly string[];
  done: number;
}

export function Stage(props: {
  puzzle: Puzzle;
  state: State | undefined;
  title: string;
  /** of tiles, if it is not the puzzle's own */
  goal?: readonly number[] | undefined;
  turning: Turning;
  change?: ((state: State) => void) | undefined;
  /** a face was turned by hand */
  turn?: ((move: string) => void) | undefined;
  /** names of one's own by our face */
  names?: Record<string, string> | undefined;
}): JSX.Element {
  const { puzzle, state, change } = props;
  if (state?.tiles || puzzle.rows) {
    // The board that is asked for is not there yet: none is shown, because another would jump to it.
    const goal = props.goal ?? puzzle.goal ?? [];
    const columns = puzzle.columns ?? 1;
    const tiles = state?.tiles ?? (change ? goal : []);
    const swap = (from: number, to: number) => {
      const next = [...tiles];
      [next[from], next[to]] = [tiles[to] ?? 0, tiles[from] ?? 0];
      change?.({ tiles: next });
    };
    return (
      <div class="stage boards">
        <div class="picture">
          {tiles.length > 0 && <Board
            tiles={tiles}
            columns={columns}
            goal={goal}
            title={props.title}
            swap={change && swap}
          />}
        </div>
        {goal.length > 0 && goal.length <= MOST_TILES && (
          <p class="quiet goal">
            Goal: <span class="code">{inRows(goal, columns)}</span>; green: in place
          </p>
        )}
      </div>
    );
  }
  if (puzzle.drawn && state?.pieces) return <Drawn {...props} pieces={state.pieces} />;
  return puzzle.faces ? <Faces {...props} /> : <Pieces {...props} />;
}

/** larger goals are too long to be read */
const MOST_TILES = 25;

const inRows = (tiles: readonly number[], columns: number) =>
  Array.from({ length: Math.ceil(tiles.length / columns) }, (_, row) => tiles.slice(row * columns, (row + 1) * columns).map((tile) => tile || "□").join(" ")).join(" / ");

/** A puzzle that the service draws, state by state. */
function Drawn(props: Parameters<typeof Stage>[0] & { pieces: NonNullable<State["pieces"]> }): JSX.Element {
  const { puzzle, pieces } = props;
  const address = pictureOf(puzzle.name, { pieces });
  const picture = useLoaded([address], () => askText(address));
  return (
    <div class="stage">
      <div class="picture">
        {picture.problem && <Notice problem={picture.problem} retry={picture.reload} />}
        {picture.data !== undefined && (
          <div class="drawn" role="img" aria-label={props.title} dangerouslySetInnerHTML={{ __html: picture.data.slice(picture.data.indexOf("<svg")) }} />
        )}
      </div>
    </div>
  );
}

/** A puzzle of which the service knows pieces and no faces: a table. */
function Pieces(props: Parameters<typeof Stage>[0]): JSX.Element {
  const { state } = props;
  return (
    <div class="stage">
      <div class="picture">
          <div class="pieces" tabIndex={0} role="region" aria-label={props.title}>
            {Object.entries(state?.pieces ?? {}).map(([orbit, { pieces, orientation }]) => (
              <table key={orbit}>
                <caption>{orbit}</caption>
                <tbody>
                  <tr>
                    <th scope="row">place</th>
                    {pieces.map((_, place) => (
                      <td key={place}>{place}</td>
                    ))}
                  </tr>
                  <tr>
                    <th scope="row">piece</th>
                    {pieces.map((piece, place) => (
                      <td key={place} class={piece === place && orientation[place] === 0 ? "placed" : ""}>
                        {piece}
                        {orientation[place] ? <sup>{orientation[place]}</sup> : null}
                      </td>
                    ))}
                  </tr>
                </tbody>
              </table>
            ))}
          </div>
      </div>
    </div>
  );
}

function Faces(props: Parameters<typeof Stage>[0]): JSX.Element {
  const { puzzle, state, turning, change } = props;
  const picture = usePicture(puzzle.name);
  const geometry = useMemo(() => (picture.data === undefined ? undefined : readGeometry(picture.data)), [picture.data]);
  const [view, setView] = useView();
  const [letters, setLetters] = useState(false);
  const names = Object.fromEntries((puzzle.faces ?? []).map(({ name, colour }) => [name, colour]));
  const found = useSolid(puzzle.name);
  // undefined until it is loaded
  const solid = found.problem ? null : found.data;
  const [brush, setBrush] = useState(puzzle.faces?.[0]?.name ?? "");
  const inSpace = solid !== null && view === "space";
  const paint = (face: string, index: number) => {
    const facelets = state?.facelets ?? {};
    const shown = [...(facelets[face] ?? [])];
    shown[index] = brush;
    change?.({ facelets: { ...facelets, [face]: shown } });
  };
  return (
    <div class="stage">
      <div class="picture">
        {picture.problem && <Notice problem={picture.problem} retry={picture.reload} />}
        {/* Never beside the puzzle in space, which would then have half of the room. */}
        {!picture.problem && geometry === undefined && !(inSpace && solid && state?.facelets) && <Waiting what="the picture" lines={0} />}
        {inSpace && solid && state?.facelets && (
          <Space
            solid={solid}
            facelets={state.facelets}
            title={props.title}
            names={props.names ?? {}}
            moves={turning.moves}
            done={turning.done}
            turn={props.turn}
            paint={change && paint}
          />
        )}
        {!inSpace && geometry && state?.facelets && (
          <Net
            geometry={geometry}
            facelets={state.facelets}
            title={props.title}
            names={names}
            letters={letters}
            paint={change && paint}
          />
        )}
      </div>
      <div class="bar">
        {solid !== null && (
          <Choice label="Shown as" value={view} options={{ space: "3D", net: "Net" }} choose={setView} />
        )}
        {inSpace && !change && <span class="quiet hint">{props.turn ? "Drag a facelet to turn, the space around to look" : "Drag to look"}</span>}
        {!inSpace && (
          <label class="check">
            <input type="checkbox" checked={letters} onChange={(event) => setLetters(event.currentTarget.checked)} />
            Letters on every facelet
          </label>
        )}
      </div>
      {change && <Colours puzzle={puzzle} palette={geometry?.palette ?? {}} facelets={state?.facelets ?? {}} brush={brush} choose={setBrush} />}
    </div>
  );
}

/** Colours to paint with, and how many facelets have each. */
function Colours(props: {
  puzzle: Puzzle;
  /** colours by face; empty until the picture is loaded */
  palette: Record<string, string>;
  facelets: Facelets;
  brush: string;
  choose: (face: string) => void;
}): JSX.Element {
  const counts = new Map<string, number>();
  for (const shown of Object.values(props.facelets)) for (const colour of shown) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const each = Number((props.puzzle as Record<string, unknown>).facelets_per_face);
  return (
    <div class="colours" role="radiogroup" aria-label="Colour to paint with">
      {(props.puzzle.faces ?? []).map(({ name: face, colour }) => {
        const there = counts.get(face) ?? 0;
        return (
          <label key={face} class={`${face === props.brush ? "chosen" : ""}${there === each ? "" : " off"}`}>
            <input type="radio" name="brush" checked={face === props.brush} onChange={() => props.choose(face)} />
            <svg viewBox="0 0 20 20" aria-hidden="true">
              <circle cx="10" cy="10" r="8.5" fill={props.palette[face] ?? "none"} stroke="#1d1d1b" />
            </svg>
            <b>{face}</b>
            <span class="unseen">{colour}, </span>
            <small>
              {there}/{each}
            </small>
          </label>
        );
      })}
    </div>
  );
}
