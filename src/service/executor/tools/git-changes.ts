// The tool that lists what the commit that was checked out changes against its base.

import * as z from "zod/mini";
import type { ChangedFile } from "../../core/checkouts/checkout.ts";
import { showPath } from "./checkout-path.ts";
import { NO_BASE } from "./git-diff.ts";
import { takePage } from "./result-page.ts";
import { defineTool } from "./tool.ts";
import { countInput, offsetInput } from "./tool-input.ts";

/** Null where there is no base to compare with. */
export type Changes = { readonly baseSha: string; readonly files: readonly ChangedFile[] } | null;

/** A page of them. */
type ListedChanges = { readonly changes: Changes; readonly offset: number; readonly limit: number };

export const gitChanges = defineTool({
  name: "git_changes",
  description:
    "Lists the files that the commit under review changes against its base, with added and deleted lines. git_diff shows what changed in them.",
  input: z.object({
    offset: offsetInput("The first file to list."),
    limit: countInput({ max: 1_000, fallback: 400, description: "How many files to list." }),
  }),
  async find({ offset, limit }, { checkout }): Promise<ListedChanges> {
    return { changes: await checkout.changesSinceBase(), offset, limit };
  },
  format: ({ changes, offset, limit }) => {
    if (changes === null) return NO_BASE;
    const lines = changes.files
      .slice(offset - 1, offset - 1 + limit)
      .map(
        ({ path, status, additions, deletions }) => `${status} +${additions} -${deletions} ${showPath(path)}`,
      );
    const head = `base ${changes.baseSha}, ${changes.files.length} files`;
    if (changes.files.length === 0) return head;
    return `${head}\n${takePage(lines, { offset, total: changes.files.length, noun: "files" })}`;
  },
});
