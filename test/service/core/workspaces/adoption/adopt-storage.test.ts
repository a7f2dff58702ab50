// Adoptions on the real stores, of a real repository that a real git serves.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeJob, makeRun, makeRunInput } from "../../../../../fakes/records.ts";
import { ok } from "../../../../../src/base/result.ts";
import { s3Blobs } from "../../../../../src/service/blobs/s3.ts";
import { deleteAgent } from "../../../../../src/service/core/agent-endings/delete-agent.ts";
import { newAgent } from "../../../../../src/service/core/agents/agent.ts";
import type { CheckoutProvider } from "../../../../../src/service/core/checkouts/checkout.ts";
import { takeUpOperations } from "../../../../../src/service/core/workspaces/administration/take-up-operations.ts";
import { adoptStorage } from "../../../../../src/service/core/workspaces/adoption/adopt-storage.ts";
import {
  cancelAdoption,
  findAdoption,
  rollBackAdoption,
} from "../../../../../src/service/core/workspaces/adoption/change-adoption.ts";
import { writeTexts } from "../../../../../src/service/core/workspaces/files/write-texts.ts";
import type { Operation } from "../../../../../src/service/core/workspaces/operations/operation.ts";
import { instantClock } from "../../../../support/clocks/instant-clock.ts";
import { CoreFixture, type CoreFixtureOptions } from "../../../../support/fixtures/core-fixture.ts";
import { openS3Gate } from "../../../../support/s3-gate.ts";
import { startS3Server } from "../../../../support/s3-server.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { TestWorkspace } from "../../../../support/workspaces.ts";
import { CheckoutFixture, REPOSITORY } from "../../../checkouts/checkout-fixture.ts";

const FILES = {
  "README.md": "Hello\n",
  "src/app.ts": "export {};\n",
  "src/deep/er/file.txt": "x".repeat(100_000),
};
const AGENT = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

