// What a service does in workspaces, one thing at a time, each in a workspace of its own.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { ApiError, type Download } from "../../../src/client/client.ts";
import type { BoundaryService, Round } from "./boundary-service.ts";

type Files = Readonly<Record<string, string>>;

/** Larger than a row may be: a blob. */
const large = (): string => randomUUID().repeat(3_000);
const newFiles = (): Files => ({ "d/small.txt": randomUUID(), "d/large.txt": large() });

/** Rounds by the names of what they do. */
export const workspaceRounds: Readonly<Record<string, (service: BoundaryService) => Promise<Round>>> = {
  "the write of a large file": async (service) => {
    const workspaceId = await makeWorkspace(service);
    const files = { "large.txt": large() };
    return {
      act: async () => {
        if (!(await isThere(service, { workspaceId, files }))) await write(service, { workspaceId, files });
      },
      check: (isAcknowledged) => expectFiles(service, { workspaceId, files, isAcknowledged }),
    };
  },

  "an upload": async (service) => {
    const workspaceId = await makeWorkspace(service);
    const files = { "a.bin": large(), "b.bin": large(), "c.txt": "small" };
    return {
      act: async () => {
        const form = new FormData();
        for (const [path, content] of Object.entries(files)) form.append("file", new Blob([content]), path);
        const path = `/v1/workspaces/${workspaceId}/files/upload?existing=replace`;
        const headers = { authorization: `Bearer ${service.key.secret}` };
        const response = await fetch(service.url + path, { method: "POST", headers, body: form });
        if (response.ok) return;
        const { status } = response;
        throw new ApiError({ status, code: "upload", message: await response.text(), requestId: "" });
      },
      check: (isAcknowledged) => expectFiles(service, { workspaceId, files, isAcknowledged }),
    };
  },

  "a checkpoint": async (service) => {
    const files = newFiles();
    const workspaceId = await makeWorkspace(service, files);
    const idempotencyKey = randomUUID();
    let revisionId: string | undefined;
    return {
      act: async () => {
        const { id: operationId } = await service.client.copies.checkpoint({
          ...{ workspaceId, idempotencyKey, body: { message: "Save" } },
        });
        revisionId = await revisionOf(service, { workspaceId, operationId });
      },
      check: async (isAcknowledged) => {
        await expectFiles(service, { workspaceId, files, isAcknowledged: true });
        if (!isAcknowledged) return;
        if (revisionId === undefined) throw new Error("The checkpoint names no revision.");
        await expectRevision(service, { workspaceId, revisionId, files });
      },
    };
  },

  "a copy": async (service) => {
    const files = newFiles();
    const workspaceId = await makeWorkspace(service, files);
    await save(service, { workspaceId });
    const idempotencyKey = randomUUID();
    let workingCopyId: string | undefined;
    return {
      act: async () => {
        const made = await service.client.copies.create({ workspaceId, idempotencyKey });
        workingCopyId = made.status === "succeeded" ? made.result.working_copy_id : undefined;
      },
      check: async (isAcknowledged) => {
        if (!isAcknowledged) return;
        if (workingCopyId === undefined) throw new Error("The operation names no copy.");
        await expectFiles(service, { workspaceId, workingCopyId, files, isAcknowledged });
      },
    };
  },

  "the acceptance of a changeset with a merge": async (service) => {
    const files = newFiles();
    const workspaceId = await makeWorkspace(service, files);
    await save(service, { workspaceId });
    const copy = await service.client.copies.create({ workspaceId });
    const workingCopyId = copy.status === "succeeded" ? copy.result.working_copy_id : undefined;
    if (workingCopyId === undefined) throw new Error("The operation names no copy.");
    const theirs = { "theirs.txt": large() };
    const ours = { "ours.txt": large() };
    await write(service, { workspaceId, workingCopyId, files: theirs });
    await save(service, { workspaceId, workingCopyId });
    await write(service, { workspaceId, files: ours });
    const current = await save(service, { workspaceId });
    let changesetId = "";
    await service.persist(async () => {
      const body = { working_copy_id: workingCopyId, title: "Merge" };
      changesetId = (await service.client.changesets.create({ workspaceId, body })).id;
    });
    const idempotencyKey = randomUUID();
    return {
      act: async () => {
        const body = { expected_current_revision: current, validation_evidence: "Read." };
        const accepted = await service.client.changesets.accept({
          ...{ workspaceId, changesetId, idempotencyKey, body },
        });
        expect(accepted.status).toBe("accepted");
      },
      check: async (isAcknowledged) => {
        await expectFiles(service, { workspaceId, files: { ...files, ...ours }, isAcknowledged: true });
        await expectFiles(service, { workspaceId, files: theirs, isAcknowledged });
        const { status } = await service.client.changesets.get({ workspaceId, changesetId });
        const { current_revision_id: revisionId } = await service.client.workspaces.get({ workspaceId });
        expect(status === "accepted").toBe(revisionId !== current);
        if (isAcknowledged) expect(status).toBe("accepted");
        const accepted = status === "accepted" ? theirs : {};
        await expectRevision(service, { workspaceId, revisionId, files: { ...files, ...ours, ...accepted } });
      },
    };
  },

  "a deletion": async (service) => {
    const files = newFiles();
    const workspaceId = await makeWorkspace(service, files);
    return {
      act: async () => {
        if (await isThere(service, { workspaceId, files }))
          await service.client.files.delete({ workspaceId, body: { path: "d" } });
      },
      check: async (isAcknowledged) => {
        await expectFiles(service, { workspaceId, files, isAcknowledged: false });
        if (isAcknowledged) expect(await isThere(service, { workspaceId, files })).toBe(false);
      },
    };
  },

  "a restore from the trash": async (service) => {
    const files = newFiles();
    const workspaceId = await makeWorkspace(service, files);
    const { trash } = await service.client.files.delete({ workspaceId, body: { path: "d" } });
    const handle = trash[0]?.handle ?? "";
    return {
      act: async () => {
        if (!(await isThere(service, { workspaceId, files })))
          await service.client.files.restore({ workspaceId, body: { path: handle } });
      },
      check: (isAcknowledged) => expectFiles(service, { workspaceId, files, isAcknowledged }),
    };
  },

  "the erasure of a workspace": async (service) => {
    const files = newFiles();
    const workspaceId = await makeWorkspace(service, files);
    await save(service, { workspaceId });
    const state = async () =>
      await orNull(async () => (await service.client.workspaces.get({ workspaceId })).storage_state);
    return {
      act: async () => {
        const begun = await orNull(() => service.client.workspaces.delete({ workspaceId }));
        if (begun === null) return;
        const { operation_id: operationId } = begun;
        await orNull(() => service.client.operations.get({ workspaceId, operationId, query: { wait: 30 } }));
      },
      check: async (isAcknowledged) => {
        const found = await state();
        if (isAcknowledged) expect(found).toBeNull();
        else if (found === "ready") await expectFiles(service, { workspaceId, files, isAcknowledged: true });
      },
    };
  },
};

