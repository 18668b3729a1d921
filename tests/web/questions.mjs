// The page's functions on requests, without its view: bundled as the page is, then called line by line.
//
//     node questions.mjs WEB DIRECTORY    reads ["module", "function", [arguments]] and answers as JSON, one in each line

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [web, directory] = process.argv.slice(2);
const { build } = await import(pathToFileURL(createRequire(join(web, "package.json")).resolve("vite")));
const input = {
  question: join(web, "src/solve/question.ts"),
  command: join(web, "src/solve/command.ts"),
  experiment: join(web, "src/experiments/request.ts"),
};
await build({
  configFile: false, root: web, logLevel: "error",
  build: { ssr: true, outDir: directory, emptyOutDir: true, rollupOptions: { input, output: { entryFileNames: "[name].mjs" } } },
});
const modules = {};
for (const name of Object.keys(input)) modules[name] = await import(pathToFileURL(join(directory, `${name}.mjs`)));

for await (const line of createInterface({ input: process.stdin })) {
  const [module, name, given] = JSON.parse(line);
  // An address is a text outside, and what the page reads it as inside.
  const found = modules[module][name](...given.map((one) => (one?.address === undefined ? one : new URLSearchParams(one.address))));
  console.log(JSON.stringify(found instanceof URLSearchParams ? { address: found.toString() } : found));
}
