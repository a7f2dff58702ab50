// The nodes of the service, and what each executes now.

import type { Core } from "../core.ts";
import type { NodeState } from "./node.ts";
import type { RefusalTally } from "./refusal-tally.ts";

declare module "../core.ts" {
  interface Core {
    readonly node: OwnNode;
  }
}

/** This process. */
export type OwnNode = {
  readonly refusals: RefusalTally;
  /** Whether no other process has the store. */
  readonly isAlone: boolean;
  state(): NodeState;
};

/** Of others as they wrote it last, of this one as it is. */
export async function listNodes({
  node,
  store,
}: Pick<Core, "node" | "store">): Promise<readonly NodeState[]> {
  const own = node.state();
  if (node.isAlone) return [own];
  const others = (await store.committed.nodes.list()).filter(({ id }) => id !== own.id);
  return [...others, own].toSorted((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
}

/** Writes this node's state for the others. */
export async function showNode({ node, store }: Pick<Core, "node" | "store">): Promise<void> {
  const state = node.state();
  await store.transact((tx) => tx.nodes.put(state));
}

/** This node leaves. */
export async function hideNode({ node, store }: Pick<Core, "node" | "store">): Promise<void> {
  const { id } = node.state();
  await store.transact((tx) => tx.nodes.remove(id));
}