type Place = { readonly workspaceId: string; readonly workingCopyId?: string };

/** A workspace with these files, not saved. */
async function makeWorkspace(service: BoundaryService, files: Files = {}): Promise<string> {
  const { id: workspaceId } = await service.client.workspaces.create({ body: {} });
  await write(service, { workspaceId, files });
  return workspaceId;
}

async function write(service: BoundaryService, { files, ...place }: Place & { files: Files }): Promise<void> {
  const { workspaceId, workingCopyId } = place;
  for (const [path, content] of Object.entries(files)) {
    const body = { path, content };
    const { client } = service;
    await persistOne(service, async () => {
      if (workingCopyId === undefined) await client.files.write({ workspaceId, body });
      else await client.copyFiles.write({ workspaceId, workingCopyId, body });
    });
  }
}

/** While a round is prepared, a bucket may fail, and nothing is killed; while it is played, the player repeats. */
async function persistOne(service: BoundaryService, act: () => Promise<void>): Promise<void> {
  if (!(await service.persist(act))) await act();
}

/** The revision's id. */
async function save(service: BoundaryService, { workspaceId, workingCopyId }: Place): Promise<string> {
  const body = workingCopyId === undefined ? {} : { working_copy_id: workingCopyId };
  const { id: operationId } = await service.client.copies.checkpoint({ workspaceId, body });
  return await revisionOf(service, { workspaceId, operationId });
}

async function revisionOf(
  service: BoundaryService,
  asked: { readonly workspaceId: string; readonly operationId: string },
): Promise<string> {
  const ended = await service.client.operations.get({ ...asked, query: { wait: 30 } });
  const revisionId = ended.status === "succeeded" ? ended.result.revision_id : undefined;
  if (revisionId === undefined) throw new Error(`There is no revision: ${JSON.stringify(ended)}`);
  return revisionId;
}

async function isThere(
  service: BoundaryService,
  { workspaceId, files }: Place & { files: Files },
): Promise<boolean> {
  const path = Object.keys(files)[0];
  return (await orNull(() => service.client.files.stat({ workspaceId, query: { path } }))) !== null;
}

/** All files have their bytes. Where that was not acknowledged, none of them may be there, too. */
async function expectFiles(
  service: BoundaryService,
  { workspaceId, workingCopyId, files, isAcknowledged }: Place & { files: Files; isAcknowledged: boolean },
): Promise<void> {
  const found = await readAll(service, files, (path) =>
    workingCopyId === undefined
      ? service.client.files.download({ workspaceId, query: { path } })
      : service.client.copyFiles.download({ workspaceId, workingCopyId, query: { path } }),
  );
  if (!isAcknowledged && found.every((state) => state === "absent")) return;
  expect(found).toEqual(found.map(() => "whole"));
}

async function expectRevision(
  service: BoundaryService,
  parts: { readonly workspaceId: string; readonly revisionId: string; readonly files: Files },
): Promise<void> {
  const { workspaceId, revisionId, files } = parts;
  const found = await readAll(service, files, (path) =>
    service.client.revisionFiles.download({ workspaceId, revisionId, query: { path } }),
  );
  expect(found).toEqual(found.map(() => "whole"));
}

type FileState = "whole" | "absent" | "changed";

async function readAll(
  service: BoundaryService,
  files: Files,
  download: (path: string) => Promise<Download>,
): Promise<FileState[]> {
  const states: FileState[] = [];
  for (const [path, content] of Object.entries(files)) {
    await persistOne(service, async () => {
      const found = await orNull(() => download(path));
      if (found === null) states.push("absent");
      else {
        const bytes = Buffer.from(await new Response(found.body).arrayBuffer());
        states.push(bytes.equals(Buffer.from(content)) ? "whole" : "changed");
      }
    });
  }
  return states;
}

/** Null for what is not there. */
async function orNull<Value>(ask: () => Promise<Value>): Promise<Value | null> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 404) return null;
    throw cause;
  }
}
