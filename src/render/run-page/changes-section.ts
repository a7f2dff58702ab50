// The changes of a run, by file: each folded, with its added and removed lines, within a bound. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import type { ChangesEvent, HeldBackFile } from "../../contract/runs/changes.ts";
import { blobUrl } from "../blob-url.ts";
import { type Contents, type Element, el } from "../html/element.ts";
import { countText, plural } from "../quantities.ts";
import { diffLines } from "./diff/diff-lines.ts";
import type { DiffColours } from "./diff/line-colours.ts";
import { type ShownFile, shownFiles } from "./diff/shown-files.ts";

const MAX_WHY_CHARS = 1_000;
const MAX_HELD_BACK_FILES = 200;
/** Files of a small change are open. */
const OPEN_LINES = 200;
/** More files than this are listed first. */
const MAX_UNLISTED_FILES = 3;
const MAX_PATH_CHARS = 300;

type ChangesPage = {
  readonly base: string;
  /** The address of the files before the changes, for `blobUrl`. Null: the code host's is not known. */
  readonly filesUrl: string | null;
  /** Before the names of its files, on a page that has several. */
  readonly prefix?: string;
  /** Default: its lines have no colours. */
  readonly colours?: DiffColours;
};

export type DrawChanges = typeof changesSection;

/** Null where nothing was changed. */
export function changesSection(
  changes: ChangesEvent["value"] | null,
  { base, filesUrl, prefix = "", colours = () => null }: ChangesPage,
): readonly Contents[] {
  if (changes === null) return [];
  const { files, held_back: heldBack = [], unreadable } = changes;
  if (unreadable !== undefined)
    return [
      el("h2", {}, "Changes"),
      el("p", {}, `What the run changed could not be read: ${singleLine(unreadable, MAX_WHY_CHARS)}`),
    ];
  if (files.length + heldBack.length === 0) return [];
  const shown = shownFiles(changes);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const lines = shown.reduce((sum, { patch, moreLines }) => sum + (patch?.lines.length ?? 0) + moreLines, 0);
  const more = files.length - shown.length;
  return [
    el("h2", {}, "Changes"),
    el(
      "div",
      { class: "diffs" },
      el(
        "div",
        { class: "row" },
        el("span", {}, `${plural(files.length, "file")} `, counts({ additions, deletions })),
        lines === 0
          ? null
          : el(
              "label",
              { class: "inline split" },
              el("input", { type: "checkbox", checked: true }),
              "Side by side",
            ),
        el("a", { href: `${base}/patch`, class: "end" }, "Download the patch"),
      ),
      shown.length > MAX_UNLISTED_FILES ? fileList(shown, prefix) : null,
      ...shown.map((file, index) =>
        fileElement(file, {
          anchor: anchorOf(index, prefix),
          isOpen: lines <= OPEN_LINES,
          filesUrl,
          colours,
        }),
      ),
      more > 0 ? el("p", { class: "faint" }, `and ${plural(more, "more file")}`) : null,
    ),
    heldBackText(heldBack),
  ];
}

function heldBackText(files: readonly HeldBackFile[]): Contents {
  if (files.length === 0) return null;
  return el(
    "p",
    {},
    "Held back, and not part of the changes: ",
    files
      .slice(0, MAX_HELD_BACK_FILES)
      .map(({ path, reason }, index) => [
        index === 0 ? "" : ", ",
        el("code", {}, singleLine(path, MAX_PATH_CHARS)),
        reason === "protected" ? " (protected)" : " (too large)",
      ]),
  );
}

function fileList(files: readonly ShownFile[], prefix: string): Element {
  return el(
    "ol",
    { class: "file-list" },
    ...files.map(({ change }, index) =>
      el(
        "li",
        {},
        el("a", { href: `#${anchorOf(index, prefix)}` }, singleLine(change.path, MAX_PATH_CHARS)),
        " ",
        counts(change),
        bar(change),
      ),
    ),
  );
}

