// Names the paths of the tree that are nearest to one that is not there.

import type { Checkout } from "../../core/checkouts/checkout.ts";
import { relativePath, showPath } from "./checkout-path.ts";
import { findSimilarLine } from "./similar-line.ts";
import { ToolError } from "./tool.ts";

const MAX_NAMED = 3;
/** More candidates are not compared letter by letter. */
const MAX_COMPARED = 50_000;

/** Does `work` on a path; where that is not found, the error names the nearest paths. */
export async function explainMissing<Value>(
  checkout: Checkout,
  path: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof ToolError) || cause.code !== "not_found") throw cause;
    const near = await nearestText(checkout, await relativePath(checkout.root, path));
    if (near === null) throw cause;
    throw new ToolError("not_found", `${cause.message} ${near}`, { cause });
  }
}

/** A sentence, or null where nothing is near. */
export async function nearestText(checkout: Checkout, path: string): Promise<string | null> {
  const near = nearestPaths(await checkout.files(), path);
  return near.length === 0 ? null : `Nearest: ${near.map(showPath).join(", ")}.`;
}

/** Files and folders of the same name elsewhere, or of a similar one, the nearest first. */
function nearestPaths(files: readonly string[], wanted: string): readonly string[] {
  const candidates = [...foldersOf(files), ...files];
  const name = nameOf(wanted).toLowerCase();
  const sameName = candidates.filter((path) => nameOf(path).toLowerCase() === name);
  if (sameName.length > 0) {
    const byLikeness = findSimilarLine(sameName, wanted)?.text ?? "";
    return [...new Set([byLikeness, ...sameName])].filter((path) => path !== "").slice(0, MAX_NAMED);
  }
  const similar = findSimilarLine(candidates.slice(0, MAX_COMPARED), wanted);
  return similar === null ? [] : [similar.text];
}

function foldersOf(files: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const file of files) {
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
      const folder = file.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
