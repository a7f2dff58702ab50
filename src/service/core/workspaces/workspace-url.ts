// The address of a workspace's page for its owner. Pure.

import type { Policy } from "../core.ts";

export function workspaceUrl({ webUrl }: Pick<Policy, "webUrl">, workspaceId: string): string {
  return `${webUrl}/workspace/${workspaceId}`;
}
