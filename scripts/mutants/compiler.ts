// Whether the types allow a mutant. The unchanged sources are compiled once; a mutant costs what depends on its file.

import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyProject } from "./mutated-tree.ts";
import type { Mutation } from "./mutations.ts";

export type Compiler = {
  /** Whether the compiler refuses the mutant. */
  refuses(mutant: Mutation & { readonly file: string }): boolean;
};

const CONFIG = "mutants.tsconfig.json";
const NEWEST = "mutants.tsbuildinfo";
const UNCHANGED = "mutants-unchanged.tsbuildinfo";

/** Copies the project to `root` and compiles it. Throws where that fails. */
export function openCompiler(project: string, root: string): Compiler {
  copyProject(project, root);
  const compilerOptions = { incremental: true, tsBuildInfoFile: NEWEST };
  writeFileSync(
    join(root, CONFIG),
    JSON.stringify({ extends: "./tsconfig.json", compilerOptions, include: ["src"] }),
  );
  const compiles = (): boolean => {
    const args = ["--noEmit", "--project", CONFIG];
    return spawnSync("node_modules/.bin/tsc", args, { cwd: root, stdio: "ignore" }).status === 0;
  };
  if (!compiles()) throw new Error("The sources do not compile without a mutant.");
  copyFileSync(join(root, NEWEST), join(root, UNCHANGED));
  return {
    refuses({ file, start, end, replacement, place }) {
      const path = join(root, file);
      const source = readFileSync(path, "utf8");
      copyFileSync(join(root, UNCHANGED), join(root, NEWEST));
      const written = place === "expression" ? `(${replacement})` : replacement;
      writeFileSync(path, source.slice(0, start) + written + source.slice(end));
      const isRefused = !compiles();
      writeFileSync(path, source);
      return isRefused;
    },
  };
}
