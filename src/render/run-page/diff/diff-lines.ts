// The lines of a file's patch, in one markup for two layouts: one column, or the versions side by side. Numbers and signs are drawn by
// the style, so that nobody copies them. Pure.

import { wholeChars } from "../../../base/untrusted-text.ts";
import { type Contents, type Element, el, said } from "../../html/element.ts";
import { countText } from "../../quantities.ts";
import { changedWords, type WordSpan } from "./changed-words.ts";
import { type ColourSpan, colouredParts, type LineColours } from "./line-colours.ts";
import type { PatchLine } from "./patch-files.ts";
import { MAX_LINE_CHARS } from "./shown-files.ts";

type FileLook = { readonly isCrlf: boolean; readonly colours: LineColours | null };
type Look = FileLook & { readonly mark: WordSpan | null };

/** `colours` of the file: they are asked for the lines in their order. */
export function diffLines(lines: readonly PatchLine[], colours: LineColours | null): readonly Element[] {
  const isText = ({ kind }: PatchLine) => kind !== "hunk" && kind !== "note";
  // Line endings are shown where they differ.
  const isCrlf = lines.every((line) => !isText(line) || line.text.endsWith("\r"));
  const look = { isCrlf, colours };
  return blocksOf(lines).map((block) => {
    const kind = block[0]?.kind;
    if (kind === "hunk") {
      colours?.begin();
      return el("div", { class: "hunk" }, ...block.map(({ text }) => hunkHeader(text)));
    }
    if (kind === "same") return el("div", { class: "lines" }, ...block.flatMap((line) => both(line, look)));
    return changeBlock(block, look);
  });
}

/** Lines that belong together: a hunk's header, a stretch that stayed, or one that was changed with its notes. */
function blocksOf(lines: readonly PatchLine[]): readonly (readonly PatchLine[])[] {
  const blocks: PatchLine[][] = [];
  let last: string | null = null;
  for (const line of lines) {
    const group: string =
      line.kind === "note" ? (last ?? "changed") : /^(hunk|same)$/.test(line.kind) ? line.kind : "changed";
    if (group === last && group !== "hunk") blocks.at(-1)?.push(line);
    else blocks.push([line]);
    last = group;
  }
  return blocks;
}

/** Each removed line is beside the added one that is as far down. */
function changeBlock(block: readonly PatchLine[], look: FileLook): Element {
  const { isCrlf } = look;
  const removed = block.filter(({ kind }) => kind === "removed");
  const added = block.filter(({ kind }) => kind === "added");
  const marks = new Map<PatchLine, WordSpan>();
  for (const [index, before] of removed.entries()) {
    const after = added[index];
    if (after === undefined) break;
    const changed = changedWords(shown(before.text, isCrlf).text, shown(after.text, isCrlf).text);
    if (changed === null) continue;
    marks.set(before, changed.before).set(after, changed.after);
  }
  const isSplit = removed.length > 0 && added.length > 0;
  return el(
    "div",
    { class: "lines" },
    ...block.map((line, index) =>
      line.kind === "note"
        ? note(line, block[index - 1]?.kind === "removed" && isSplit)
        : lineElement(line, code(line, { ...look, mark: marks.get(line) ?? null })),
    ),
  );
}

/** `@@ -1,2 +1,3 @@ the function`. */
function hunkHeader(text: string): Contents {
  const end = text.indexOf(" @@") + 3;
  const { text: place } = shown(text.slice(end).trim(), true);
  return [el("span", { class: "range" }, text.slice(0, end)), place === "" ? null : ` ${said(place)}`];
}

function note({ text }: PatchLine, isOld: boolean): Element {
  return el("div", { class: isOld ? "tail old" : "tail" }, said(shown(text, true).text));
}

/** Side by side, a line that stayed is on both sides: the second is for the eye alone. */
function both(line: PatchLine, look: FileLook): readonly Element[] {
  if (line.kind === "note") return [note(line, false)];
  const shownCode = code(line, { ...look, mark: null });
  return [
    lineElement(line, shownCode),
    el("div", { class: "copy", "data-new": line.newLine ?? undefined, "aria-hidden": "true" }, shownCode),
  ];
}

function lineElement({ kind, oldLine, newLine }: PatchLine, shownCode: Element): Element {
  const numbers = { "data-old": oldLine ?? undefined, "data-new": newLine ?? undefined };
  return el("div", { class: kind, ...numbers }, shownCode);
}

function code({ kind, text }: PatchLine, { mark, isCrlf, colours }: Look): Element {
  const { text: head, more } = shown(text, isCrlf);
  return el(
    "code",
    {},
    ...pieces(head, mark, (line) => (isSide(kind) ? (colours?.spansOf(kind, line) ?? []) : [])),
    more === 0 ? null : el("span", { class: "faint" }, `… ${countText(more)} more characters`),
  );
}

function shown(text: string, isCrlf: boolean): { readonly text: string; readonly more: number } {
  const whole = isCrlf && text.endsWith("\r") ? text.slice(0, -1) : text;
  if (whole.length <= MAX_LINE_CHARS) return { text: whole, more: 0 };
  const head = wholeChars(whole.slice(0, MAX_LINE_CHARS));
  return { text: head, more: whole.length - head.length };
}

function isSide(kind: PatchLine["kind"]): kind is "removed" | "added" | "same" {
  return kind !== "hunk" && kind !== "note";
}

/** The text, with its marked part. The colours are of what is shown, so that the text is the same with and without them. */
function pieces(
  text: string,
  mark: WordSpan | null,
  spansOf: (shown: string) => readonly ColourSpan[],
): readonly Contents[] {
  const parts = mark === null ? [said(text)] : partsAround(text, mark);
  return colouredParts(parts, spansOf(parts.join(""))).map((part, index) =>
    index === 1 && part.length > 0 ? el("mark", {}, ...part) : part,
  );
}

function partsAround(text: string, mark: WordSpan): readonly string[] {
  const from = inside(text, mark.from);
  const to = Math.max(from, inside(text, mark.to));
  return [said(text.slice(0, from)), said(text.slice(from, to)), said(text.slice(to))];
}

/** Not between the halves of a surrogate pair. */
function inside(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return Math.min(text.length, code >= 0xdc00 && code <= 0xdfff ? at + 1 : at);
}
