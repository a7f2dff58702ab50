// Additions of a patch that nobody should push unseen: secrets, and characters that no reader sees. Only added lines of text are
// read: what git packs as binary is not. Pure.
// Why: docs/decisions/036-the-job-scans-what-it-writes.md

import { findSecrets } from "./find-secrets.ts";

/** The place of a finding in a patch. The path is untrusted; the value is never told. */
export type PatchFinding = { readonly title: string; readonly path: string; readonly line: number };

type PatchScan = {
  readonly secrets: readonly PatchFinding[];
  readonly hidden: readonly PatchFinding[];
};

type AddedLines = {
  readonly path: string;
  readonly lines: string[];
  readonly numbers: number[];
  readonly removed: string[];
};

/**
 * Characters that change how a reader sees the code around them (CVE-2021-42574), or carry text of their own unseen: bidi
 * embeddings, overrides and isolates; tag characters; selectors in a row; zero-width spaces and joiners of words. Marks
 * and joiners that languages and emoji need are none of them.
 */
const HIDDEN =
  /[\u202A-\u202E\u2066-\u2069\u200B\u2060-\u2064\u206A-\u206F\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|(?<!^)\uFEFF|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2}/gu;

/** The flags of England, Scotland and Wales are spelled in tag characters. */
const FLAGS = /\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{1,6}\u{E007F}/gu;

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

export function scanPatch(patch: string): PatchScan {
  const secrets: PatchFinding[] = [];
  const hidden: PatchFinding[] = [];
  for (const added of addedLines(patch)) {
    secrets.push(...secretsOf(added));
    hidden.push(...hiddenOf(added));
  }
  return { secrets, hidden };
}

/** The first line that each file gains, by the file's path in the new version. */
export function firstAddedLines(patch: string): ReadonlyMap<string, number> {
  return new Map(
    addedLines(patch).flatMap(({ path, numbers: [first] }) => (first === undefined ? [] : [[path, first]])),
  );
}

/** A key may span lines: those of one file are read together. */
function secretsOf({ path, lines, numbers }: AddedLines): PatchFinding[] {
  const starts: number[] = [];
  let chars = 0;
  for (const line of lines) {
    starts.push(chars);
    chars += line.length + 1;
  }
  let at = 0;
  return findSecrets(lines.join("\n")).map(({ title, start }) => {
    while (at + 1 < starts.length && (starts[at + 1] ?? 0) <= start) at += 1;
    return { title, path, line: numbers[at] ?? 0 };
  });
}

/** A line that a change moves or rewrites may keep what it had: a translation has marks of direction. */
function hiddenOf({ path, lines, numbers, removed }: AddedLines): PatchFinding[] {
  const had = new Map<string, number>();
  for (const [char] of removed.join("\n").replace(FLAGS, "").matchAll(HIDDEN))
    had.set(char, (had.get(char) ?? 0) + 1);
  return lines.flatMap((line, index) =>
    [...line.replace(FLAGS, "").matchAll(HIDDEN)].flatMap(([char]) => {
      const left = had.get(char) ?? 0;
      had.set(char, left - 1);
      if (left > 0) return [];
      return [{ title: nameOf(char), path, line: numbers[index] ?? 0 }];
    }),
  );
}

function nameOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** By the counts of each hunk, so that no line of a file is taken for a header. */
function addedLines(patch: string): readonly AddedLines[] {
  const files: AddedLines[] = [];
  let file: AddedLines | null = null;
  let [oldLeft, newLeft, number] = [0, 0, 0];
  for (const line of patch.split("\n")) {
    if (oldLeft > 0 || newLeft > 0) {
      const sign = line.charAt(0);
      if (sign === "+") {
        file?.lines.push(line.slice(1));
        file?.numbers.push(number);
      } else if (sign === "-") file?.removed.push(line.slice(1));
      if (sign !== "-" && sign !== "\\") {
        newLeft -= 1;
        number += 1;
      }
      if (sign !== "+" && sign !== "\\") oldLeft -= 1;
      continue;
    }
    const hunk = HUNK.exec(line);
    if (hunk !== null) {
      [oldLeft, number, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)];
    } else if (line.startsWith("diff --git ")) {
      file = null;
    } else if (line.startsWith("+++ ") && file === null) {
      file = { path: pathIn(line.slice(4)), lines: [], numbers: [], removed: [] };
      files.push(file);
    }
  }
  return files;
}

/** `b/src/a.ts`; git quotes a path with unusual characters, and ends one with blanks by a tab. */
function pathIn(name: string): string {
  const plain = name.replace(/\t$/, "").replace(/^"(.*)"$/, "$1");
  return plain.replace(/^b\//, "");
}
