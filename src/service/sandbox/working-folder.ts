// The folder a command starts in: in the checkout, symbolic links resolved.

import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { ok, type Result, refused } from "../../base/result.ts";
import type { SandboxRefusal } from "../core/ports/sandbox.ts";

export type WorkingFolder = {
  /** Real path of the tree. */
  readonly root: string;
  /** Real path of the folder, and the same relative to the root. */
  readonly folder: string;
  readonly within: string;
};

export async function workingFolder(
  root: string,
  cwd: string,
): Promise<Result<WorkingFolder, SandboxRefusal>> {
  const realRoot = await realpath(root);
  const no = (why: string) =>
    refused<SandboxRefusal>({
      reason: "cwd_refused",
      detail: `The folder ${JSON.stringify(cwd.slice(0, 200))} ${why}. Name a folder relative to the checkout.`,
    });
  if (isAbsolute(cwd) || cwd.includes("\0")) return no("is not relative");
  const folder = await realpath(resolve(realRoot, cwd)).catch(() => null);
  const within = folder === null ? ".." : relative(realRoot, folder);
  // The same answer for a missing folder and one outside, so that it does not reveal what exists on this machine.
  if (folder === null || within === ".." || within.startsWith(`..${sep}`) || isAbsolute(within))
    return no("is not in the checkout");
  if (!(await stat(folder)).isDirectory()) return no("is not a folder");
  return ok({ root: realRoot, folder, within });
}
