// The tool that replaces an exact text in a file, and shows what that changed.

import * as z from "zod/mini";
import { checkRelativePath, showPath } from "./checkout-path.ts";
import { atPlace, lookAt, MAX_WRITTEN_BYTES, openFile, type Place, writeWhole } from "./checkout-place.ts";
import { replacementHunks } from "./replacement-diff.ts";
import { findSimilarLine } from "./similar-line.ts";
import { defineTool, ToolError } from "./tool.ts";

const MAX_DIFF_CHARS = 30_000;
const MAX_NAMED_LINES = 20;
const MAX_SHOWN_CHARS = 300;

export type EditedFile = {
  readonly path: string;
  readonly replacements: number;
  /** Unified, with three lines of context; the last hunks are missing when there are many. */
  readonly diff: string;
};

export const editFile = defineTool({
  name: "edit_file",
  description:
    "Replaces old_text by new_text in a file. old_text must be in it exactly once, white space included, unless replace_all is set. Returns the diff.",
  input: z.object({
    /** Relative to the repository's root. */
    path: z.string().check(z.minLength(1)),
    old_text: z.string().check(z.minLength(1)),
    new_text: z.string(),
    replace_all: z._default(z.boolean(), false),
  }),
  access: "write",
  async find(input, { checkout: { root } }): Promise<EditedFile> {
    const path = checkRelativePath(input.path);
    return await atPlace({ root, path: input.path, missingFolders: "refuse" }, async (place) => {
      const text = await readExactly(place);
      const edit = planEdit(text, input);
      const { starts, oldText, newText } = edit;
      const bytes = Buffer.byteLength(text) + starts.length * growth(edit);
      if (bytes > MAX_WRITTEN_BYTES) {
        const message = `The file ${showPath(path)} would have ${bytes} bytes, at most ${MAX_WRITTEN_BYTES} are written.`;
        throw new ToolError("too_large", message);
      }
      // Not replaceAll with a string: `$&` would be a pattern.
      await writeWhole(place, Buffer.from(text.split(oldText).join(newText)));
      return { path, replacements: starts.length, diff: formatDiff(path, replacementHunks(text, edit)) };
    });
  },
  format: ({ path, replacements, diff }) =>
    `Replaced ${replacements === 1 ? "1 place" : `${replacements} places`} in ${showPath(path)}.\n${diff}`,
});

type Edit = { readonly starts: readonly number[]; readonly oldText: string; readonly newText: string };

type Wanted = {
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all: boolean;
};

/** The replacements and their places. Throws a `ToolError` when the text is not found, or at more places than expected. */
function planEdit(text: string, wanted: Wanted): Edit {
  const shown = showPath(wanted.path);
  if (wanted.old_text === wanted.new_text) {
    throw new ToolError("invalid_input", "old_text and new_text are the same: nothing would change.");
  }
  const edit = spellings(text, wanted).find(({ starts }) => starts.length > 0);
  if (edit === undefined) {
    throw new ToolError("no_match", `old_text is not in ${shown}. ${hint(text, wanted.old_text)}`);
  }
  const { starts } = edit;
  if (starts.length === 1 || wanted.replace_all) return edit;
  const where = lineNumbers(text, starts);
  const message = `old_text is in ${shown} ${starts.length} times, at the lines ${where}. Add lines around it to name one, or set replace_all.`;
  throw new ToolError("no_match", message);
}

/** The text as given, and with the file's own line ends: models write LF. */
function spellings(text: string, { old_text, new_text }: Wanted): Edit[] {
  const asGiven = { starts: findAll(text, old_text), oldText: old_text, newText: new_text };
  if (!text.includes("\r\n")) return [asGiven];
  const [oldText, newText] = [withCrlf(old_text), withCrlf(new_text)];
  const asCrlf = { starts: findAll(text, oldText), oldText, newText };
  return /(^|[^\r])\n/.test(text) ? [asGiven, asCrlf] : [asCrlf];
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

function findAll(text: string, wanted: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) starts.push(at);
  return starts;
}

function growth({ oldText, newText }: Edit): number {
  return Buffer.byteLength(newText) - Buffer.byteLength(oldText);
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
async function readExactly(place: Place): Promise<string> {
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
