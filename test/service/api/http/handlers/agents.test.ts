// /v1/agents where requests are wrong, large or a job's: test/suite has the rest, on every deployment.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Agent,
  agentSchema,
  MAX_CONFIG_BYTES,
  MAX_CONFIG_DEPTH,
} from "../../../../../src/contract/agents/agent.ts";
import { problemSchema } from "../../../../../src/contract/problems/problem.ts";
import { runListSchema } from "../../../../../src/contract/runs/run.ts";
import { exchangeToken } from "../../../../../src/service/core/ci/exchange-token.ts";
import type { Rates } from "../../../../../src/service/core/money/rates.ts";
import { defaultRates } from "../../../../../src/service/settings/default-rates.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../../support/service-account.ts";
import type { Answer, Call } from "../../../../support/service-client.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

const rates: Rates = {
  ...defaultRates,
  plans: {
    ...defaultRates.plans,
    registered_free: {
      firstCredits: 100,
      maxAgents: 4,
      maxWorkspaces: 4,
      maxConcurrentRuns: null,
      weight: 1,
      mayUsePaidModels: false,
    },
  },
  models: [
    { id: "small", inNanoUsdPerToken: 0, outNanoUsdPerToken: 0, isFreeTierEligible: true },
    { id: "grand", inNanoUsdPerToken: 3_000, outNanoUsdPerToken: 15_000, isFreeTierEligible: false },
  ],
};

