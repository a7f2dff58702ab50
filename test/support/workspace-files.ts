// Workspaces with files on a core fixture: made, written and saved as their owner does it.

import type { Result } from "../../src/base/result.ts";
import type { AccountCaller } from "../../src/service/core/accounts/caller.ts";
import { createWorkspace } from "../../src/service/core/workspaces/administration/create-workspace.ts";
import { createChangeset } from "../../src/service/core/workspaces/changesets/create-changeset.ts";
import { requestCheckpoint } from "../../src/service/core/workspaces/copies/checkpoint.ts";
import { createCopy } from "../../src/service/core/workspaces/copies/create-copy.ts";
import { etagOf } from "../../src/service/core/workspaces/files/etag.ts";
import type { CopyPlace } from "../../src/service/core/workspaces/files/reach-files.ts";
import { statFile } from "../../src/service/core/workspaces/files/read-files.ts";
import { type TextWrite, writeTexts } from "../../src/service/core/workspaces/files/write-texts.ts";
import { findOperation } from "../../src/service/core/workspaces/operations/read-operation.ts";
import type { CoreFixture } from "./fixtures/core-fixture.ts";

export type Files = Readonly<Record<string, string>>;

export class WorkspaceFiles {
  readonly workspaceId: string;
  readonly #fixture: CoreFixture;
  readonly #caller: AccountCaller;

  /** A workspace of the account whose accepted files are these. */
  static async make(
    fixture: CoreFixture,
    { accountId, name, files = {} }: { accountId: string; name: string; files?: Files },
  ): Promise<WorkspaceFiles> {
    const caller: AccountCaller = {
      kind: "account",
      accountId,
      callerClass: "owner",
      personId: null,
      role: "owner",
    };
    const made = taken(
      await createWorkspace(fixture.core, { caller, body: { name }, idempotencyKey: crypto.randomUUID() }),
    );
    const workspace = new WorkspaceFiles(fixture, { caller, workspaceId: made.id });
    if (Object.keys(files).length > 0) {
      await workspace.write({ kind: "canonical" }, files);
      await workspace.checkpoint(null, "First files");
    }
    return workspace;
  }

  constructor(fixture: CoreFixture, parts: { caller: AccountCaller; workspaceId: string }) {
    this.#fixture = fixture;
    this.#caller = parts.caller;
    this.workspaceId = parts.workspaceId;
  }

  /** A copy of the accepted revision. */
  async copy(): Promise<string> {
    const request = { ...this.#request, body: {}, idempotencyKey: null };
    return taken(await createCopy(this.#fixture.core, request)).result.copyId ?? "";
  }

  /** Files that are new, or replaced where `etags` has theirs. */
  async write(place: CopyPlace, files: Files, etags: Files = {}): Promise<void> {
    const texts = Object.entries(files).map(
      ([path, content]): TextWrite => ({ path, content, etag: etags[path] ?? null, mode: null }),
    );
    taken(await writeTexts(this.#fixture.core, { ...this.#request, place, texts }));
  }

  /** Files as they are to be, whatever is there. */
  async replace(place: CopyPlace, files: Files): Promise<void> {
    const etags: Record<string, string> = {};
    for (const path of Object.keys(files)) {
      const found = await statFile(this.#fixture.core, { ...this.#request, place, path });
      if (found.ok && found.value.mode !== "40000") etags[path] = etagOf(found.value);
    }
    await this.write(place, files, etags);
  }

  /** What a copy has saved, as a changeset. */
  async propose(copyId: string, title: string): Promise<string> {
    const body = { working_copy_id: copyId, title };
    const { signal } = new AbortController();
    const request = { ...this.#request, body, idempotencyKey: null, signal };
    return taken(await createChangeset(this.#fixture.core, request)).id;
  }

  /** Of the canonical copy for null. Returns the revision. */
  async checkpoint(copyId: string | null, message: string): Promise<string> {
    const { core, clock } = this.#fixture;
    // Ids of one millisecond have no order.
    clock.advance(1);
    const body = { message, ...(copyId === null ? {} : { working_copy_id: copyId }) };
    const begun = taken(await requestCheckpoint(core, { ...this.#request, body, idempotencyKey: null }));
    const asked = {
      ...this.#request,
      operationId: begun.id,
      waitMs: 0,
      signal: new AbortController().signal,
    };
    const ended = taken(await findOperation(core, asked));
    if (ended.status !== "succeeded") throw new Error(`The checkpoint is ${ended.status}.`);
    return ended.result.revisionId ?? "";
  }

  get #request() {
    return { caller: this.#caller, workspaceId: this.workspaceId };
  }
}

function taken<Value>(result: Result<Value, { readonly reason: string }>): Value {
  if (!result.ok) throw new Error(`Refused: ${result.refusal.reason}`);
  return result.value;
}
