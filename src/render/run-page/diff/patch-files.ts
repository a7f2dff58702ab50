// A git patch as its files, each with its own lines and their numbers. By the counts of each hunk, so that no line of a file is taken
// for a header. In time linear in the patch. Pure.

export type PatchLine = {
  readonly kind: "added" | "removed" | "same" | "hunk" | "note";
  /** Without the sign. Untrusted. */
  readonly text: string;
  /** In the old version. */
  readonly oldLine: number | null;
  readonly newLine: number | null;
};

export type PatchFile = {
  /** In the new version; of a deleted file, in the old one. Untrusted. */
  readonly path: string;
  /** Where it was renamed or copied from; null where its path stayed. Untrusted. */
  readonly from: string | null;
  /** Null where it stayed. */
  readonly mode: { readonly before: string; readonly after: string } | null;
  readonly isBinary: boolean;
  readonly lines: readonly PatchLine[];
};

type Draft = {
  path: string;
  from: string | null;
  before: string | null;
  after: string | null;
  isBinary: boolean;
  readonly lines: PatchLine[];
};

const HUNK = /^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@/;

export function patchFiles(patch: string): readonly PatchFile[] {
  const files: Draft[] = [];
  let file: Draft | null = null;
  let [oldLeft, newLeft, oldLine, newLine] = [0, 0, 0, 0];
  for (const text of linesOf(patch)) {
    const sign = text.charAt(0);
    // What does not look like a line of a hunk ends one that counted too many.
    if (file !== null && (oldLeft > 0 || newLeft > 0) && " +-".includes(sign)) {
      const kind = sign === "+" ? "added" : sign === "-" ? "removed" : "same";
      file.lines.push({
        kind,
        text: text.slice(1),
        oldLine: kind === "added" ? null : oldLine,
        newLine: kind === "removed" ? null : newLine,
      });
      if (kind !== "added") [oldLeft, oldLine] = [oldLeft - 1, oldLine + 1];
      if (kind !== "removed") [newLeft, newLine] = [newLeft - 1, newLine + 1];
      continue;
    }
    // It may come after the last counted line.
    if (file !== null && text.startsWith("\\ ")) {
      file.lines.push(unnumbered("note", text.slice(2)));
      continue;
    }
    [oldLeft, newLeft] = [0, 0];
    const hunk = HUNK.exec(text);
    if (text.startsWith("diff --git ")) {
      file = { path: gitPath(text), from: null, before: null, after: null, isBinary: false, lines: [] };
      files.push(file);
    } else if (file !== null && hunk !== null) {
      file.lines.push(unnumbered("hunk", text));
      [oldLine, newLine] = [Number(hunk[1]), Number(hunk[3])];
      [oldLeft, newLeft] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
    } else if (file !== null) readHeader(file, text);
  }
  return files.map(({ before, after, ...one }) => ({
    ...one,
    mode: before === null || after === null ? null : { before, after },
  }));
}

function linesOf(patch: string): readonly string[] {
  const lines = patch.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function unnumbered(kind: "hunk" | "note", text: string): PatchLine {
  return { kind, text, oldLine: null, newLine: null };
}

const MODE_CHARS = 6;

function readHeader(file: Draft, text: string): void {
  const after = (start: string) => (text.startsWith(start) ? text.slice(start.length) : null);
  const side = after("--- ") ?? after("+++ ");
  const name = side === null ? null : pathIn(side);
  const from = after("rename from ") ?? after("copy from ");
  const to = after("rename to ") ?? after("copy to ");
  if (name !== null && name !== "/dev/null") file.path = name.replace(/^[ab]\//, "");
  if (from !== null) file.from = pathIn(from);
  if (to !== null) file.path = pathIn(to);
  file.before = after("old mode ")?.slice(0, MODE_CHARS) ?? file.before;
  file.after = after("new mode ")?.slice(0, MODE_CHARS) ?? file.after;
  if (text.startsWith("Binary files ") || text === "GIT binary patch") file.isBinary = true;
}

/** The end of `diff --git a/x b/x`: the paths are the same, but for a rename, which says them again. */
function gitPath(text: string): string {
  const names = text.slice("diff --git ".length);
  const half = names.slice(Math.ceil(names.length / 2));
  return pathIn(half).replace(/^b\//, "");
}

/** Git quotes a path with unusual characters, and ends one with blanks by a tab. */
function pathIn(name: string): string {
  const path = name.endsWith("\t") ? name.slice(0, -1) : name;
  return path.length >= 2 && path.startsWith('"') && path.endsWith('"') ? unquoted(path.slice(1, -1)) : path;
}

const ESCAPED = /\\([0-7]{3}|.)/g;
const ESCAPES: ReadonlyMap<string, number> = new Map(
  [..."abtnvfr"].map((letter, index) => [letter, index + 7] as const),
);

/** Escapes as in C: bytes in octal are those of UTF-8. */
function unquoted(text: string): string {
  const bytes: Uint8Array[] = [];
  const encoder = new TextEncoder();
  let end = 0;
  for (const match of text.matchAll(ESCAPED)) {
    const [all, code = ""] = match;
    bytes.push(encoder.encode(text.slice(end, match.index)));
    const known = code.length === 3 ? Number.parseInt(code, 8) & 0xff : ESCAPES.get(code);
    bytes.push(known === undefined ? encoder.encode(code) : Uint8Array.of(known));
    end = match.index + all.length;
  }
  bytes.push(encoder.encode(text.slice(end)));
  const whole = new Uint8Array(bytes.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of bytes) {
    whole.set(part, at);
    at += part.length;
  }
  return new TextDecoder().decode(whole);
}
