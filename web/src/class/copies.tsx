/** Submissions that may have one source, and their lines side by side. Evidence for a person, never a verdict. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { api, ask, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { count } from "../parts/format";
import { Empty, Notice, Waiting } from "../parts/parts";
import { link } from "../route";

type Evidence = Schemas["Evidence"];

/** The place of the lines of some students; what is looked at is part of the address. */
const beside = (id: string, students: readonly string[]) => {
  const query = new URLSearchParams({ show: "statistics" });
  for (const student of students.slice(0, 12)) query.append("beside", student);
  return link("class", id, query);
};

export function CopiesPanel(props: { id: string; similar: readonly (Omit<Schemas["Similar"], "students"> & { students: readonly string[] })[]; shown: readonly string[]; names: Record<string, string> }): JSX.Element {
  const { id, similar, shown, names } = props;
  const found = useLoaded(["copies", id], () => ask(api.GET("/v1/assignments/{id}/copies", { params: { path: { id } } })), () => 15_000);
  const clusters = found.data?.clusters ?? [];
  const known = new Set(clusters.flatMap(({ students }) => students.flatMap((one) => students.map((other) => `${one} ${other}`))));
  const pairs = similar.filter(({ students }) => !known.has(students.join(" ")));
  return (
    <section class="panel" aria-label="Alike">
      <h2>Submissions that are alike</h2>
      {found.problem && <Notice problem={found.problem} retry={found.reload} />}
      {found.data && clusters.length + pairs.length === 0 && <Empty title="None">No submissions share solutions or counts that no one else has.</Empty>}
      <ul class="similar">
        {clusters.map(({ students, bits, evidence }) => (
          <li key={students.join(" ")}>
            <Names id={id} students={students} shown={shown} names={names} />
            <ul class="evidence-list quiet">
              {evidence.slice(0, 4).map((one) => (
                <li key={one.kind + one.words}>{sentence(one, students)}</li>
              ))}
            </ul>
            <p class="quiet">By chance {chance(bits)}.</p>
          </li>
        ))}
        {pairs.map((one) => (
          <li key={one.students.join(" ")}>
            <Names id={id} students={one.students} shown={shown} names={names} />
            <p class="quiet">
              Of {count(one.lines)} instances that both have, {count(one.same_solutions)} have the same solution and {count(one.same_counts)} the same number of nodes, too. {count(one.shared_by_no_other)} of these lines stand in no third submission.
            </p>
          </li>
        ))}
      </ul>
      {clusters.length + pairs.length > 0 && <p class="quiet">A hint for a person, not a verdict.</p>}
    </section>
  );
}

function Names(props: { id: string; students: readonly string[]; shown: readonly string[]; names: Record<string, string> }): JSX.Element {
  const { id, students, shown, names } = props;
  return (
    <p class="bar">
      <span>
        {students.map((student, number) => (
          <span key={student}>
            {number === 0 ? "" : number === students.length - 1 ? " and " : ", "}
            <a href={link("class", id, new URLSearchParams({ student }))}>{student}</a>
            {names[student] && <small> {names[student]}</small>}
          </span>
        ))}
      </span>
      {students.length > 1 && (
        <a class="plain" href={beside(id, students)} aria-current={shown.join(" ") === students.join(" ") ? "true" : undefined}>
          Side by side
        </a>
      )}
    </p>
  );
}

