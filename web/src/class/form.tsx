/** Write an assignment in a form: instances are chosen with their true distances in sight, items of the rubric from a list. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useHeuristics, usePuzzle, usePuzzles } from "../api/catalogue";
import { api, ask, type Fault, newKey, Problem, type Schemas } from "../api/client";
import { useLoaded, useSettled } from "../api/hooks";
import { useMe } from "../api/me";
import { count, points } from "../parts/format";
import { Badge, Choice, Field, Notice, NumberInput, Snippets, TextInput, Waiting } from "../parts/parts";
import { go, link } from "../route";
import { HeuristicInput } from "../solve/heuristic";
import { MoveSetSelect, PuzzlePicker } from "../solve/puzzle";
import { parseState, tidy } from "../solve/question";

type AssignmentIn = Schemas["AssignmentIn"];
type Item = Schemas["RubricItem"];
type Instance = Schemas["InstanceIn"];
type Assignment = Schemas["AssignmentObject"];

/** The kinds of items in words; `field` is what else they ask, `as` how a student hands it in. */
const KINDS: Record<Item["kind"], { words: string; name: string; as?: string; field?: { name: "excess" | "at_most" | "radius"; label: string; first: number } }> = {
  valid: { words: "a valid solution of each instance", name: "valid solutions" },
  optimal: { words: "a shortest solution", name: "shortest solutions", field: { name: "excess", label: "Extra moves", first: 0 } },
  expanded_at_most: { words: "few nodes expanded", name: "few nodes expanded", field: { name: "at_most", label: "At most", first: 10_000 } },
  claims_true: { words: "reported numbers that are true", name: "true numbers" },
  heuristic_admissible: { words: "a heuristic without a counterexample", name: "admissible heuristic", as: "as an expression in a column heuristic, or as heuristic.txt in a zip", field: { name: "radius", label: "Up to distance", first: 4 } },
  model_right: { words: "a right model of the puzzle", name: "right model", as: "as model.json in a zip" },
  covers_k: { words: "a valid solution with each k", name: "a solution with each k" },
  manual: { words: "what a person marks, such as a report", name: "report" },
};
/** What an item is called: its name; without one, the words of its kind. */
export const itemName = (name: string) => KINDS[name as Item["kind"]]?.name ?? name;

/** What an item asks of students, and how it is handed in. */
export function asks({ kind }: Item): string {
  const { words, as } = KINDS[kind];
  return as === undefined ? words : `${words}, ${as}`;
}

const EXAMPLE: AssignmentIn = {
  title: "Megaminx with A*",
  puzzle: "megaminx",
  scramble_moves: "cw",
  moves: "ccw",
  instances: [],
  rubric: [
    fresh("valid", 60),
    fresh("optimal", 40),
  ],
  attempts: 3,
  late: { percent_a_day: 10, days: 5 },
};

const VISIBILITY = { visible: "shown to students", after_due_date: "shown after the due date", hidden: "hidden from students" } as const;

