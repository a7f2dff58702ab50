// Follows what moves in a workspace. Loads at start, with the session socket: of workspaces it needs their row alone.
// Why: docs/decisions/091-events-of-a-workspace.md

import { ok, type Result, refused } from "../../../base/result.ts";
import type { AccountCaller, Caller } from "../accounts/caller.ts";
import type { ClassRefusal } from "../accounts/refusals.ts";
import type { Core } from "../core.ts";
import { isFollowed, movement } from "../runs/follow-run.ts";
import type { StreamReader } from "../runs/read-run.ts";
import type { WorkspaceRefusal } from "../workspaces/refusals.ts";
import type { StoredWorkspaceEvent } from "./workspace-event.ts";

const EVENTS_A_PAGE = 100;

export type FollowRefusal = WorkspaceRefusal | ClassRefusal;

export type WorkspaceFeed = {
  /** Behind which event the reader goes on. */
  readonly after: number;
  /** Whether events behind the asked one are no longer kept: what is known of the workspace has to be read again. */
  readonly hasMissed: boolean;
};

/** The place at which a reader of the workspace's events begins: behind `after`, or at the events from now on. */
export async function findFeed(
  core: Core,
  { caller, workspaceId, after }: { caller: StreamReader; workspaceId: string; after: number | null },
): Promise<Result<WorkspaceFeed, FollowRefusal>> {
  const reached = await reach(core, { caller, workspaceId });
  if (!reached.ok) return reached;
  const { first, last } = await core.store.committed.workspaceEvents.ends(workspaceId);
  if (after === null || after > last) return ok({ after: last, hasMissed: after !== null });
  const hasMissed = after < first - 1;
  return ok({ after: hasMissed ? last : after, hasMissed });
}

/** Pages of what moved, until `signal` aborts or the service stops. Ends with a refusal once the caller may not read it. */
export async function* followWorkspace(
  core: Core,
  query: { workspaceId: string; after: number; caller: () => StreamReader | null; signal: AbortSignal },
): AsyncGenerator<Result<readonly StoredWorkspaceEvent[], FollowRefusal>, void> {
  const { workspaceId, signal } = query;
  let after = query.after;
  while (isFollowed(core, signal)) {
    const listener = core.signals.listen(workspaceId);
    try {
      const caller = query.caller();
      if (caller === null) return;
      const reached = await reach(core, { caller, workspaceId });
      if (!reached.ok) {
        yield reached;
        return;
      }
      const events = await core.store.committed.workspaceEvents.list({
        workspaceId,
        after,
        limit: EVENTS_A_PAGE,
      });
      if (events.length > 0) yield ok(events);
      after = events.at(-1)?.seq ?? after;
      if (events.length === 0) await movement(listener, signal);
    } finally {
      listener.stop();
    }
  }
}

async function reach(
  core: Core,
  { caller, workspaceId }: { caller: StreamReader; workspaceId: string },
): Promise<Result<AccountCaller, FollowRefusal>> {
  if (!isAccount(caller)) return refused({ reason: "account_needed" });
  const workspace = await core.store.committed.workspaces.find(workspaceId);
  if (workspace === null) return refused({ reason: "workspace_not_found", workspaceId });
  return workspace.accountId === caller.accountId
    ? ok(caller)
    : refused({ reason: "workspace_of_another", workspaceId });
}

function isAccount(caller: Caller | StreamReader): caller is AccountCaller {
  return caller.kind === "account";
}
