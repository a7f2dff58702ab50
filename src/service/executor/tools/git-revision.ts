// Commits and paths of a tool of git's history, by what a model calls them.

import * as z from "zod/mini";
import type { Checkout } from "../../core/checkouts/checkout.ts";
import { relativePath } from "./checkout-path.ts";
import { ToolError } from "./tool.ts";
import { described } from "./tool-input.ts";

const MAX_NAME_CHARS = 200;
const MAX_PATHS = 50;

export function revisionInput(description: string) {
  return described(z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_NAME_CHARS))), description);
}

export const pathsInput = described(
  z._default(z.array(z.string().check(z.minLength(1))).check(z.maxLength(MAX_PATHS)), []),
  "Only these files and folders, relative to the repository's root.",
);

/** All digits of a commit. `base` is that of the commit under review. Rejects with a `ToolError` where there is none. */
export async function commitOf(checkout: Checkout, name: string): Promise<string> {
  const found =
    name === "base"
      ? ((await checkout.changesSinceBase())?.baseSha ?? null)
      : await checkout.history.resolve(name);
  if (found !== null) return found;
  const shown = JSON.stringify(name);
  const message = `There is no commit ${shown} in reach: the history may be shallow, and branches are not known by name. Known are digits of commits as git_log shows them, HEAD, HEAD~1, and base where a change is under review.`;
  throw new ToolError("not_found", message);
}

export async function pathsOf(checkout: Checkout, paths: readonly string[]): Promise<readonly string[]> {
  const relative = await Promise.all(paths.map((path) => relativePath(checkout.root, path)));
  // The root is no restriction.
  return relative.includes("") ? [] : relative;
}
