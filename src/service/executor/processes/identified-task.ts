// Parts of a run with ID tokens that its commands need: the way to them, and the mask that keeps them out of what its model reads.

import type { BackendTask, TaskIdentity } from "../backend.ts";

export type IdentifiedTask = Pick<BackendTask, "identity" | "secrets">;

/** What a command wrote. A model has no use for a token, and its provider is none of those whom the owner has named. */
export function withoutTokens(
  output: string,
  task: IdentifiedTask | undefined,
  identity: TaskIdentity | null,
): string {
  return identity === null || task === undefined ? output : task.secrets.apply(output);
}
