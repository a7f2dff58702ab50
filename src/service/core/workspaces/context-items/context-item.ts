// Context items, which every run of a workspace is given, as they are stored. Times are milliseconds since the epoch. Pure.

import type { ContextKind } from "../../../../contract/workspaces/context-items.ts";

export type ContextItem = {
  readonly id: string;
  readonly workspaceId: string;
  readonly kind: ContextKind;
  readonly title: string;
  /** The text, the path in the workspace, or the address. */
  readonly content: string;
  readonly createdAt: number;
};
