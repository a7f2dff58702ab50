// The refs that git's clients see of a workspace: what is accepted, and what each copy has saved.
// Why: docs/decisions/182-workspaces-are-git-servers.md

import type { GitRef } from "../../checkouts/git-service.ts";
import type { Core } from "../../core.ts";
import type { Copy } from "../copies/copy.ts";
import type { Workspace } from "../workspace.ts";

/** The current revision. */
export const MAIN_REF = "refs/heads/main";
const COPY_REFS = "refs/heads/copies/";
const COPY_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The newest are shown. */
const MAX_COPIES = 1_000;
const COPIES_AT_ONCE = 200;

/** The branch of a copy. */
function refOfCopy(copyId: string): string {
  return COPY_REFS + copyId;
}

/** The copy whose branch it is; null where it is no copy's. */
export function copyOfRef(ref: string): string | null {
  const id = ref.startsWith(COPY_REFS) ? ref.slice(COPY_REFS.length) : "";
  return COPY_ID.test(id) ? id : null;
}

/** Each names the commit of a revision. What was written in a copy and is not saved is in none. */
export async function readRefs(core: Core, workspace: Workspace): Promise<readonly GitRef[]> {
  const { committed } = core.store;
  const copies = (await listCopies(core, workspace.id)).filter(({ isCanonical }) => !isCanonical);
  const ids = new Set([workspace.currentRevisionId, ...copies.map(({ baseRevisionId }) => baseRevisionId)]);
  const revisions = await committed.revisions.findAll([...ids]);
  const commits = new Map(revisions.map(({ id, commitOid }) => [id, commitOid]));
  const refs: GitRef[] = [];
  const add = (name: string, revisionId: string) => {
    // A copy that was moved meanwhile is seen by the next request.
    const oid = commits.get(revisionId);
    if (oid !== undefined) refs.push({ name, oid });
  };
  add(MAIN_REF, workspace.currentRevisionId);
  for (const { id, baseRevisionId } of copies) add(refOfCopy(id), baseRevisionId);
  return refs;
}

async function listCopies(core: Core, workspaceId: string): Promise<readonly Copy[]> {
  const copies: Copy[] = [];
  for (let before: string | null = null; copies.length < MAX_COPIES; ) {
    const page: readonly Copy[] = await core.store.committed.copies.list({
      workspaceId,
      state: null,
      before,
      limit: COPIES_AT_ONCE,
    });
    copies.push(...page.filter(({ state }) => state === "ready"));
    before = page.at(-1)?.id ?? null;
    if (page.length < COPIES_AT_ONCE) break;
  }
  return copies;
}
