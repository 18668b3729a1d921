/** A class in pictures: the distribution of scores, by item, by instance, and submissions that are alike. */
import type { JSX } from "preact";
import { api, ask, askGradebook, type Schemas } from "../api/client";
import { useLoaded } from "../api/hooks";
import { count, points } from "../parts/format";
import { Empty, Notice, Stat, Waiting } from "../parts/parts";
import type { Route } from "../route";
import { itemName } from "./form";
import { CopiesPanel, SideBySide } from "./copies";

const BINS = 10;

export function Statistics(props: { assignment: Schemas["AssignmentObject"]; route: Route }): JSX.Element {
  const { id } = props.assignment;
  const beside = props.route.query.getAll("beside");
  const found = useLoaded(
    ["class", id],
    async () => {
      const [statistics, book] = await Promise.all([
        ask(api.GET("/v1/assignments/{id}/statistics", { params: { path: { id } } })),
        askGradebook(id),
      ]);
      return { ...statistics.statistics, entries: book.entries };
    },
    () => 5000,
  );
  if (found.problem) return <Notice problem={found.problem} retry={found.reload} />;
  if (!found.data) return <Waiting what="the statistics" lines={10} />;
  const { students, mean, median, items, instances, similar, entries } = found.data;
  const names = Object.fromEntries(entries.flatMap((one) => (one.name ? [[one.student, one.name]] : [])));
  if (students === 0) return <Empty title="Nothing is graded yet">Statistics use the attempt that counts, one for each student.</Empty>;
  return (
    <>
      <div class="twos">
        <section class="panel" aria-label="Scores">
          <h2>Scores</h2>
          <dl class="stats inline">
            <Stat name="Students" value={count(students)} />
            <Stat name="Mean" value={points(mean)} />
            <Stat name="Median" value={points(median)} />
          </dl>
          <Histogram shares={entries.flatMap((one) => (one.score === null ? [] : [one.max_score > 0 ? one.score / one.max_score : 0]))} />
        </section>
        <section class="panel" aria-label="By item">
          <h2>By item of the rubric</h2>
          <ul class="items">
            {items.map((one) => {
              const part = students - one.full - one.none;
              const told = `${one.full} with all points, ${part} with some, ${one.none} with none`;
              return (
                <li key={one.item}>
                  <span class="clip" title={itemName(one.item)}>{itemName(one.item)}</span>
                  <span class="number">
                    <small>mean</small> {points(one.mean)} <small>of {points(one.max_score)}</small>
                  </span>
                  <span class="meter" role="img" aria-label={told} title={told}>
                    <span class="solved" style={{ width: `${(100 * one.full) / students}%` }} />
                    <span class="limit_reached" style={{ width: `${(100 * part) / students}%` }} />
                    <span class="failed" style={{ width: `${(100 * one.none) / students}%` }} />
                  </span>
                </li>
              );
            })}
          </ul>
          <p class="legend quiet">
            <Key kind="solved">all points</Key>
            <Key kind="limit_reached">some</Key>
            <Key kind="failed">none</Key>
          </p>
        </section>
      </div>
      <div class="twos">
        <section class="panel" aria-label="By instance">
          <h2>Instances, the hardest first</h2>
          <div class="scroll bare" tabIndex={0} role="region" aria-label="Instances">
            <table>
              <thead>
                <tr>
                  <th>Instance</th>
                  <th class="number">k</th>
                  <th class="number">Handed in</th>
                  <th class="number">Valid</th>
                  <th class="number">Shortest</th>
                </tr>
              </thead>
              <tbody>
                {instances.map((one) => (
                  <tr key={one.instance}>
                    <td>{one.instance}</td>
                    <td class="number">{count(one.k)}</td>
                    <td class="number">{count(one.submitted)}</td>
                    <td class="number">{count(one.valid)}</td>
                    <td class="number">{count(one.optimal)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
        <CopiesPanel id={id} similar={similar} shown={beside} names={names} />
      </div>
      {beside.length > 1 && <SideBySide key={beside.join(" ")} id={id} students={beside} names={names} />}
    </>
  );
}

function Key(props: { kind: string; children: string }): JSX.Element {
  return (
    <span class="swatch">
      <span class={`meter key`} aria-hidden="true">
        <span class={props.kind} style={{ width: "100%" }} />
      </span>
      {props.children}
    </span>
  );
}

/** How many students reach which share of the points. */
function Histogram(props: { shares: readonly number[] }): JSX.Element {
  const bins = Array.from({ length: BINS }, () => 0);
  for (const share of props.shares) bins[Math.min(BINS - 1, Math.floor(share * BINS + 1e-9))]! += 1;
  const most = Math.max(...bins, 1);
  const told = bins.map((n, i) => `${i * 10} to ${i * 10 + 10} percent: ${n}`).join("; ");
  return (
    <figure class="histogram">
      <div class="columns-of" role="img" aria-label={told}>
        {bins.map((n, i) => (
          <div key={i} title={`${i * 10} to ${i * 10 + 10} %: ${n}`}>
            <span class="number">{n > 0 ? count(n) : ""}</span>
            <span class="column" style={{ height: `${(100 * n) / most}%` }} />
          </div>
        ))}
      </div>
      <div class="ticks" aria-hidden="true">
        {Array.from({ length: 6 }, (_, i) => (
          <span key={i}>{i * 20}</span>
        ))}
      </div>
      <figcaption class="quiet">students by percent of the points</figcaption>
    </figure>
  );
}
