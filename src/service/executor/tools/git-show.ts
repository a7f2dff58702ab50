// The tool that shows a commit, or a file as it was in one.

import * as z from "zod/mini";
import { relativePath, showPath } from "./checkout-path.ts";
import { formatTextPage, pageOf, type TextPage } from "./git-diff.ts";
import { utcDay } from "./git-log.ts";
import { commitOf, revisionInput } from "./git-revision.ts";
import { SNIFFED_BYTES } from "./text-file.ts";
import { defineTool, ToolError } from "./tool.ts";
import { countInput, described, offsetInput } from "./tool-input.ts";

export const gitShow = defineTool({
  name: "git_show",
  description:
    "Shows a commit: author, message and what it changes against its first parent. With path: that file as it was in the commit, with line numbers.",
  input: z.object({
    commit: revisionInput("The commit: digits as git_log shows them, HEAD, HEAD~1, or base. Default: HEAD."),
    path: described(
      z.optional(z.string().check(z.minLength(1))),
      "A file, relative to the repository's root, to show as it was.",
    ),
    offset: offsetInput("The first line to show."),
    limit: countInput({ max: 3_000, fallback: 1_000, description: "How many lines to show." }),
  }),
  async find(input, { checkout }): Promise<TextPage> {
    const { history } = checkout;
    const sha = await commitOf(checkout, input.commit ?? "HEAD");
    if (input.path !== undefined) {
      const path = await relativePath(checkout.root, input.path);
      const about = `${showPath(path)} at ${sha.slice(0, 12)}`;
      const text = numbered(textOf(await history.fileAt(sha, path), about));
      return pageOf({ about, text, complete: true }, input);
    }
    const { author, at, message, firstParent, isMerge } = await history.commit(sha);
    const parent = firstParent === null ? null : await history.resolve(firstParent);
    const isOldest = firstParent !== null && parent === null;
    const kind = isOldest
      ? ", whose parent is not in this history"
      : isMerge
        ? ", a merge, against its first parent"
        : "";
    const about = `commit ${sha}, ${utcDay(at)}, ${author}${kind}`;
    // Where the history ends, every file would seem to be new.
    const diff = isOldest ? { text: "", complete: true } : await history.diff({ from: parent, to: sha }, []);
    return pageOf({ about, text: `${message}\n\n${diff.text}`, complete: diff.complete }, input);
  },
  format: formatTextPage,
});

function textOf(bytes: Buffer | null, about: string): string {
  if (bytes === null) {
    throw new ToolError("not_found", `There is no text file ${about}, or it has more than 5 MB.`);
  }
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) {
    throw new ToolError("not_text", `The file ${about} is binary (${bytes.length} bytes).`);
  }
  return new TextDecoder().decode(bytes);
}

function numbered(text: string): string {
  if (text === "") return "";
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.map((line, at) => `${at + 1}\t${line}`).join("\n");
}