/** The lines of some students beside one another; what is equal is marked, and what speaks for one source stands at its line. */
export function SideBySide(props: { id: string; students: readonly string[]; names: Record<string, string> }): JSX.Element {
  const { id, students, names } = props;
  const params = { params: { path: { id } } };
  const found = useLoaded(["side by side", id, ...students], async () => {
    const [sides, copies] = await Promise.all([
      ask(api.GET("/v1/assignments/{id}/copies/side-by-side", { params: { path: { id }, query: { student: [...students] } } })),
      ask(api.GET("/v1/assignments/{id}/copies", params)),
    ]);
    const evidence = copies.clusters.flatMap((cluster) => cluster.evidence).filter((one) => one.students.filter((name) => students.includes(name)).length > 1);
    return { ...sides, evidence };
  });
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if ((panel.current?.getBoundingClientRect().top ?? 0) > innerHeight / 2) panel.current?.scrollIntoView({ block: "start" });
  }, [found.data === undefined]);
  const all = found.data;
  const speaks = all?.evidence.some((one) => one.instances.length > 0) ?? false;
  return (
    <section class="panel side-by-side" aria-label="Side by side" ref={panel}>
      <div class="bar">
        <h2>Side by side</h2>
        <a href={link("class", id, new URLSearchParams({ show: "statistics" }))}>Close</a>
      </div>
      {found.problem && <Notice problem={found.problem} retry={found.reload} />}
      {!all && !found.problem && <Waiting what="their lines" lines={6} />}
      {all && (
        <>
          <p class="quiet">Marked: the same solution, or the same number of nodes, as another of them. Shortest solutions are often equal by chance.</p>
          {all.evidence.filter((one) => one.instances.length === 0).map((one) => (
            <p key={one.kind + one.words}>{sentence(one, [])}</p>
          ))}
          <div class="scroll" tabIndex={0} role="region" aria-label="Lines side by side">
            {/* Roles, because on a narrow page the cells of a row stand below one another, and are then no table by themselves. */}
            <table class="stacks" role="table">
              <thead role="rowgroup">
                <tr role="row">
                  <th role="columnheader">Instance</th>
                  {all.students.map((student) => (
                    <th key={student} role="columnheader">
                      {student} <small>{names[student]}</small>
                    </th>
                  ))}
                  {speaks && <th role="columnheader">What speaks for one source</th>}
                </tr>
              </thead>
              <tbody role="rowgroup">
                {all.rows.map(({ instance, cells }) => (
                  <tr key={instance} role="row">
                    <th scope="row" role="rowheader">{instance}</th>
                    {all.students.map((student) => {
                      const cell = cells[student];
                      if (!cell || cell.row === null) return <td key={student} role="cell" data-of={student}>–</td>;
                      const twins = all.students.filter((other) => other !== student && cell.nodes !== null && cells[other]?.nodes === cell.nodes);
                      return (
                        <td key={student} role="cell" data-of={student}>
                          <code class={cell.same_as.length > 0 ? "same" : ""}>{cell.solution || "no move"}</code>
                          {cell.same_as.length > 0 && <span class="unseen"> the same as {cell.same_as.join(", ")}</span>}{" "}
                          {!cell.valid && <span class="lost">wrong</span>}{" "}
                          {cell.nodes !== null && (
                            <small class={twins.length > 0 ? "same" : ""}>
                              {count(cell.nodes)} nodes{twins.length > 0 && <span class="unseen"> as {twins.join(", ")}</span>}
                            </small>
                          )}
                        </td>
                      );
                    })}
                    {speaks && <td role="cell" class="quiet">{[...new Set(all.evidence.filter((one) => one.instances.includes(instance)).map((one) => KINDS[one.kind]))].join(", ")}</td>}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  );
}

const KINDS: Record<Evidence["kind"], string> = {
  identical_bytes: "equal files",
  foreign_id: "another's id",
  equal_lines: "the same right solution",
  wrong_lines: "the same wrong solution",
  equal_counts: "the same count",
  shifted_counts: "counts shifted alike",
  scaled_counts: "counts in one ratio",
  permuted_counts: "counts in another order",
};

/** Evidence in words; of a cluster with more students, whose it is. */
function sentence(one: Evidence, cluster: readonly string[]): string {
  const whose = cluster.length > one.students.length ? ` (${one.students.join(", ")})` : "";
  return `${one.words.charAt(0).toUpperCase()}${one.words.slice(1)}${whose}.`;
}

/** How often two submissions would be so alike by chance, in words. */
const chance = (bits: number) => (bits > 40 ? "less than once in a trillion pairs" : bits < 1 ? "in most pairs" : `about once in ${AS_WORDS.format(2 ** bits)} pairs`);

const AS_WORDS = new Intl.NumberFormat("en", { notation: "compact", compactDisplay: "long", maximumSignificantDigits: 1 });
