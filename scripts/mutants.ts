// `npm run test:mutants`: changes the sources in many places, one at a time, and counts how often a test notices.
// Prints one line a mutant and a table by area. What is found out is kept, so that a run that was stopped goes on where it was.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openCompiler } from "./mutants/compiler.ts";
import { type Judgement, mapTests, openJudge, type TestMap } from "./mutants/judge.ts";
import { type MutatedTree, makeMutatedTree } from "./mutants/mutated-tree.ts";
import { areaOf, type Mutant, sampleMutants } from "./mutants/sample.ts";
import { type NearestTests, openNearestTests } from "./nearest-tests.ts";
import { cpuMs, readTimes } from "./test-times.ts";

const project = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "200" },
    /** Mutants at a time. Each has a copy of the project. */
    workers: { type: "string", default: "2" },
    /** At most so many test files judge a mutant, the likeliest first: one that others would notice counts as survived. */
    files: { type: "string", default: "400" },
    /** Without the map, which takes one run of every test: the nearest files judge. */
    quick: { type: "boolean", default: false },
    /** What TEST_CPU has written of a run of all tests: files that took more than five seconds of the processor do not judge. */
    times: { type: "string" },
    /** Survivors are judged once more, after tests were added. */
    again: { type: "boolean", default: false },
    /** Where the copies, the map of the tests and the verdicts are kept. */
    folder: { type: "string" },
  },
});

type State = {
  /** Of these mutants; for others the state begins anew. */
  readonly drawn: string;
  /** The ids of those that the types refuse. Null: they were not compiled yet. */
  refused: readonly number[] | null;
  map: TestMap;
  verdicts: Record<string, Judgement>;
};

/** Most of what is drawn does not compile. */
const DRAWN_FOR_ONE = 3;
/** The processor time of a quick test file. */
const QUICK_MS = 5_000;

async function main(): Promise<void> {
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), "mutants-"));
  mkdirSync(folder, { recursive: true });
  const count = Number(values.count);
  const drawn = sampleMutants(readSources(), { seed: Number(values.seed), count: DRAWN_FOR_ONE * count });
  const statePath = join(folder, "state.json");
  const state = readState(statePath, drawn.map(describeMutant).join("\n"));
  const save = (): void => writeFileSync(statePath, JSON.stringify(state));
  const mutants = (await compiled(drawn, folder, state)).slice(0, count);
  save();
  print(`${mutants.length} mutants, seed ${values.seed}. Go on after a stop with --folder ${folder}`);
  const isWaiting = ({ id }: Mutant): boolean => state.verdicts[id] === undefined;
  const conclude = (mutant: Mutant, judgement: Judgement): void => {
    state.verdicts[mutant.id] = judgement;
    save();
    const by = judgement.by === undefined ? "" : `\n          by ${judgement.by}`;
    print(`${judgement.verdict.padEnd(9)} ${describeMutant(mutant)}${by}`);
  };

  if (values.again)
    for (const { id } of mutants) if (state.verdicts[id]?.verdict === "survived") delete state.verdicts[id];
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

  const waiting = mutants.filter(isWaiting);
  const options = {
    map: state.map,
    nearest: quickOnly(openNearestTests(project), values.times),
    maxFiles: Number(values.files),
    plain: new Map<string, boolean>(),
  };
  const work = async (tree: MutatedTree): Promise<void> => {
    const judge = openJudge(tree, options);
    try {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift())
        conclude(mutant, await judge.judge(mutant));
    } finally {
      await judge.close();
    }
  };
  await Promise.all(trees.map(work));
  printTable(mutants, state.verdicts);
}

/** All of them without the times. */
function quickOnly(nearest: NearestTests, timesPath: string | undefined): NearestTests {
  if (timesPath === undefined) return nearest;
  const slow = new Set(
    readTimes(timesPath)
      .filter((times) => cpuMs(times) > QUICK_MS)
      .map(({ file }) => file),
  );
  return (source) => nearest(source).filter((file) => !slow.has(file));
}

/** Those that the types allow, in the order in which they were drawn: one of each area after the other. */
async function compiled(drawn: readonly Mutant[], folder: string, state: State): Promise<readonly Mutant[]> {
  if (state.refused === null) {
    const compiler = await openCompiler(project, join(folder, "plain"));
    state.refused = [...(await compiler.refused(drawn))];
    print(`The types refuse ${state.refused.length} of ${drawn.length} mutants that were drawn.`);
  }
  const refused = new Set(state.refused);
  return drawn.filter(({ id }) => !refused.has(id));
}

function readSources(): Map<string, string> {
  const names = readdirSync(join(project, "src"), { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name.endsWith(".ts")).sort();
  return new Map(files.map((name) => [`src/${name}`, readFileSync(join(project, "src", name), "utf8")]));
}

function readState(path: string, drawn: string): State {
  const fresh: State = { drawn, refused: null, map: {}, verdicts: {} };
  if (!existsSync(path)) return fresh;
  const kept: State = JSON.parse(readFileSync(path, "utf8"));
  return kept.drawn === drawn ? kept : fresh;
}

function printTable(mutants: readonly Mutant[], verdicts: State["verdicts"]): void {
  const verdictOf = ({ id }: Mutant) => verdicts[id]?.verdict;
  const row = (name: string, own: readonly Mutant[]): string => {
    const judged = own.filter((one) => verdictOf(one) !== undefined).length;
    const killed = judged - own.filter((one) => verdictOf(one) === "survived").length;
    return `| ${name} | ${judged} | ${killed} | ${judged === 0 ? "" : `${Math.round((killed * 100) / judged)} %`} |`;
  };
  print("\n| Area | Mutants | Killed by tests | Share |");
  print("| --- | --- | --- | --- |");
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
