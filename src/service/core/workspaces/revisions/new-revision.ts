// Makes a revision: its commit as git would write it, and its row. Pure.

import { hash } from "node:crypto";
import type { Core } from "../../core.ts";
import type { Actor } from "../actor.ts";
import { encodeCommit, type Signature } from "../objects/commit-object.ts";
import { oidOf } from "../objects/git-object.ts";
import type { ObjectKind } from "../objects/object-kind.ts";
import type { NewObject } from "../objects/store-port.ts";
import type { Revision } from "./revision.ts";

type RevisionRequest = {
  readonly workspaceId: string;
  readonly treeOid: string;
  /** In the order of the commit's parents. */
  readonly parents: readonly Pick<Revision, "id" | "commitOid">[];
  readonly message: string;
  readonly author: Actor;
  readonly files: number;
  readonly bytes: number;
  readonly isAccepted: boolean;
  readonly now: number;
};

/** Both have to be stored in one transaction. */
export function newRevision(
  { random }: Pick<Core, "random">,
  request: RevisionRequest,
): { readonly revision: Revision; readonly commit: NewObject } {
  const { parents, author, now, isAccepted, treeOid, ...rest } = request;
  const signature = signatureOf(author, now);
  const data = encodeCommit({
    tree: treeOid,
    parents: parents.map(({ commitOid }) => commitOid),
    author: signature,
    committer: signature,
    message: request.message,
  });
  const commit = smallObject("commit", data);
  const revision: Revision = {
    ...rest,
    id: random.uuid(now),
    commitOid: commit.oid,
    treeOid,
    parentIds: parents.map(({ id }) => id),
    author,
    createdAt: now,
    acceptedAt: isAccepted ? now : null,
  };
  return { revision, commit };
}

/** An object whose contents are kept in its row. */
export function smallObject(kind: ObjectKind, data: Uint8Array): NewObject {
  const sha256 = hash("sha256", data);
  return { oid: oidOf({ kind, data }), kind, size: data.byteLength, data, blobKey: null, sha256 };
}

/** Nobody's mail address: they name who it was within the service. */
function signatureOf(author: Actor, at: number): Signature {
  switch (author.type) {
    case "owner":
      return { name: "Owner", email: "owner@workspace.invalid", at };
    case "ai_client":
      return { name: author.name ?? "AI client", email: "ai-client@workspace.invalid", at };
    case "run":
      return { name: `Agent ${author.agent_id}`, email: `run-${author.run_id}@workspace.invalid`, at };
    case "service":
      return { name: "Agent service", email: "service@workspace.invalid", at };
  }
}
