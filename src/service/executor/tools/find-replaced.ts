// Finds the places of a text in a file: exactly, or as a model may have meant it. Each tolerant pass is tried only where the one before
// found nothing. Pure.

import { foldText } from "./folded-text.ts";
import { type IndentPair, indentationRule, indentOf } from "./indentation.ts";
import { keepTypography } from "./kept-typography.ts";
import type { Replacement } from "./replacement-diff.ts";

type WantedEdit = { readonly oldText: string; readonly newText: string };

type FoundPlaces = {
  readonly places: readonly Replacement[];
  /** The difference of the text in the file from the wanted one; null for an exact match. */
  readonly tolerance: string | null;
};

/** No places where the text is not there. */
export function findReplaced(text: string, wanted: WantedEdit): FoundPlaces {
  const exact = findExact(text, wanted);
  if (exact.length > 0) return { places: exact, tolerance: null };
  const passes: readonly (readonly [tolerance: string, find: () => readonly Replacement[]])[] = [
    ["without the line numbers of read_file", () => findUnnumbered(text, wanted)],
    ["with other quotes, dashes, blanks or forms of letters", () => findFolded(text, wanted)],
    ["with other blanks at the ends of lines", () => findLines(text, wanted, "end")],
    ["with another indentation, to which new_text was adapted", () => findLines(text, wanted, "both")],
  ];
  for (const [tolerance, find] of passes) {
    const places = find();
    if (places.length > 0) return { places, tolerance };
  }
  return { places: [], tolerance: null };
}

/** The text as given, and with the file's own line ends: models write LF. */
function findExact(text: string, { oldText, newText }: WantedEdit): readonly Replacement[] {
  const asGiven = placesOf(findAll(text, oldText), oldText.length, newText);
  if (!text.includes("\r\n")) return asGiven;
  const isMixed = /(^|[^\r])\n/.test(text);
  if (isMixed && asGiven.length > 0)
    return asGiven.map((place) => ({ ...place, newText: withEndsAt(text, place.start, newText) }));
  const oldCrlf = withCrlf(oldText);
  return placesOf(findAll(text, oldCrlf), oldCrlf.length, withCrlf(newText));
}

function placesOf(starts: readonly number[], length: number, newText: string): Replacement[] {
  return starts.map((start) => ({ start, length, newText }));
}

function findAll(text: string, wanted: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) starts.push(at);
  return starts;
}

const numbered = /^ {0,8}\d{1,9}\t/;

function findUnnumbered(text: string, { oldText, newText }: WantedEdit): readonly Replacement[] {
  const isNumbered = (some: string) => some.split("\n").every((line) => line === "" || numbered.test(line));
  if (!isNumbered(oldText)) return [];
  const without = (some: string) =>
    some
      .split("\n")
      .map((line) => line.replace(numbered, ""))
      .join("\n");
  const wanted = { oldText: without(oldText), newText: isNumbered(newText) ? without(newText) : newText };
  return wanted.oldText === "" ? [] : findExact(text, wanted);
}

function findFolded(text: string, { oldText, newText }: WantedEdit): readonly Replacement[] {
  const file = foldText(text);
  const hasCrlf = text.includes("\r\n") && !oldText.includes("\r\n");
  const old = hasCrlf ? withCrlf(oldText) : oldText;
  const wanted = foldText(old).text;
  return findAll(file.text, wanted).map((start) => {
    const from = file.offset(start);
    const own = text.slice(from, file.offset(start + wanted.length));
    const written = hasCrlf ? withEndsAt(text, from, newText) : newText;
    return {
      start: from,
      length: own.length,
      newText: keepTypography({ own, oldText: old, newText: written }),
    };
  });
}

/** Compares whole lines without the blanks at their ends, or at both. */
function findLines(
  text: string,
  { oldText, newText }: WantedEdit,
  trimmed: "end" | "both",
): readonly Replacement[] {
  const keyOf = (line: string) => {
    const folded = foldText(line).text;
    return trimmed === "end" ? folded.trimEnd() : folded.trim();
  };
  const wantedLines = oldText.split(/\r?\n/);
  const isToLineEnd = wantedLines.length > 1 && wantedLines.at(-1) === "";
  if (isToLineEnd) wantedLines.pop();
  if (wantedLines.every((line) => line.trim() === "")) return [];
  const lines = text.split("\n");
  const joined = `\n${lines.map(keyOf).join("\n")}\n`;
  const wanted = `\n${wantedLines.map(keyOf).join("\n")}\n`;
  const lineStarts = startsOf(lines);
  const places: Replacement[] = [];
  let line = 0;
  let counted = 0;
  for (let at = joined.indexOf(wanted); at >= 0; at = joined.indexOf(wanted, at + wanted.length - 1)) {
    for (let end = joined.indexOf("\n", counted); end >= 0 && end < at; end = joined.indexOf("\n", end + 1)) {
      line += 1;
      counted = end + 1;
    }
    const own = lines.slice(line, line + wantedLines.length);
    const adapted = trimmed === "end" ? newText : adapt({ own, wantedLines, newText, text });
    if (adapted === null) return [];
    places.push(placeOfLines({ own, text, start: lineStarts[line] ?? 0, newText: adapted, isToLineEnd }));
  }
  return places;
}

function placeOfLines(found: {
  readonly own: readonly string[];
  readonly text: string;
  readonly start: number;
  readonly newText: string;
  readonly isToLineEnd: boolean;
}): Replacement {
  const { own, text, start, newText, isToLineEnd } = found;
  const whole = own.join("\n");
  const written = withEndsAt(text, start, newText);
  if (!isToLineEnd) return { start, length: whole.length - (whole.endsWith("\r") ? 1 : 0), newText: written };
  // The last line of a file may have no end: it gets none.
  const isWithoutEnd = start + whole.length === text.length;
  return isWithoutEnd
    ? { start, length: whole.length, newText: written.replace(/\r?\n$/, "") }
    : { start, length: whole.length + 1, newText: written };
}

/** New lines with the file's indentation; null where no rule leads to it. */
function adapt(found: {
  readonly own: readonly string[];
  readonly wantedLines: readonly string[];
  readonly newText: string;
  readonly text: string;
}): string | null {
  const { own, wantedLines, newText, text } = found;
  const pairs = own.flatMap((line, at): IndentPair[] =>
    line.trim() === "" ? [] : [{ given: indentOf(wantedLines[at] ?? ""), own: indentOf(line) }],
  );
  const rule = indentationRule(pairs, text);
  return rule === null ? null : newText.split("\n").map(rule).join("\n");
}

function startsOf(lines: readonly string[]): number[] {
  let offset = 0;
  return lines.map((line) => {
    const start = offset;
    offset += line.length + 1;
    return start;
  });
}

/** With the line end of the file's line there, or of the one before its last. */
function withEndsAt(text: string, at: number, newText: string): string {
  const next = text.indexOf("\n", at);
  const end = next < 0 ? text.lastIndexOf("\n") : next;
  return end > 0 && text[end - 1] === "\r" ? withCrlf(newText) : newText;
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}
