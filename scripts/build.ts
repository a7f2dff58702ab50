// Builds dist/, which the Action loads and which is committed, and npm/, which the package holds and which is not.
// Byte-identical on every machine: no absolute path, no time, and pinned bundlers.
// Why: docs/decisions/004-runtime-dependencies.md, docs/decisions/027-what-npm-holds-is-not-committed.md

import { readdirSync, statSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { buildAction } from "./build/action.ts";
import type { BuiltFiles } from "./build/built-file.ts";
import { buildClient } from "./build/client.ts";
import { licenceTexts } from "./build/licences.ts";
import { buildCommand, buildEmbedded } from "./build/service.ts";

const root = join(import.meta.dirname, "..");
const LICENCES = "LICENSES.txt";

const builders = {
  dist: [buildAction, buildEmbedded],
  npm: [buildCommand, buildClient],
} as const;

/** Where bundles go: `dist` is committed, `npm` is built by `npm ci` and packed. */
export type BundleFolder = keyof typeof builders;

/** What a folder holds, built anew, but for the licences. */
export async function buildFiles(folder: BundleFolder): Promise<BuiltFiles> {
  const built = [];
  for (const build of builders[folder]) built.push(...(await build()));
  return new Map(built);
}

/** Builds a folder's files and the licences of what is inside them. Touches it only when all of them are built. */
export async function buildFolder(folder: BundleFolder): Promise<void> {
  const built = await buildFiles(folder);
  const modules = [...built.values()].flatMap((file) => file.modules);
  const files = new Map([...built].map(([name, { contents }]) => [name, contents]));
  files.set(LICENCES, licenceTexts(root, modules));
  await mkdir(join(root, folder), { recursive: true });
  for (const name of await filesIn(folder)) {
    // The package's types are made by another script, and hidden names are files that are being written.
    if (!files.has(name) && !/(^|\/)\.|\.d\.ts$/.test(name)) await rm(join(root, folder, name));
  }
  for (const [name, contents] of files) {
    // Renamed into its place: a command that starts meanwhile reads the old file or the new one.
    const path = join(root, folder, name);
    const part = join(dirname(path), `.${process.pid}.part`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(part, contents);
    await rename(part, path);
    process.stdout.write(`${folder}/${name} ${Buffer.byteLength(contents)} bytes\n`);
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) =>
    relative(join(root, folder), join(parentPath, name)).replaceAll("\\", "/"),
  );
}

/** Builds npm/ where a source is newer than it: what a test, the benchmark or the demo starts is never an old command. */
export async function refreshCommand(): Promise<void> {
  const sources = [...treeOf("src"), ...treeOf("scripts/build"), "package-lock.json", "scripts/build.ts"];
  const builtAt = modifiedAt(`npm/${LICENCES}`);
  if (sources.some((path) => modifiedAt(path) > builtAt)) await buildFolder("npm");
}

/** A folder and everything in it, folders too: one is modified where a file in it is removed. */
function treeOf(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return [folder, ...names.map((name) => join(folder, name))];
}

/** In milliseconds. Never, where there is no such file. */
function modifiedAt(path: string): number {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

if (import.meta.main) {
  const [asked] = process.argv.slice(2);
  for (const folder of ["dist", "npm"] as const) {
    if (asked === undefined || asked === folder) await buildFolder(folder);
  }
}
