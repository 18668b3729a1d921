/** Which puzzle: the registered ones, or a board of any size; and which of its move sets. */
import type { JSX, SelectHTMLAttributes } from "preact";
import { useState } from "preact/hooks";
import { type Puzzle, shortTitle } from "../api/catalogue";
import type { Problem, Schemas } from "../api/client";
import { Field } from "../parts/parts";
import { magnitude } from "../parts/format";

export function PuzzlePicker(props: {
  puzzles: readonly Schemas["PuzzleSummary"][];
  value: string;
  choose: (name: string) => void;
  problem: Problem | undefined;
}): JSX.Element {
  const { puzzles, value, choose } = props;
  const known = puzzles.some(({ name }) => name === value);
  const [size, setSize] = useState(value.startsWith("tiles:") ? value.slice(6) : "2x4");
  const other = !known && puzzles.length > 0;
  const chosen = puzzles.find(({ name }) => name === value);
  return (
    <Field
      label="Puzzle"
      hint={chosen ? (chosen.state_count == null ? "\u00a0" : `${magnitude(chosen.state_count)} states`) : other ? "Rows by columns" : "\u00a0"}
      faults={props.problem && [{ where: "", message: props.problem.faults[0]?.message ?? props.problem.detail }]}
    >
      {(at) => (
        <div class="row">
          <select
            {...at}
            value={other ? "tiles:" : value}
            onChange={(event) => choose(event.currentTarget.value === "tiles:" ? `tiles:${size}` : event.currentTarget.value)}
          >
            {puzzles.map(({ name, title }) => (
              <option key={name} value={name}>
                {shortTitle(title, puzzles)}
              </option>
            ))}
            <option value="tiles:">Another board</option>
          </select>
          {other && (
            <input
              class="code"
              aria-label="Size of the board"
              value={size}
              onInput={(event) => setSize(event.currentTarget.value)}
              onChange={() => choose(`tiles:${size.trim()}`)}
            />
          )}
        </div>
      )}
    </Field>
  );
}

/** One of a puzzle's move sets, each with the number of its moves. */
export function MoveSetSelect(
  props: { puzzle: Puzzle | undefined; value: string | undefined; choose: (name: string) => void } & Pick<
    SelectHTMLAttributes<HTMLSelectElement>,
    "id" | "aria-describedby" | "aria-invalid"
  >,
): JSX.Element {
  const { puzzle, choose, ...rest } = props;
  return (
    <select {...rest} onChange={(event) => choose(event.currentTarget.value)}>
      {Object.entries(puzzle?.move_sets ?? {}).map(([name, { count }]) => (
        <option key={name} value={name}>
          {name}: {count} {count === 1 ? "move" : "moves"}
        </option>
      ))}
    </select>
  );
}
