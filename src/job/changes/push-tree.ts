// A tree, committed by the token's account and pushed to a branch.

import { type DeliveryContext, makeCommit } from "./delivery-context.ts";
import type { NewCommit } from "./scratch-repository.ts";
import { tellPushed } from "./tell-pushed.ts";

type PushedTree = Pick<NewCommit, "tree" | "parents"> & {
  readonly branch: string;
  /** The commit that the branch must be at; null where the branch must not exist. */
  readonly expected: string | null;
};

/** Commits a tree and pushes that. "moved": the branch is not where it was expected. */
export async function pushTree(
  context: DeliveryContext,
  { tree, parents, branch, expected }: PushedTree,
): Promise<"moved" | { sha: string }> {
  const sha = await makeCommit(context, { tree, parents });
  if ((await context.remote.push({ sha, branch, expected })) === "moved") return "moved";
  await tellPushed(context, { sha });
  return { sha };
}
