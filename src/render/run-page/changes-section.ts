// The changes of a run, by file: each folded, with its added and removed lines, within a bound. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import type { ChangesEvent, FileChange } from "../../contract/runs/run-event.ts";
import { maskSecrets } from "../../report/find-secrets.ts";
import { type Contents, type Element, el, said } from "../html/element.ts";
import { countText, plural } from "../quantities.ts";
import { type PatchFile, patchFiles } from "./patch-files.ts";

const MAX_FILES = 200;
const MAX_LINES_OF_FILE = 400;
const MAX_LINES = 3_000;
const MAX_LINE_CHARS = 1_000;
/** Files of a small change are open. */
const OPEN_LINES = 200;
const MAX_PATH_CHARS = 300;

/** Null where nothing was changed. */
export function changesSection(
  changes: ChangesEvent["value"] | null,
  { base }: { base: string },
): readonly Contents[] {
  if (changes === null) return [];
  const { files, held_back: heldBack = [], unreadable } = changes;
  if (unreadable !== undefined)
    return [
      el("h2", {}, "Changes"),
      el("p", {}, `What the run changed could not be read: ${singleLine(unreadable, MAX_LINE_CHARS)}`),
    ];
  if (files.length + heldBack.length === 0) return [];
  const sections = patchFiles(maskSecrets(changes.patch));
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const lines = sections.reduce((sum, section) => sum + section.lines.length, 0);
  const left = { lines: MAX_LINES };
  const more = files.length - MAX_FILES;
  return [
    el("h2", {}, "Changes"),
    el(
      "p",
      { class: "row" },
      el("span", {}, `${plural(files.length, "file")} `, counts({ additions, deletions })),
      el("a", { href: `${base}/patch`, class: "end" }, "Download the patch"),
    ),
    ...files.slice(0, MAX_FILES).map((file) => {
      const patch = sections.find(({ path }) => path === file.path);
      return fileElement(file, { patch, left, isOpen: lines <= OPEN_LINES });
    }),
    more > 0 ? el("p", { class: "faint" }, `and ${plural(more, "more file")}`) : null,
    heldBack.length === 0
      ? null
      : el(
          "p",
          {},
          "Held back, and not part of the changes: ",
          heldBack
            .slice(0, MAX_FILES)
            .map(({ path, reason }, index) => [
              index === 0 ? "" : ", ",
              el("code", {}, singleLine(path, MAX_PATH_CHARS)),
              reason === "protected" ? " (protected)" : " (too large)",
            ]),
        ),
  ];
}

function fileElement(
  file: FileChange,
  { patch, left, isOpen }: { patch: PatchFile | undefined; left: { lines: number }; isOpen: boolean },
): Element {
  const all = patch?.lines ?? [];
  const shown = all.slice(0, Math.min(MAX_LINES_OF_FILE, left.lines));
  left.lines -= shown.length;
  const more = all.length - shown.length;
  return el(
    "details",
    { class: "file", open: isOpen ? true : undefined },
    el(
      "summary",
      {},
      el("code", {}, singleLine(file.path, MAX_PATH_CHARS)),
      file.status === "modified" ? " " : ` ${file.status} `,
      counts(file),
    ),
    shown.length === 0
      ? null
      : el(
          "pre",
          { class: "diff", tabindex: 0 },
          ...shown.map(({ kind, text }) => el("span", { class: kind }, `${line(text)}\n`)),
        ),
    more > 0 ? el("p", { class: "faint" }, `${countText(more)} more lines are in the patch.`) : null,
  );
}

function line(text: string): string {
  if (text.length <= MAX_LINE_CHARS) return said(text);
  return `${said(text.slice(0, MAX_LINE_CHARS))}… ${countText(text.length - MAX_LINE_CHARS)} more characters`;
}

function counts({ additions, deletions }: { additions: number; deletions: number }): Contents {
  return [
    el("span", { class: "added" }, `+${countText(additions)}`),
    " ",
    el("span", { class: "removed" }, `−${countText(deletions)}`),
  ];
}
