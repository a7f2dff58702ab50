// The tool that replaces texts in a file, and shows the changes.

import * as z from "zod/mini";
import { relativePath, showPath } from "./checkout-path.ts";
import {
  atPlace,
  lookAt,
  MAX_WRITTEN_BYTES,
  type OpenedPath,
  openFile,
  writeWhole,
} from "./checkout-place.ts";
import { findReplaced } from "./find-replaced.ts";
import { replaceAt, replacementHunks } from "./replacement-diff.ts";
import { findSimilarLine } from "./similar-line.ts";
import { defineTool, ToolError } from "./tool.ts";
import { described, flagInput, pathInput } from "./tool-input.ts";

const MAX_EDITS = 50;
const MAX_DIFF_CHARS = 28_000;
const MAX_NAMED_LINES = 20;
const MAX_SHOWN_CHARS = 300;

type EditedFile = {
  readonly path: string;
  readonly replacements: number;
  /** Differences of places from the text that was given, by the number of the edit. */
  readonly notes: readonly string[];
  /** Unified, with three lines of context; the last hunks are missing when there are many. */
  readonly diff: string;
};

const oldText = z.string().check(z.minLength(1));
const OLD =
  "The text to replace, as read_file shows it, without line numbers. Must be in the file once, unless replace_all is set.";
const NEW = "What takes its place.";
const ALL = "Replace every place where old_text is.";

export const editFile = defineTool({
  name: "edit_file",
  description:
    "Replaces old_text by new_text in a file; with edits several of them, one after the other, all or none. Where old_text is not there exactly, it is found with other blanks at line ends, another indentation, or other quotes and dashes, and the answer says so. Returns the diff.",
  input: z.object({
    path: pathInput("The file, relative to the repository's root."),
    old_text: described(z.optional(oldText), OLD),
    new_text: described(z.optional(z.string()), NEW),
    replace_all: flagInput(ALL),
    edits: described(
      z.optional(
        z
          .array(
            z.object({
              old_text: described(z.string().check(z.minLength(1)), OLD),
              new_text: described(z.string(), NEW),
              replace_all: flagInput(ALL),
            }),
          )
          .check(z.minLength(1), z.maxLength(MAX_EDITS)),
      ),
      "Several replacements in this file, instead of old_text and new_text. Each finds the text as the ones before have left it.",
    ),
  }),
  access: "write",
  async find(input, { checkout: tree }): Promise<EditedFile> {
    const path = await relativePath(tree.root, input.path);
    const edits = editsOf(input);
    return await atPlace({ tree, path: input.path, missingFolders: "refuse" }, async (place) => {
      const before = await readExactly(place);
      let text = before;
      const done = edits.map((edit, at) => {
        const applied = applyEdit(text, edit, { path, which: edits.length === 1 ? "" : `edits[${at}]: ` });
        text = applied.text;
        return applied;
      });
      if (text === before) {
        throw new ToolError("invalid_input", "The file would be as before: nothing would change.");
      }
      await writeWhole(place, Buffer.from(text));
      return {
        path,
        replacements: done.reduce((sum, { count }) => sum + count, 0),
        notes: done.flatMap(({ note }) => (note === null ? [] : [note])),
        diff: formatDiff(
          path,
          done.flatMap(({ hunks }) => hunks),
        ),
      };
    });
  },
  format: ({ path, replacements, notes, diff }) =>
    [
      `Replaced ${replacements === 1 ? "1 place" : `${replacements} places`} in ${showPath(path)}.`,
      ...notes.map((note) => `[${note}]`),
      diff,
    ].join("\n"),
});

type Wanted = { readonly old_text: string; readonly new_text: string; readonly replace_all: boolean };

/** Either the one or the several. Throws a `ToolError` for both and for none. */
function editsOf(input: {
  readonly old_text?: string | undefined;
  readonly new_text?: string | undefined;
  readonly replace_all: boolean;
  readonly edits?: readonly Wanted[] | undefined;
}): readonly Wanted[] {
  const { old_text, new_text, replace_all, edits } = input;
  if (edits !== undefined && old_text === undefined) return edits;
  if (edits === undefined && old_text !== undefined && new_text !== undefined) {
    return [{ old_text, new_text, replace_all }];
  }
  const message = "The input of edit_file is wrong: give old_text and new_text, or edits, and not both.";
  throw new ToolError("invalid_input", message);
}

type Applied = {
  readonly text: string;
  readonly count: number;
  readonly note: string | null;
  readonly hunks: readonly string[];
};

