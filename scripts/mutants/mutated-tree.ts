// A copy of the project in which every mutant of a sample is built in, and a file says which one is in force. So one
// build serves them all, also in the processes that tests start.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Mutant } from "./sample.ts";

export type MutatedTree = {
  readonly root: string;
  /** Puts one mutant in force, in processes that start from now on; null: none. */
  choose(id: number | null): void;
};

const SWITCH = "src/base/mutant-switch.ts";
const CONFIG = "mutants.config.ts";
/** These hold the text of the sources, which the switches change. */
const TEXT_TESTS = ["architecture", "links", "package", "readme", "workflows"];

/** Copies the files that git knows from `project` to `root`, with `mutants` in them and with `dist/` built. */
export function makeMutatedTree(project: string, root: string, mutants: readonly Mutant[]): MutatedTree {
  copyProject(project, root);
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const own = mutants.filter((mutant) => mutant.file === file);
    writeFileSync(join(root, file), withSwitches(readFileSync(join(root, file), "utf8"), file, own));
  }
  writeFileSync(join(root, SWITCH), switchModule(root));
  writeFileSync(join(root, CONFIG), configModule());
  writeFileSync(join(root, "mutant-file.ts"), currentFileModule(root));
  execFileSync(process.execPath, ["scripts/build.ts"], { cwd: root, stdio: "pipe" });
  const scripts = readdirSync(join(root, "npm")).filter((name) => name.startsWith("web-"));
  const choose = (id: number | null): void => {
    writeFileSync(join(root, "mutant-active"), String(id ?? 0));
    for (const script of scripts) chooseInPage(join(root, "npm", script), id ?? 0);
  };
  choose(null);
  return { root, choose };
}

/** Copies the files that git knows, as they are now. */
export function copyProject(project: string, root: string): void {
  rmSync(root, { recursive: true, force: true });
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: project, encoding: "utf8" });
  for (const file of listed.split("\0")) {
    if (file === "") continue;
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(project, file), join(root, file));
  }
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
}

/** The source with both, the code and its mutation, at each place. */
export function withSwitches(source: string, file: string, mutants: readonly Mutant[]): string {
  let text = source;
  for (const mutant of mutants.toSorted((a, b) => b.start - a.start)) {
    const code = text.slice(mutant.start, mutant.end);
    const isIn = `isMutant(${mutant.id})`;
    const both = {
      statement: `if (!${isIn}) { ${code} }`,
      expression: `(${isIn} ? (${mutant.replacement}) : (${code}))`,
      field: `...(${isIn} ? {} : { ${code} }),`,
    };
    text = text.slice(0, mutant.start) + both[mutant.place] + text.slice(mutant.end);
  }
  const path = relative(dirname(file), SWITCH);
  const from = path.startsWith(".") ? path : `./${path}`;
  const line = `import { isMutant } from ${JSON.stringify(from)};\n`;
  return text.startsWith("#!") ? text.replace("\n", `\n${line}`) : line + text;
}

/** The script of a page reads no file: which mutant is in force is written into it. */
function chooseInPage(path: string, id: number): void {
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(/mutant-of-page:\d+/g, `mutant-of-page:${id}`));
}

/** Says whether a mutant is in force, and writes down which ones a test file meets. */
function switchModule(root: string): string {
  return `const fs = globalThis.process?.getBuiltinModule?.("node:fs");
const folder = ${JSON.stringify(root)};
const read = (name: string): string => {
  try { return fs?.readFileSync(folder + "/" + name, "utf8") ?? ""; } catch { return ""; }
};
const ofPage = ["mutant-of-page:0"];
const active = fs === undefined ? Number(ofPage[0]?.split(":")[1]) : Number(read("mutant-active"));
const isMapping = read("mutant-mapping") !== "";
const met = new Set<string>();
let file = "";
let readAt = -1000;
export function isMutant(id: number): boolean {
  if (isMapping) {
    const now = performance.now();
    if (now - readAt > 20) { file = read("mutant-file"); readAt = now; }
    const key = id + " " + file;
    if (!met.has(key)) {
      met.add(key);
      try { fs?.appendFileSync(folder + "/mutant-met", key + "\\n"); } catch {}
    }
  }
  return id === active;
}
`;
}

/** A mutant that lets a test wait for ever costs three of these. */
const TIMEOUTS = "testTimeout: 40_000, hookTimeout: 60_000";

function configModule(): string {
  const exclude = TEXT_TESTS.map((name) => `test/${name}.test.ts`);
  return `import { mergeConfig } from "vitest/config";
import config from "./vitest.config.ts";
export default (environment) => {
  const own = config(environment);
  const setupFiles = [...own.test.setupFiles, "mutant-file.ts"];
  const test = { ...own.test, setupFiles, exclude: ${JSON.stringify(exclude)}, maxWorkers: 1, ${TIMEOUTS}, reporters: ["dot"] };
  return { ...own, test };
};
`;
}

/** Runs before each test file, and writes down which one it is. */
function currentFileModule(root: string): string {
  return `import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { expect } from "vitest";
writeFileSync(${JSON.stringify(join(root, "mutant-file"))}, relative(${JSON.stringify(root)}, expect.getState().testPath ?? ""));
`;
}
