// Context items of a workspace: listed, made, deleted.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Unkeyed } from "../../../../contract/fields.ts";
import {
  type CreateContextItemRequest,
  MAX_CONTEXT_BYTES,
  MAX_CONTEXT_ITEM_BYTES,
  MAX_CONTEXT_ITEMS,
} from "../../../../contract/workspaces/context-items.ts";
import type { AccountCaller } from "../../accounts/caller.ts";
import type { Core } from "../../core.ts";
import { onceByKey } from "../../idempotency/once-by-key.ts";
import { type OnceResult, onceResult } from "../../idempotency/once-result.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../../idempotency/refusals.ts";
import type { StoreReader } from "../../ports/store.ts";
import { type CursorRefusal, type Page, type PageRequest, pageById } from "../page.ts";
import { checkPath, type PathRefusal } from "../paths/workspace-path.ts";
import { reachForWork, reachWorkspace } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { ContextItem } from "./context-item.ts";
import type { ContextItemRefusal } from "./refusals.ts";

type InWorkspace = { readonly caller: AccountCaller; readonly workspaceId: string };
type CreateRefusal = WorkspaceRefusal | WorkRefusal | ContextItemRefusal | PathRefusal;

/** Newest first. */
export async function listContextItems(
  core: Core,
  { query, ...request }: InWorkspace & { readonly query: PageRequest },
): Promise<Result<Page<ContextItem>, WorkspaceRefusal | CursorRefusal>> {
  const workspace = await reachWorkspace(core, request);
  if (!workspace.ok) return workspace;
  const { workspaceId } = request;
  return await pageById(query, (of) => core.store.committed.contextItems.list({ workspaceId, ...of }));
}

/** Gives something to every run that starts from now on. Safe to repeat with a key. */
export async function createContextItem(
  core: Core,
  request: InWorkspace & {
    readonly body: Unkeyed<CreateContextItemRequest>;
    readonly idempotencyKey: string | null;
  },
): Promise<OnceResult<ContextItem, CreateRefusal | KeyInFlightRefusal | KeyReusedRefusal>> {
  const { caller, workspaceId, body } = request;
  const {
    kind = "text",
    content,
    title = kind === "text" ? "Context" : content.slice(0, 255).toWellFormed(),
  } = body;
  const fault = contentFault({ kind, content });
  if (fault !== null) return refused(fault);
  const keyed = {
    scope: `context-items ${workspaceId}`,
    accountId: caller.accountId,
    key: request.idempotencyKey,
    request: { kind, content, title },
  };
  const made = await onceByKey<CreateRefusal>(core, keyed, async (tx) => {
    // Two new items wait for each other here: the bounds hold for both.
    await tx.workspaces.lock(workspaceId);
    const workspace = await reachForWork(core, request, tx);
    if (!workspace.ok) return workspace;
    const full = await fullness(tx, { workspaceId, bytes: Buffer.byteLength(content) });
    if (full !== null) return refused(full);
    const createdAt = core.clock.now();
    const id = core.random.uuid(createdAt);
    await tx.contextItems.insert({ id, workspaceId, kind, title, content, createdAt });
    return ok(id);
  });
  if (!made.ok) return made;
  const item = await find(core.store.committed, { workspaceId, itemId: made.value.subjectId });
  return onceResult(item, made.value);
}

/** Also for an account whose new work is not taken. */
export async function deleteContextItem(
  core: Core,
  { itemId, ...request }: InWorkspace & { readonly itemId: string },
): Promise<Result<ContextItem, WorkspaceRefusal | ContextItemRefusal>> {
  return await core.store.transact(
    async (tx): Promise<Result<ContextItem, WorkspaceRefusal | ContextItemRefusal>> => {
      const workspace = await reachWorkspace(core, request, tx);
      if (!workspace.ok) return workspace;
      const { workspaceId } = request;
      const item = await find(tx, { workspaceId, itemId });
      if (!item.ok || (await tx.contextItems.delete(itemId))) return item;
      return refused({ reason: "context_item_not_found", itemId, workspaceId });
    },
  );
}

async function find(
  { contextItems }: Pick<StoreReader, "contextItems">,
  { workspaceId, itemId }: { readonly workspaceId: string; readonly itemId: string },
): Promise<Result<ContextItem, ContextItemRefusal>> {
  const item = await contextItems.find(itemId);
  return item?.workspaceId === workspaceId
    ? ok(item)
    : refused({ reason: "context_item_not_found", itemId, workspaceId });
}

function contentFault({ kind, content }: Pick<ContextItem, "kind" | "content">) {
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_CONTEXT_ITEM_BYTES) {
    return { reason: "context_item_too_large", bytes, allowed: MAX_CONTEXT_ITEM_BYTES } as const;
  }
  if (kind === "file") {
    const path = checkPath(content);
    return path.ok ? null : path.refusal;
  }
  return kind === "url" && !isWebAddress(content) ? ({ reason: "context_url_invalid" } as const) : null;
}

function isWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.password === "";
}

/** Null where there is room for a further item. */
async function fullness(
  { contextItems }: Pick<StoreReader, "contextItems">,
  { workspaceId, bytes }: { readonly workspaceId: string; readonly bytes: number },
): Promise<ContextItemRefusal | null> {
  const now = await contextItems.measure(workspaceId);
  if (now.items >= MAX_CONTEXT_ITEMS) {
    return { reason: "context_full", what: "items", allowed: MAX_CONTEXT_ITEMS };
  }
  const fits = now.bytes + bytes <= MAX_CONTEXT_BYTES;
  return fits ? null : { reason: "context_full", what: "bytes", allowed: MAX_CONTEXT_BYTES };
}
