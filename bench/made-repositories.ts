// Real repositories for runs that clone or that work on a checkout, each a bare one with one commit: a small one of some forty
// files, one of 5,000, and one of 26,000 as those of large products have.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestRepository } from "../fakes/code-host/git-repository.ts";
import { opened } from "../scripts/opened.ts";

const MODULES = 40;
/** With the two that describe them. */
export const SMALL_FILES = MODULES + 2;
const MIDDLE_MODULES = 4_998;
const MIDDLE_FOLDERS = 100;
const LARGE_MODULES = 25_998;
const LARGE_FOLDERS = 400;

export type MadeRepository = {
  readonly path: string;
  readonly files: number;
  remove(): Promise<void>;
};

export async function makeSmallRepository(): Promise<MadeRepository> {
  return await makeRepository(
    Array.from({ length: MODULES }, (_, index) => [`src/module-${index}.js`, moduleOf(index, 40)]),
  );
}

/** 5,000 files in 100 folders. */
export async function makeMiddleRepository(): Promise<MadeRepository> {
  return await makeFolders(MIDDLE_MODULES, MIDDLE_FOLDERS);
}

/** About 75 MB of sources in 400 folders, packed as a code host has them. Takes some seconds. */
export async function makeLargeRepository(): Promise<MadeRepository> {
  return await makeFolders(LARGE_MODULES, LARGE_FOLDERS);
}

async function makeFolders(modules: number, folders: number): Promise<MadeRepository> {
  const folderOf = (index: number) => {
    const folder = index % folders;
    return index < MODULES ? "src" : `src/part-${folder % 20}/folder-${folder}`;
  };
  return await makeRepository(
    Array.from({ length: modules }, (_, index) => [
      `${folderOf(index)}/module-${index}.js`,
      moduleOf(index, 75),
    ]),
  );
}

async function makeRepository(modules: readonly (readonly [string, string])[]): Promise<MadeRepository> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const remove = opened(() => rm(folder, { recursive: true, force: true }));
  const repository = new TestRepository(folder, "made.git");
  const files: readonly (readonly [string, string])[] = [
    ["README.md", "# Made\n\nModules of constants.\n"],
    ["package.json", JSON.stringify({ name: "made", type: "module", scripts: { test: "node --test" } })],
    ...modules,
  ];
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const begin = `commit refs/heads/main\ncommitter Ada Lovelace <author@example.com> 0 +0000\n${data("Begin")}`;
  const stored = files.map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`);
  repository.git(["-c", "core.compression=1", "fast-import", "--quiet"], {
    input: `${begin}${stored.join("")}\ndone\n`,
  });
  return { path: repository.path, files: files.length, remove };
}

function moduleOf(index: number, lines: number): string {
  return Array.from({ length: lines }, (_, line) => `export const value${line} = ${index} + ${line};`).join(
    "\n",
  );
}
