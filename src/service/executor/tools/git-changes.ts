// The tool that lists what a pull request changes.

import * as z from "zod/mini";
import type { ChangedFile } from "../../core/ports/checkout.ts";
import { showPath } from "./checkout-path.ts";
import { defineTool } from "./tool.ts";

/** Null where there is no base to compare with. */
export type Changes = { readonly baseSha: string; readonly files: readonly ChangedFile[] } | null;

const NO_BASE =
  "[no base to compare with: not a pull request, or the checkout does not have its base. Where the request is about a " +
  "pull request, say first that its change cannot be seen, and that actions/checkout takes fetch-depth: 0]";

export const gitChanges = defineTool({
  name: "git_changes",
  description:
    "Lists the files that the pull request changes against its base, with added and deleted lines.",
  input: z.object({}),
  find: (_input, { checkout }): Promise<Changes> => checkout.changesSinceBase(),
  format: (changes) => {
    if (changes === null) return NO_BASE;
    const lines = changes.files.map(
      ({ path, status, additions, deletions }) => `${status} +${additions} -${deletions} ${showPath(path)}`,
    );
    return [`base ${changes.baseSha}, ${changes.files.length} files`, ...lines].join("\n");
  },
});
