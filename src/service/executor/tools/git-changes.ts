// The tool that lists what a pull request changes.

import * as z from "zod/mini";
import type { ChangedFile } from "../../core/ports/checkout.ts";
import { showPath } from "./checkout-path.ts";
import { defineTool } from "./tool.ts";

/** Null where there is no base to compare with. */
export type Changes = { readonly baseSha: string; readonly files: readonly ChangedFile[] } | null;

export const gitChanges = defineTool({
  name: "git_changes",
  description:
    "Lists the files that the pull request changes against its base, with added and deleted lines.",
  input: z.object({}),
  find: (_input, { checkout }): Promise<Changes> => checkout.changesSinceBase(),
  format: (changes) => {
    if (changes === null) return "[no base to compare with: not a pull request, or its base is out of reach]";
    const lines = changes.files.map(
      ({ path, status, additions, deletions }) => `${status} +${additions} -${deletions} ${showPath(path)}`,
    );
    return [`base ${changes.baseSha}, ${changes.files.length} files`, ...lines].join("\n");
  },
});
