// Compares two trees by `git diff-tree`, for people, out of the objects in which they differ alone.

import { EMPTY_TREE } from "../../../base/git/object-names.ts";
import type { DiffRequest, TreeDiff } from "../../core/checkouts/git-scratch.ts";
import { parseChanges } from "../git-output.ts";
import { PATCH, PLAIN_PATHS } from "../read-history.ts";
import { checkGiven } from "./given-trees.ts";
import { addObjects, type ScratchWork } from "./scratch-repository.ts";

const LINE_FEED = 10;

export async function diffTrees(work: ScratchWork, request: DiffRequest): Promise<TreeDiff> {
  const { git, signal } = work;
  const { from, to, objects, maxPatchBytes } = request;
  const sides = [from ?? EMPTY_TREE, to];
  checkGiven(sides, objects);
  await addObjects(work, objects);
  const [changes, patch] = await Promise.all([
    git({ args: ["diff-tree", "-r", "-z", "-M", "--raw", "--numstat", ...sides], signal }),
    maxPatchBytes === 0
      ? null
      : git({
          args: ["diff-tree", "-r", ...PATCH, ...sides],
          config: PLAIN_PATHS,
          maxOutputBytes: maxPatchBytes,
          onOverflow: "keep",
          signal,
        }),
  ]);
  const files = parseChanges(changes.stdout);
  if (patch === null) return { files, patch: "", isWhole: files.length === 0 };
  const { stdout, complete } = patch;
  const end = complete ? stdout.length : stdout.lastIndexOf(LINE_FEED) + 1;
  return { files, patch: stdout.toString("utf8", 0, end), isWhole: complete };
}
