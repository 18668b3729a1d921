/** The few parts that every view is made of. */
import type { ComponentChildren, InputHTMLAttributes, JSX, TargetedEvent, TextareaHTMLAttributes } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { type Fault, Problem } from "../api/client";

/** A labelled control with a hint and its faults, both of which a screen reader reads with it. */
export function Field(props: {
  label: ComponentChildren;
  hint?: ComponentChildren;
  faults?: readonly Fault[] | undefined;
  children: (attributes: { id: string; "aria-describedby": string; "aria-invalid": boolean }) => ComponentChildren;
}): JSX.Element {
  const id = useId();
  const wrong = (props.faults?.length ?? 0) > 0;
  return (
    <div class={`field${wrong ? " wrong" : ""}`}>
      <label for={id}>{props.label}</label>
      {props.children({ id, "aria-describedby": `${id}-says`, "aria-invalid": wrong })}
      <div class="says" id={`${id}-says`} aria-live="polite">
        {wrong ? <Faults faults={props.faults ?? []} /> : props.hint}
      </div>
    </div>
  );
}

/** The first few, because nobody reads a hundred. */
export function Faults(props: { faults: readonly Fault[] }): JSX.Element {
  const messages = [...new Set(props.faults.map((fault) => fault.message))];
  return (
    <>
      {messages.slice(0, 5).map((message) => (
        <p key={message}>{message}</p>
      ))}
      {messages.length > 5 && <p>And {messages.length - 5} more.</p>}
    </>
  );
}

/** One of a few, all in sight. */
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: Record<T, ComponentChildren>;
  choose: (value: T) => void;
}): JSX.Element {
  const name = useId();
  return (
    <div class="choice" role="radiogroup" aria-label={props.label}>
      {(Object.keys(props.options) as T[]).map((value) => (
        <label key={value} class={value === props.value ? "chosen" : ""}>
          <input type="radio" name={name} checked={value === props.value} onChange={() => props.choose(value)} />
          <span>{props.options[value]}</span>
        </label>
      ))}
    </div>
  );
}

/**
 * A text that counts once it is finished: at Enter, or when the focus leaves it. Until then what is typed stays there, also when
 * the view is drawn again meanwhile. With `rows` it has lines.
 */
export function TextInput(
  props: { value: string; set: (value: string) => void; rows?: number } & Pick<
    TextareaHTMLAttributes<HTMLTextAreaElement>,
    "id" | "class" | "maxLength" | "placeholder" | "readOnly" | "spellcheck" | "aria-label" | "aria-describedby" | "aria-invalid"
  >,
): JSX.Element {
  const { value, set, rows, ...rest } = props;
  const [typed, type] = useState<string | undefined>();
  type Event = TargetedEvent<HTMLInputElement | HTMLTextAreaElement>;
  const at = {
    ...rest,
    value: typed ?? value,
    onInput: (event: Event) => type(event.currentTarget.value),
    onChange: (event: Event) => {
      type(undefined);
      set(event.currentTarget.value);
    },
    onBlur: () => type(undefined),
  };
  return rows ? <textarea {...(at as TextareaHTMLAttributes<HTMLTextAreaElement>)} rows={rows} /> : <input {...(at as InputHTMLAttributes<HTMLInputElement>)} />;
}

/** A number that may be left out. What is typed stays as it is typed: on the way to 2.5 the text 2. is no other number than 2. */
export function NumberInput(
  props: { value: number | null | undefined; set: (value: number | undefined) => void } & Pick<
    InputHTMLAttributes<HTMLInputElement>,
    "id" | "min" | "max" | "step" | "placeholder" | "aria-describedby" | "aria-invalid"
  >,
): JSX.Element {
  const { value, set, ...rest } = props;
  const [typed, type] = useState<string | undefined>();
  return (
    <input
      {...rest}
      type="number"
      inputMode="decimal"
      value={typed ?? value ?? ""}
      onInput={(event) => {
        type(event.currentTarget.value);
        set(event.currentTarget.value === "" ? undefined : event.currentTarget.valueAsNumber);
      }}
      onBlur={() => type(undefined)}
    />
  );
}

/** A place in a request in words: /rubric/0/points is "rubric 1, points". */
export function placeOf(where: string): string {
  if (!where.startsWith("/")) return where.replace(/^query:/, "");
  const parts = where.slice(1).split("/").map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : part.replaceAll("_", " ")));
  return parts.join(", ").replace(/, (\d+)/g, " $1");
}

