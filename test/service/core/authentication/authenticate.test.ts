// What a capability opens, and what it does not.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeSecretToken } from "../../../../src/base/secret-token.ts";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import { authenticate } from "../../../../src/service/core/authentication/authenticate.ts";
import type { Core } from "../../../../src/service/core/core.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import type { Answer } from "../../../support/service-client.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const NOBODY = "00000000-0000-7000-8000-000000000000";

onEveryStore((kind) => {
  describe("a capability", () => {
    let fixture: ServiceFixture;

    beforeAll(async () => {
      fixture = await startFixture({ level: "service", store: kind, config: { backend: "noop" } });
    });

    afterAll(() => fixture.close());

    it("ends after 15 minutes, and says when it did", async () => {
      const { job, runId } = await fixture.jobWithRun();
      fixture.clock.advance(15 * 60_000 - 1);
      expect((await job.read(runId)).status).toBe(200);
      const endedAt = new Date(fixture.clock.now() + 1).toISOString();
      fixture.clock.advance(1);
      expectUnauthorized(await job.read(runId), endedAt);
      expectUnauthorized(await job.submit({ message: "go" }), endedAt);
    });

    it("ends when it is revoked, and a second revocation finds it ended", async () => {
      const { job, runId } = await fixture.jobWithRun();
      const revoke = () => job.call("/v1/ci/oidc/exchange", { method: "DELETE" });
      const first = await revoke();
      expect([first.status, first.text]).toEqual([204, ""]);
      expectUnauthorized(await revoke(), "revoked");
      expectUnauthorized(await job.read(runId), "revoked");
      expectUnauthorized(await job.cancel(runId), "revoked");
      const rows = await fixture.place.query("select outcome from audit_entries where action = 'revoke'");
      expect(rows).toEqual([{ outcome: "ok" }]);
    });

    it("leaves the repository's other capabilities alone when it is revoked", async () => {
      const claims = fixture.freshRepository();
      const [revoked, kept] = [await fixture.job(claims), await fixture.job(claims)];
      await revoked.call("/v1/ci/oidc/exchange", { method: "DELETE" });
      const runId = await kept.start();
      expect((await kept.ended(runId)).status).toBe("completed");
    });

    it.each([
      ["nothing", {}],
      ["another scheme", { authorization: "Basic c3ZjX2NpOng=" }],
      ["no token", { authorization: "Bearer " }],
      ["two tokens", { authorization: "Bearer a b" }],
      ["a key of another kind", { authorization: "Bearer svc_sk_0123456789" }],
      ["a capability that was never issued", { authorization: `Bearer ${strangersSecret()}` }],
    ])("is asked for when a request carries %s", async (_name, headers) => {
      for (const [method, path] of [
        ["POST", `/v1/agents/${NOBODY}/runs`],
        ["GET", `/v1/agents/${NOBODY}/runs/${NOBODY}`],
        ["POST", `/v1/agents/${NOBODY}/runs/${NOBODY}/cancel`],
        ["GET", `/v1/ci/runs/${NOBODY}`],
        ["DELETE", "/v1/ci/oidc/exchange"],
      ] as const) {
        expectUnauthorized(await fixture.call(path, { method, headers }), "");
      }
    });

    it("runs no other repository's agent, and reads and cancels no run of one", async () => {
      const { job: owner, runId } = await fixture.jobWithRun();
      const stranger = await fixture.job();
      for (const answer of [
        await stranger.call(owner.runsPath, { method: "POST", json: { message: "go" } }),
        await stranger.call(`${owner.runsPath}/${runId}`),
        await stranger.call(`${owner.runsPath}/${runId}/cancel`, { method: "POST" }),
        await stranger.read(runId),
      ]) {
        expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([403, "forbidden"]);
        expect(answer.text).not.toContain("owner-");
      }
    });

    it("finds no agent and no run where there is none", async () => {
      const { job, runId } = await fixture.jobWithRun();
      const stranger = await fixture.job();
      const elsewhere = `/v1/agents/${NOBODY}/runs`;
      for (const answer of [
        await job.call(elsewhere, { method: "POST", json: { message: "go" } }),
        await job.call(`${elsewhere}/${runId}`),
        await job.call(`${elsewhere}/${runId}/cancel`, { method: "POST" }),
        await job.call(`${job.runsPath}/${NOBODY}`),
        await job.cancel(NOBODY),
        await job.read(NOBODY),
        await job.read("no-uuid"),
        await job.call("/v1/agents/no-uuid/runs", { method: "POST", json: { message: "go" } }),
        await job.read("%00"),
        await job.read("%2500"),
        await job.call(`/v1/agents/%00/runs/${runId}`),
      ]) {
        expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([404, "not_found"]);
      }
      // A run of another agent is not found among one's own.
      expect((await stranger.call(`${stranger.runsPath}/${runId}`)).status).toBe(404);
    });

    it("serves every job of its repository, also one that began before a rename", async () => {
      const claims = fixture.freshRepository();
      const { job, runId } = await fixture.jobWithRun(claims);
      const later = await fixture.job({ ...claims, repository: "new/name" });
      expect((await later.read(runId)).status).toBe(200);
      expect((await job.ended(runId)).status).toBe("completed");
    });
  });
});

describe("authenticate", () => {
  const untouchable: Pick<Core, "store"> = {
    store: new Proxy({} as Core["store"], {
      get: () => {
        throw new Error("The store was asked.");
      },
    }),
  };

  it.each([
    ["a slip in its secret", (text: string) => text.replace(/.{8}$/, "aaaaaaaa")],
    ["a slip in its checksum", (text: string) => `${text.slice(0, -1)}${text.endsWith("0") ? "1" : "0"}`],
    ["its end cut off", (text: string) => text.slice(0, -1)],
    ["something after it", (text: string) => `${text}0`],
    ["another prefix", (text: string) => text.replace("svc_ci_", "svc_cl_")],
  ])("refuses a capability with %s and asks no store", async (_name, change) => {
    const result = await authenticate(untouchable as Core, change(strangersSecret()));
    expect(result).toEqual({ ok: false, refusal: { reason: "credential_malformed" } });
  });
});

function strangersSecret(): string {
  return makeSecretToken("svc_ci_", new Uint8Array(32).fill(7)).text;
}

function expectUnauthorized(answer: Answer, text: string): void {
  expect(answer.status).toBe(401);
  expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer\b/);
  const problem = problemSchema.parse(answer.body);
  expect(problem.code).toBe("unauthorized");
  expect(problem.error).toContain(text);
}
