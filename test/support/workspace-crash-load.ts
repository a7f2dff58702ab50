// Clients that write, save, copy and delete in workspaces until the service is killed, and remember all that it acknowledged: to
// be held against what the next one knows.

import { randomInt, randomUUID } from "node:crypto";
import { expect } from "vitest";
import { ApiError, type Client, type Download } from "../../src/client/client.ts";
import type { OperationView } from "../../src/contract/workspaces/operations.ts";

/** Larger than a row may be: a blob. */
const LARGE = 100_000;
const CLIENTS = 4;

type KnownCopy = {
  readonly workspaceId: string;
  readonly id: string;
  /** What was acknowledged, by path. */
  readonly files: Map<string, string>;
  /** Its deletion was asked for: what became of it is known from its operation alone. */
  isDeleted: boolean;
};

export class WorkspaceCrashLoad {
  readonly copies: KnownCopy[] = [];
  readonly revisions: {
    readonly workspaceId: string;
    readonly id: string;
    /** What was in the copy when it was asked for, by path. */
    readonly files: ReadonlyMap<string, string>;
  }[] = [];
  readonly operations: { readonly workspaceId: string; readonly id: string }[] = [];
  /** Files that it tried to write. */
  attemptedFiles = 0;
  #observe: () => void = () => {};

  /** Works until the service is gone. `onObservation` is called for everything that it acknowledged. */
  async press(client: Client, onObservation: () => void): Promise<void> {
    this.#observe = onObservation;
    await Promise.all(Array.from({ length: CLIENTS }, () => this.#work(client)));
  }

  /** Every operation ends, and everything that was acknowledged is there. */
  async settle(client: Client): Promise<void> {
    for (const { workspaceId, id: operationId } of this.operations) {
      const ended = await client.operations.get({ workspaceId, operationId, query: { wait: 30 } });
      expect(ended.status).toBe("succeeded");
    }
    for (const { workspaceId, id: revisionId, files } of this.revisions) {
      const revision = await client.revisions.get({ workspaceId, revisionId });
      expect(revision.files).toBeGreaterThanOrEqual(files.size);
      await expectContents(files, (path) =>
        client.revisionFiles.download({ workspaceId, revisionId, query: { path } }),
      );
    }
    for (const { workspaceId, id: workingCopyId, files, isDeleted } of this.copies) {
      if (isDeleted) continue;
      await client.copies.get({ workspaceId, workingCopyId });
      await expectContents(files, (path) =>
        client.copyFiles.download({ workspaceId, workingCopyId, query: { path } }),
      );
    }
  }

  async #work(client: Client): Promise<void> {
    try {
      const { id: workspaceId } = await client.workspaces.create({ body: {} });
      let copy = await this.#makeCopy(client, workspaceId);
      for (;;) {
        const chance = randomInt(10);
        if (chance < 6) await this.#write(client, copy);
        else if (chance < 8) await this.#save(client, copy);
        else if (chance < 9) copy = await this.#makeCopy(client, workspaceId);
        else {
          await this.#delete(client, copy);
          copy = await this.#makeCopy(client, workspaceId);
        }
      }
    } catch (cause) {
      // The service is gone. What it refused would be a fault of this test.
      if (cause instanceof ApiError && cause.status < 500) throw cause;
    }
  }

  async #makeCopy(client: Client, workspaceId: string): Promise<KnownCopy> {
    const operation = await client.copies.create({ workspaceId });
    this.#acknowledge(operation);
    const id = operation.status === "succeeded" ? operation.result.working_copy_id : undefined;
    if (id === undefined) throw new Error("The operation names no copy.");
    const copy = { workspaceId, id, files: new Map<string, string>(), isDeleted: false };
    this.copies.push(copy);
    return copy;
  }

  async #write(client: Client, { workspaceId, id: workingCopyId, files }: KnownCopy): Promise<void> {
    const path = `d${randomInt(3)}/${randomUUID()}.txt`;
    const content = randomUUID().repeat(randomInt(3) === 0 ? LARGE / 36 : 1);
    this.attemptedFiles += 1;
    await client.copyFiles.write({ workspaceId, workingCopyId, body: { path, content } });
    files.set(path, content);
    this.#observe();
  }

  async #save(client: Client, { workspaceId, id, files }: KnownCopy): Promise<void> {
    const asked = new Map(files);
    const begun = await client.copies.checkpoint({ workspaceId, body: { working_copy_id: id } });
    this.#acknowledge(begun);
    const ended = await client.operations.get({ workspaceId, operationId: begun.id, query: { wait: 30 } });
    if (ended.status !== "succeeded" || ended.result.revision_id === undefined) return;
    this.revisions.push({ workspaceId, id: ended.result.revision_id, files: asked });
    this.#observe();
  }

  async #delete(client: Client, copy: KnownCopy): Promise<void> {
    const { workspaceId, id: workingCopyId } = copy;
    copy.isDeleted = true;
    this.#acknowledge(await client.copies.delete({ workspaceId, workingCopyId }));
  }

  #acknowledge({ workspace_id: workspaceId, id }: OperationView): void {
    this.operations.push({ workspaceId, id });
    this.#observe();
  }
}

/** Every file has the bytes that were acknowledged. */
async function expectContents(
  files: ReadonlyMap<string, string>,
  download: (path: string) => Promise<Download>,
): Promise<void> {
  for (const [path, content] of files) {
    const bytes = Buffer.from(await new Response((await download(path)).body).arrayBuffer());
    // Not by `toEqual`, which would print 100 KB.
    expect(bytes.equals(Buffer.from(content)), `the contents of ${path}`).toBe(true);
  }
}
