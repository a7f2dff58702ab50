// git clone and git fetch of a workspace: its refs, and all to which they lead.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { ServedRepository, ServeRefusal } from "../../checkouts/git-service.ts";
import type { Core } from "../../core.ts";
import { readHistory } from "../objects/read-history.ts";
import { keepingOf, reachFiles, type WorkspaceRequest } from "../reach-workspace.ts";
import type { FilesClosedRefusal, WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { Workspace } from "../workspace.ts";
import { readRefs } from "./refs.ts";

type FetchOfWorkspace = WorkspaceRequest & {
  /** The header Git-Protocol, checked. */
  readonly protocol: string | null;
  /** Null: the refs and what the server can do, for a request that follows. */
  readonly input: AsyncIterable<Uint8Array> | null;
  readonly asksForRefs: boolean;
  readonly signal: AbortSignal;
};

/** To be read, or left by aborting `signal`. */
export async function fetchByGit(
  core: Core,
  { protocol, input, asksForRefs, signal, ...request }: FetchOfWorkspace,
): Promise<
  Result<AsyncIterable<Uint8Array>, WorkspaceRefusal | FilesClosedRefusal | WorkRefusal | ServeRefusal>
> {
  const reached = await reachFiles(core, request);
  if (!reached.ok) return reached;
  const { id: workspaceId, state } = reached.value;
  if (state === "erasing") return refused({ reason: "workspace_erasing", workspaceId });
  const repository = await servedRepository(core, reached.value);
  const { git } = keepingOf(core);
  const fetched = await git.serve({ repository, protocol, input, asksForRefs }, signal);
  return fetched.ok ? ok(fetched.value) : fetched;
}

export async function servedRepository(core: Core, workspace: Workspace): Promise<ServedRepository> {
  const { id: workspaceId, accountId } = workspace;
  return {
    workspaceId,
    accountId,
    refs: await readRefs(core, workspace),
    history: (tips, isKnown) => readHistory(core, { workspaceId, tips, isKnown }),
  };
}
