// A small real repository for runs that clone or that work on a checkout: a bare one with a commit of some forty files.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestRepository } from "../fakes/code-host/git-repository.ts";
import { opened } from "../scripts/opened.ts";

const MODULES = 40;

export type SmallRepository = {
  readonly path: string;
  remove(): Promise<void>;
};

export async function makeSmallRepository(): Promise<SmallRepository> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const remove = opened(() => rm(folder, { recursive: true, force: true }));
  const repository = new TestRepository(folder, "small.git");
  repository.commit({ files, subject: "Begin" });
  return { path: repository.path, remove };
}

const modules = Array.from({ length: MODULES }, (_, index) => [
  `src/module-${index}.js`,
  Array.from({ length: 40 }, (_line, line) => `export const value${line} = ${index} + ${line};`).join("\n"),
]);

const files: Readonly<Record<string, string>> = {
  "README.md": "# Small\n\nForty modules of constants.\n",
  "package.json": JSON.stringify({ name: "small", type: "module", scripts: { test: "node --test" } }),
  ...Object.fromEntries(modules),
};