onEveryStore((kind) => {
  describe("/v1/agents", () => {
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let account: TestAccount;

    const post = (path: string, options: Call = {}) =>
      api.send(path, { method: "POST", bearer: account.owner, ...options });
    const create = (json: unknown, options: Call = {}) => post("/v1/agents", { json, ...options });
    const get = (path: string, bearer = account.owner) => api.send(path, { bearer });
    const made = async (...request: Parameters<typeof create>): Promise<Agent> => {
      const answer = await create(...request);
      if (answer.status !== 201) throw new Error(`The agent was refused: ${answer.text}`);
      return agentSchema.parse(answer.body);
    };
    const jobsBearer = async () => {
      const exchanged = await exchangeToken(fixture.core, { subjectToken: "a token", requestId: "request" });
      if (!exchanged.ok) throw new Error(exchanged.refusal.reason);
      return { bearer: exchanged.value.accessToken, agentId: exchanged.value.agent.id };
    };

    beforeEach(async () => {
      fixture = await startFixture({ level: "core", store: kind, rates });
      api = await openCaller(fixture);
      account = await makeAccount(fixture);
    });

    afterEach(() => api.close());

    it.each([
      ["no name", {}],
      ["an empty name", { name: "" }],
      ["a name that is too long", { name: "n".repeat(256) }],
      ["a NUL in its name", { name: "a\0b" }],
      ["a name that is no text", { name: 7 }],
      ["a model that is no text", { name: "a", model: 7 }],
      ["a NUL in its model", { name: "a", model: "\0" }],
      ["a config that is a list", { name: "a", config: [] }],
      ["a config that is null", { name: "a", config: null }],
      ["a config that is too large", { name: "a", config: { text: "é".repeat(33_000) } }],
      ["a config that is too deep", { name: "a", config: nested(MAX_CONFIG_DEPTH + 1) }],
      ["another if_exists", { name: "a", if_exists: "replace" }],
      ["another kind", { name: "a", kind: "dependent" }],
      ["a body that is no object", "a"],
    ])("refuses a request with %s", async (_name, json) => {
      expectProblem(await create(json), [400, "invalid_request"]);
    });

    it("survives nesting that JSON text can hold and the stack cannot", async () => {
      const raw = `{"name":"a","config":{"deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`;
      const headers = { "content-type": "application/json" };
      expectProblem(await post("/v1/agents", { raw, headers }), [400, "invalid_request"]);
      expectProblem(await post("/v1/agents", { raw: "{", headers }), [400, "invalid_request"]);
      expectProblem(await post("/v1/agents", { raw }), [415, "unsupported_media_type"]);
      expectProblem(await post("/v1/agents", { form: { name: "a" } }), [415, "unsupported_media_type"]);
      const large = JSON.stringify({ name: "a", more: "x".repeat(600_000) });
      expectProblem(await post("/v1/agents", { raw: large, headers }), [413, "body_too_large"]);
    });

    it("takes the largest config that it says, gives it back, and nothing above it", async () => {
      const rest = { deep: nested(MAX_CONFIG_DEPTH - 1), nul: "\0" };
      const chars = MAX_CONFIG_BYTES - JSON.stringify({ text: "", ...rest }).length;
      const config = { text: "x".repeat(chars), ...rest };
      expect((await made({ name: "a", config })).config).toEqual(config);
      const larger = { ...config, text: `${config.text}x` };
      expectProblem(await create({ name: "a", config: larger }), [400, "invalid_request"]);
    });

    it("stops an agent's runs, and retires it for good", async () => {
      const path = `/v1/agents/${account.agent.id}`;
      const agent = (await get(path)).body;
      const submit = () => post(`${path}/runs`, { json: { message: "go" } });
      expect((await submit()).status).toBe(202);
      const stopped = await post(`${path}/stop`, { bearer: account.aiClient });
      expect([stopped.status, stopped.body]).toEqual([202, agent]);
      const [run] = runListSchema.parse((await get(`${path}/runs`)).body);
      expect(run).toMatchObject({ status: "cancelled", cause: "user_stop" });
      expect((await submit()).status).toBe(202);
      const shown = { ...agentSchema.parse(agent), retired_at: new Date(fixture.clock.now()).toISOString() };
      for (let times = 0; times < 2; times += 1) {
        const retired = await post(`${path}/retire`);
        expect([retired.status, retired.body]).toEqual([200, shown]);
      }
      expectProblem(await submit(), [403, "forbidden"]);
      expect((await get(path)).body).toEqual(shown);
    });

    it("lets a job list its agent's runs, and use no route of the account's", async () => {
      const job = await jobsBearer();
      const path = `/v1/agents/${job.agentId}`;
      expect((await post(`${path}/runs`, { ...job, json: { message: "go" } })).status).toBe(202);
      const listed = await get(`${path}/runs`, job.bearer);
      expect([listed.status, runListSchema.parse(listed.body).length]).toEqual([200, 1]);
      expectProblem(await get(`/v1/agents/${account.agent.id}/runs`, job.bearer), [403, "forbidden"]);
      for (const answer of await everyRoute(job.agentId, job.bearer)) {
        expectProblem(answer, [403, "forbidden"]);
        expect(answer.text).toContain("account's key");
      }
    });

    it("answers 401 without a credential, 403 for another account's agent, 404 for none", async () => {
      const stranger = await makeAccount(fixture);
      const ofOne = (id: string, bearer?: string) =>
        everyRoute(id, bearer).then((answers) => answers.slice(2));
      const list = (id: string, bearer?: string) =>
        api.send(`/v1/agents/${id}/runs`, bearer === undefined ? {} : { bearer });
      for (const answer of [...(await everyRoute(account.agent.id)), await list(account.agent.id)]) {
        expectProblem(answer, [401, "unauthorized"]);
      }
      const { id } = account.agent;
      for (const answer of [...(await ofOne(id, stranger.owner)), await list(id, stranger.owner)]) {
        expectProblem(answer, [403, "forbidden"]);
        expect(answer.text).not.toContain("helper");
      }
      const job = await jobsBearer();
      for (const answer of await ofOne(job.agentId, account.owner)) expectProblem(answer, [403, "forbidden"]);
      for (const none of [UNKNOWN, "no-uuid", "%00"]) {
        for (const answer of [...(await ofOne(none, account.owner)), await list(none, account.owner)]) {
          expectProblem(answer, [404, "not_found"]);
        }
      }
    });

    /** The account's routes, those of one agent last. */
    const everyRoute = async (id: string, bearer?: string): Promise<Answer[]> => {
      const as = bearer === undefined ? {} : { bearer };
      return [
        await api.send("/v1/agents", { ...as, method: "POST", json: { name: "a" } }),
        await api.send("/v1/agents", as),
        await api.send(`/v1/agents/${id}`, as),
        await api.send(`/v1/agents/${id}`, { ...as, method: "PATCH", json: {} }),
        await api.send(`/v1/agents/${id}/stop`, { ...as, method: "POST" }),
        await api.send(`/v1/agents/${id}/retire`, { ...as, method: "POST" }),
      ];
    };
  });
});

function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return { a: value };
}

function expectProblem(answer: Answer, [status, code]: readonly [number, string]): void {
  expect([answer.status, problemSchema.parse(answer.body).code], answer.text).toEqual([status, code]);
}
