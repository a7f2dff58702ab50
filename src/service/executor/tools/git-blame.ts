// The tool that says which commit each line of a file comes from.

import * as z from "zod/mini";
import type { BlamedLine } from "../../core/checkouts/checkout.ts";
import { relativePath, resolveInCheckout } from "./checkout-path.ts";
import { utcDay } from "./git-log.ts";
import { takePage } from "./result-page.ts";
import { defineTool } from "./tool.ts";
import { countInput, offsetInput, pathInput } from "./tool-input.ts";

const MAX_LINE_CHARS = 300;

type Blame = {
  readonly lines: readonly BlamedLine[];
  readonly offset: number;
  readonly limit: number;
};

export const gitBlame = defineTool({
  name: "git_blame",
  description:
    "Says of lines of a file, as it is now, which commit they come from: commit, day, author, number and text. ^ before a commit: the history here ends with it, the line may be older.",
  input: z.object({
    path: pathInput("The file, relative to the repository's root."),
    offset: offsetInput("The first line."),
    limit: countInput({ max: 1_000, fallback: 200, description: "How many lines." }),
  }),
  async find({ path: given, offset, limit }, { checkout }): Promise<Blame> {
    const path = await relativePath(checkout.root, given);
    await resolveInCheckout(checkout, path);
    const last = offset + limit - 1;
    return { lines: await checkout.history.blame(path, { first: offset, last }), offset, limit };
  },
  format: ({ lines, offset, limit }) => {
    const shown = lines.map(({ line, text, commit, isOldest }) => {
      const from =
        commit === null
          ? "not committed"
          : `${isOldest ? "^" : ""}${commit.sha.slice(0, 10)} ${utcDay(commit.at)} ${commit.author}`;
      const clipped = text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)}…` : text;
      return `${from}  ${line}\t${clipped.replaceAll("\0", "\ufffd").replace(/\r$/, "")}`;
    });
    const isFull = lines.length === limit;
    const total = offset + lines.length - 1 + (isFull ? 1 : 0);
    return takePage(shown, { offset, total, isCounted: !isFull, noun: "lines" });
  },
});
