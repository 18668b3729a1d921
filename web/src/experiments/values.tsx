/** The values of an option that an experiment compares. */
import type { JSX } from "preact";
import type { Fault } from "../api/client";
import { Field, TextInput } from "../parts/parts";
import { isNumber, isStructured, type Option } from "../solve/question";

/** Numbers by commas; texts one in each line; JSON one after the other. */
export function Values(props: {
  option: Option;
  hint: string | undefined;
  values: readonly unknown[];
  set: (values: unknown[] | undefined) => void;
  faults: readonly Fault[] | undefined;
}): JSX.Element {
  const { option, values } = props;
  const numbers = isNumber(option.schema);
  const words = (option.plural ?? option.name).replaceAll("_", " ");
  const label = `${words.charAt(0).toUpperCase()}${words.slice(1)}, ${numbers ? "by commas" : "one in each line"}`;
  const set = (found: unknown[]) => props.set(found.length > 0 ? found : undefined);
  const field = (
    <Field label={label} hint={props.hint ?? option.help} faults={props.faults}>
      {(at) =>
        numbers ? (
          <TextInput
            {...at}
            placeholder={String(option.own ?? option.default ?? "")}
            value={values.join(", ")}
            set={(typed) => set(typed.split(/[\s,]+/).filter(Boolean).map(Number).filter(Number.isFinite))}
          />
        ) : (
          <TextInput
            {...at}
            rows={3}
            spellcheck={false}
            value={values.join("\n")}
            set={(typed) => set(typed.split("\n").map((line) => line.trim()).filter(Boolean))}
          />
        )
      }
    </Field>
  );
  if (!isStructured(option.schema)) return field;
  return (
    <details class="option" open={values.length > 0 || (props.faults?.length ?? 0) > 0 || undefined}>
      <summary>{option.label}s, as JSON</summary>
      {field}
    </details>
  );
}
