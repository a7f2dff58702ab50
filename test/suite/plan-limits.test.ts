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

  it("leave the manager that a workspace was made with out of the cap of agents; it is shown, and ends with the workspace", async () => {
    const { ownerKey, owner } = await service().account("registered_free");
    const agents = async () => await owner.agents.list({ query: { include_independent: true } });
    for (let round = 0; round < 4; round += 1) {
      const { id: workspaceId, manager_agent_id: managerId } = await owner.workspaces.create({});
      expect((await agents()).find(({ id }) => id === managerId)).toMatchObject({
        kind: "independent",
        workspace_id: workspaceId,
      });
      await owner.workspaces.delete({ workspaceId });
      const ended = (await agents()).find(({ id }) => id === managerId);
      expect(ended?.retired_at).toBeDefined();
      expect(ended?.workspace_id).toBeUndefined();
    }
    for (const name of ["a", "b"]) expect((await create(ownerKey, { name })).status).toBe(201);
    expectProblem(await create(ownerKey, { name: "c" }), [429, "agent_cap_reached"]);
    expect((await owner.workspaces.create({})).manager_agent_id).toBeDefined();
  });

  it("end the making of workspaces at the plan's cap, also for 10 at once, and a deleted one makes room", async () => {
    const { ownerKey, owner } = await service().account("registered_free");
    const make = async () =>
      await service().call("/v1/workspaces", {
        method: "POST",
        bearer: ownerKey,
        json: {},
        headers: { "idempotency-key": crypto.randomUUID() },
      });
    const answers = await Promise.all(Array.from({ length: 10 }, make));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectProblem(answer, [429, "workspace_cap_reached"]);
      expect(answer.headers.get("retry-after")).toBe("60");
    }
    const [first] = (await owner.workspaces.list({})).items;
    await owner.workspaces.delete({ workspaceId: first?.id ?? "" });
    expect((await make()).status).toBe(201);
  });

  it("keep an agent that manages a second workspace when its own is deleted", async () => {
    const { owner } = await service().account();
    const made = await owner.workspaces.create({});
    const agentId = made.manager_agent_id;
    await owner.workspaces.create({ body: { default_manager_agent_id: agentId } });
    await owner.workspaces.delete({ workspaceId: made.id });
    const kept = await owner.agents.get({ agentId });
    expect([kept.retired_at, kept.workspace_id]).toEqual([undefined, undefined]);
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
