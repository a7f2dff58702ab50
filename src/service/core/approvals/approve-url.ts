// The page on which an owner approves or denies. Pure.

import type { Policy } from "../core.ts";

export function approveUrl({ webUrl }: Pick<Policy, "webUrl">, approvalId: string): string {
  return `${webUrl}/approve/${approvalId}`;
}
