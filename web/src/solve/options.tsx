/** Fields for options and limits, made from what the service says of them. */
import type { JSX } from "preact";
import type { Problem } from "../api/client";
import { Field, NumberInput, TextInput } from "../parts/parts";
import { type Catalogue, isNumber, isStructured, type Limits, type Option } from "./question";

type Value = string | number | undefined;

/** A number, one of a few, JSON or a text, as the option's JSON Schema has it. */
export function OptionField(props: {
  option: Option;
  values: readonly string[];
  value: Value;
  set: (value: Value) => void;
  problem: Problem | undefined;
}): JSX.Element {
  const { option, values, value, set } = props;
  const { schema } = option;
  const standard = option.own ?? option.default;
  const faults = props.problem?.at(`/${option.name}`);
  if (isStructured(schema)) {
    return (
      <details class="option" open={value !== undefined || (faults?.length ?? 0) > 0 || undefined}>
        <summary>{option.label}, as JSON</summary>
        <Field label={option.label} hint={option.help} faults={faults}>
          {(at) => (
            <TextInput {...at} rows={6} spellcheck={false} value={String(value ?? "")} set={(to) => set(to.trim() || undefined)} />
          )}
        </Field>
      </details>
    );
  }
  return (
    <Field label={option.label} hint={option.help} faults={faults}>
      {(at) =>
        values.length > 0 ? (
          <select {...at} value={value ?? String(standard)} onChange={(event) => set(event.currentTarget.value)}>
            {[...new Set([...values, ...(value === undefined ? [] : [String(value)])])].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        ) : isNumber(schema) ? (
          <NumberInput {...at} {...range(schema)} placeholder={String(standard ?? "")} value={value as number} set={set} />
        ) : (
          <TextInput {...at} class="code" placeholder={String(standard ?? "")} value={String(value ?? "")} set={(to) => set(to || undefined)} />
        )
      }
    </Field>
  );
}

export function LimitFields(props: {
  catalogue: Catalogue;
  limits: Limits;
  /** those in force where they are left out */
  standard: Limits | undefined;
  set: (limits: Limits | undefined) => void;
  problem: Problem | undefined;
}): JSX.Element {
  const { limits, standard } = props;
  return (
    <>
      {props.catalogue.limits.map(({ name, help, schema }) => (
        <Field key={name} label={help.charAt(0).toUpperCase() + help.slice(1)} faults={props.problem?.at(`/limits/${name}`)}>
          {(at) => (
            <NumberInput
              {...at}
              {...range(schema)}
              placeholder={String(standard?.[name] ?? "none")}
              value={limits[name]}
              set={(value) => {
                const { [name]: _before, ...rest } = limits;
                const next = value === undefined ? rest : { ...rest, [name]: value };
                props.set(Object.keys(next).length > 0 ? next : undefined);
              }}
            />
          )}
        </Field>
      ))}
    </>
  );
}

function range(schema: Record<string, unknown>): { min?: number; max?: number; step: string } {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  return {
    step: schema.type === "integer" ? "1" : "any",
    ...(minimum !== undefined && { min: minimum }),
    ...(maximum !== undefined && { max: maximum }),
  };
}
