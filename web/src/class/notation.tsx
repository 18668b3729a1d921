/** The question what a student's own moves mean: what was inferred from the file, to be confirmed once, or changed. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Schemas } from "../api/client";
import { count } from "../parts/format";
import { Badge, Field } from "../parts/parts";

type Notation = Schemas["Notation"];
type Reading = Schemas["Reading"];

/** Whether the answer for one file answers for the other: it has no word that the one has not, and each means the same. */
export function answersFor(one: Reading, other: Reading): boolean {
  const order = (reading: Reading) => reading.notation.order ?? "as_written";
  const meaning = (reading: Reading, place: Place) => (reading.notation[place] ?? {}) as Record<string, string>;
  const known = new Set([...one.tokens, ...(Object.keys(PLACES) as Place[]).flatMap((place) => Object.keys(meaning(one, place)))]);
  return (
    order(one) === order(other) &&
    other.tokens.every((token) => known.has(token)) &&
    (Object.keys(PLACES) as Place[]).every((place) => Object.entries(meaning(other, place)).every(([token, move]) => meaning(one, place)[token] === move))
  );
}

const PLACES = { scramble: "in scrambles", solution: "in solutions" } as const;
type Place = keyof typeof PLACES;

export function NotationQuestion(props: { reading: Reading; sending: boolean; /** the file, where it is somebody else's */ of?: string; /** files of others that say the same with the same words */ others?: readonly string[]; confirmAll?: () => void; confirm: (notation: Notation) => void; close: () => void }): JSX.Element {
  const { reading, sending } = props;
  const [notation, set] = useState<Notation>(reading.notation);
  const others = props.others ?? [];
  const whose = props.of === undefined ? "Yours" : "Written";
  const said = (place: Place) => (reading.notation[place] ?? {}) as Record<string, string>;
  const places = (Object.keys(PLACES) as Place[]).filter((place) => place === "solution" || Object.keys(said(place)).length > 0);
  const tokens = [...new Set([...places.flatMap((place) => Object.keys(said(place))), ...reading.tokens])].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const mean = (place: Place, token: string, move: string) => {
    const { [token]: _before, ...rest } = (notation[place] ?? {}) as Record<string, string>;
    set({ ...notation, [place]: move ? { ...rest, [token]: move } : rest });
  };
  return (
    <section class="notation" aria-label="What your moves mean">
      <h3>{props.of === undefined ? "Is this what your moves mean?" : `Is this what the moves of ${props.of} mean?`}</h3>
      <p class="quiet" role="status">
        {count(reading.valid)} of {count(reading.rows)} lines solve their instance if it is. {reading.why.length > 0 && `${reading.why.join("; ")}. `}Nothing is handed in yet, and no attempt is used. It is asked once.
      </p>
      {tokens.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Your moves and ours">
          <table>
            <thead>
              <tr>
                <th>{whose}</th>
                {places.map((place) => (
                  <th key={place}>{PLACES[place]}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {tokens.map((token) => (
                <tr key={token}>
                  <th scope="row">
                    <code>{token}</code>
                  </th>
                  {places.map((place) => (
                    <td key={place}>
                      {(token in said(place) || reading.tokens.includes(token)) && <select aria-label={`${token} ${PLACES[place]}`} value={((notation[place] ?? {}) as Record<string, string>)[token] ?? ""} onChange={(event) => mean(place, token, event.currentTarget.value)}>
                        <option value="">not a move</option>
                        {reading.moves.map((move) => (
                          <option key={move}>{move}</option>
                        ))}
                      </select>}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Field label="Solutions are written">
        {(at) => (
          <select {...at} value={notation.order ?? "as_written"} onChange={(event) => set({ ...notation, order: event.currentTarget.value as "as_written" | "reversed" })}>
            <option value="as_written">first move first</option>
            <option value="reversed">last move first</option>
          </select>
        )}
      </Field>
      <div class="scroll" tabIndex={0} role="region" aria-label="Lines as they were inferred">
        <table class="stacks">
          <thead>
            <tr>
              <th>Instance</th>
              <th>{props.of === undefined ? "Your solution" : "Solution"}</th>
              <th>Read as</th>
              <th>Verdict</th>
            </tr>
          </thead>
          <tbody>
            {reading.preview.slice(0, 5).map((one) => (
              <tr key={one.row}>
                <td>{one.instance ?? one.scramble}</td>
                <td data-of={whose}>
                  <code>{one.solution}</code>
                </td>
                <td data-of="Read as">
                  <code>{one.solution_read}</code>
                </td>
                <td>
                  <Badge kind={one.valid ? "done" : "failed"}>{one.valid ? "solves it" : "does not"}</Badge>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {others.length > 0 && (
        <p class="quiet">
          The same moves, with the same meaning, are also in {others.join(", ")}. {notation !== reading.notation && "What you have changed holds for this file alone."}
        </p>
      )}
      <div class="row acts">
        <button type="button" class="go" disabled={sending} onClick={() => props.confirm(notation)}>
          {sending ? "Sending" : "Yes, hand it in"}
        </button>
        {others.length > 0 && (
          <button type="button" class="plain" disabled={sending || notation !== reading.notation} onClick={props.confirmAll}>
            Yes, for all {count(others.length + 1)} files
          </button>
        )}
        <button type="button" class="plain" onClick={props.close}>
          Not now
        </button>
      </div>
    </section>
  );
}
