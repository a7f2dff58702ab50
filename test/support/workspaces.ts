// A workspace on a core fixture, whose files are written and read past the API.

import type { AccountCaller } from "../../src/service/core/accounts/caller.ts";
import { openAccount } from "../../src/service/core/accounts/keys.ts";
import type { Core } from "../../src/service/core/core.ts";
import { insertWorkspace } from "../../src/service/core/workspaces/administration/new-workspace.ts";
import { requestCheckpoint } from "../../src/service/core/workspaces/copies/checkpoint.ts";
import type { Copy } from "../../src/service/core/workspaces/copies/copy.ts";
import type { CopyEntry } from "../../src/service/core/workspaces/copies/copy-entry.ts";
import { createCopy } from "../../src/service/core/workspaces/copies/create-copy.ts";
import { keepObjects, rowObject } from "../../src/service/core/workspaces/objects/keep-objects.ts";
import { objectSource } from "../../src/service/core/workspaces/objects/object-source.ts";
import { hasEnded, type Operation } from "../../src/service/core/workspaces/operations/operation.ts";
import type { Revision } from "../../src/service/core/workspaces/revisions/revision.ts";
import { walkFiles } from "../../src/service/core/workspaces/trees/walk-files.ts";
import type { Workspace } from "../../src/service/core/workspaces/workspace.ts";

/** Contents by paths; null deletes. */
export type FileTexts = Readonly<Record<string, string | null>>;

export class TestWorkspace {
  readonly core: Core;
  readonly id: string;
  readonly owner: AccountCaller;
  /** The canonical copy. */
  readonly canonicalId: string;

  static async make(core: Core): Promise<TestWorkspace> {
    const { id: accountId } = await openAccount(core, "subscribed");
    const managerAgentId = core.random.uuid(core.clock.now());
    const createdBy = { type: "owner" as const };
    const workspace = await core.store.transact((tx) =>
      insertWorkspace(core, tx, {
        id: core.random.uuid(core.clock.now()),
        accountId,
        name: "test",
        managerAgentId,
        metadata: {},
        createdBy,
      }),
    );
    return new TestWorkspace(core, workspace);
  }

  constructor(core: Core, workspace: Workspace) {
    this.core = core;
    this.id = workspace.id;
    this.canonicalId = workspace.canonicalCopyId;
    this.owner = {
      kind: "account",
      accountId: workspace.accountId,
      callerClass: "owner",
      personId: null,
      role: "owner",
    };
  }

  get request() {
    return { caller: this.owner, workspaceId: this.id };
  }

  async read(): Promise<Workspace> {
    return present(await this.core.store.committed.workspaces.find(this.id));
  }

  async copy(copyId: string): Promise<Copy> {
    return present(await this.core.store.committed.copies.find(copyId));
  }

  async revision(revisionId: string): Promise<Revision> {
    return present(await this.core.store.committed.revisions.find(revisionId));
  }

  /** A new copy's id. */
  async makeCopy(baseRevisionId?: string): Promise<string> {
    const body = baseRevisionId === undefined ? {} : { base_revision_id: baseRevisionId };
    const made = await createCopy(this.core, { ...this.request, body, idempotencyKey: null });
    if (!made.ok) throw new Error(`The copy was refused: ${made.refusal.reason}`);
    return present(made.value.result.copyId ?? null);
  }

  /** Writes files into a copy. */
  async write(copyId: string, files: FileTexts): Promise<void> {
    const { core, id: workspaceId } = this;
    const now = core.clock.now();
    const written = Object.entries(files).map(([path, text]) => {
      const object = text === null ? null : rowObject({ kind: "blob", data: Buffer.from(text) });
      const file = object === null ? null : { mode: "100644" as const, oid: object.oid, size: object.size };
      return { object, entry: { path, file, changedAt: now } satisfies CopyEntry };
    });
    await core.store.transact(async (tx) => {
      await tx.copies.share(copyId);
      const objects = written.flatMap(({ object }) => (object === null ? [] : [object]));
      await keepObjects(tx, { workspaceId, objects, now });
      await tx.copyEntries.put({ copyId, entries: written.map(({ entry }) => entry) });
    });
  }

  /** Saves a copy, and waits for the end of it. */
  async save(copyId: string, message = "Save"): Promise<Operation> {
    const body = { working_copy_id: copyId, message };
    const begun = await requestCheckpoint(this.core, { ...this.request, body, idempotencyKey: null });
    if (!begun.ok) throw new Error(`The checkpoint was refused: ${begun.refusal.reason}`);
    return await this.ended(begun.value.id);
  }

  /** Writes, saves, and returns the revision. */
  async commit(copyId: string, files: FileTexts): Promise<Revision> {
    await this.write(copyId, files);
    const { result } = await this.save(copyId);
    return await this.revision(present(result.revisionId ?? null));
  }

  async operation(operationId: string): Promise<Operation> {
    return present(await this.core.store.committed.operations.find(operationId));
  }

  async ended(operationId: string): Promise<Operation> {
    for (;;) {
      const listener = this.core.signals.listen(operationId);
      try {
        const operation = await this.operation(operationId);
        if (hasEnded(operation)) return operation;
        await listener.moved;
      } finally {
        listener.stop();
      }
    }
  }

  /** The files of a tree, and what is in them. */
  async files(treeOid: string): Promise<Record<string, string>> {
    const source = objectSource(this.core, this.id);
    const files: Record<string, string> = {};
    for await (const some of walkFiles(source, treeOid)) {
      for (const { path, oid } of some) files[path] = Buffer.from(await source.blob(oid)).toString();
    }
    return files;
  }
}

export function present<Value>(value: Value | null): Value {
  if (value === null) throw new Error("It is not there.");
  return value;
}
