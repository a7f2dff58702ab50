// What a service does when a workspace adopts a repository, one thing at a time, each in a workspace of its own.

import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { BoundaryService, Round } from "./boundary-service.ts";
import type { CommitSource } from "./commit-source.ts";
import {
  expectFiles,
  expectRevision,
  type Files,
  makeWorkspace,
  newFiles,
  operationEnded,
  revisionOf,
  write,
} from "./workspace-files.ts";

type Adopting = {
  readonly workspaceId: string;
  readonly files: Files;
  readonly start: () => Promise<string>;
};

/** Rounds by the names of what they do. */
export const adoptionRounds: Readonly<
  Record<string, (service: BoundaryService, source: CommitSource) => Promise<Round>>
> = {
  "an adoption": async (service, source) => {
    const adopting = await privateRepository(service, source);
    const { workspaceId, files } = adopting;
    let operationId = "";
    return {
      act: async () => {
        operationId = await adopting.start();
      },
      settle: async () => {
        const ended = await operationEnded(service, { workspaceId, operationId });
        expect(ended.status).toBe("succeeded");
      },
      check: async (isAcknowledged) => {
        await expectFiles(service, { workspaceId, files, isAcknowledged });
        if (!isAcknowledged) return;
        const { revision_id: revisionId } = await service.client.adoption.get({ workspaceId });
        if (revisionId === null) throw new Error("The adoption names no revision.");
        await expectRevision(service, { workspaceId, revisionId, files });
      },
    };
  },

  "the cancelling of an adoption": async (service, source) => {
    const files = newFiles();
    const sha = source.packs.repository.commit({ files });
    const job = await source.publicJob(service, sha);
    await source.run(service, job);
    const workspaceId = await makeWorkspace(service);
    const body = { agent_id: job.agent_id };
    const clones = source.clones;
    source.holdClones();
    await service.client.adoption.start({ workspaceId, idempotencyKey: randomUUID(), body });
    // Nothing moves from here on, until it is cancelled.
    await expect.poll(() => source.clones).toBeGreaterThan(clones);
    return {
      act: async () => {
        expect((await service.client.adoption.cancel({ workspaceId })).status).toBe("cancelled");
      },
      check: async (isAcknowledged) => {
        const { status } = await service.client.adoption.get({ workspaceId });
        expect(isAcknowledged ? ["cancelled"] : ["cancelled", "running"]).toContain(status);
        const { storage_state: state } = await service.client.workspaces.get({ workspaceId });
        expect(state === "ready").toBe(status === "cancelled");
        await expectFiles(service, { workspaceId, files, isAcknowledged: false });
        if (!isAcknowledged) return;
        source.answerClones();
        const own = { [`own-${randomUUID()}.txt`]: "taken again" };
        await write(service, { workspaceId, files: own });
        await expectFiles(service, { workspaceId, files: own, isAcknowledged: true });
      },
    };
  },

  "the rollback of an adoption": async (service, source) => {
    const { workspaceId, files, start } = await privateRepository(service, source);
    const before = await service.client.workspaces.get({ workspaceId });
    let revisionId = "";
    await service.persist(async () => {
      revisionId = await revisionOf(service, { workspaceId, operationId: await start() });
    });
    return {
      act: async () => {
        const { status } = await service.client.adoption.get({ workspaceId });
        if (status === "ready") await service.client.adoption.rollback({ workspaceId });
      },
      check: async (isAcknowledged) => {
        const { status } = await service.client.adoption.get({ workspaceId });
        const { current_revision_id: current } = await service.client.workspaces.get({ workspaceId });
        expect(isAcknowledged ? ["rolled_back"] : ["ready", "rolled_back"]).toContain(status);
        expect(current).toBe(status === "ready" ? revisionId : before.current_revision_id);
        await expectRevision(service, { workspaceId, revisionId, files });
      },
    };
  },
};

/** An agent's repository, read from what its job has sent, and a workspace without files. */
async function privateRepository(service: BoundaryService, source: CommitSource): Promise<Adopting> {
  const files = newFiles();
  const sha = source.packs.repository.commit({ files });
  const job = await source.job(service, sha);
  await service.persist(() => source.send(service, job, sha));
  await source.run(service, job);
  const workspaceId = await makeWorkspace(service);
  const idempotencyKey = randomUUID();
  const body = { agent_id: job.agent_id, sha };
  const start = async () => (await service.client.adoption.start({ workspaceId, idempotencyKey, body })).id;
  return { workspaceId, files, start };
}
