// The scope of a search or a listing: a folder or a file, and patterns of paths below it.

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { expandBraces, pathMatcher } from "../../../base/path-pattern.ts";
import type { Checkout } from "../../core/checkouts/checkout.ts";
import { relativePath, showPath, withoutShownRoot } from "./checkout-path.ts";
import { nearestText } from "./nearest-paths.ts";
import { ToolError } from "./tool.ts";
import { described, scopeInput } from "./tool-input.ts";

const MAX_PATTERN_CHARS = 256;

export const scopeInputs = {
  path: scopeInput("A folder or a file, relative to the repository's root. Default: the whole repository."),
  glob: described(
    z.optional(z.string().check(z.minLength(1), z.maxLength(MAX_PATTERN_CHARS))),
    "Only files that match: *, ?, ** for any folders, [a-z], {a,b}. Without a slash it is matched against file names, else against paths: *.{ts,tsx}, src/**/*.test.ts.",
  ),
};

export type Scope = {
  /** Relative to the root; "" is the root. */
  readonly path: string;
  readonly kind: "folder" | "file";
  /** Patterns of paths below `path`, without braces. Empty: every file. */
  readonly globs: readonly string[];
  /** As it was given; null where none was. */
  readonly glob: string | null;
  /** Whether a path is in it. */
  readonly has: (path: string) => boolean;
};

/** Rejects with a `ToolError` that names the nearest paths where there is no such folder or file. */
export async function openScope(
  checkout: Checkout,
  given: { readonly path: string; readonly glob?: string | undefined },
): Promise<Scope> {
  const isPattern = /[*?[{]/.test(given.path) && given.glob === undefined;
  if (isPattern && (await kindOf(checkout, given.path)) === null) {
    return await openScope(checkout, { path: "", glob: given.path });
  }
  const path = await relativePath(checkout.root, given.path);
  const kind = await kindOf(checkout, path);
  if (kind === null) {
    const near = await nearestText(checkout, path);
    const shown = showPath(path);
    throw new ToolError(
      "not_found",
      `There is no folder or file ${shown} in the repository.${near === null ? "" : ` ${near}`}`,
    );
  }
  const glob = kind === "file" ? null : (given.glob ?? null);
  const globs = glob === null ? [] : globsOf(checkout.root, glob, path);
  return { path, kind, globs, glob, has: pathTest({ path, globs }) };
}

/** Whether a path lies in the scope. */
export function pathTest(
  { path, globs }: Pick<Scope, "path" | "globs">,
  options: { readonly ignoreCase?: boolean } = {},
): (path: string) => boolean {
  const matches = pathMatcher(globs, options);
  return (file) => {
    if (path === "") return globs.length === 0 || matches(file);
    if (file === path) return globs.length === 0;
    return file.startsWith(`${path}/`) && (globs.length === 0 || matches(file.slice(path.length + 1)));
  };
}

/** For messages. */
export function scopeText({ path, glob }: Scope): string {
  const place = path === "" ? "the repository" : showPath(path);
  return glob === null ? place : `${place}, glob ${JSON.stringify(glob)}`;
}

/** A link counts as a file: none is followed. */
async function kindOf({ root }: Checkout, path: string): Promise<Scope["kind"] | null> {
  if (path.includes("\0")) return null;
  const segments = path.split("/").filter((segment) => segment !== "");
  let about = await lstat(root);
  for (const [at] of segments.entries()) {
    if (!about.isDirectory()) return null;
    const next = await lstat(join(root, ...segments.slice(0, at + 1))).catch(() => null);
    if (next === null) return null;
    about = next;
  }
  return about.isDirectory() ? "folder" : "file";
}

/** A name counts in every folder; what begins with the scope's path is taken from the root. */
function globsOf(root: string, glob: string, path: string): readonly string[] {
  const patterns = expandBraces(glob).map((pattern) => {
    const isAnchored = pattern.startsWith("/") || pattern.startsWith("./");
    const segments = withoutShownRoot(root, pattern)
      .split("/")
      .filter((segment) => segment !== "" && segment !== ".");
    if (pattern.endsWith("/")) segments.push("**");
    if (segments.length === 1 && !isAnchored) segments.unshift("**");
    const whole = segments.join("/");
    return path !== "" && whole.startsWith(`${path}/`) ? whole.slice(path.length + 1) : whole;
  });
  return [...new Set(patterns)];
}
