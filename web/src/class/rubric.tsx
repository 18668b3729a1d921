/** What is worth how much; change it, and grade the whole class again. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, ask, Problem, type Schemas } from "../api/client";
import { count } from "../parts/format";
import { Notice, Snippets } from "../parts/parts";
import { Edit, given, Preview } from "./edit";
import { writeJson } from "./places";

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
      <Edit
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
            JSON: writeJson(given(assignment.assignment)),
          }}
        />
      </section>
    </div>
  );
}