/** Throws a `ToolError` when the text is not found, or at more places than expected. */
function applyEdit(
  text: string,
  wanted: Wanted,
  { path, which }: { readonly path: string; readonly which: string },
): Applied {
  const shown = showPath(path);
  if (wanted.old_text === wanted.new_text) {
    throw new ToolError("invalid_input", `${which}old_text and new_text are the same: nothing would change.`);
  }
  const { places, tolerance } = findReplaced(text, { oldText: wanted.old_text, newText: wanted.new_text });
  const starts = places.map(({ start }) => start);
  if (starts.length === 0) {
    throw new ToolError("no_match", `${which}old_text is not in ${shown}. ${hint(text, wanted.old_text)}`);
  }
  const where = lineNumbers(text, starts);
  if (starts.length > 1 && !wanted.replace_all) {
    const how = tolerance === null ? "" : ` (${tolerance})`;
    const message = `${which}old_text is in ${shown} ${starts.length} times${how}, at the lines ${where}. Add lines around it to name one, or set replace_all.`;
    throw new ToolError("no_match", message);
  }
  const growth = places.reduce(
    (sum, { start, length, newText }) =>
      sum + Buffer.byteLength(newText) - Buffer.byteLength(text.slice(start, start + length)),
    0,
  );
  const bytes = Buffer.byteLength(text) + growth;
  if (bytes > MAX_WRITTEN_BYTES) {
    const message = `The file ${shown} would have ${bytes} bytes, at most ${MAX_WRITTEN_BYTES} are written.`;
    throw new ToolError("too_large", message);
  }
  return {
    text: replaceAt(text, places),
    count: places.length,
    note: tolerance === null ? null : `${which}old_text was found ${tolerance}, at the line ${where}`,
    hunks: replacementHunks(text, places),
  };
}

function lineNumbers(text: string, starts: readonly number[]): string {
  const named: number[] = [];
  let line = 1;
  let at = 0;
  for (const start of starts.slice(0, MAX_NAMED_LINES)) {
    for (let end = text.indexOf("\n", at); end >= 0 && end < start; end = text.indexOf("\n", at)) {
      line += 1;
      at = end + 1;
    }
    named.push(line);
  }
  return named.join(", ") + (starts.length > MAX_NAMED_LINES ? ", …" : "");
}

/** The first line of the wanted text that is not in the file, and the most similar one. */
function hint(text: string, wanted: string): string {
  const lines = text.split(/\r?\n/);
  const present = new Set(lines);
  const wantedLines = wanted.split(/\r?\n/).filter((line) => line.trim() !== "");
  const missing = wantedLines.find((line) => !present.has(line));
  const line = missing ?? wantedLines[0] ?? "";
  const similar = findSimilarLine(lines, line);
  if (similar === null) return "No line of it is like it. Read the file.";
  const place = `Line ${similar.line} is most like it: ${quoted(similar.text)}`;
  if (missing === undefined) return `Its lines are there, but not one after the other. ${place}`;
  return `It has no line ${quoted(missing)}. ${place}`;
}

function quoted(line: string): string {
  return JSON.stringify(line.length > MAX_SHOWN_CHARS ? `${line.slice(0, MAX_SHOWN_CHARS)}…` : line);
}

/** The whole content, including a byte order mark. */
async function readExactly(place: OpenedPath): Promise<string> {
  await lookAt(place);
  const { file, about } = await openFile(place, "read");
  try {
    const name = showPath(place.given);
    if (about.size > MAX_WRITTEN_BYTES) {
      const message = `The file ${name} has ${about.size} bytes, at most ${MAX_WRITTEN_BYTES} are edited.`;
      throw new ToolError("too_large", message);
    }
    const bytes = await file.readFile();
    if (bytes.includes(0)) throw new ToolError("not_text", `The file ${name} is binary.`);
    return decodeExactly(bytes, name);
  } finally {
    await file.close();
  }
}

function decodeExactly(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ToolError("not_text", `The file ${name} is not in UTF-8: edit_file would damage it.`, {
      cause,
    });
  }
}

function formatDiff(path: string, hunks: readonly string[]): string {
  const shown: string[] = [];
  let chars = 0;
  for (const hunk of hunks) {
    chars += hunk.length;
    if (chars > MAX_DIFF_CHARS && shown.length > 0) break;
    shown.push(hunk);
  }
  const left = hunks.length - shown.length;
  const note = left === 0 ? [] : [`[${left} more hunks]`];
  return [`--- ${showPath(`a/${path}`)}`, `+++ ${showPath(`b/${path}`)}`, ...shown, ...note].join("\n");
}
