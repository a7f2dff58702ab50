// `npm run test:mutants`: changes the sources in many places, one at a time, and counts how often a test notices.
// Prints one line a mutant and a table by area. What is found out is kept, so that a run that was stopped goes on where it was.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openCompiler } from "./mutants/compiler.ts";
import { type Judgement, judge, mapTests, type TestMap } from "./mutants/judge.ts";
import { type MutatedTree, makeMutatedTree } from "./mutants/mutated-tree.ts";
import { areaOf, type Mutant, sampleMutants } from "./mutants/sample.ts";

const project = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "200" },
    /** Mutants at a time. Each has a copy of the project. */
    workers: { type: "string", default: "2" },
    /** At most so many test files judge a mutant, the likeliest first: one that others would notice counts as survived. */
    files: { type: "string", default: "400" },
    /** Without the map, which takes one run of every test: the files whose paths are nearest judge. */
    quick: { type: "boolean", default: false },
    /** Survivors are judged once more, after tests were added. */
    again: { type: "boolean", default: false },
    /** Where the copies, the map of the tests and the verdicts are kept. */
    folder: { type: "string" },
  },
});

type State = {
  /** Of these mutants; for others the state begins anew. */
  readonly sample: string;
  map: TestMap;
  verdicts: Record<string, Judgement>;
};

async function main(): Promise<void> {
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), "mutants-"));
  mkdirSync(folder, { recursive: true });
  const mutants = sampleMutants(readSources(), { seed: Number(values.seed), count: Number(values.count) });
  print(`${mutants.length} mutants, seed ${values.seed}. Go on after a stop with --folder ${folder}`);
  const statePath = join(folder, "state.json");
  const state = readState(statePath, mutants.map(describeMutant).join("\n"));
  const save = (): void => writeFileSync(statePath, JSON.stringify(state));
  const isWaiting = ({ id }: Mutant): boolean => state.verdicts[id] === undefined;
  const conclude = (mutant: Mutant, judgement: Judgement): void => {
    state.verdicts[mutant.id] = judgement;
    save();
    const by = judgement.by === undefined ? "" : `\n          by ${judgement.by}`;
    print(`${judgement.verdict.padEnd(9)} ${describeMutant(mutant)}${by}`);
  };

  if (values.again)
    for (const { id } of mutants) if (state.verdicts[id]?.verdict === "survived") delete state.verdicts[id];
  const compiler = openCompiler(project, join(folder, "plain"));
  const trees = Array.from({ length: Number(values.workers) }, (_, index) =>
    makeMutatedTree(project, join(folder, `tree-${index}`), mutants),
  );
  const [first] = trees;
  if (first === undefined) throw new Error("--workers must be 1 or more.");
  if (!values.quick) {
    print("Executing each test that is not in the map yet, to learn which ones meet which mutants …");
    state.map = await mapTests(first, state.map, (map) => {
      state.map = map;
      save();
    });
    for (const [file, { isFailing }] of Object.entries(state.map))
      if (isFailing) print(`Left out, as it fails without a mutation: ${file}`);
  }

  const waiting = inTurns(mutants.filter(isWaiting));
  const work = async (tree: MutatedTree): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const options = { map: state.map, maxFiles: Number(values.files) };
      conclude(
        mutant,
        compiler.refuses(mutant) ? { verdict: "refused" } : await judge(tree, mutant, options),
      );
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
  const fresh: State = { sample, map: {}, verdicts: {} };
  if (!existsSync(path)) return fresh;
  const kept: State = JSON.parse(readFileSync(path, "utf8"));
  return kept.sample === sample ? kept : fresh;
}

/** One of each area after the other, so that what a run that was stopped has judged is even too. */
function inTurns(mutants: readonly Mutant[]): Mutant[] {
  const areas = [...Map.groupBy(mutants, ({ file }) => areaOf(file)).values()];
  const longest = Math.max(0, ...areas.map((own) => own.length));
  return Array.from({ length: longest }, (_, turn) => areas.flatMap((own) => own[turn] ?? [])).flat();
}

function printTable(mutants: readonly Mutant[], verdicts: State["verdicts"]): void {
  const verdictOf = ({ id }: Mutant) => verdicts[id]?.verdict;
  const row = (name: string, own: readonly Mutant[]): string => {
    const refused = own.filter((one) => verdictOf(one) === "refused").length;
    const survived = own.filter((one) => verdictOf(one) === "survived").length;
    const counted = own.filter((one) => verdictOf(one) !== undefined).length - refused;
    const share = counted === 0 ? "" : `${Math.round(((counted - survived) * 100) / counted)} %`;
    return `| ${name} | ${counted} | ${counted - survived} | ${share} | ${refused} |`;
  };
  print("\n| Area | Mutants | Killed by tests | Share | Refused by types, not counted |");
  print("| --- | --- | --- | --- | --- |");
  for (const [area, own] of Map.groupBy(mutants, ({ file }) => areaOf(file))) print(row(area, own));
  print(row("all", mutants));
  print("\nSurvivors:");
  for (const mutant of mutants) if (verdictOf(mutant) === "survived") print(`- ${describeMutant(mutant)}`);
}

function describeMutant({ file, line, kind }: Mutant): string {
  return `${file}:${line} ${kind}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
