// DELETE /v1/agents/{agentID}, which rule 14 of the specification presupposes: the agent and what it stored go, its runs end.
// Decision: docs/decisions/120-agents-are-deleted.md

import { expect, it } from "vitest";
import { expectProblem, onEveryDeployment, readToEnd, UNKNOWN } from "./every-deployment.ts";

const LATER = 3_600;

onEveryDeployment("an agent's deletion", (service) => {
  const remove = async (agentId: string, bearer: string | null) =>
    await service().call(`/v1/agents/${agentId}`, {
      method: "DELETE",
      ...(bearer === null ? {} : { bearer }),
    });

  it("is the owner's act alone: of an agent that there is, and of nobody else's", async () => {
    const { owner, ownerKey, aiKey, agentId } = await service().accountWithAgent();
    const refused = await remove(agentId, aiKey);
    expectProblem(refused, [403, "owner_needed"]);
    expect((refused.body as { error: string }).error).toContain(`/agent/${agentId}`);
    expectProblem(await remove(agentId, null), [401, "unauthorized"]);
    expectProblem(await remove(agentId, (await service().account()).ownerKey), [403, "forbidden"]);
    expectProblem(await remove(UNKNOWN, ownerKey), [404, "not_found"]);
    expect((await owner.agents.get({ agentId })).id).toBe(agentId);
  });

  it("is answered 204 once, and 404 from then on, on every path of the agent", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    expect([(await remove(agentId, ownerKey)).status, (await remove(agentId, ownerKey)).status]).toEqual([
      204, 404,
    ]);
    expect(await owner.agents.list()).toEqual([]);
    for (const path of ["", "/runs", "/schedules"]) {
      expectProblem(await service().call(`/v1/agents/${agentId}${path}`, { bearer: ownerKey }), [
        404,
        "not_found",
      ]);
    }
    for (const path of ["/runs", "/stop", "/retire", "/schedules"]) {
      const json = path === "/runs" ? { message: "x" } : { prompt: "x", delay_seconds: LATER };
      const answer = await service().call(`/v1/agents/${agentId}${path}`, {
        method: "POST",
        bearer: ownerKey,
        ...(path === "/stop" || path === "/retire" ? {} : { json }),
      });
      expectProblem(answer, [404, "not_found"]);
    }
  });

  it("is one, of many at once", async () => {
    const { ownerKey, agentId } = await service().accountWithAgent();
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(agentId, ownerKey)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404, 404, 404]);
  });

  it("frees the agent's name and the key that it was made with", async () => {
    const { owner, ownerKey } = await service().account();
    const make = () =>
      owner.agents.create({ body: { name: "once", if_exists: "return" }, idempotencyKey: "made" });
    const first = await make();
    expect((await remove(first.id, ownerKey)).status).toBe(204);
    const second = await make();
    expect(second.id).not.toBe(first.id);
    expect(second).not.toHaveProperty("existing");
  });

  it("ends its runs as cancelled, cause agent_deleted, and their record stays with the account", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => owner.runs.submit({ agentId, body: { message: "wait" } })),
    );
    const finished = await owner.runs.submit({ agentId, body: { message: "hello" } });
    await readToEnd(owner, finished.runId);
    expect((await remove(agentId, ownerKey)).status).toBe(204);
    for (const { runId } of runs) {
      await readToEnd(owner, runId);
      const { run } = await owner.ci.readRun({ runId });
      expect(run).toMatchObject({ status: "cancelled", cause: "agent_deleted", agent_id: agentId });
    }
    expect((await owner.ci.readRun({ runId: finished.runId })).run.status).toBe("completed");
    const foreign = (await service().account()).ownerKey;
    const read = await service().call(`/v1/ci/runs/${finished.runId}`, { bearer: foreign });
    expectProblem(read, [403, "forbidden"]);
  });

  it("leaves no run in flight of those that are submitted meanwhile, on any node", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const submitted: string[] = [];
    const submit = async () => {
      const answer = await service().call(`/v1/agents/${agentId}/runs`, {
        method: "POST",
        bearer: ownerKey,
        json: { message: "wait" },
      });
      if (answer.status === 202) submitted.push((answer.body as { run_id: string }).run_id);
      else expect([404, 429]).toContain(answer.status);
    };
    await Promise.all(
      Array.from({ length: 24 }, async (_, index) =>
        index === 12 ? expect((await remove(agentId, ownerKey)).status).toBe(204) : await submit(),
      ),
    );
    for (const runId of submitted) {
      await readToEnd(owner, runId);
      const { run } = await owner.ci.readRun({ runId });
      expect(run).toMatchObject({ status: "cancelled", cause: "agent_deleted" });
    }
  });

  it("cancels its schedules, and what is confirmed meanwhile is not found or refused", async () => {
    const { ai, ownerKey, agentId } = await service().accountWithAgent();
    const schedule = { prompt: "x", delay_seconds: LATER };
    const waiting = await ai.schedules.create({ agentId, body: schedule });
    const confirm = () =>
      service().call(`/v1/agents/${agentId}/schedules/${waiting.id}/confirm`, {
        method: "POST",
        bearer: ownerKey,
      });
    const answers = await Promise.all([confirm(), remove(agentId, ownerKey), confirm()]);
    expect(answers[1]?.status).toBe(204);
    for (const answer of [answers[0], answers[2]]) expect([200, 404, 409]).toContain(answer?.status);
    expectProblem(await confirm(), [404, "not_found"]);
  });

  it("rule 14: is refused to the manager of a workspace, which stays when another one was chosen", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const workspace = await owner.workspaces.create({ body: { name: "w" } });
    const { id: workspaceId, manager_agent_id: managerId } = workspace;
    const refused = await remove(managerId, ownerKey);
    expectProblem(refused, [409, "workspace_manager_in_use"]);
    expect(refused.body).toMatchObject({ workspace_ids: [workspaceId] });
    await owner.workspaces.update({ workspaceId, body: { manager_agent_id: agentId } });
    const run = await owner.workspaceRuns.submit({
      workspaceId,
      body: { message: "wait", executor_agent_id: managerId },
    });
    expect((await remove(managerId, ownerKey)).status).toBe(204);
    await readToEnd(owner, run.run_id);
    expect((await owner.ci.readRun({ runId: run.run_id })).run).toMatchObject({ cause: "agent_deleted" });
    const { items } = await owner.members.list({ workspaceId });
    expect(items.map(({ agent_id }) => agent_id)).toEqual([agentId]);
    expect((await owner.workspaces.get({ workspaceId })).manager_agent_id).toBe(agentId);
    expect((await owner.workspaceRuns.list({ workspaceId })).items.map(({ id }) => id)).toContain(run.run_id);
  });
});
