// The agents that work in a workspace and the one that manages it: rules 2 and 14, and what stays allowed.

import { expect, it } from "vitest";
import type { Client } from "../../../src/client/client.ts";
import { expectProblem, onEveryDeployment, UNKNOWN } from "../every-deployment.ts";

onEveryDeployment("members of workspaces", (service) => {
  const independent = async (client: Client, name: string) =>
    (await client.agents.create({ body: { name, kind: "independent" } })).id;
  /** An account with a workspace, its manager and another agent. */
  const fixture = async () => {
    const account = await service().accountWithAgent();
    const { owner, agentId } = account;
    const workspace = await owner.workspaces.create({ body: { name: "w" } });
    return { ...account, agentId, workspaceId: workspace.id, managerId: workspace.manager_agent_id };
  };
  const managerOf = async (client: Client, workspaceId: string) =>
    (await client.workspaces.get({ workspaceId })).manager_agent_id;

  it("are the manager at first, and whoever is added, once", async () => {
    const { owner, ai, agentId, workspaceId, managerId } = await fixture();
    const added = await ai.members.add({ workspaceId, body: { agent_id: agentId } });
    expect(added).toMatchObject({ workspace_id: workspaceId, agent_id: agentId, role: "worker" });
    expect(await owner.members.add({ workspaceId, body: { agent_id: agentId } })).toEqual(added);
    const { items, next_cursor } = await owner.members.list({ workspaceId });
    expect(next_cursor).toBe("");
    expect(items.map(({ agent_id, role }) => [agent_id, role])).toEqual([
      [agentId, "worker"],
      [managerId, "manager"],
    ]);
    const first = await owner.members.list({ workspaceId, query: { limit: 1 } });
    const second = await owner.members.list({ workspaceId, query: { limit: 1, cursor: first.next_cursor } });
    expect([...first.items, ...second.items]).toEqual(items);
    expect(second.next_cursor).toBe("");
  });

  it("are agents of the account that take work", async () => {
    const { owner, ownerKey: bearer, agentId, workspaceId } = await fixture();
    const add = async (agent_id: string) =>
      await service().call(`/v1/workspaces/${workspaceId}/members`, {
        method: "POST",
        bearer,
        json: { agent_id },
      });
    expectProblem(await add(UNKNOWN), [404, "not_found"]);
    expectProblem(await add((await service().accountWithAgent()).agentId), [403, "forbidden"]);
    expectProblem(await add("x"), [400, "invalid_request"]);
    await owner.agents.retire({ agentId });
    expectProblem(await add(agentId), [409, "agent_ending"]);
    expect((await owner.members.list({ workspaceId })).items).toHaveLength(1);
  });

  it("rule 14: keep their manager when it is to be taken out or retired, until there is another one", async () => {
    const { owner, ai, ownerKey, aiKey, agentId, workspaceId, managerId } = await fixture();
    const other = await owner.workspaces.create({ body: { default_manager_agent_id: managerId } });
    const { items } = await owner.members.list({ workspaceId });
    const memberId = items[0]?.id ?? "";
    for (const bearer of [ownerKey, aiKey]) {
      const retired = await service().call(`/v1/agents/${managerId}/retire`, { method: "POST", bearer });
      expectProblem(retired, [409, "workspace_manager_in_use"]);
      expect(retired.body).toMatchObject({ workspace_ids: [workspaceId, other.id] });
      const removed = await service().call(`/v1/workspaces/${workspaceId}/members/${memberId}`, {
        method: "DELETE",
        bearer,
      });
      expectProblem(removed, [409, "workspace_manager_in_use"]);
      expect(removed.body).toMatchObject({ workspace_ids: [workspaceId] });
    }
    expect(await owner.agents.get({ agentId: managerId })).not.toHaveProperty("retired_at");
    // Stop preserves the agent.
    expect(await owner.agents.stop({ agentId: managerId })).toMatchObject({ id: managerId });

    await ai.workspaces.update({ workspaceId, body: { manager_agent_id: agentId } });
    expect(await managerOf(owner, workspaceId)).toBe(agentId);
    expect(await owner.members.remove({ workspaceId, memberId })).toMatchObject({
      id: memberId,
      role: "worker",
    });
    await owner.workspaces.update({ workspaceId: other.id, body: { manager_agent_id: agentId } });
    expect(await owner.agents.retire({ agentId: managerId })).toHaveProperty("retired_at");
    expect((await owner.members.list({ workspaceId })).items.map(({ agent_id }) => agent_id)).toEqual([
      agentId,
    ]);
  });

  it("rule 14: a retired agent manages no workspace, whichever of the two is first", async () => {
    const { owner, ownerKey: bearer, agentId, workspaceId, managerId } = await fixture();
    const [retired, changed] = await Promise.all([
      service().call(`/v1/agents/${agentId}/retire`, { method: "POST", bearer }),
      service().call(`/v1/workspaces/${workspaceId}`, {
        method: "PATCH",
        bearer,
        json: { manager_agent_id: agentId },
      }),
    ]);
    expect([retired.status, changed.status].sort()).toEqual([200, 409]);
    const isRetired = (await owner.agents.get({ agentId })).retired_at !== undefined;
    expect(await managerOf(owner, workspaceId)).toBe(isRetired ? managerId : agentId);
    expect(retired.status).toBe(isRetired ? 200 : 409);
  });

  it("take another manager by its role, and the one before stays", async () => {
    const { owner, agentId, workspaceId, managerId } = await fixture();
    const body = { agent_id: agentId, role: "manager" as const };
    expect(await owner.members.add({ workspaceId, body })).toMatchObject({ role: "manager" });
    const { items } = await owner.members.list({ workspaceId });
    expect(items.map(({ agent_id, role }) => [agent_id, role])).toEqual([
      [agentId, "manager"],
      [managerId, "worker"],
    ]);
  });

  it("are not taken out of a workspace that they are no members of", async () => {
    const { owner, ownerKey: bearer, agentId, workspaceId } = await fixture();
    const { id: elsewhere } = await owner.workspaces.create({});
    const { id } = await owner.members.add({ workspaceId: elsewhere, body: { agent_id: agentId } });
    const remove = (memberId: string) =>
      service().call(`/v1/workspaces/${workspaceId}/members/${memberId}`, { method: "DELETE", bearer });
    expectProblem(await remove(id), [404, "not_found"]);
    expectProblem(await remove(UNKNOWN), [404, "not_found"]);
    expect((await owner.members.list({ workspaceId: elsewhere })).items).toHaveLength(2);
  });

  it("find their workspace: first the one that they manage", async () => {
    const { owner, ownerKey: bearer, agentId, workspaceId, managerId } = await fixture();
    const of = (id: string) => service().call(`/v1/workspaces/by-agent/${id}`, { bearer });
    expectProblem(await of(agentId), [404, "not_found"]);
    await owner.members.add({ workspaceId, body: { agent_id: agentId } });
    expect(await owner.workspaces.getByAgent({ agentId })).toMatchObject({ id: workspaceId, also_in: [] });
    const managed = await owner.workspaces.create({ body: { default_manager_agent_id: agentId } });
    expect(await owner.workspaces.getByAgent({ agentId })).toEqual({ ...managed, also_in: [workspaceId] });
    expect(await owner.workspaces.getByAgent({ agentId: managerId })).toMatchObject({ id: workspaceId });
    expectProblem(await of(UNKNOWN), [404, "not_found"]);
    expectProblem(await of((await fixture()).managerId), [403, "forbidden"]);
  });

  it("stay as they are when a workspace is renamed, and null is no manager", async () => {
    const { owner, ownerKey: bearer, workspaceId, managerId } = await fixture();
    const change = (json: unknown) =>
      service().call(`/v1/workspaces/${workspaceId}`, { method: "PATCH", bearer, json });
    const renamed = await owner.workspaces.update({ workspaceId, body: { name: "x", metadata: { a: 1 } } });
    expect(renamed).toMatchObject({ name: "x", metadata: { a: 1 }, manager_agent_id: managerId });
    expect(await owner.workspaces.get({ workspaceId })).toEqual(renamed);
    expectProblem(await change({ manager_agent_id: null }), [400, "invalid_workspace_manager"]);
    expectProblem(await change({ name: "" }), [400, "invalid_request"]);
    expectProblem(await change({ owner: "me" }), [400, "invalid_request"]);
    expect(await owner.workspaces.update({ workspaceId, body: {} })).toEqual(renamed);
  });

  it("are independent agents made with a key that is not empty", async () => {
    const { owner, ownerKey: bearer } = await fixture();
    const make = (headers: Record<string, string>) =>
      service().call("/v1/agents", {
        method: "POST",
        bearer,
        json: { name: "i", kind: "independent" },
        headers,
      });
    expectProblem(await make({}), [400, "invalid_request"]);
    expectProblem(await make({ "idempotency-key": "" }), [400, "invalid_request"]);
    expect(await owner.agents.get({ agentId: await independent(owner, "i") })).toMatchObject({
      kind: "independent",
    });
  });
});
