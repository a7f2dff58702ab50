// Both sides of a claim, over the socket: the account asks, a job of the repository agrees.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSecretToken } from "../../../../src/base/secret-token.ts";
import { claimResponseSchema } from "../../../../src/contract/claims.ts";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import { submitRunResponseSchema } from "../../../../src/contract/runs/run.ts";
import { accountWallet } from "../../../../src/service/core/money/ledger.ts";
import { ClaimFixture, type Repository } from "../../../support/fixtures/claim-fixture.ts";
import type { TestAccount } from "../../../support/service-account.ts";
import type { Answer } from "../../../support/service-client.ts";
import { dumpPlace } from "../../../support/service-dump.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const DAY_MS = 24 * 3_600_000;
const OUTSIDERS_EVENTS = [
  "pull_request",
  "pull_request_target",
  "pull_request_review",
  "pull_request_review_comment",
  "issue_comment",
  "issues",
  "discussion",
  "discussion_comment",
  "fork",
  "watch",
  "gollum",
  "merge_group",
  "workflow_run",
  "an_event_of_tomorrow",
];
const WRITERS_EVENTS = [
  "push",
  "schedule",
  "workflow_dispatch",
  "repository_dispatch",
  "release",
  "create",
  "delete",
];

onEveryStore((kind) => {
  describe("claims", () => {
    let fixture: ClaimFixture;
    let owner: TestAccount;
    let other: TestAccount;

    beforeAll(async () => {
      fixture = await ClaimFixture.start(kind);
      owner = await fixture.account();
      other = await fixture.account();
    });

    afterAll(async () => {
      await expectSoundLedger(fixture.core.place);
      await fixture.api.close();
    });

    const expectRefused = (answer: Answer, status: number, code: string, reason?: string) => {
      const problem = problemSchema.parse(answer.body);
      expect([answer.status, problem.code, problem.reason]).toEqual([status, code, reason]);
    };
    const statusOf = (answer: Answer) => [answer.status, claimResponseSchema.parse(answer.body).status];
    const accept = async (repository: Repository, account: TestAccount) =>
      await fixture.exchange(repository, { account: account.id });
    const submit = async (bearer: string, agentId: string, message = "go") =>
      await fixture.api.send(`/v1/agents/${agentId}/runs`, { method: "POST", bearer, json: { message } });

    describe("the account's side", () => {
      it("is a claim that waits, and gives nothing", async () => {
        const repository = fixture.repository();
        const token = await fixture.token(repository);
        const answer = await fixture.claim(owner.owner, token);
        expect(answer.status).toBe(202);
        expect(answer.headers.get("cache-control")).toBe("no-store");
        const { agent_id } = claimResponseSchema.parse(answer.body);
        expect(answer.body).toEqual({
          repository: {
            provider: "github",
            id: repository.id,
            owner_id: repository.ownerId,
            name: repository.name,
            visibility: "private",
          },
          agent_id,
          status: "pending",
          expires_at: new Date(fixture.core.clock.now() + 7 * DAY_MS).toISOString(),
        });
        expectRefused(await submit(owner.owner, agent_id), 403, "forbidden");
        const later = await fixture.exchange(repository);
        expect(later).toMatchObject({ agent_id, quota: { audience: "anon" }, claim: "pending" });
        expect(later.claim_url).not.toBeNull();
      });

      it("may be repeated by the same account, with the same end, and by no other", async () => {
        const token = await fixture.token(fixture.repository());
        const first = await fixture.claim(owner.owner, token);
        fixture.core.clock.advance(60_000);
        expect((await fixture.claim(owner.owner, token)).body).toEqual(first.body);
        expectRefused(await fixture.claim(other.owner, token), 404, "not_found", "claim_used");
      });

      it("is the owner's in person: an AI client is sent to the page, a job has no account", async () => {
        const repository = fixture.repository();
        const token = await fixture.token(repository);
        const sent = await fixture.claim(owner.aiClient, token);
        expectRefused(sent, 403, "owner_needed");
        expect(sent.text).toContain(`http://service.example/claim/${token}`);
        const job = await fixture.exchange(repository);
        expectRefused(await fixture.claim(job.access_token, token), 403, "forbidden");
        expectRefused(await fixture.claim("nobody", token), 401, "unauthorized");
        expect(job.claim).toBeUndefined();
        expect(statusOf(await fixture.claim(owner.owner, token))).toEqual([202, "pending"]);
      });

      it("refuses what is no claim token of this service", async () => {
        const strange = makeSecretToken("svc_claim_", new Uint8Array(32)).text;
        for (const token of [strange, "svc_claim_x", "\0", owner.owner]) {
          expectRefused(await fixture.claim(owner.owner, token), 404, "not_found", "claim_unknown");
        }
        for (const token of ["", 7, null, "x".repeat(256), undefined]) {
          expectRefused(await fixture.claim(owner.owner, token), 400, "invalid_request");
        }
      });

      it("has seven days for the token, and seven for the repository", async () => {
        const repository = fixture.repository();
        const tooLate = await fixture.token(repository);
        fixture.core.clock.advance(7 * DAY_MS - 1);
        const inTime = await fixture.token(repository);
        fixture.core.clock.advance(1);
        expectRefused(await fixture.claim(owner.owner, tooLate), 404, "not_found", "claim_ended");
        fixture.core.clock.advance(6 * DAY_MS);
        await fixture.claim(owner.owner, inTime);
        fixture.core.clock.advance(7 * DAY_MS - 1);
        expect(statusOf(await fixture.claim(owner.owner, inTime))).toEqual([202, "pending"]);
        expect((await fixture.exchange(repository)).claim).toBe("pending");
        fixture.core.clock.advance(1);
        expect(await accept(repository, owner)).toMatchObject({ claim: "none", quota: { audience: "anon" } });
        expect((await fixture.exchange(repository)).claim).toBeUndefined();
        expectRefused(await fixture.claim(owner.owner, inTime), 404, "not_found", "claim_ended");
      });
    });

    describe("the repository's side", () => {
      it("gives the account the agent, its history and its bills", async () => {
        const repository = fixture.repository({ visibility: "public" });
        const before = await fixture.exchange(repository);
        const submitted = await submit(before.access_token, before.agent_id);
        const { run_id, session_id } = submitRunResponseSchema.parse(submitted.body);
        await fixture.core.ended(run_id);
        await fixture.pending(owner, repository);

        const accepted = await accept(repository, owner);
        expect(accepted).toMatchObject({
          agent_id: before.agent_id,
          quota: { audience: "registered_free", credits_remaining: 100 },
          claim_url: null,
          claim: "claimed",
        });
        const read = await fixture.api.send(`/v1/ci/runs/${run_id}`, { bearer: owner.owner });
        expect(read.status).toBe(200);
        const next = await fixture.api.send(`/v1/agents/${before.agent_id}/runs`, {
          method: "POST",
          bearer: owner.owner,
          json: { message: "go on", session_id },
        });
        expect(next.status).toBe(202);
        const run = await fixture.core.ended(submitRunResponseSchema.parse(next.body).run_id);
        expect([run.billingAccount, run.sessionId]).toEqual([accountWallet(owner.id), session_id]);
        expect((await fixture.core.run(run_id)).billingAccount).toMatch(/^free:/);
        expectRefused(await submit(other.owner, before.agent_id), 403, "forbidden");
        // Who owns it needs no naming any more, and naming another changes nothing.
        expect((await fixture.exchange(repository)).quota.audience).toBe("registered_free");
        expect(await accept(repository, other)).toMatchObject({
          claim: "none",
          quota: { audience: "registered_free" },
        });
      });

      it("lets a private repository's jobs run, on the account's credits", async () => {
        const repository = fixture.repository();
        const unclaimed = await fixture.exchange(repository);
        expectRefused(
          await submit(unclaimed.access_token, unclaimed.agent_id),
          402,
          "insufficient_credits",
          "repository_private",
        );
        await fixture.pending(owner, repository);
        const { access_token, agent_id } = await accept(repository, owner);
        // The first capability is the same agent's: it runs as well.
        for (const bearer of [access_token, unclaimed.access_token]) {
          const answer = await submit(bearer, agent_id);
          expect(answer.status).toBe(202);
          const run = await fixture.core.ended(submitRunResponseSchema.parse(answer.body).run_id);
          expect(run.billingAccount).toBe(accountWallet(owner.id));
        }
      });

      it("leaves a run that is in flight to who pays for it, and its quota without a claim link", async () => {
        const repository = fixture.repository({ visibility: "public" });
        const { access_token, agent_id } = await fixture.exchange(repository);
        const answer = await submit(access_token, agent_id, "wait");
        const { run_id } = submitRunResponseSchema.parse(answer.body);
        await fixture.core.until(run_id, ({ status }) => status === "running");
        await fixture.pending(owner, repository);
        await accept(repository, owner);
        const cancel = `/v1/agents/${agent_id}/runs/${run_id}/cancel`;
        expect((await fixture.api.send(cancel, { method: "POST", bearer: owner.owner })).status).toBe(202);
        expect((await fixture.core.ended(run_id)).billingAccount).toMatch(/^free:/);
        const events = (await fixture.core.stream(run_id)).map(({ event }) => event);
        expect(events).toContainEqual({
          type: "CUSTOM",
          name: "quota",
          value: { credits_remaining: 0, claim_url: null },
        });
      });

      it.each(OUTSIDERS_EVENTS)("is not spoken for by a job of %s", async (event) => {
        const repository = fixture.repository();
        await fixture.pending(owner, repository);
        const job = await fixture.exchange(repository, { event, account: owner.id });
        expect(job).toMatchObject({ claim: "refused_event", quota: { audience: "anon" } });
        expectRefused(await submit(owner.owner, job.agent_id), 403, "forbidden");
        expect((await accept(repository, owner)).claim).toBe("claimed");
        expect((await fixture.exchange(repository, { event, account: owner.id })).claim).toBe("claimed");
      });

      it.each(WRITERS_EVENTS)("is spoken for by a job of %s", async (event) => {
        const repository = fixture.repository();
        await fixture.pending(owner, repository);
        expect((await fixture.exchange(repository, { event, account: owner.id })).claim).toBe("claimed");
      });

      it.each([
        ["that has no claim", () => other.id],
        ["that there is none of", () => "00000000-0000-7000-8000-000000000000"],
        ["that is no id", () => "octo\0'--"],
      ])("goes on as before when it names an account %s", async (_name, account) => {
        const repository = fixture.repository();
        await fixture.pending(owner, repository);
        const job = await fixture.exchange(repository, { account: account() });
        expect(job).toMatchObject({ claim: "none", quota: { audience: "anon" } });
        expect((await accept(repository, owner)).claim).toBe("claimed");
      });

      it("is not spoken for by a repository that took over its name", async () => {
        const repository = fixture.repository();
        await fixture.pending(owner, repository);
        const recycled = fixture.repository({ name: repository.name });
        expect(await accept(recycled, owner)).toMatchObject({ claim: "none", quota: { audience: "anon" } });
        const renamed = await accept({ ...repository, name: "new/name" }, owner);
        expect(renamed.claim).toBe("claimed");
        expect((await fixture.exchange(recycled)).quota.audience).toBe("anon");
      });
    });

    describe("two accounts", () => {
      it("may both wait; the repository chooses, and the other's claim and token end", async () => {
        const repository = fixture.repository();
        const mine = await fixture.pending(owner, repository);
        const theirs = await fixture.pending(other, repository);
        const unused = await fixture.token(repository);
        expect((await accept(repository, other)).claim).toBe("claimed");
        expectRefused(await fixture.claim(owner.owner, mine), 409, "already_claimed");
        expectRefused(await fixture.claim(owner.owner, unused), 409, "already_claimed");
        expect(statusOf(await fixture.claim(other.owner, theirs))).toEqual([200, "claimed"]);
        expect(await accept(repository, owner)).toMatchObject({ claim: "none", claim_url: null });
        const left = await fixture.core.place.query(
          `select account_id from pending_claims where agent_id in (select id from agents where repository_id = '${repository.id}')`,
        );
        expect(left).toEqual([]);
      });

      it("get one claim of one token when they race for it", async () => {
        for (let round = 0; round < 10; round += 1) {
          const token = await fixture.token(fixture.repository());
          const answers = await Promise.all(
            [owner, other].map(({ owner: key }) => fixture.claim(key, token)),
          );
          expect(answers.map(({ status }) => status).sort()).toEqual([202, 404]);
        }
      });

      it("get one agent between them when two jobs name them at once", async () => {
        for (let round = 0; round < 10; round += 1) {
          const repository = fixture.repository();
          await fixture.pending(owner, repository);
          await fixture.pending(other, repository);
          const jobs = await Promise.all([accept(repository, owner), accept(repository, other)]);
          expect(jobs.map(({ claim }) => claim).sort()).toEqual(["claimed", "none"]);
        }
      });

      it("leave no claim behind when one is made while a job accepts the other", async () => {
        for (let round = 0; round < 10; round += 1) {
          const repository = fixture.repository();
          await fixture.pending(owner, repository);
          const token = await fixture.token(repository);
          const [job, asked] = await Promise.all([
            accept(repository, owner),
            fixture.claim(other.owner, token),
          ]);
          expect(job.claim).toBe("claimed");
          expect([202, 409]).toContain(asked.status);
          const left = await fixture.core.place.query(
            `select account_id from pending_claims where agent_id = '${job.agent_id}'`,
          );
          expect(left).toEqual([]);
        }
      });

      it("is one account when it repeats itself at once", async () => {
        const repository = fixture.repository();
        const token = await fixture.token(repository);
        const answers = await Promise.all(Array.from({ length: 8 }, () => fixture.claim(owner.owner, token)));
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
        const jobs = await Promise.all(Array.from({ length: 4 }, () => accept(repository, owner)));
        expect(new Set(jobs.map(({ claim }) => claim))).toEqual(new Set(["claimed"]));
      });
    });

    it("keeps who claimed what, and of the tokens nothing but their SHA-256", async () => {
      const repository = fixture.repository();
      const token = await fixture.pending(owner, repository);
      await fixture.page(token);
      fixture.core.clock.advance(1);
      await accept(repository, owner);
      await fixture.claim(owner.aiClient, token);
      const steps = await fixture.core.place.query(
        `select outcome, account_id from audit_entries where action = 'claim' and repository_id = '${repository.id}' order by id`,
      );
      expect(steps).toEqual([
        { outcome: "pending", account_id: owner.id },
        { outcome: "claimed", account_id: owner.id },
      ]);
      const dump = await dumpPlace(fixture.core.place);
      const logs = fixture.core.logs.join("\n");
      expect(fixture.tokens.length).toBeGreaterThan(30);
      for (const secret of fixture.tokens) {
        expect(dump.includes(secret)).toBe(false);
        expect(logs.includes(secret)).toBe(false);
      }
    });
  });
});
