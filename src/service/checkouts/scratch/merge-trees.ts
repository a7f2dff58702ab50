// Merges two trees on their base by `git merge-tree`, out of the objects in which they differ alone.
// Why: docs/decisions/076-merges-by-git.md

import type { Merged, MergeRequest, ScratchObject } from "../../core/checkouts/git-scratch.ts";
import { askObjects, ObjectQuestions } from "../cat-file.ts";
import { checkGiven, isSubmodule, namedBy } from "./given-trees.ts";
import { parseMerge } from "./merge-output.ts";
import { addBranch, addObjects, commitOf, type ScratchWork } from "./scratch-repository.ts";

const CONFLICTS = 1;
const CONFIG = [
  // A new file follows its folder to where the other side has renamed it.
  "merge.directoryRenames=true",
  "merge.renames=true",
  // Every file that went is compared with every one that came.
  "merge.renameLimit=2000",
];

export async function mergeTrees(work: ScratchWork, request: MergeRequest): Promise<Merged> {
  const { git, signal } = work;
  checkGiven([request.base, request.ours, request.theirs], request.objects);
  const base = commitOf(request.base, [], "base");
  const ours = commitOf(request.ours, [base.oid], "ours");
  const theirs = commitOf(request.theirs, [base.oid], "theirs");
  await addObjects(work, [base, ours, theirs, ...request.objects]);
  await addBranch(work, { name: "ours", oid: ours.oid });
  await addBranch(work, { name: "theirs", oid: theirs.oid });
  // It starts while the merge does, and is asked after it.
  const questions = new ObjectQuestions();
  const known = knownOf(request);
  const reading = readMade(work, known, questions);
  reading.catch(() => {});
  try {
    const { stdout } = await git({
      args: ["merge-tree", "--write-tree", "--messages", "-z", "ours", "theirs"],
      config: CONFIG,
      allowedExitCodes: [0, CONFLICTS],
      signal,
    });
    const merged = parseMerge(stdout);
    if (known.has(merged.tree)) questions.end();
    else questions.add(merged.tree);
    return { ...merged, made: await reading };
  } catch (cause) {
    questions.end();
    await reading.catch(() => {});
    throw cause;
  }
}

/** Known objects: those that were given, and those that they name, which are as they were on one of the sides. */
function knownOf({ objects }: MergeRequest): Set<string> {
  const known = new Set<string>();
  for (const object of objects) {
    known.add(object.oid);
    if (object.kind !== "tree" || !("data" in object)) continue;
    for (const { oid } of namedBy(object.data)) known.add(oid);
  }
  return known;
}

/** The objects that are asked for, and what they lead to and is not known. */
async function readMade(
  { git, signal }: ScratchWork,
  known: Set<string>,
  questions: ObjectQuestions,
): Promise<readonly ScratchObject[]> {
  const made: ScratchObject[] = [];
  for await (const { oid, type, size, bytes } of askObjects({ git, questions, signal })) {
    if (type !== "tree" && type !== "blob") continue;
    const data = await bytes(size);
    made.push({ kind: type, oid, data });
    if (type === "blob") continue;
    for (const named of namedBy(data)) {
      if (isSubmodule(named) || known.has(named.oid)) continue;
      known.add(named.oid);
      questions.add(named.oid);
    }
  }
  return made;
}
