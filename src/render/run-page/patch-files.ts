// A git patch as its files, each with its own lines. By the counts of each hunk, so that no line of a file is taken for a
// header. In time linear in the patch. Pure.

type PatchLine = {
  readonly kind: "added" | "removed" | "same" | "hunk" | "note";
  readonly text: string;
};

export type PatchFile = {
  /** In the new version; of a deleted file, in the old one. Untrusted. */
  readonly path: string;
  readonly lines: readonly PatchLine[];
};

type Draft = { path: string; lines: PatchLine[] };

const HUNK = /^@@ -\d{1,10}(?:,(\d{1,10}))? \+\d{1,10}(?:,(\d{1,10}))? @@/;
const kinds: ReadonlyMap<string, PatchLine["kind"]> = new Map([
  ["+", "added"],
  ["-", "removed"],
  ["\\", "note"],
]);

export function patchFiles(patch: string): readonly PatchFile[] {
  const files: Draft[] = [];
  let file: Draft | null = null;
  let [oldLeft, newLeft] = [0, 0];
  for (const text of patch.split("\n")) {
    const isInHunk = oldLeft > 0 || newLeft > 0;
    // "\ No newline at end of file" may come after the last counted line.
    if (file !== null && (isInHunk || text.startsWith("\\ "))) {
      const kind = kinds.get(text.charAt(0)) ?? "same";
      file.lines.push({ kind, text });
      if (kind === "removed" || kind === "same") oldLeft -= 1;
      if (kind === "added" || kind === "same") newLeft -= 1;
      continue;
    }
    const hunk = HUNK.exec(text);
    if (text.startsWith("diff --git ")) {
      file = { path: gitPath(text), lines: [] };
      files.push(file);
    } else if (file !== null && hunk !== null) {
      file.lines.push({ kind: "hunk", text });
      [oldLeft, newLeft] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    } else if (file !== null) readHeader(file, text);
  }
  return files;
}

function readHeader(file: Draft, text: string): void {
  if (text.startsWith("--- ") || text.startsWith("+++ ")) {
    const path = pathIn(text.slice(4));
    if (path !== "/dev/null") file.path = path.replace(/^[ab]\//, "");
  } else if (text.startsWith("rename to ")) file.path = pathIn(text.slice("rename to ".length));
  else if (text.startsWith("Binary files ") || text === "GIT binary patch")
    file.lines.push({ kind: "note", text: "Binary file" });
}

/** The end of `diff --git a/x b/x`: the paths are the same, but for a rename, which says them again. */
function gitPath(text: string): string {
  const names = text.slice("diff --git ".length);
  const half = names.slice(Math.ceil(names.length / 2));
  return pathIn(half).replace(/^b\//, "");
}

/** Git quotes a path with unusual characters, and ends one with blanks by a tab. */
function pathIn(name: string): string {
  return name.replace(/\t$/, "").replace(/^"(.*)"$/, "$1");
}
