/** A small class to look at: a roster of six, four files that are read, one that is not, and one student without any. */
import { api, ask, newKey, type Schemas } from "../api/client";

const INSTANCES = { "k2-1": "U F", "k3-1": "U U F", "k3-2": "R F U", "k4-1": "L U F R" };
const SHORTEST = { "k2-1": "F' U'", "k3-1": "F' U' U'", "k3-2": "U' F' R'", "k4-1": "R' F' U' L'" };
const NAMES = { ada: "Ada Lovelace", ben: "Ben Franklin", cem: "Cem Karaca", dee: "Dee Brown", eve: "Eve Online", fay: "Fay Wray" };

const csv = (solutions: Record<string, string>) => ["instance,solution", ...Object.entries(solutions).map(([name, moves]) => `${name},${moves}`)].join("\n");

const FILES = {
  "ada.csv": csv(SHORTEST),
  "ben.csv": csv({ ...SHORTEST, "k2-1": "F' U' U' U' U' U' U'" }),
  "cem.csv": csv({ ...SHORTEST, "k3-2": "R' F'" }),
  "dee.csv": csv({ "k2-1": "F' U'", "k3-1": "F' U' U'" }),
  "eve.pdf": "%PDF-1.7 this is no file of solutions",
};

/** Make it, and answer the id of its assignment. */
export async function makeExample(own: string | null): Promise<string> {
  const course = own ?? "example";
  const students = Object.entries(NAMES).map(([student, name]) => ({ student, name }));
  await ask(api.PUT("/v1/courses/{course}/roster", { params: { path: { course } }, body: { students, mode: "add" } }));
  const body = {
    title: "Example: Megaminx with A*",
    puzzle: "megaminx",
    moves: "ccw",
    course,
    instances: Object.entries(INSTANCES).map(([name, alg]) => ({ name, alg })),
    rubric: [
      { kind: "valid", name: "valid solutions", points: 50 },
      { kind: "optimal", name: "shortest solutions", points: 30 },
      { kind: "manual", name: "report", points: 20 },
    ],
    attempts: 3,
  } as Schemas["AssignmentIn"];
  const { id } = await ask(api.POST("/v1/assignments", { params: { header: { "Idempotency-Key": newKey() } }, body }));
  const files = Object.entries(FILES).map(([filename, content]) => ({ filename, content }));
  await ask(api.POST("/v1/assignments/{id}/uploads", { params: { path: { id } }, body: { files } as Schemas["UploadsIn"] }));
  return id;
}
