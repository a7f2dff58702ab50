// Runs that begin at a turn of another one, on each store, with real processes, real git and a scripted model.

import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/ids.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import type { ForkRunRequest } from "../../src/contract/runs/run-requests.ts";
import { folderBlobs } from "../../src/service/blobs/folder.ts";
import { archiveJournals } from "../../src/service/core/runs/archives/archive-journals.ts";
import { makeTestKey } from "../support/account-key.ts";
import { type DurableOptions, DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectNothingKept } from "../support/durable/expect-played.ts";
import { idealRequests, noteOf, STORY_MODEL, type Story } from "../support/durable/played-story.ts";
import { bodyOf, openMcpClient } from "../support/mcp/mcp-client.ts";
import { runCommand } from "../support/run/run-command.ts";
import type { Answer } from "../support/service-client.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { sqliteStore } from "../support/stores/stores.ts";

const story: Story = { name: "fork", run: "one", turns: 4, noteEvery: 2 };

onEveryStore((store) => {
  describe("a run that begins at a turn of another one", { timeout: 120_000 }, () => {
    let service: DurableService;

    const start = async (settings: DurableOptions["settings"] = {}) => {
      service = await DurableService.start({ store, settings: { JOURNAL_DAYS: "7", ...settings } });
    };

    afterEach(() => service.close());

    const ask = (runId: string, body: ForkRunRequest, bearer = service.owner.secret): Promise<Answer> =>
      service.job.call(`${service.job.runsPath}/${runId}/fork`, { method: "POST", json: body, bearer });
    const fork = async (runId: string, body: ForkRunRequest) => {
      const answer = await ask(runId, body);
      if (answer.status !== 202) throw new Error(`The run was not forked: ${answer.text}`);
      return submitRunResponseSchema.parse(answer.body);
    };
    const journals = async () =>
      (await service.place.query("select distinct run_id from run_journal")).length;

    it("has its messages and its files, and a budget and a session of its own", async () => {
      await start();
      const first = await service.submit(story);
      const played = await expectCompleted(service, first);
      const before = await service.job.run(first);
      const asked = { turn: 3, message: "Write it shorter.", model: STORY_MODEL, idempotency_key: "again" };
      const { run_id: second, session_id: session } = await fork(first, asked);
      const forked = await expectCompleted(service, second);

      expect(forked.resumed).toEqual([
        { turn: 3, after: "fork", unknown_calls: [], message: "Write it shorter.", forked_from: first },
      ]);
      expect(forked.patch).toBe(played.patch);
      // Turns 3 and 4, and the last words.
      const again = service.model.askedOf(story).slice(idealRequests(story));
      expect(again.map(({ turn }) => turn)).toEqual([3, 4, 5]);
      expect(again[0]?.told).toContain("Write it shorter.");
      expect(service.notes.countOf(noteOf(story, 2))).toBe(1);
      expect(forked.grossMicroUsd).toBeLessThan(played.grossMicroUsd);
      const run = await service.job.run(second);
      expect(run.thread_id).toBe(session);
      expect(session).not.toBe(before.thread_id);
      expect(await service.job.run(first)).toEqual(before);
      expect(await service.job.follow(first)).toEqual(played.stored);

      expect(await fork(first, asked)).toMatchObject({ run_id: second });
      const client = await openMcpClient(service.node().url, { bearer: service.owner.secret });
      const third = await client.callTool({ name: "fork_run", arguments: { run_id: second, turn: 4 } });
      await client.close();
      const { run: forkedAgain } = bodyOf(third) as { readonly run: { readonly id: string } };
      expect((await expectCompleted(service, forkedAgain.id)).patch).toBe(played.patch);
      expect(await journals()).toBe(3);
      expect(await ask(first, { ...asked, turn: 2 })).toMatchObject({
        status: 422,
        body: { code: "idempotency_key_reused" },
      });
    });

    it("is made of a journal that has left the database as of one that has not", async () => {
      await start();
      const first = await service.submit(story);
      const played = await expectCompleted(service, first);
      await service.stop();
      const store = await service.place.open();
      const { BLOB_DIR = "" } = service.node().env;
      const sweep = { blobs: folderBlobs(BLOB_DIR), endedBefore: Date.now() + 1, isStopped: () => false };
      const by = { store, clock: systemClock, random: systemRandom };
      expect(await archiveJournals(by, sweep)).toBe(1);
      await store.close();
      expect(await journals()).toBe(0);
      await service.startAgain();
      const { run_id: second } = await fork(first, { turn: 3 });
      expect((await expectCompleted(service, second)).patch).toBe(played.patch);
      expect(await ask(first, { turn: 9 })).toMatchObject({
        body: { error: expect.stringContaining("It can be forked at turns 1–5.") },
      });
    });

    it("is taken up like every other, and may be forked from one that is at work", async () => {
      await start();
      const held = service.model.hold(story, { turn: 4, place: "unanswered" });
      const first = await service.submit(story);
      await held.reached;
      const ofFork = service.model.hold(story, { turn: 2, place: "within" });
      const { run_id: second } = await fork(first, { turn: 2 });
      await ofFork.reached;
      await service.node().process.kill();
      await service.startAgain();
      held.release();
      ofFork.release();
      const [one, other] = [await expectCompleted(service, first), await expectCompleted(service, second)];
      expect(other.patch).toBe(one.patch);
      expect(other.resumed.map(({ after, turn }) => ({ after, turn }))).toEqual([
        { after: "fork", turn: 2 },
        { after: "lost_worker", turn: 2 },
      ]);
    });

    it("is the one that was made, for its key asked again once the turn is not kept any more", async () => {
      await start();
      const first = await service.submit(story);
      await expectCompleted(service, first);
      const asked = { turn: 3, idempotency_key: "again" };
      const { run_id: second } = await fork(first, asked);
      await expectCompleted(service, second);
      await service.node().process.kill();
      await service.startAgain(service.node(), { JOURNAL_DAYS: "0" });
      await expect.poll(journals, { timeout: 60_000 }).toBe(0);
      expect(await ask(first, { turn: 3 })).toMatchObject({ status: 409, body: { code: "turn_not_kept" } });
      const runs = async () => (await service.place.query("select id from runs")).length;
      const before = await runs();
      expect(await fork(first, asked)).toMatchObject({ run_id: second });
      expect(await ask(first, { ...asked, turn: 2 })).toMatchObject({
        status: 422,
        body: { code: "idempotency_key_reused" },
      });
      expect(await runs()).toBe(before);
    });

    // The rest has no SQL of its own, and is the same on every store.
    if (store !== sqliteStore) return;

    it("is refused where the turn is not kept, the model is none, or the run is another's", async () => {
      await start();
      const first = await service.submit(story);
      await expectCompleted(service, first);
      expect(await ask(first, { turn: 9 })).toMatchObject({
        status: 409,
        body: { code: "turn_not_kept", error: expect.stringContaining("It can be forked at turns 1–5.") },
      });
      expect(await ask(first, { turn: 2, model: "none" })).toMatchObject({ status: 400 });
      expect(await ask(first, { turn: 0 })).toMatchObject({ status: 400 });
      expect(await ask(first, { turn: 2 }, service.job.bearer)).toMatchObject({ status: 403 });
      const other = await makeTestKey(service.place, { owner: { plan: "subscribed" } });
      expect(await ask(first, { turn: 2 }, other.secret)).toMatchObject({ status: 403 });
      await service.job.call(`/v1/agents/${service.job.agentId}`, {
        method: "DELETE",
        bearer: service.owner.secret,
      });
      expect(await journals()).toBe(0);
    });

    it("is made by the command, which follows it to its end", async () => {
      await start();
      const first = await service.submit(story);
      await expectCompleted(service, first);
      const { code, stdout, stderr } = await runCommand(
        ["runs", "fork", first, "--from", "4", "--message", "Write it shorter.", "--follow"],
        { AGENT_SERVICE_URL: service.node().url, AGENT_SERVICE_KEY: service.owner.secret },
      );
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^Run \S+, session \S+\n$/)]);
      expect(stdout).toContain("The run begins at turn 4 of another one. It was told: Write it shorter.");
      expect(stdout).toContain("Turn 5 of fork. It is the end.");
      expect(stdout).not.toContain("Turn 3 of fork.");
    });

    it("is refused where no journal is kept after the end of a run", async () => {
      await start({ JOURNAL_DAYS: "0" });
      const first = await service.submit(story);
      await expectCompleted(service, first);
      await expectNothingKept(service);
      expect(await ask(first, { turn: 2 })).toMatchObject({
        status: 409,
        body: { error: expect.stringContaining("no turn of it is kept") },
      });
    });
  });
});
