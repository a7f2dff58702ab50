// The tool that finds literal texts in the text files of the tree. No regular expressions, because one could run for ever.

import * as z from "zod/mini";
import type { TextMatch } from "../../core/ports/checkout.ts";
import { checkRelativePath, showPath } from "./checkout-path.ts";
import { isForeign } from "./foreign-files.ts";
import { folderInput, pathFilter, patternInput } from "./list-files.ts";
import { countInput, defineTool } from "./tool.ts";

const MAX_TEXTS = 10;
const MAX_TEXT_CHARS = 200;
const MAX_LINE_CHARS = 300;

export type SearchResult = {
  readonly matches: readonly TextMatch[];
  readonly total: number;
  /** False when so much matched that the search was cut short: `total` is then a lower bound. */
  readonly complete: boolean;
};

export const search = defineTool({
  name: "search",
  description:
    "Finds lines that hold any of the literal texts, in text files, new ones too, without those that git ignores. Narrow it by folder and by a pattern such as *.ts. Vendored and generated files are left out unless include_foreign is set.",
  input: z.object({
    texts: z
      .array(z.string().check(z.minLength(1), z.maxLength(MAX_TEXT_CHARS), z.regex(/^[^\n\0]*$/)))
      .check(z.minLength(1), z.maxLength(MAX_TEXTS)),
    whole_word: z._default(z.boolean(), false),
    ignore_case: z._default(z.boolean(), false),
    folder: folderInput,
    pattern: patternInput,
    /** Vendored, generated and lock files. */
    include_foreign: z._default(z.boolean(), false),
    limit: countInput({ max: 500, fallback: 100 }),
  }),
  async find(input, { checkout }): Promise<SearchResult> {
    const folder = checkRelativePath(input.folder);
    const isWanted = pathFilter({ folder, pattern: input.pattern });
    const query = { texts: input.texts, wholeWord: input.whole_word, ignoreCase: input.ignore_case, folder };
    const found = await checkout.findText(query);
    const isKept = (path: string) => isWanted(path) && (input.include_foreign || !isForeign(path));
    const keptPaths = new Set([...new Set(found.matches.map(({ path }) => path))].filter(isKept));
    const matches = found.matches.filter(({ path }) => keptPaths.has(path));
    return { matches: matches.slice(0, input.limit), total: matches.length, complete: found.complete };
  },
  format: ({ matches, total, complete }) => {
    const lines = matches.map(({ path, line, text }) => `${showPath(path)}:${line}: ${clip(text)}`);
    if (lines.length === 0) return "[nothing found]";
    if (matches.length < total || !complete) {
      lines.push(`[${matches.length} of ${complete ? "" : "at least "}${total} lines]`);
    }
    return lines.join("\n");
  },
});

function clip(line: string): string {
  const text = line.trim();
  return text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)}…` : text;
}
