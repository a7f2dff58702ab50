// Where the owner sees a workspace. Pure.

import type { Policy } from "../core.ts";

export function workspaceUrl({ webUrl }: Pick<Policy, "webUrl">, workspaceId: string): string {
  return `${webUrl}/workspace/${workspaceId}`;
}