/** Given moments as the browser's field has them, in the reader's time zone. */
export function local(moment: string | null | undefined): string {
  if (!moment) return "";
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
export const moment = (text: string) => (text === "" ? null : new Date(text).toISOString());

export function AssignmentForm(props: { assignment?: Assignment; saved?: () => void }): JSX.Element {
  const { assignment } = props;
  const [asked, setAsked] = useState<AssignmentIn>(() => (assignment ? (tidy(assignment.assignment) as AssignmentIn) : EXAMPLE));
  const [refused, setRefused] = useState<Problem | undefined>();
  const [saving, setSaving] = useState(false);
  /** the assignment as it was when a field was left */
  const [left, setLeft] = useState<string | undefined>();
  const puzzles = usePuzzles();
  const puzzle = usePuzzle(asked.puzzle);
  const named = useHeuristics(asked.puzzle).data ?? [];
  const fixed = useMe()?.course ?? null;
  const courses = useLoaded(["courses"], () => ask(api.GET("/v1/courses"))).data?.items ?? [];
  const only = courses.length === 1 && courses[0]?.students ? courses[0].course : null;
  useEffect(() => {
    if (!assignment && only !== null) setAsked((before) => ({ course: only, ...before }));
  }, [only]);
  const set = (part: Partial<AssignmentIn>) => {
    setRefused(undefined);
    setAsked((before) => ({ ...before, ...part }));
  };
  const settled = useSettled(JSON.stringify(asked), 300);
  const checked = useLoaded(["check assignment", settled], (signal) => ask(api.POST("/v1/assignments/check", { body: JSON.parse(settled) as AssignmentIn, signal })));
  const instances = asked.instances ?? [];
  // Faults of an assignment that has changed since are not shown.
  const said = settled === left && settled === JSON.stringify(asked) && !checked.loading && checked.problem?.code !== "offline" ? checked.problem : undefined;
  const problem = refused ?? without(said, instances.length === 0 ? "/instances" : null);
  const save = async (event: Event) => {
    event.preventDefault();
    setSaving(true);
    setRefused(undefined);
    try {
      if (assignment) {
        await ask(api.PUT("/v1/assignments/{id}", { params: { path: { id: assignment.id } }, body: asked }));
        props.saved?.();
      } else {
        const made = await ask(api.POST("/v1/assignments", { params: { header: { "Idempotency-Key": newKey() } }, body: asked }));
        go(link("class", made.id));
      }
    } catch (error) {
      setRefused(error instanceof Problem ? error : new Problem("broken", "This page failed", String(error)));
    } finally {
      setSaving(false);
    }
  };
  const item = (number: number, part: Partial<Item>) => set({ rubric: asked.rubric.map((one, i) => (i === number ? { ...one, ...part } : one)) });
  const ready = checked.data !== undefined && !checked.problem && instances.length > 0;
  return (
    <form class="stack" onSubmit={save} onFocusOut={() => setLeft(JSON.stringify(asked))} noValidate aria-label="Assignment">
      <div class="assignment-form">
      <section class="panel">
        <h2>What</h2>
        <Field label="Title" faults={problem?.at("/title")}>
          {(at) => <input {...at} value={asked.title} onInput={(event) => set({ title: event.currentTarget.value })} />}
        </Field>
        {fixed === null && (
          <Field label="Course" faults={problem?.at("/course")} hint={<RosterHint course={courses.find((one) => one.course === asked.course)} />}>
            {(at) => (
              <>
                <input {...at} list={`${at.id}-list`} value={asked.course ?? ""} placeholder="may be left out" onInput={(event) => set({ course: event.currentTarget.value.trim() || null })} />
                <datalist id={`${at.id}-list`}>
                  {courses.map((one) => (
                    <option key={one.course} value={one.course} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
        )}
        <PuzzlePicker
          puzzles={puzzles.data ?? []}
          value={asked.puzzle}
          choose={(name) => set({ puzzle: name, scramble_moves: null, moves: null, heuristic: null, instances: [] })}
          problem={puzzle.problem}
        />
        {/* Its place is kept until it is there, so that nothing jumps. */}
        {!puzzle.data && <div class="puzzle-fields" />}
        {puzzle.data && (
          <>
            <div class="grid2">
              <Field label="Scrambled with" faults={problem?.at("/scramble_moves")}>
                {(at) => <MoveSetSelect {...at} puzzle={puzzle.data} value={asked.scramble_moves ?? puzzle.data?.default_scramble_moves} choose={(to) => set({ scramble_moves: to, instances: [] })} />}
              </Field>
              <Field label="Solved with" faults={problem?.at("/moves")}>
                {(at) => <MoveSetSelect {...at} puzzle={puzzle.data} value={asked.moves ?? puzzle.data?.default_moves} choose={(to) => set({ moves: to, instances: [] })} />}
              </Field>
            </div>
            <HeuristicInput label="Heuristic, to judge numbers of nodes that students report" puzzle={puzzle.data} moves={asked.moves ?? puzzle.data.default_moves} named={named} value={asked.heuristic ?? ""} set={(heuristic) => set({ heuristic: heuristic || null })} problem={problem} brief />
          </>
        )}
        <Field label="Students hand in">
          {(at) => (
            <select {...at} value={asked.submitted ?? "files"} onChange={(event) => set({ submitted: event.currentTarget.value as "files" | "program" })}>
              <option value="files">files with their solutions</option>
              <option value="program">a program, which an autograder runs</option>
            </select>
          )}
        </Field>
      </section>
      <Instances asked={asked} set={(chosen) => set({ instances: chosen })} faults={problem?.at("/instances") ?? []} />
      <section class="panel">
        <h2>Rubric</h2>
        <ul class="rubric-form">
          {asked.rubric.map((one, number) => {
            const { field } = KINDS[one.kind];
            return (
              <li key={number}>
                <Field label="Item" faults={problem?.at(`/rubric/${number}`)}>
                  {(at) => (
                    <select {...at} value={one.kind} onChange={(event) => item(number, fresh(event.currentTarget.value as Item["kind"], one.points))}>
                      {(Object.keys(KINDS) as Item["kind"][]).map((kind) => (
                        <option key={kind} value={kind}>
                          {KINDS[kind].words}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                <Field label="Called">{(at) => <input {...at} value={one.name ?? ""} placeholder={KINDS[one.kind].name} onInput={(event) => item(number, { name: event.currentTarget.value || null })} />}</Field>
                <Field label="Points">{(at) => <NumberInput {...at} min={0} step="any" value={one.points} set={(to = 0) => item(number, { points: to })} />}</Field>
                {field && <Field label={field.label}>{(at) => <NumberInput {...at} min={0} step="1" value={one[field.name] ?? field.first} set={(to) => item(number, { [field.name]: to ?? field.first })} />}</Field>}
                {one.kind === "covers_k" && (
                  <Field label="k, with commas">
                    {(at) => <TextInput {...at} value={(one.k ?? []).join(", ")} set={(to) => item(number, { k: to.split(/[\s,]+/).filter(Boolean).map(Number) })} />}
                  </Field>
                )}
                {!field && one.kind !== "covers_k" && <span />}
                <Field label="Students see it">
                  {(at) => (
                    <select {...at} value={one.visibility ?? "visible"} onChange={(event) => item(number, { visibility: event.currentTarget.value as Item["visibility"] })}>
                      {Object.entries(VISIBILITY).map(([value, words]) => (
                        <option key={value} value={value}>
                          {words}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                <button type="button" class="plain" aria-label={`Remove item ${number + 1}`} onClick={() => set({ rubric: asked.rubric.filter((_, i) => i !== number) })}>
                  Remove
                </button>
              </li>
            );
          })}
        </ul>
        <div class="bar">
          <button type="button" class="plain" onClick={() => set({ rubric: [...asked.rubric, fresh(asked.rubric.some((one) => one.kind === "heuristic_admissible") ? "claims_true" : "heuristic_admissible", 10)] })}>
            Add an item
          </button>
          <strong>{points(asked.rubric.reduce((sum, one) => sum + one.points, 0))} points in all</strong>
        </div>
      </section>
      <section class="panel">
        <h2>When</h2>
        <div class="dates">
          <Moment label="Opens" value={asked.opens} set={(opens) => set({ opens })} faults={problem?.at("/opens")} hint="empty: at once" />
          <Moment label="Due" value={asked.due} set={(due) => set({ due })} faults={problem?.at("/due")} hint="empty: never" />
          <Moment label="Closes" value={asked.closes} set={(closes) => set({ closes })} faults={problem?.at("/closes")} hint="empty: late work is taken" />
          <Moment label="Scores shown from" value={asked.release} set={(release) => set({ release })} faults={problem?.at("/release")} hint="empty: at once" />
        </div>
        <div class="dates">
          <Field label="Attempts" hint="empty: any number" faults={problem?.at("/attempts")}>
            {(at) => <NumberInput {...at} min={1} step="1" value={asked.attempts} set={(to) => set({ attempts: to ?? null })} />}
          </Field>
          <Field label="What counts">
            {(at) => (
              <select {...at} value={asked.counts ?? "best"} onChange={(event) => set({ counts: event.currentTarget.value as "best" | "last" })}>
                <option value="best">the best attempt</option>
                <option value="last">the last attempt</option>
              </select>
            )}
          </Field>
          <Field label="Off for each day late, %" faults={problem?.at("/late")}>
            {(at) => <NumberInput {...at} min={0} max={100} step="any" value={asked.late?.percent_a_day} set={(to) => set({ late: { ...asked.late, percent_a_day: to ?? 0 } })} />}
          </Field>
          <Field label="Worth nothing after days" hint="0: never">
            {(at) => <NumberInput {...at} min={0} step="1" value={asked.late?.days} set={(to) => set({ late: { ...asked.late, days: to ?? 0 } })} />}
          </Field>
          <Field label="Reasons shown from attempt" hint="before it, only points">
            {(at) => <NumberInput {...at} min={1} step="1" value={asked.reasons_from_attempt ?? 1} set={(to) => set({ reasons_from_attempt: to ?? 1 })} />}
          </Field>
        </div>
      </section>
      </div>
      {refused && <Notice problem={refused} />}
      <details class="features">
        <summary>As a request</summary>
        <Snippets texts={{ JSON: JSON.stringify(tidy(asked), null, 2) }} />
      </details>
      <div class="bar form-end">
        <button type="submit" class="go" disabled={saving}>
          {saving ? "Saving" : assignment ? "Save the new version" : "Create the assignment"}
        </button>
        <p role="status">{ready ? <Badge kind="proven">It can be graded</Badge> : instances.length === 0 ? "Choose instances first." : problem ? "Something has to be changed first; it is marked above." : checked.problem ? "" : "Looking at it."}</p>
      </div>
    </form>
  );
}

/** A problem without the faults of a part that nobody has come to yet; none, if it has no other. */
function without(problem: Problem | undefined, place: string | null): Problem | undefined {
  if (problem === undefined || place === null) return problem;
  const ours = new Set(problem.at(place));
  const faults = problem.faults.filter((fault) => !ours.has(fault));
  return faults.length === 0 ? undefined : new Problem(problem.code, problem.title, problem.detail, problem.status, faults, problem.retryAfter);
}

function RosterHint(props: { course: Schemas["Course"] | undefined }): JSX.Element {
  const { course } = props;
  if (course && course.students > 0) return <>Each of the {count(course.students)} on its roster has a row in the gradebook.</>;
  return (
    <>
      Who is in it: <a href="#/class/roster">Roster</a>.
    </>
  );
}

function fresh(kind: Item["kind"], worth: number): Item {
  const { field } = KINDS[kind];
  const more = kind === "covers_k" ? { k: [3, 4, 5] } : field && field.name !== "excess" ? { [field.name]: field.first } : {};
  return { kind, name: KINDS[kind].name, points: worth, ...more };
}

function Moment(props: { label: string; value: string | null | undefined; set: (value: string | null) => void; faults: readonly Fault[] | undefined; hint: ComponentChildren }): JSX.Element {
  return (
    <Field label={props.label} hint={props.hint} faults={props.faults}>
      {(at) => <input {...at} type="datetime-local" value={local(props.value)} onChange={(event) => props.set(moment(event.currentTarget.value))} />}
    </Field>
  );
}

/** A line of somebody's own: moves, or the tiles of a board; before a colon its name. */
function written(line: string): Instance {
  const [, name, text = ""] = /^(?:([^:]+):)?(.*)$/.exec(line) ?? [];
  const state = parseState(text.trim());
  const named = (name ?? text).trim().slice(0, 100);
  return Array.isArray(state) ? { name: named, state: state as number[] } : { name: named, alg: text.trim() };
}

/** Instances with their true distances, of which some are chosen. */
type Seen = Schemas["Preview"]["items"][number];

function Instances(props: { asked: AssignmentIn; set: (chosen: Instance[]) => void; faults: readonly Fault[] }): JSX.Element {
  const { asked, set } = props;
  const chosen = asked.instances ?? [];
  const [from, setFrom] = useState(3);
  const [to, setTo] = useState(5);
  const [each, setEach] = useState(3);
  const [seed, setSeed] = useState(1);
  const [source, setSource] = useState<"random" | "own">("random");
  const [own, setOwn] = useState("");
  const [preview, setPreview] = useState<Instance[] | null>(null);
  const found = useLoaded(["instances", JSON.stringify(preview), asked.puzzle, asked.moves, asked.scramble_moves], async (signal) => {
    if (preview === null) return null;
    const { puzzle, goal, moves, scramble_moves } = asked;
    const body = tidy({ puzzle, goal, moves, scramble_moves, instances: preview, expanded: 200_000 }) as Schemas["PreviewRequest"];
    return (await ask(api.POST("/v1/assignments/preview", { body, signal }))).items;
  });
  const look = () => {
    const all: Instance[] = source === "random" ? [] : own.split("\n").filter((line) => line.trim()).map(written);
    if (source === "random") for (let k = from; k <= Math.max(from, to); k += 1) for (let i = 0; i < each; i += 1) all.push({ name: `k${k}-${seed + i}`, k, seed: seed + i });
    setPreview(all.slice(0, 50));
  };
  const has = (instance: Instance) => chosen.some((one) => one.name === instance.name);
  const toggle = (instance: Instance) => set(has(instance) ? chosen.filter((one) => one.name !== instance.name) : [...chosen, instance]);
  // Most want those that are as far as they are long. What has been chosen before stays.
  useEffect(() => {
    if (found.data && chosen.length === 0) set(found.data.filter(kept).map(given));
  }, [found.data]);
  const other = chosen.filter((one) => !preview?.some((seen) => seen.name === one.name));
  const shown = found.data ?? [];
  const kept = (one: Seen) => one.distance !== null && one.collapsed === false;
  const given = (one: Seen) => preview?.find((instance) => instance.name === one.name) ?? one.instance;
  return (
    <section class="panel instances">
      <h2>Instances</h2>
      <Choice label="Instances from" value={source} options={{ random: "Random moves", own: "My own" }} choose={setSource} />
      {source === "own" && (
        <div class="stack">
          <Field label="Instances, one a line" hint="Moves from solved, or the tiles of a board. A name may stand before a colon.">
            {(at) => <textarea {...at} rows={5} value={own} spellcheck={false} onInput={(event) => setOwn(event.currentTarget.value)} />}
          </Field>
          <button type="button" class="plain" disabled={!own.trim()} onClick={look}>
            Show instances
          </button>
        </div>
      )}
      {source === "random" && <div class="row">
        <Field label="Moves k, from">{(at) => <NumberInput {...at} min={0} max={60} step="1" value={from} set={(value = 0) => setFrom(value)} />}</Field>
        <Field label="to">{(at) => <NumberInput {...at} min={0} max={60} step="1" value={to} set={(value = 0) => setTo(value)} />}</Field>
        <Field label="For each k">{(at) => <NumberInput {...at} min={1} max={20} step="1" value={each} set={(value = 1) => setEach(value)} />}</Field>
        <Field label="First seed">{(at) => <NumberInput {...at} min={0} step="1" value={seed} set={(value = 0) => setSeed(value)} />}</Field>
        <button type="button" class="plain dice" onClick={look}>
          Show instances
        </button>
      </div>}
      {props.faults.length > 0 && (
        <ul class="lost">
          {props.faults.slice(0, 4).map((fault) => (
            <li key={fault.where + fault.message}>{fault.message}</li>
          ))}
        </ul>
      )}
      {found.problem && <Notice problem={found.problem} retry={found.reload} />}
      {preview && !found.data && !found.problem && <Waiting what="true distances" lines={4} />}
      {shown.length > 0 && (
        <>
          <div class="scroll bare" tabIndex={0} role="region" aria-label="Instances to choose from">
            <table>
              <thead>
                <tr>
                  <th>Use</th>
                  <th>Name</th>
                  <th>Scramble</th>
                  <th class="number">Moves k</th>
                  <th class="number">True distance</th>
                  <th>
                    <span class="unseen">Notes</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((one) => (
                  <tr key={one.name}>
                    <td>
                      <input type="checkbox" aria-label={`Use ${one.name}`} checked={has(given(one))} onChange={() => toggle(given(one))} />
                    </td>
                    <td>{one.name}</td>
                    <td>
                      <code>{one.instance.alg ?? "a state"}</code>
                    </td>
                    <td class="number">{one.k ?? "–"}</td>
                    <td class="number">{one.distance ?? (one.lower_bound === null ? "–" : `≥ ${one.lower_bound}`)}</td>
                    <td>{one.collapsed && <Badge kind="unknown">nearer than k</Badge>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <div class="row acts">
            <button type="button" class="plain" onClick={() => set([...other, ...shown.filter(kept).map(given)])}>
              Use those at distance k ({count(shown.filter(kept).length)})
            </button>
            <button type="button" class="plain" onClick={() => set([...other, ...shown.map(given)])}>
              Use all
            </button>
            <button type="button" class="plain" onClick={() => set([])}>
              Use none
            </button>
          </div>
        </>
      )}
      <p role="status">
        {chosen.length === 0 ? "None is chosen yet." : `${count(chosen.length)} chosen: ${chosen.slice(0, 12).map((one) => one.name ?? `k ${String(one.k)}`).join("; ")}${chosen.length > 12 ? " …" : ""}.`}
      </p>
    </section>
  );
}
