// Who pays for a run, and what happens when nobody does.

import { afterEach, describe, expect, it } from "vitest";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { scriptedBackend, untilStopped } from "../../../support/scripted-backend.ts";
import type { Answer } from "../../../support/service-client.ts";
import type { CiJob } from "../../../support/service-job.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  describe("paying", () => {
    let fixture: ServiceFixture;

    const start = async (freeCredits: number) => {
      fixture = await startFixture({
        level: "service",
        store: kind,
        config: { freeCredits, backend: "noop" },
      });
    };

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    /** Opens the link as a person would. */
    const claimPageOf = async (url: string) => {
      expect(url.startsWith(`${fixture.url}/claim/svc_claim_`)).toBe(true);
      return await fixture.call(new URL(url).pathname);
    };

    const expectUnpaid = async (answer: Answer, reason: string) => {
      expect(answer.status).toBe(402);
      const problem = problemSchema.parse(answer.body);
      expect(problem).toMatchObject({ code: "insufficient_credits", audience: "anon", reason });
      expect(problem.error).toMatch(/ Claim .*: http/);
      const page = await claimPageOf(problem.claim_url ?? "");
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
      return page.text;
    };

    const spend = async (job: CiJob, runs: number) => {
      for (let index = 0; index < runs; index += 1) await job.ended(await job.start());
    };

    it("refuses a run with a claim link once the owner's free credits of the month are used up", async () => {
      await start(2);
      const claims = fixture.freshRepository();
      const job = await fixture.job(claims);
      expect(job.exchanged.quota.credits_remaining).toBe(2);
      await spend(job, 2);
      const page = await expectUnpaid(await job.submit({ message: "go" }), "credits_ended");
      expect(page).toContain(String(claims.repository));
      const later = await fixture.job(claims);
      expect(later.exchanged.quota).toEqual({
        audience: "anon",
        credits_remaining: 0,
        resets_at: "2026-02-01T00:00:00.000Z",
      });
      expect((await claimPageOf(later.exchanged.claim_url ?? "")).status).toBe(200);
    });

    it("gives an owner new free credits at the turn of the month, UTC", async () => {
      await start(1);
      const claims = fixture.freshRepository();
      await spend(await fixture.job(claims), 1);
      fixture.clock.advance(Date.parse("2026-01-31T23:59:59.999Z") - fixture.clock.now());
      const job = await fixture.job(claims);
      await expectUnpaid(await job.submit({ message: "go" }), "credits_ended");
      fixture.clock.advance(1);
      await spend(job, 1);
      await expectUnpaid(await job.submit({ message: "go" }), "credits_ended");
      expect((await fixture.job(claims)).exchanged.quota.resets_at).toBe("2026-03-01T00:00:00.000Z");
    });

    it("counts an owner's credits across repositories, and no other owner's", async () => {
      await start(2);
      const owner = { repository_owner_id: "4711" };
      await spend(await fixture.job(fixture.freshRepository(owner)), 1);
      await spend(await fixture.job(fixture.freshRepository(owner)), 1);
      const third = await fixture.job(
        fixture.freshRepository({ ...owner, repository: "a-new-name/project" }),
      );
      expect(third.exchanged.quota.credits_remaining).toBe(0);
      await expectUnpaid(await third.submit({ message: "go" }), "credits_ended");
      await spend(await fixture.job(), 2);
    });

    it("charges the owner that a repository was moved to", async () => {
      await start(1);
      const claims = fixture.freshRepository();
      await spend(await fixture.job(claims), 1);
      const moved = await fixture.job({ ...claims, repository_owner_id: "4712" });
      expect(moved.exchanged.quota.credits_remaining).toBe(1);
      await spend(moved, 1);
    });

    it.each(["private", "internal"])(
      "refuses a run of a repository that is %s and unclaimed",
      async (visibility) => {
        await start(10);
        const job = await fixture.job(fixture.freshRepository({ repository_visibility: visibility }));
        expect(job.exchanged.claim_url).not.toBeNull();
        await expectUnpaid(await job.submit({ message: "go" }), "repository_private");
        const postings = await fixture.place.query("select kind from ledger_postings");
        expect(postings).toEqual([{ kind: "grant" }]);
      },
    );

    it("goes by the visibility of the token, both ways", async () => {
      await start(10);
      const claims = fixture.freshRepository();
      await spend(await fixture.job(claims), 1);
      const hidden = await fixture.job({ ...claims, repository_visibility: "private" });
      await expectUnpaid(await hidden.submit({ message: "go" }), "repository_private");
      await spend(await fixture.job(claims), 1);
    });

    it("refuses every run where the operator gives no free credits", async () => {
      await start(0);
      const job = await fixture.job();
      expect(job.exchanged).toMatchObject({ quota: { credits_remaining: 0 }, claim_url: expect.any(String) });
      await expectUnpaid(await job.submit({ message: "go" }), "credits_ended");
    });

    it("lets as many of 20 parallel runs begin as there are credits", async () => {
      await start(5);
      const job = await fixture.job();
      const answers = await Promise.all(Array.from({ length: 20 }, () => job.submit({ message: "go" })));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(5).fill(202), ...Array(15).fill(402)]);
    });

    it("says in the stream what is left, with a claim link when nothing is", async () => {
      await start(2);
      const job = await fixture.job();
      const quotaOf = async (runId: string) =>
        (await job.follow(runId)).map(({ event }) => event).filter(({ type }) => type === "CUSTOM");
      expect(await quotaOf(await job.start())).toEqual([
        { type: "CUSTOM", name: "quota", value: { credits_remaining: 1, claim_url: null } },
      ]);
      expect(await quotaOf(await job.start())).toEqual([
        {
          type: "CUSTOM",
          name: "quota",
          value: { credits_remaining: 0, claim_url: expect.stringContaining("/claim/svc_claim_") },
        },
      ]);
    });

    it("ends a claim link after seven days", async () => {
      await start(0);
      const url = (await fixture.job()).exchanged.claim_url ?? "";
      fixture.clock.advance(7 * 24 * 60 * 60_000 - 1);
      expect((await claimPageOf(url)).status).toBe(200);
      fixture.clock.advance(1);
      expect((await claimPageOf(url)).status).toBe(404);
    });
  });
});

describe("capacity", () => {
  it("refuses a run when too many wait, holds nothing for it, and still answers a request made before", async () => {
    const backend = scriptedBackend(untilStopped);
    const fixture = await startFixture({
      level: "service",
      backend,
      config: { maxRunningRuns: 1, maxQueuedRuns: 1 },
    });
    try {
      const job = await fixture.job();
      const running = await job.start();
      await job.readUntil(running, ({ event }) => event.type === "RUN_STARTED");
      const queued = await job.submit({ message: "second" }, { "idempotency-key": "k" });
      expect(queued.status).toBe(202);

      const refused = await job.submit({ message: "third" });
      expect(refused.status).toBe(429);
      expect(refused.headers.get("retry-after")).toBe("10");
      expect(problemSchema.parse(refused.body).code).toBe("capacity_reached");
      expect(await fixture.place.query("select id from runs")).toHaveLength(2);

      const again = await job.submit({ message: "second" }, { "idempotency-key": "k" });
      expect([again.status, again.body]).toEqual([202, queued.body]);
      await expectSoundLedger(fixture.place);
    } finally {
      await fixture.close();
    }
  });
});
