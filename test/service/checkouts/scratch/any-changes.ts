// Arbitrary changes of a few files: edits, renames of files and of a folder, modes, links.

import fc from "fast-check";
import type { Files } from "./scratch-fixture.ts";

const folders = ["", "a/", "b/", "a/c/"];
const path = fc
  .tuple(fc.constantFrom(...folders), fc.integer({ min: 0, max: 4 }))
  .map(([folder, at]) => `${folder}${at}`);

type Change = { readonly what: string; readonly path: string; readonly to: string; readonly line: number };

export const anyChanges: fc.Arbitrary<Change[]> = fc.array(
  fc.record({
    what: fc.constantFrom("edit", "delete", "rename", "add", "program", "link", "rename folder"),
    path,
    to: path,
    line: fc.integer({ min: 0, max: 11 }),
  }),
  { maxLength: 6 },
);

const contents = (first: string) =>
  [first, ...Array.from({ length: 11 }, (_none, at) => `line ${at + 1}`)].map((line) => `${line}\n`).join("");

export const baseFiles: Files = Object.fromEntries(
  folders.flatMap((folder) => [0, 1, 2].map((at) => [`${folder}${at}`, contents(`${folder}${at}`)])),
);

/** Applies changes in turn; one that does not apply is passed over. */
export function changedFiles(changes: readonly Change[], by: string): Files {
  const files = new Map(Object.entries(baseFiles));
  const isFree = (wanted: string) =>
    ![...files.keys()].some(
      (known) => known === wanted || known.startsWith(`${wanted}/`) || wanted.startsWith(`${known}/`),
    );
  for (const { what, path: from, to, line } of changes) {
    const file = files.get(from);
    if (what === "add" && isFree(to)) files.set(to, `${by}\n`);
    if (what === "rename folder") {
      for (const [known, content] of [...files].filter(([name]) => name.startsWith("b/"))) {
        files.delete(known);
        files.set(`z${by}/${known.slice(2)}`, content);
      }
    }
    if (typeof file !== "string") continue;
    if (what === "edit") files.set(from, file.split("\n").toSpliced(line, 1, by).join("\n"));
    if (what === "delete") files.delete(from);
    if (what === "program") files.set(from, { program: file });
    if (what === "link") files.set(from, { link: by });
    if (what === "rename" && isFree(to)) {
      files.delete(from);
      files.set(to, file);
    }
  }
  return Object.fromEntries(files);
}
