import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audienceResponseSchema, exchangeResponseSchema } from "../../../../../src/contract/ci/exchange.ts";
import { problemSchema } from "../../../../../src/contract/problems/problem.ts";
import type { ServiceFixture } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { dumpPlace } from "../../../../support/service-dump.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

const PATH = "/v1/ci/oidc/exchange";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

onEveryStore((kind) => {
  describe("exchange", () => {
    let fixture: ServiceFixture;

    beforeAll(async () => {
      fixture = await startFixture({ level: "service", store: kind });
    });

    afterAll(() => fixture.close());

    it("gives a job its capability, its agent, its quota, and nothing else", async () => {
      const claims = fixture.freshRepository();
      const answer = await fixture.exchange(fixture.mint(claims));
      expect(answer.status).toBe(200);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      const body = exchangeResponseSchema.parse(answer.body);
      expect(answer.body).toEqual({
        access_token: expect.stringMatching(/^svc_ci_[\w-]{49}$/),
        issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
        token_type: "Bearer",
        expires_in: 900,
        scope: "ci:run",
        agent_id: expect.stringMatching(UUID),
        repository: {
          provider: "github",
          id: claims.repository_id,
          owner_id: claims.repository_owner_id,
          name: claims.repository,
          visibility: "public",
        },
        quota: { audience: "anon", credits_remaining: 100, resets_at: "2026-02-01T00:00:00.000Z" },
        claim_url: null,
      });
      expect(body.access_token).not.toBe(body.agent_id);
    });

    it("reads a form with the names of RFC 8693 as it reads JSON", async () => {
      const claims = fixture.freshRepository();
      const whole = {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
        account: "octo",
      };
      const form = { ...whole, subject_token: fixture.mint(claims) };
      const json = { ...whole, subject_token: fixture.mint(claims) };
      const byForm = await fixture.call(PATH, { method: "POST", form });
      const byJson = await fixture.call(PATH, {
        method: "POST",
        raw: JSON.stringify(json),
        headers: { "content-type": "Application/JSON; charset=utf-8" },
      });
      expect([byForm.status, byJson.status]).toEqual([200, 200]);
      const [first, second] = [byForm, byJson].map(({ body }) => exchangeResponseSchema.parse(body));
      expect(first?.agent_id).toBe(second?.agent_id);
      expect(first?.access_token).not.toBe(second?.access_token);
    });

    it("keeps the agent of a repository that is renamed, and shows its new name and visibility", async () => {
      const claims = fixture.freshRepository();
      const before = await fixture.job(claims);
      const after = await fixture.job({
        ...claims,
        repository: "elsewhere/renamed",
        repository_visibility: "private",
      });
      expect(after.agentId).toBe(before.agentId);
      expect(after.exchanged.repository).toMatchObject({ name: "elsewhere/renamed", visibility: "private" });
      expect(after.exchanged.claim_url).toMatch(/\/claim\/svc_claim_/);
      const again = await fixture.job(claims);
      expect(again.exchanged).toMatchObject({ agent_id: before.agentId, claim_url: null });
    });

    it("gives a recycled name another agent", async () => {
      const claims = fixture.freshRepository();
      const first = await fixture.job(claims);
      const recycled = await fixture.job({ ...fixture.freshRepository(), repository: claims.repository });
      expect(recycled.agentId).not.toBe(first.agentId);
      expect((await recycled.call(first.runsPath, { method: "POST", json: { message: "go" } })).status).toBe(
        403,
      );
    });

    it("gives one repository one agent, however many of its jobs come first at once", async () => {
      const claims = fixture.freshRepository();
      const jobs = await Promise.all(Array.from({ length: 12 }, () => fixture.job(claims)));
      expect(new Set(jobs.map(({ agentId }) => agentId)).size).toBe(1);
      expect(new Set(jobs.map(({ bearer }) => bearer)).size).toBe(12);
      expect(new Set(jobs.map(({ exchanged }) => exchanged.quota.credits_remaining))).toEqual(new Set([100]));
    });

    it("keeps of a capability and a claim token nothing but their SHA-256", async () => {
      const job = await fixture.job({ ...fixture.freshRepository(), repository_visibility: "private" });
      const claim = job.exchanged.claim_url?.split("/").at(-1) ?? "";
      expect(claim).toMatch(/^svc_claim_/);
      const dump = await dumpPlace(fixture.place);
      expect(dump).toContain(job.agentId);
      for (const secret of fixture.secrets) {
        expect(dump).not.toContain(secret);
        expect(fixture.logText()).not.toContain(secret);
      }
    });

    it("says which audience tokens must name", async () => {
      const answer = await fixture.call("/v1/ci/oidc/audience");
      expect(answer.status).toBe(200);
      expect(audienceResponseSchema.parse(answer.body)).toEqual({ audience: fixture.audience });
    });
  });
});

