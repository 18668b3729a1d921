// One state solved by cubing.js: node cubing.mjs FOLDER < {"kpuzzle", "pattern", "solver", "moves"}; FOLDER has
// node_modules/cubing. With "export" instead of a question: writes the definitions that cubing.js has to FOLDER/definitions.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const library = `${resolve(process.argv[2])}/node_modules/cubing/dist/lib/cubing`;
const load = (name) => import(pathToFileURL(`${library}/${name}/index.js`));
if (process.argv[3] === "export") {
  const { puzzles } = await load("puzzles");
  mkdirSync(`${process.argv[2]}/definitions`, { recursive: true });
  for (const [name, puzzle] of Object.entries(puzzles)) {
    const { definition } = await puzzle.kpuzzle();
    writeFileSync(`${process.argv[2]}/definitions/${name}.json`, JSON.stringify(definition));
  }
  process.exit(0);
}
const asked = JSON.parse(readFileSync(0, "utf-8"));
const search = await load("search");
const { KPattern, KPuzzle } = await load("kpuzzle");
const kpuzzle = new KPuzzle(asked.kpuzzle);
const pattern = new KPattern(kpuzzle, asked.pattern);
const log = console.log;
console.log = console.info = () => {};
const alg = await (asked.solver
  ? search[asked.solver](pattern)
  : search.experimentalSolveTwsearch(kpuzzle, pattern, { generatorMoves: asked.moves }));
log(alg.toString());
process.exit(0);
