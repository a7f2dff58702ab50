// What a plan allows: agents, models, runs at a time, and as many runs as there are credits.

import { expect, it } from "vitest";
import { problemSchema } from "../../src/contract/problems/problem.ts";
import { expectProblem, onEveryDeployment, readToEnd, untilAtWork } from "./every-deployment.ts";

onEveryDeployment("plan limits", (service) => {
  const create = (bearer: string, json: unknown) =>
    service().call("/v1/agents", { method: "POST", bearer, json });
  const submit = (bearer: string, agentId: string) =>
    service().call(`/v1/agents/${agentId}/runs`, { method: "POST", bearer, json: { message: "hello" } });

  it("end the making of agents at the plan's cap, also for 10 at once", async () => {
    const { ownerKey, owner } = await service().account("registered_free");
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => create(ownerKey, { name: `agent-${index}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectProblem(answer, [429, "agent_cap_reached"]);
      expect(answer.headers.get("retry-after")).toBe("60");
    }
    const [agent] = await owner.agents.list();
    const again = await create(ownerKey, { name: agent?.name, if_exists: "return" });
    expect([again.status, again.body]).toEqual([200, { ...agent, existing: true }]);
    await owner.agents.retire({ agentId: agent?.id ?? "" });
    expect((await create(ownerKey, { name: "next" })).status).toBe(201);
  });

  it("keep dear models from the free plan", async () => {
    const free = await service().account("registered_free");
    expectProblem(await create(free.ownerKey, { name: "a", model: "deep" }), [403, "plan_forbids_model"]);
    expect((await create(free.ownerKey, { name: "a", model: "swift" })).status).toBe(201);
    const billingAccount = await service().account();
    expect((await create(billingAccount.ownerKey, { name: "a", model: "deep" })).body).toMatchObject({
      model: "deep",
    });
  });

  it("count runs in flight over all agents of the account", async () => {
    const { ownerKey, owner, agentId } = await service().accountWithAgent("registered_free");
    const { id: second } = await owner.agents.create({ body: { name: "second" } });
    const { runId } = await owner.runs.submit({ agentId, body: { message: "wait" } });
    await untilAtWork(owner, runId);
    for (const id of [agentId, second]) {
      const refused = await submit(ownerKey, id);
      expectProblem(refused, [429, "concurrency_reached"]);
      expect(refused.headers.get("retry-after")).toBe("10");
    }
    await owner.runs.cancel({ agentId, runId });
    await readToEnd(owner, runId);
    expect((await submit(ownerKey, second)).status).toBe(202);
  });

  it("let one of many runs at once through where one may be in flight", async () => {
    const { ownerKey, owner, agentId } = await service().accountWithAgent("registered_free");
    const wait = { method: "POST", bearer: ownerKey, json: { message: "wait" } };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => service().call(`/v1/agents/${agentId}/runs`, wait)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      202,
      ...Array.from({ length: 7 }, () => 429),
    ]);
    await owner.agents.stop({ agentId });
  });

  it("answer 402 when the credits have ended, until there are more", async () => {
    const { id, ownerKey, owner, agentId } = await service().accountWithAgent("registered_free");
    for (let credits = 3; credits > 0; credits -= 1) {
      expect((await owner.credits.get({ userId: id })).balance).toBe(credits);
      const { runId } = await owner.runs.submit({ agentId, body: { message: "hello" } });
      await readToEnd(owner, runId);
    }
    const refused = await submit(ownerKey, agentId);
    expectProblem(refused, [402, "insufficient_credits"]);
    expect(problemSchema.parse(refused.body).audience).toBe("registered_free");
    expect((await service().operate("credits", "grant", "1", "--account", id)).code).toBe(0);
    expect((await submit(ownerKey, agentId)).status).toBe(202);
  });
});