onEveryStore((store) => {
  describe("an adoption", () => {
    let git: CheckoutFixture;
    let fixture: CoreFixture;
    let workspace: TestWorkspace;
    let sha: string;

    beforeEach(async () => {
      git = await CheckoutFixture.make();
      sha = git.repository.commit({ files: FILES });
      fixture = await CoreFixture.start({ store, checkouts: git.provider() });
      workspace = await TestWorkspace.make(fixture.core);
      await makeRepositoryAgent(sha);
    });

    afterEach(async () => {
      await fixture.close();
      await git.close();
    });

    /** An agent of the account with a repository, and a run that a job of it submitted. */
    async function makeRepositoryAgent(headSha: string): Promise<void> {
      const repository = { id: "1001", ownerId: "77", name: REPOSITORY, visibility: "public" as const };
      const { accountId } = workspace.owner;
      await fixture.store.transact(async (tx) => {
        const agent = newAgent({
          id: AGENT,
          accountId,
          name: REPOSITORY,
          backend: "none",
          createdAt: 1,
          repository: { provider: "github", issuer: "https://issuer.example", ...repository },
        });
        await tx.agents.insert(agent);
        const cloneUrl = `${git.server.url}/${REPOSITORY}.git`;
        const job = makeJob({ repository, sha: headSha, cloneUrl });
        await tx.runs.insert(makeRun({ agentId: AGENT }), makeRunInput({ job }));
      });
    }

    const begin = async (body: { agent_id: string; sha?: string } = { agent_id: AGENT }, key = "key") =>
      await adoptStorage(fixture.core, { ...workspace.request, body, idempotencyKey: key });

    const adopted = async (key?: string): Promise<Operation> => {
      const begun = await begin({ agent_id: AGENT }, key);
      if (!begun.ok) throw new Error(`The adoption was refused: ${begun.refusal.reason}`);
      return await workspace.ended(begun.value.id);
    };

    it("makes the repository's files the current revision, with git's own ids", async () => {
      const before = await workspace.read();
      const operation = await adopted();
      expect(operation).toMatchObject({ status: "succeeded", kind: "adopt" });
      const after = await workspace.read();
      expect(after.state).toBe("ready");
      expect(operation.result.revisionId).toBe(after.currentRevisionId);
      const revision = await workspace.revision(after.currentRevisionId);
      expect(await workspace.files(revision.treeOid)).toEqual(FILES);
      expect(revision.treeOid).toBe(git.repository.git(["rev-parse", `${sha}^{tree}`]));
      const bytes = Object.values(FILES).join("").length;
      expect(revision).toMatchObject({ parentIds: [before.currentRevisionId], files: 3, bytes });
      expect(await findAdoption(fixture.core, workspace.request)).toMatchObject({
        value: { status: "ready", sha, objects: 7, revisionId: revision.id },
      });
      const again = await begin();
      expect(again).toMatchObject({ value: { id: operation.id } });
    });

    it("goes back to what was current, while nothing builds on it", async () => {
      const { currentRevisionId } = await workspace.read();
      await adopted();
      expect(await rollBackAdoption(fixture.core, workspace.request)).toMatchObject({
        value: { status: "succeeded", result: { revisionId: currentRevisionId } },
      });
      expect(await workspace.read()).toMatchObject({ currentRevisionId, state: "ready" });
      expect(await rollBackAdoption(fixture.core, workspace.request)).toMatchObject({
        refusal: { reason: "adoption_not_undoable", status: "rolled_back" },
      });
      // Empty again, so that another key adopts once more.
      expect(await adopted("other")).toMatchObject({ status: "succeeded" });
      await workspace.commit(workspace.canonicalId, { "new.txt": "written" });
      expect(await rollBackAdoption(fixture.core, workspace.request)).toMatchObject({
        refusal: { reason: "adoption_built_on" },
      });
    });

    it("overwrites nothing: a workspace with files adopts nothing", async () => {
      await workspace.commit(workspace.canonicalId, { "mine.txt": "mine" });
      expect(await begin()).toMatchObject({ refusal: { reason: "adoption_needs_empty" } });
      const { currentRevisionId } = await workspace.read();
      const { treeOid } = await workspace.revision(currentRevisionId);
      expect(await workspace.files(treeOid)).toEqual({ "mine.txt": "mine" });
    });

    it("that can not read the commit says why, and leaves the workspace as it was", async () => {
      const begun = await begin({ agent_id: AGENT, sha: "b".repeat(40) });
      if (!begun.ok) throw new Error(begun.refusal.reason);
      const operation = await workspace.ended(begun.value.id);
      expect(operation).toMatchObject({ status: "failed", error: { code: "commit_missing" } });
      expect(operation.error?.error).toContain(REPOSITORY);
      expect(await workspace.read()).toMatchObject({ state: "ready" });
      expect(await findAdoption(fixture.core, workspace.request)).toMatchObject({
        value: { status: "failed" },
      });
    });

    it("takes nothing of a repository with a path that git would not check out", async () => {
      const { repository } = git;
      const oid = repository.blob("odd");
      const odd = repository.commitTree(
        repository.tree([{ mode: "100644", name: ".g\u200cit", sha: oid }]),
        {},
      );
      const begun = await begin({ agent_id: AGENT, sha: odd });
      if (!begun.ok) throw new Error(begun.refusal.reason);
      const operation = await workspace.ended(begun.value.id);
      expect(operation).toMatchObject({ status: "failed", error: { code: "commit_missing" } });
      expect((await workspace.revision((await workspace.read()).currentRevisionId)).files).toBe(0);
    });

    it("keeps what it took when its agent is deleted, which waits until it has ended", async () => {
      const { accountId } = workspace.owner;
      const remove = async (callerClass: "owner" | "ai_client") =>
        await deleteAgent(fixture.core, {
          caller: { kind: "account", accountId, callerClass, personId: null, role: "owner" },
          agentId: AGENT,
          requestId: "r",
        });
      git.server.fault = { kind: "hang" };
      const begun = begin();
      await git.server.stuck;
      const { id: workspaceId } = await workspace.read();
      expect(await remove("owner")).toMatchObject({ refusal: { reason: "storage_adopting", workspaceId } });
      await cancelAdoption(fixture.core, workspace.request);
      fixture.clock.advance(10_000);
      await begun;
      git.server.fault = { kind: "none" };
      await adopted("again");
      expect(await remove("ai_client")).toMatchObject({ refusal: { reason: "owner_needed" } });
      expect(await remove("owner")).toEqual(ok(null));
      const { currentRevisionId, state } = await workspace.read();
      expect(state).toBe("ready");
      expect(await workspace.files((await workspace.revision(currentRevisionId)).treeOid)).toEqual(FILES);
      expect(await findAdoption(fixture.core, workspace.request)).toMatchObject({
        value: { agentId: AGENT },
      });
    });

    it("that is cancelled while it is at work changes nothing, and nobody writes before that", async () => {
      git.server.fault = { kind: "hang" };
      const begun = begin();
      await git.server.stuck;
      expect(await workspace.read()).toMatchObject({ state: "adopting" });
      const { core } = fixture;
      const texts = [{ path: "a.txt", content: "a", etag: null, mode: null }];
      const write = { ...workspace.request, place: { kind: "canonical" as const }, texts };
      expect(await writeTexts(core, write)).toMatchObject({ refusal: { reason: "storage_adopting" } });
      expect(await begin({ agent_id: AGENT }, "other")).toMatchObject({
        refusal: { reason: "storage_adopting" },
      });
      const { currentRevisionId } = await workspace.read();
      const cancelled = ok({ status: "cancelled" });
      expect(await cancelAdoption(core, workspace.request)).toMatchObject(cancelled);
      expect(await cancelAdoption(core, workspace.request)).toMatchObject(cancelled);
      expect(await workspace.read()).toMatchObject({ state: "ready", currentRevisionId });
      // Who works at it looks again.
      fixture.clock.advance(10_000);
      expect(await begun).toMatchObject({ value: { status: "failed", error: { code: "adoption_state" } } });
      git.server.fault = { kind: "none" };
      expect(await adopted("again")).toMatchObject({ status: "succeeded" });
    });

    it("is its owner's alone, of an own agent with a repository, and needs a key", async () => {
      const { core } = fixture;
      const { request } = workspace;
      const body = { agent_id: AGENT };
      const ai = { ...workspace.owner, callerClass: "ai_client" as const };
      const by = (more: object) => adoptStorage(core, { ...request, body, idempotencyKey: "key", ...more });
      expect(await by({ caller: ai })).toMatchObject({ refusal: { reason: "owner_needed" } });
      expect(await by({ idempotencyKey: null })).toMatchObject({
        refusal: { reason: "adoption_key_missing" },
      });
      const unknown = "00000000-0000-4000-8000-000000000000";
      expect(await by({ body: { agent_id: unknown } })).toMatchObject({
        refusal: { reason: "agent_not_found" },
      });
      const other = await TestWorkspace.make(core);
      expect(await by({ ...other.request })).toMatchObject({ refusal: { reason: "agent_of_another" } });
      expect(await rollBackAdoption(core, { ...request, caller: ai })).toMatchObject({
        refusal: { reason: "owner_needed" },
      });
      expect(await findAdoption(core, request)).toMatchObject({ refusal: { reason: "adoption_not_found" } });
    });

    describe("that cannot be done", () => {
      const bucketClock = instantClock();

      const attempt = async (operationId: string, afterMs: number): Promise<Operation> => {
        const { core, clock } = fixture;
        clock.advance(afterMs);
        await bucketClock.sleep(afterMs);
        await takeUpOperations(core);
        await core.workspaces?.operations.settled(operationId);
        return await workspace.operation(operationId);
      };

      /** The same repository, with contents in a bucket, or read by another provider. */
      const startWith = async (options: Pick<CoreFixtureOptions, "blobs" | "checkouts">): Promise<void> => {
        await fixture.close();
        fixture = await CoreFixture.start({ store, checkouts: git.provider(), ...options });
        workspace = await TestWorkspace.make(fixture.core);
        await makeRepositoryAgent(sha);
      };

      const begun = async (key: string): Promise<string> => {
        const answer = await begin({ agent_id: AGENT }, key);
        if (!answer.ok) throw new Error(answer.refusal.reason);
        await fixture.core.workspaces?.operations.settled(answer.value.id);
        return answer.value.id;
      };

      it("waits for a bucket that is away, however often it is asked, and ends after a day", async () => {
        const gate = await openS3Gate(await startS3Server());
        await startWith({ blobs: s3Blobs({ config: gate.config, clock: bucketClock, random: () => 0 }) });
        gate.judge(({ method }) => (method === "PUT" ? 503 : "pass"));
        const operationId = await begun("one");
        for (let attempts = 2; attempts <= 9; attempts += 1)
          expect(await attempt(operationId, 60_000)).toMatchObject({ status: "running", fence: attempts });
        gate.judge(() => "pass");
        expect(await attempt(operationId, 60_000)).toMatchObject({ status: "succeeded" });
        const { currentRevisionId } = await workspace.read();
        expect(await workspace.files((await workspace.revision(currentRevisionId)).treeOid)).toEqual(FILES);

        const undone = await rollBackAdoption(fixture.core, workspace.request);
        expect(undone.ok).toBe(true);
        gate.judge(({ method }) => (method === "PUT" ? 503 : "pass"));
        sha = git.repository.commit({ files: { "other.txt": "y".repeat(100_000) } });
        const again = await begin({ agent_id: AGENT, sha }, "two");
        if (!again.ok) throw new Error(again.refusal.reason);
        await fixture.core.workspaces?.operations.settled(again.value.id);
        const ended = await attempt(again.value.id, 25 * 60 * 60_000);
        expect(ended).toMatchObject({ status: "failed", error: { code: "storage_unavailable" } });
        expect((await workspace.read()).state).toBe("ready");
        await gate.stop();
      });

      it("ends after five faults of the service, and the workspace takes files again", async () => {
        const broken: CheckoutProvider = {
          ...git.provider(),
          openEmpty: async () => {
            throw new TypeError("a fault of the service");
          },
          open: async () => {
            throw new TypeError("a fault of the service");
          },
        };
        await startWith({ checkouts: broken });
        const operationId = await begun("one");
        for (let attempts = 2; attempts <= 4; attempts += 1)
          expect(await attempt(operationId, 20 * 60_000)).toMatchObject({ status: "running" });
        expect(await attempt(operationId, 20 * 60_000)).toMatchObject({
          status: "failed",
          error: { code: "internal" },
        });
        expect((await workspace.read()).state).toBe("ready");
        expect(await findAdoption(fixture.core, workspace.request)).toMatchObject({
          value: { status: "failed", error: { code: "internal" } },
        });
        const texts = [{ path: "a.txt", content: "a", etag: null, mode: null }];
        const place = { kind: "canonical" } as const;
        expect(await writeTexts(fixture.core, { ...workspace.request, place, texts })).toMatchObject({
          ok: true,
        });
      });
    });
  });
});
