/** What is worth how much; change it, and grade the whole class again. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, ask, Problem, type Schemas } from "../api/client";
import { count, points } from "../parts/format";
import { Badge, Notice, Snippets } from "../parts/parts";
import { tidy } from "../solve/question";
import { AssignmentForm, asks, itemName } from "./form";

export function Rubric(props: { assignment: Schemas["AssignmentObject"]; changed: () => void }): JSX.Element {
  const { assignment } = props;
  const [editing, setEditing] = useState(false);
  const [said, setSaid] = useState<Problem | number | undefined>();
  const regrade = async () => {
    try {
      setSaid((await ask(api.POST("/v1/assignments/{id}/regrades", { params: { path: { id: assignment.id } } }))).queued);
    } catch (error) {
      if (error instanceof Problem) setSaid(error);
    }
  };
  if (editing)
    return (
      <AssignmentForm
        assignment={assignment}
        saved={() => {
          setEditing(false);
          props.changed();
        }}
      />
    );
  return (
    <div class="twos">
      <section class="panel stack" aria-label="Rubric">
        <h2>Rubric, version {assignment.version}</h2>
        <Preview found={assignment} />
        <div class="bar">
          <button type="button" class="plain" onClick={() => setEditing(true)}>
            Change it
          </button>
          <button type="button" class="plain" onClick={regrade}>
            Grade every submission again
          </button>
        </div>
        <p class="quiet" role="status">
          {typeof said === "number"
            ? `${count(said)} submissions are queued, after all new ones. Each keeps its score until the new one is there.`
            : "A change does not affect scores until you grade again."}
        </p>
        {said instanceof Problem && <Notice problem={said} />}
      </section>
      <section class="panel" aria-label="As a command or request">
        <h2>As a command or request</h2>
        <Snippets
          texts={{
            "Command line": "hstar grade SUBMISSION \\\n  --assignment assignment.json",
            JSON: JSON.stringify(tidy(assignment.assignment), null, 2),
          }}
        />
      </section>
    </div>
  );
}

/** What is worth how much, and the instances that it makes. */
function Preview(props: { found: Schemas["AssignmentObject"] }): JSX.Element {
  const { found } = props;
  const { rubric } = found.assignment;
  const many = found.instances.length - 8;
  return (
    <>
      <table class="rubric">
        <caption class="unseen">Rubric</caption>
        <thead>
          <tr>
            <th>Item</th>
            <th>Kind</th>
            <th class="number">Points</th>
          </tr>
        </thead>
        <tbody>
          {rubric.map((item, number) => (
            <tr key={number}>
              <td>{itemName(item.name ?? item.kind)}</td>
              <td>
                <small>{asks(item)}</small> {item.visibility !== "visible" && item.visibility && <Badge kind="unknown">{item.visibility.replace(/_/g, " ")}</Badge>}
              </td>
              <td class="number">{points(item.points)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th colSpan={2}>In all</th>
            <td class="number">
              <strong>{points(found.max_score)}</strong>
            </td>
          </tr>
        </tfoot>
      </table>
      <p class="quiet">
        {found.instances.length === 0
          ? "No instances."
          : `${count(found.instances.length)} instances: ${found.instances.slice(0, 8).join("; ")}${many > 0 ? ` and ${count(many)} more` : ""}.`}
      </p>
    </>
  );
}
