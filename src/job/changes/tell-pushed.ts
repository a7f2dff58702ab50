// Reading of the commit that a delivery pushed, for a statement about it: its object as git stores it, its patch id, and what the
// repository tells agents. Nothing here fails a delivery: the push stands.
// Why: docs/decisions/171-attested-commits.md

import { createHash } from "node:crypto";
import { PathRules } from "../../contract/paths/path-rules.ts";
import type { DeliveryContext } from "./delivery-context.ts";
import type { InstructionFiles, PushedCommit } from "./pushed-commit.ts";

const MAX_FILES = 50;
/** The script that is executed before an agent, and its kind. */
const SETUP_FOLDER = ".github/agent/";

/** Tells of a commit that this attempt has pushed. `isForeign`: the code host made it, so that it is fetched first. Never rejects. */
export async function tellPushed(
  context: DeliveryContext,
  { sha, isForeign = false }: { readonly sha: string; readonly isForeign?: boolean },
): Promise<void> {
  const { onPushed } = context.options;
  if (onPushed === null) return;
  try {
    if (isForeign && !(await context.remote.fetch(sha)))
      throw new Error(`${context.options.host.words.host} does not have it.`);
    onPushed({ type: "read", commit: await readCommit(context, sha) });
  } catch (cause) {
    onPushed({ type: "unread", sha, why: cause instanceof Error ? cause.message : "unknown" });
  }
}

/**
 * Tells of a commit that an earlier attempt of the job has pushed, where it is the run's change to its parent: its trailer alone could
 * be anybody's. Never rejects.
 */
export async function tellPushedBefore(
  context: DeliveryContext,
  { sha, remake }: { readonly sha: string; remake(parent: string): Promise<string> },
): Promise<void> {
  const { options, remote, scratch } = context;
  if (options.onPushed === null) return;
  try {
    const [parent] = parentsOf(await scratch.commitObject(sha));
    if (parent === undefined || !(await remote.fetch(parent))) return;
    if ((await remake(parent)) !== (await scratch.treeOf(sha))) return;
  } catch {
    // The change does not apply to that parent, or the code host is away: nobody vouches for the commit.
    return;
  }
  await tellPushed(context, { sha });
}

async function readCommit(context: DeliveryContext, sha: string): Promise<PushedCommit> {
  const { scratch } = context;
  const object = await scratch.commitObject(sha);
  const [parent] = parentsOf(object);
  const patchId = parent === undefined ? "" : await scratch.patchId(parent, sha);
  return { sha, object, patchId, instructions: await readInstructions(context) };
}

function parentsOf(object: Buffer): string[] {
  const [head = ""] = object.toString("latin1").split("\n\n", 1);
  const lines = head.split("\n").filter((line) => line.startsWith(PARENT));
  return lines.map((line) => line.slice(PARENT.length));
}

const PARENT = "parent ";

/** Those that writers agreed to: of a pull request its base's. */
async function readInstructions({ options, remote, scratch }: DeliveryContext): Promise<InstructionFiles> {
  const { changes, subject } = options;
  const commit = subject?.refs?.baseSha ?? changes.base_sha;
  if (commit !== changes.base_sha && !(await remote.fetch(commit)))
    throw new Error(`${options.host.words.host} does not have commit ${commit}.`);
  const rules = new PathRules();
  const found = (await scratch.paths(commit)).filter(
    (path) => path.startsWith(SETUP_FOLDER) || rules.is(path, "agent"),
  );
  const files = [];
  for (const path of found.slice(0, MAX_FILES)) {
    const contents = await scratch.blob(`${commit}:${path}`);
    files.push({ path, sha256: createHash("sha256").update(contents).digest("hex") });
  }
  return { commit, files, more: found.length - files.length };
}