/** A button that asks before it does what nothing brings back. `children` is only made once it asks. */
export function Confirm(props: { label: string; name?: string; title: string; yes: string; children: () => ComponentChildren; act: () => Promise<unknown> }): JSX.Element {
  const { label, title } = props;
  const [asking, ask] = useState(false);
  const [working, setWorking] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (asking) dialog.current?.showModal();
  }, [asking]);
  const close = () => {
    dialog.current?.close(); // the button has the focus again
    ask(false);
    setProblem(undefined);
  };
  const act = async () => {
    setWorking(true);
    try {
      await props.act();
      ask(false);
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem("broken", "This page failed", String(error)));
    } finally {
      setWorking(false);
    }
  };
  return (
    <>
      <button type="button" class="plain" aria-label={props.name} onClick={() => ask(true)}>
        {label}
      </button>
      {asking && (
        <dialog ref={dialog} class="panel confirm" aria-label={title} onCancel={(event) => (event.preventDefault(), close())}>
          <h2>{title}</h2>
          <div class="stack">{props.children()}</div>
          {problem && <Notice problem={problem} />}
          <div class="row acts">
            <button type="button" class="plain" onClick={close}>
              Keep it
            </button>
            <button type="button" class="go" disabled={working} onClick={act}>
              {props.yes}
            </button>
          </div>
        </dialog>
      )}
    </>
  );
}

/** What went wrong, in the service's own words, and what can be done. */
export function Notice(props: { problem: Problem; retry?: () => void }): JSX.Element {
  const { problem, retry } = props;
  return (
    <div class="notice" role="alert">
      <strong>{problem.code === "invalid-request" ? "This cannot be taken as it is" : problem.title}</strong>
      {problem.detail && !problem.detail.endsWith("schema") && <p>{problem.detail}</p>}
      {problem.faults.length > 0 && (
        <ul>
          {problem.faults.slice(0, 12).map((fault) => (
            <li key={fault.where + fault.message}>
              {fault.where && <b>{placeOf(fault.where)}:</b>} {fault.message}
            </li>
          ))}
          {problem.faults.length > 12 && <li>and {problem.faults.length - 12} more</li>}
        </ul>
      )}
      {problem.retryAfter !== null && <p>The service asks to try again in {problem.retryAfter} s.</p>}
      {retry && problem.status !== 404 && (
        <button type="button" class="plain" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A view that could not be shown, and where to go from here. */
export function Failed(props: { problem: Problem; retry: () => void }): JSX.Element {
  return (
    <div class="failed-view">
      <h1 class="unseen">This cannot be shown</h1>
      <Notice problem={props.problem} retry={props.retry} />
      <p class="quiet">
        Go on with <a href="#/jobs">what ran here</a>, or <a href="#/solve">solve a puzzle</a>.
      </p>
    </div>
  );
}

/** Nothing here yet, and what to do about it. */
export function Empty(props: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <span class="mark" aria-hidden="true" />
      <strong>{props.title}</strong>
      <p>{props.children}</p>
    </div>
  );
}

/** Its place is kept while something is loaded, so that nothing jumps. */
export function Waiting(props: { what: string; lines?: number }): JSX.Element {
  return (
    <div class="waiting" role="status">
      <span class="unseen">Loading {props.what}</span>
      {Array.from({ length: props.lines ?? 3 }, (_, line) => (
        <span key={line} class="bone" aria-hidden="true" />
      ))}
    </div>
  );
}

/** Some of several texts to take along: the request, the command. */
export function Snippets(props: { texts: Record<string, string> }): JSX.Element {
  const names = Object.keys(props.texts);
  const [chosen, choose] = useState(names[0] ?? "");
  const [copied, setCopied] = useState(false);
  const name = chosen in props.texts ? chosen : (names[0] ?? "");
  const text = props.texts[name] ?? "";
  const shown = useRef<HTMLPreElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // No clipboard here: what is selected can be copied by hand.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
      return;
    }
    setCopied(true);
    window.setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div class="snippets">
      <div class="bar">
        <Choice
          label="Written as"
          value={name}
          options={Object.fromEntries(names.map((one) => [one, one]))}
          choose={choose}
        />
        <button type="button" class="plain" onClick={copy}>
          {copied ? "Copied" : "Copy"}
        </button>
      </div>
      <pre ref={shown} tabIndex={0} aria-label={name}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

/** A number with its name. */
export function Stat(props: { name: string; value: ComponentChildren; title?: string; strong?: boolean }): JSX.Element {
  return (
    <div class={`stat${props.strong ? " strong" : ""}`} title={props.title}>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

export function Badge(props: { kind: string; children: ComponentChildren }): JSX.Element {
  return <span class={`badge ${props.kind}`}>{props.children}</span>;
}