function anchorOf(index: number, prefix: string): string {
  return `${prefix}file-${index + 1}`;
}

type FileLook = {
  readonly anchor: string;
  readonly isOpen: boolean;
  readonly filesUrl: string | null;
  readonly colours: DiffColours;
};

function fileElement(file: ShownFile, { anchor, isOpen, filesUrl, colours }: FileLook): Element {
  const { change, patch, moreLines } = file;
  const lines = patch?.lines ?? [];
  const isOneSided =
    lines.every(({ kind }) => kind !== "added") || lines.every(({ kind }) => kind !== "removed");
  const url = wholeFileUrl(file, filesUrl);
  return el(
    "details",
    { class: "file", id: anchor, open: isOpen ? true : undefined },
    el(
      "summary",
      {},
      el("code", {}, ...pathText(file)),
      ...factsOf(file).map((fact) => el("span", { class: "fact" }, fact)),
      el("span", { class: "end" }, counts(change), bar(change)),
    ),
    url === null
      ? null
      : el(
          "p",
          { class: "whole" },
          el("a", { href: url, rel: "noopener noreferrer" }, "The whole file before the change"),
        ),
    lines.length === 0
      ? el("p", { class: "faint" }, withoutLines(file))
      : el("div", { class: isOneSided ? "diff one" : "diff" }, ...diffLines(lines, colours(change.path))),
    moreLines > 0
      ? el("p", { class: "faint" }, `${countText(moreLines)} more lines are in the patch.`)
      : null,
  );
}

function pathText({ change, patch }: ShownFile): readonly Contents[] {
  const path = singleLine(change.path, MAX_PATH_CHARS);
  const from = patch?.from ?? null;
  if (from === null || from === change.path) return [path];
  return [singleLine(from, MAX_PATH_CHARS), " → ", path];
}

function factsOf({ change, patch }: ShownFile): readonly string[] {
  const mode = patch?.mode ?? null;
  return [
    ...(change.status === "modified" ? [] : [change.status]),
    ...(mode === null
      ? []
      : [`mode ${singleLine(mode.before, MAX_PATH_CHARS)} → ${singleLine(mode.after, MAX_PATH_CHARS)}`]),
    ...(patch?.isBinary === true ? ["binary"] : []),
  ];
}

function withoutLines({ patch, moreLines }: ShownFile): string {
  if (patch === null) return "Its lines are not in the patch.";
  if (patch.isBinary) return "A binary file.";
  return moreLines > 0 ? "Its lines are not shown." : "No line of it changed.";
}

/** A new file has no version before the change. */
function wholeFileUrl({ change, patch }: ShownFile, filesUrl: string | null): string | null {
  if (filesUrl === null || change.status === "added") return null;
  if (change.status === "renamed" && patch?.from == null) return null;
  return blobUrl(filesUrl, { path: patch?.from ?? change.path });
}

const BAR_BLOCKS = 5;

/** How the changed lines divide, in five blocks, for the eye: the numbers are beside it. */
function bar({ additions, deletions }: { additions: number; deletions: number }): Element {
  const changed = additions + deletions;
  const blocks = Math.min(BAR_BLOCKS, changed);
  const share = changed === 0 ? 0 : Math.round((blocks * additions) / changed);
  const added = Math.max(additions > 0 ? 1 : 0, Math.min(share, deletions > 0 ? blocks - 1 : blocks));
  const classes = Array.from({ length: BAR_BLOCKS }, (_, at) =>
    at < added ? "plus" : at < blocks ? "minus" : undefined,
  );
  return el(
    "span",
    { class: "bar", "aria-hidden": "true" },
    ...classes.map((name) => el("i", { class: name })),
  );
}

function counts({ additions, deletions }: { additions: number; deletions: number }): Contents {
  return [
    el("span", { class: "added" }, `+${countText(additions)}`),
    " ",
    el("span", { class: "removed" }, `−${countText(deletions)}`),
    " ",
  ];
}
