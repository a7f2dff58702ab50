// What GitLab shows of the difference of two commits, by the real `git diff`.

import type { TestRepository } from "../code-host/git-repository.ts";

export type FileDiff = {
  readonly old_path: string;
  readonly new_path: string;
  readonly new_file: boolean;
  readonly renamed_file: boolean;
  readonly deleted_file: boolean;
  /** "100644", and "0" where the file is not there. */
  readonly a_mode: string;
  readonly b_mode: string;
  /** The hunks alone. */
  readonly diff: string;
};

export function diffOf(repository: TestRepository, from: string, to: string): readonly FileDiff[] {
  const text = repository.git(["diff", "--no-color", "-M", from, to]);
  return text
    .split(/^diff --git /m)
    .slice(1)
    .map((part) => {
      const [, old = "", path = ""] = /^a\/(.+) b\/(.+)$/m.exec(part) ?? [];
      const at = part.indexOf("\n@@ ");
      return {
        old_path: old,
        new_path: path,
        new_file: /^new file mode/m.test(part),
        renamed_file: /^rename from/m.test(part),
        a_mode: /^(?:old mode|deleted file mode|index \S+) (\d+)$/m.exec(part)?.[1] ?? "0",
        b_mode: /^(?:new mode|new file mode|index \S+) (\d+)$/m.exec(part)?.[1] ?? "0",
        deleted_file: /^deleted file mode/m.test(part),
        diff: at === -1 ? "" : `${part.slice(at + 1).trimEnd()}\n`,
      };
    });
}

/** Lines of the new file: the old number of an unchanged one, null of an added one; and where the old file is by then. */
export function newLines(
  diff: string,
): ReadonlyMap<number, { readonly old: number | null; readonly at: number }> {
  const lines = new Map<number, { old: number | null; at: number }>();
  let [before, after] = [0, 0];
  for (const line of diff.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) [before, after] = [Number(hunk[1]), Number(hunk[2])];
    else if (line.startsWith("+")) lines.set(after++, { old: null, at: before });
    else if (line.startsWith("-")) before += 1;
    else if (line.startsWith(" ")) {
      lines.set(after++, { old: before, at: before });
      before += 1;
    }
  }
  return lines;
}
