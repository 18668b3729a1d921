// cubing.js as a witness: node cubing.mjs < questions.json > answers.json, run from web/ where it is installed.
//
// {"scrambles": [[event, count], ...]}     official-like scrambles: by event, a list of algs
// {"same": [[puzzle, alg, other], ...]}    whether two algs lead to the same state, apart from rotations of the whole; a
//                                         text where it cannot read one
// {"patterns": [[puzzle, alg], ...]}       the state after each alg, as patternData
// {"definitions": [puzzle, ...]}           by puzzle its KPuzzle
// {"printed": [alg, ...]}                  each alg as Alg.toString prints it; null where it cannot be parsed
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const load = async (name) => import(pathToFileURL(`${process.cwd()}/node_modules/cubing/dist/lib/cubing/${name}/index.js`));
const { Alg } = await load("alg");
const { puzzles } = await load("puzzles");
const { randomScrambleForEvent } = await load("scramble");
console.info = console.warn = console.log = () => {};

const WHOLE = {
  clock: ["y2", "z"], pyraminx: ["Uv", "Lv"], master_tetraminx: ["Uv", "Lv"], megaminx: ["Uv", "Fv"], kilominx: ["Uv", "Fv"],
  square1: [], fto: ["Uv", "Fv"], baby_fto: ["Uv", "Fv"], gigaminx: ["Uv", "Fv"],
};
const held = new Map();

async function rotations(name) {
  if (!held.has(name)) {
    const puzzle = await puzzles[name].kpuzzle();
    const found = [puzzle.identityTransformation()];
    for (const one of found) {
      for (const whole of WHOLE[name] ?? ["x", "y"]) {
        const after = one.applyAlg(whole);
        if (!found.some((other) => other.isIdentical(after))) found.push(after);
      }
    }
    held.set(name, found);
  }
  return held.get(name);
}

async function same([name, one, other]) {
  const puzzle = await puzzles[name].kpuzzle();
  const [a, b] = [one, other].map((text) => puzzle.defaultPattern().applyAlg(text));
  return (await rotations(name)).some((whole) => a.isIdentical(b.applyTransformation(whole)));
}

async function definitions(names) {
  const found = {};
  for (const name of names) found[name] = (await puzzles[name].kpuzzle()).definition;
  return found;
}

const asked = JSON.parse(readFileSync(0, "utf8"));
const answers = {};
for (const [event, count] of asked.scrambles ?? []) {
  answers[event] = [];
  for (let i = 0; i < count; i++) answers[event].push((await randomScrambleForEvent(event)).toString());
}
if (asked.definitions) answers.definitions = await definitions(asked.definitions);
if (asked.same) {
  answers.same = [];
  for (const one of asked.same) answers.same.push(await same(one).catch((error) => String(error)));
}
if (asked.patterns) {
  answers.patterns = [];
  for (const [name, alg] of asked.patterns) {
    answers.patterns.push((await puzzles[name].kpuzzle()).defaultPattern().applyAlg(alg).patternData);
  }
}
if (asked.printed) {
  answers.printed = asked.printed.map((text) => {
    try {
      return new Alg(text).toString();
    } catch {
      return null;
    }
  });
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0)); // once all is written: a pipe takes 64 KB at a time