describe("the body of an exchange", () => {
  let fixture: ServiceFixture;

  beforeAll(async () => {
    fixture = await startFixture({ level: "service" });
  });

  afterAll(() => fixture.close());

  const refusals: readonly {
    readonly name: string;
    readonly send: () => Parameters<ServiceFixture["call"]>[1];
    readonly status: number;
    readonly code: string;
    readonly reason?: string;
  }[] = [
    {
      name: "no subject_token",
      send: () => ({ json: {} }),
      status: 400,
      code: "invalid_request",
      reason: "token_missing",
    },
    {
      name: "an empty subject_token",
      send: () => ({ form: { subject_token: "" } }),
      status: 400,
      code: "invalid_request",
      reason: "token_missing",
    },
    {
      name: "a subject_token that is no text",
      send: () => ({ json: { subject_token: 7 } }),
      status: 400,
      code: "invalid_request",
    },
    {
      name: "another subject_token_type",
      send: () => ({
        json: { subject_token: fixture.mint(), subject_token_type: "urn:ietf:params:oauth:token-type:saml2" },
      }),
      status: 400,
      code: "invalid_request",
      reason: "token_type_unsupported",
    },
    {
      name: "another grant_type",
      send: () => ({ json: { subject_token: fixture.mint(), grant_type: "client_credentials" } }),
      status: 400,
      code: "invalid_request",
      reason: "grant_type_unsupported",
    },
    {
      name: "an account of 256 characters",
      send: () => ({ json: { subject_token: fixture.mint(), account: "a".repeat(256) } }),
      status: 400,
      code: "invalid_request",
    },
    { name: "a list", send: () => ({ json: [] }), status: 400, code: "invalid_request" },
    {
      name: "text that is not JSON",
      send: () => ({ raw: "{", headers: { "content-type": "application/json" } }),
      status: 400,
      code: "invalid_request",
    },
    {
      name: "an empty body",
      send: () => ({ headers: { "content-type": "application/json" } }),
      status: 400,
      code: "invalid_request",
    },
    {
      name: "a body of another type",
      send: () => ({ raw: "x", headers: { "content-type": "text/plain" } }),
      status: 415,
      code: "unsupported_media_type",
    },
    { name: "a body of no type", send: () => ({}), status: 415, code: "unsupported_media_type" },
    {
      name: "a body above 32 KiB",
      send: () => ({ json: { subject_token: "a".repeat(40_000) } }),
      status: 413,
      code: "body_too_large",
    },
    {
      name: "a token above 16 KiB",
      send: () => ({ json: { subject_token: `${fixture.mint()}${"a".repeat(16_384)}` } }),
      status: 401,
      code: "invalid_request",
      reason: "token_malformed",
    },
  ];

  for (const { name, send, status, code, reason } of refusals) {
    it(`refuses ${name} with ${status} ${reason ?? code}`, async () => {
      const asked = fixture.codeHost.issuer.jwksRequests;
      const answer = await fixture.call(PATH, { method: "POST", ...send() });
      expect(answer.status).toBe(status);
      const problem = problemSchema.parse(answer.body);
      expect(problem.code).toBe(code);
      expect(problem.reason).toBe(reason);
      expect(problem.request_id).toBe(answer.headers.get("x-request-id"));
      expect(fixture.codeHost.issuer.jwksRequests).toBe(asked);
    });
  }
});
