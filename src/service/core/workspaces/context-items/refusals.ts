// Why a context item is not made or found. Pure.

import type { ContextKind } from "../../../../contract/workspaces/context-items/context-item.ts";

export type ContextItemRefusal =
  | { readonly reason: "context_item_not_found"; readonly itemId: string; readonly workspaceId: string }
  | { readonly reason: "context_item_too_large"; readonly bytes: number; readonly allowed: number }
  | { readonly reason: "context_full"; readonly what: "items" | "bytes"; readonly allowed: number }
  | { readonly reason: "context_url_invalid"; readonly kind: ContextKind };
