// Reads and writes files for an agent: only in the checkout, by the rules of the tools.

import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { CoveredFiles } from "../../../core/ports/covered-files.ts";
import { checkRelativePath, type ToolTree } from "../../tools/checkout-path.ts";
import { atPlace, MAX_WRITTEN_BYTES, writeWhole } from "../../tools/checkout-place.ts";
import { readTextFile } from "../../tools/text-file.ts";
import { ToolError } from "../../tools/tool.ts";
import type { AcpSettings } from "./settings.ts";

/** The tree, and the ways to name its root. */
type AgentFiles = {
  readonly roots: readonly string[];
  readonly covered?: CoveredFiles | undefined;
};

type FileLines = {
  /** Absolute, as ACP wants it. */
  readonly path: string;
  /** From 1. */
  readonly line?: number | null | undefined;
  readonly limit?: number | null | undefined;
};

/** Rejects with a `ToolError`. */
export async function readLines(files: AgentFiles, wanted: FileLines): Promise<string> {
  const { tree, path } = within(files, wanted.path);
  const text = await readTextFile(tree, path);
  const { line, limit } = wanted;
  if (typeof line !== "number" && typeof limit !== "number") return text;
  const first = Math.max(0, (line ?? 1) - 1);
  const lines = text.split(/(?<=\n)/);
  return lines.slice(first, typeof limit === "number" ? first + limit : undefined).join("");
}

/** Makes the folders that are missing. Rejects with a `ToolError`. */
export async function writeText(
  files: AgentFiles,
  { path, content }: { readonly path: string; readonly content: string },
): Promise<void> {
  const wanted = within(files, path);
  const bytes = Buffer.from(content);
  if (bytes.length > MAX_WRITTEN_BYTES) {
    const message = `The content has ${bytes.length} bytes, at most ${MAX_WRITTEN_BYTES} are written.`;
    throw new ToolError("too_large", message);
  }
  await atPlace({ ...wanted, missingFolders: "make" }, (place) => writeWhole(place, bytes));
}

/** The path relative to the root, which may be given with or without symbolic links. */
function within(
  { roots, covered }: AgentFiles,
  path: string,
): { readonly tree: ToolTree; readonly path: string } {
  for (const root of roots) {
    if (path !== root && !path.startsWith(`${root}${sep}`)) continue;
    return { tree: { root, covered }, path: checkRelativePath(path.slice(root.length + 1)) };
  }
  throw new ToolError(
    "path_refused",
    `The path ${JSON.stringify(path.slice(0, 200))} is not in the checkout.`,
  );
}

/** The ways to name the root: as it was given, and without links. */
export async function rootsOf(root: string): Promise<readonly [string, ...string[]]> {
  const real = await realpath(root);
  return real === root ? [root] : [root, real];
}

/** An agent that works elsewhere names paths of its place, which are none here. */
export function checkOffered({ asksForFiles }: Pick<AcpSettings, "asksForFiles">): void {
  if (asksForFiles) return;
  throw new ToolError(
    "path_refused",
    "This service offers you no file system (clientCapabilities.fs): read and write files by yourself.",
  );
}
