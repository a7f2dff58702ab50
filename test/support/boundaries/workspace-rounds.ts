// What a service does in workspaces, one thing at a time, each in a workspace of its own.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { ApiError } from "../../../src/client/client.ts";
import type { BoundaryService, Round } from "./boundary-service.ts";
import {
  expectFiles,
  expectRevision,
  type Files,
  isThere,
  large,
  makeCopy,
  makeWorkspace,
  newFiles,
  operationEnded,
  orNull,
  replace,
  revisionOf,
  save,
  write,
} from "./workspace-files.ts";

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
          workspaceId,
          idempotencyKey,
          body: { message: "Save" },
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

  "the acceptance of a changeset": (service) => acceptance(service, sidesApart()),

  "the acceptance of a changeset that git merges": (service) => acceptance(service, sidesTogether()),

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

  "the deletion of a copy": async (service) => {
    const files = newFiles();
    const workspaceId = await makeWorkspace(service, files);
    await save(service, { workspaceId });
    const workingCopyId = await makeCopy(service, workspaceId);
    const theirs = { "theirs.txt": large() };
    await write(service, { workspaceId, workingCopyId, files: theirs });
    let operationId: string | undefined;
    return {
      act: async () => {
        const begun = await orNull(() => service.client.copies.delete({ workspaceId, workingCopyId }));
        operationId = begun?.id;
      },
      settle: async () => {
        if (operationId !== undefined) await operationEnded(service, { workspaceId, operationId });
      },
      check: async (isAcknowledged) => {
        await expectFiles(service, { workspaceId, files, isAcknowledged: true });
        const copy = await orNull(() => service.client.copies.get({ workspaceId, workingCopyId }));
        if (isAcknowledged) expect(copy).toBeNull();
        else if (copy !== null && copy.state !== "deleting")
          await expectFiles(service, { workspaceId, workingCopyId, files: theirs, isAcknowledged: true });
      },
    };
  },

  "the erasure of a workspace": async (service) => {
    const files = newFiles();
    const workspaceId = await makeWorkspace(service, files);
    await save(service, { workspaceId });
    const state = async () =>
      await orNull(async () => (await service.client.workspaces.get({ workspaceId })).storage_state);
    let operationId: string | undefined;
    return {
      act: async () => {
        const begun = await orNull(() => service.client.workspaces.delete({ workspaceId }));
        operationId = begun?.operation_id ?? operationId;
      },
      settle: async () => {
        if (operationId !== undefined) await operationEnded(service, { workspaceId, operationId });
      },
      check: async (isAcknowledged) => {
        const found = await state();
        if (isAcknowledged) expect(found).toBeNull();
        else if (found === "ready") await expectFiles(service, { workspaceId, files, isAcknowledged: true });
      },
    };
  },
};

/** What both sides write, once both are there. */
type Sides = Readonly<Record<"base" | "theirs" | "ours" | "merged", Files>> & { readonly put: typeof write };

/** Each side writes a file of its own: no git is needed. */
function sidesApart(): Sides {
  const base = newFiles();
  const [theirs, ours] = [{ "theirs.txt": large() }, { "ours.txt": large() }];
  return { base, theirs, ours, put: write, merged: { ...base, ...theirs, ...ours } };
}

/** Both change one file, in different places: git merges it. */
function sidesTogether(): Sides {
  const lines = Array.from({ length: 2_000 }, () => randomUUID());
  const text = (first: string, last: string) => `${[first, ...lines, last].join("\n")}\n`;
  const [theirs, ours] = [randomUUID(), randomUUID()];
  return {
    base: { "both.txt": text("first", "last") },
    theirs: { "both.txt": text(theirs, "last") },
    ours: { "both.txt": text("first", ours) },
    merged: { "both.txt": text(theirs, ours) },
    put: replace,
  };
}

async function acceptance(service: BoundaryService, sides: Sides): Promise<Round> {
  const workspaceId = await makeWorkspace(service, sides.base);
  await save(service, { workspaceId });
  const workingCopyId = await makeCopy(service, workspaceId);
  await sides.put(service, { workspaceId, workingCopyId, files: sides.theirs });
  await save(service, { workspaceId, workingCopyId });
  await sides.put(service, { workspaceId, files: sides.ours });
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
        workspaceId,
        changesetId,
        idempotencyKey,
        body,
      });
      expect(accepted.status).toBe("accepted");
    },
    check: async (isAcknowledged) => {
      const { status } = await service.client.changesets.get({ workspaceId, changesetId });
      const { current_revision_id: revisionId } = await service.client.workspaces.get({ workspaceId });
      expect(status === "accepted").toBe(revisionId !== current);
      if (isAcknowledged) expect(status).toBe("accepted");
      const files = status === "accepted" ? sides.merged : { ...sides.base, ...sides.ours };
      await expectFiles(service, { workspaceId, files, isAcknowledged: true });
      await expectRevision(service, { workspaceId, revisionId, files });
    },
  };
}
