// /v1/agents: made once, listed, read, changed, stopped, retired.

import { expect, it } from "vitest";
import { agentSchema } from "../../src/contract/agents/agent.ts";
import type { Call } from "../support/service-client.ts";
import { expectProblem, onEveryDeployment, readToEnd, UNKNOWN } from "./every-deployment.ts";

onEveryDeployment("agents", (service) => {
  const create = (bearer: string, json: unknown, options: Call = {}) =>
    service().call("/v1/agents", { method: "POST", bearer, json, ...options });

  it("are the credential's account's, whatever the body says", async () => {
    const { id, ownerKey, ai } = await service().account();
    const answer = await create(ownerKey, { name: "reviewer", user_id: UNKNOWN, config: { tone: "dry" } });
    expect(answer.status).toBe(201);
    const agent = agentSchema.parse(answer.body);
    expect(agent).toMatchObject({ user_id: id, name: "reviewer", config: { tone: "dry" }, model: "noop" });
    expect(answer.body).not.toHaveProperty("existing");
    expect(await ai.agents.get({ agentId: agent.id })).toEqual(agent);
  });

  it("are one, of 50 requests at once that would return the one that is there", async () => {
    const { ownerKey, aiKey, owner } = await service().account();
    const request = { name: "reviewer", if_exists: "return" };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create(index % 2 === 0 ? ownerKey : aiKey, request)),
    );
    const [agent, ...others] = await owner.agents.list();
    expect(others).toEqual([]);
    const made = answers.filter(({ status }) => status === 201);
    expect(made.map(({ body }) => body)).toEqual([agent]);
    for (const { status, body } of answers.filter((answer) => answer !== made[0])) {
      expect([status, body]).toEqual([200, { ...agent, existing: true }]);
    }
  });

  it("are one, however often the client sends the same key", async () => {
    const { owner } = await service().account();
    const create = () => owner.agents.create({ body: { name: "once" }, idempotencyKey: "agent-key" });
    const made = await Promise.all(Array.from({ length: 5 }, create));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });

  it("are made anew by name where the request does not say otherwise", async () => {
    const { owner } = await service().account();
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await owner.agents.create({ body: { name: "same" } })).id),
    );
    expect(new Set(ids).size).toBe(5);
  });

  it("need a key to be independent, which makes one however often it is sent", async () => {
    const { ownerKey, owner } = await service().account();
    const request = { name: "member", kind: "independent" };
    expectProblem(await create(ownerKey, request), [400, "invalid_request"]);
    for (const key of ["", "k".repeat(256)]) {
      const answer = await create(ownerKey, request, { headers: { "idempotency-key": key } });
      expectProblem(answer, [400, "invalid_request"]);
    }
    const headers = { "idempotency-key": "k" };
    const first = await create(ownerKey, request, { headers });
    expect([first.status, (first.body as { kind: string }).kind]).toEqual([201, "independent"]);
    const again = await create(ownerKey, request, { headers });
    expect([again.status, again.body]).toEqual([200, { ...(first.body as object), existing: true }]);
    const other = await create(ownerKey, { ...request, name: "other" }, { headers });
    expectProblem(other, [422, "idempotency_key_reused"]);
    expect(await owner.agents.list()).toEqual([]);
    expect(await owner.agents.list({ query: { include_independent: true } })).toEqual([first.body]);
    const query = "/v1/agents?include_independent=maybe";
    expectProblem(await service().call(query, { bearer: ownerKey }), [400, "invalid_request"]);
  });

  it.each([
    ["no name", {}],
    ["an empty name", { name: "" }],
    ["a NUL in its name", { name: "a\0b" }],
    ["a config that is a list", { name: "a", config: [] }],
    ["a model that there is not", { name: "a", model: "none" }],
    ["another if_exists", { name: "a", if_exists: "replace" }],
    ["another kind", { name: "a", kind: "dependent" }],
  ])("are refused with %s", async (_name, json) => {
    const { ownerKey } = await service().account();
    expectProblem(await create(ownerKey, json), [400, "invalid_request"]);
  });

  it("are listed newest first, and no other account's", async () => {
    const { owner, ai } = await service().account();
    await (await service().account()).owner.agents.create({ body: { name: "foreign" } });
    const made: unknown[] = [];
    for (const name of ["a", "b", "c"]) made.unshift(await owner.agents.create({ body: { name } }));
    expect(await ai.agents.list()).toEqual(made);
  });

  it("change their advisor's cap, and nothing else", async () => {
    const { owner, ai, ownerKey, agentId } = await service().accountWithAgent();
    const plain = await owner.agents.get({ agentId });
    expect(plain).not.toHaveProperty("advisor_max_spend_micro_usd");
    for (const cap of [0, 250_000]) {
      const changed = await owner.agents.update({ agentId, body: { advisor_max_spend_micro_usd: cap } });
      expect(changed).toEqual({ ...plain, advisor_max_spend_micro_usd: cap });
      expect(await ai.agents.get({ agentId })).toEqual(changed);
    }
    expect(await ai.agents.update({ agentId, body: { advisor_max_spend_micro_usd: null } })).toEqual(plain);
    for (const json of [
      { advisor_max_spend_micro_usd: -1 },
      { advisor_max_spend_micro_usd: 0.5 },
      { advisor_max_spend_micro_usd: 2 ** 53 },
      { advisor_max_spend_micro_usd: "1" },
      { name: "other" },
      { advisor_max_spend_micro_usd: 1, name: "other" },
      [],
    ]) {
      const answer = await service().call(`/v1/agents/${agentId}`, {
        method: "PATCH",
        bearer: ownerKey,
        json,
      });
      expectProblem(answer, [400, "invalid_request"]);
    }
    expect(await owner.agents.get({ agentId })).toEqual(plain);
  });

  it("are stopped: what is in flight ends, and new work is taken", async () => {
    const { owner, ai, agentId } = await service().accountWithAgent();
    const { runId } = await owner.runs.submit({ agentId, body: { message: "wait" } });
    expect((await ai.agents.stop({ agentId })).id).toBe(agentId);
    await readToEnd(owner, runId);
    expect(await owner.runs.get({ agentId, runId })).toMatchObject({
      status: "cancelled",
      cause: "user_stop",
    });
    const later = await owner.runs.submit({ agentId, body: { message: "hello" } });
    await readToEnd(owner, later.runId);
    expect((await owner.runs.get({ agentId, runId: later.runId })).status).toBe("completed");
  });

  it("are retired for good, and stay to be read", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const agent = await owner.agents.get({ agentId });
    const retired = await owner.agents.retire({ agentId });
    expect(retired).toEqual({ ...agent, retired_at: expect.any(String) });
    expect(await owner.agents.retire({ agentId })).toEqual(retired);
    const refused = await service().call(`/v1/agents/${agentId}/runs`, {
      method: "POST",
      bearer: ownerKey,
      json: { message: "go" },
    });
    expectProblem(refused, [403, "forbidden"]);
    expect(await owner.agents.get({ agentId })).toEqual(retired);
  });

  it("are their account's alone: 401 without a credential, 403 for another's, 404 for none", async () => {
    const [mine, stranger] = [await service().accountWithAgent(), await service().account()];
    const job = await service().job();
    const everyRoute = (id: string, bearer?: string) => {
      const as = bearer === undefined ? {} : { bearer };
      const path = `/v1/agents/${id}`;
      return Promise.all([
        service().call(path, as),
        service().call(path, { ...as, method: "PATCH", json: {} }),
        service().call(`${path}/stop`, { ...as, method: "POST" }),
        service().call(`${path}/retire`, { ...as, method: "POST" }),
        service().call(`${path}/runs`, as),
        service().call(`${path}/schedules`, as),
      ]);
    };
    const refusals = [
      [await everyRoute(mine.agentId), 401, "unauthorized"],
      [await everyRoute(mine.agentId, stranger.ownerKey), 403, "forbidden"],
      [await everyRoute(mine.agentId, job.bearer), 403, "forbidden"],
      [await everyRoute(job.agentId, mine.ownerKey), 403, "forbidden"],
      [await everyRoute(UNKNOWN, mine.ownerKey), 404, "not_found"],
      [await everyRoute("%00", mine.ownerKey), 404, "not_found"],
    ] as const;
    for (const [answers, status, code] of refusals) {
      for (const answer of answers) expectProblem(answer, [status, code]);
    }
  });
});
