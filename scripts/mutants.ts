// `npm run test:mutants`: changes the sources in many places, one at a time, and counts how often a test notices.
// Prints one line a mutant and a table by area. Verdicts are kept, so that a run that was stopped goes on where it was.

import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isRefused, type Judgement, judge, mapTests, type TestMap } from "./mutants/judge.ts";
import { copyProject, type MutatedTree, makeMutatedTree } from "./mutants/mutated-tree.ts";
import { AREAS, type Mutant, sampleMutants } from "./mutants/sample.ts";

const project = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "200" },
    /** Mutants at a time. Each has a copy of the project. */
    workers: { type: "string", default: "2" },
    /** At most so many test files judge a mutant, the likeliest first: one that others would notice counts as survived. */
    files: { type: "string", default: "400" },
    /** Where the copies, the map of the tests and the verdicts are kept. */
    folder: { type: "string" },
  },
});

type State = {
  /** Of these mutants; for others the state begins anew. */
  readonly sample: string;
  map: [number, string[]][] | null;
  verdicts: Record<string, Judgement>;
};

async function main(): Promise<void> {
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), "mutants-"));
  const mutants = sampleMutants(readSources(), { seed: Number(values.seed), count: Number(values.count) });
  print(`${mutants.length} mutants, seed ${values.seed}. Go on after a stop with --folder ${folder}`);
  const statePath = join(folder, "state.json");
  const state = readState(statePath, mutants.map(describeMutant).join("\n"));
  const save = (): void => writeFileSync(statePath, JSON.stringify(state));

  const trees = Array.from({ length: Number(values.workers) }, (_, index) =>
    makeMutatedTree(project, join(folder, `tree-${index}`), mutants),
  );
  const [first] = trees;
  if (first === undefined) throw new Error("--workers must be 1 or more.");
  if (state.map === null) {
    print("Executing every test once, to learn which tests meet which mutants …");
    const { map, failing } = await mapTests(first);
    for (const file of failing) print(`Left out, as it fails without a mutation: ${file}`);
    state.map = [...map].map(([id, files]) => [id, [...files]]);
    save();
  }
  const plain = join(folder, "plain");
  copyProject(project, plain);
  const map: TestMap = new Map(state.map.map(([id, files]) => [id, new Set(files)]));

  const waiting = mutants.filter(({ id }) => state.verdicts[id] === undefined);
  const work = async (tree: MutatedTree): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const tested = await judge(tree, mutant, { map, maxFiles: Number(values.files) });
      const isMissed = tested.verdict === "survived" || tested.verdict === "not met";
      const judgement: Judgement = isMissed && isRefused(plain, mutant) ? { verdict: "refused" } : tested;
      state.verdicts[mutant.id] = judgement;
      save();
      const by = judgement.by === undefined ? "" : `\n          by ${judgement.by}`;
      print(`${judgement.verdict.padEnd(9)} ${describeMutant(mutant)}${by}`);
    }
  };
  await Promise.all(trees.map(work));
  printTable(mutants, state.verdicts);
}

function readSources(): Map<string, string> {
  const names = readdirSync(join(project, "src"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".ts")).sort();
  return new Map(files.map((name) => [`src/${name}`, readFileSync(join(project, "src", name), "utf8")]));
}

function readState(path: string, sample: string): State {
  const fresh: State = { sample, map: null, verdicts: {} };
  if (!existsSync(path)) return fresh;
  const kept: State = JSON.parse(readFileSync(path, "utf8"));
  return kept.sample === sample ? kept : fresh;
}

function printTable(mutants: readonly Mutant[], judgements: State["verdicts"]): void {
  const verdictOf = ({ id }: Mutant) => judgements[id]?.verdict;
  const isKilled = (mutant: Mutant): boolean =>
    verdictOf(mutant) === "killed" || verdictOf(mutant) === "timed out";
  const isRefusedByTypes = (mutant: Mutant): boolean => verdictOf(mutant) === "refused";
  print("\n| Area | Mutants | Killed by tests | Refused by types |\n| --- | --- | --- | --- |");
  for (const area of AREAS) {
    const own = mutants.filter(({ file }) => file.startsWith(`src/${area}/`));
    print(
      `| ${area} | ${own.length} | ${own.filter(isKilled).length} | ${own.filter(isRefusedByTypes).length} |`,
    );
  }
  const killed = mutants.filter(isKilled).length;
  const share = Math.round((killed * 100) / mutants.length);
  const refused = mutants.filter(isRefusedByTypes).length;
  print(`| all | ${mutants.length} | ${killed} (${share} %) | ${refused} |`);
  print("\nSurvivors:");
  for (const mutant of mutants)
    if (!isKilled(mutant) && !isRefusedByTypes(mutant)) print(`- ${describeMutant(mutant)}`);
}

function describeMutant({ file, line, kind }: Mutant): string {
  return `${file}:${line} ${kind}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
