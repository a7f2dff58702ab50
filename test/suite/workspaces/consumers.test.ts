// What reads the accepted files of a workspace: its schedules, its workflows and its site.

import { expect, it } from "vitest";
import type { Client } from "../../../src/client/client.ts";
import { scheduleSchema } from "../../../src/contract/schedules/schedule.ts";
import { expectProblem, onEveryDeployment, readToEnd, UNKNOWN } from "../every-deployment.ts";

onEveryDeployment("consumers of workspaces", (service) => {
  const fixture = async () => {
    const account = await service().account();
    const workspace = await account.owner.workspaces.create({ body: { name: "w" } });
    return { ...account, workspaceId: workspace.id, managerId: workspace.manager_agent_id };
  };
  const later = { prompt: "hello", delay_seconds: 3600 };
  const runOf = async (client: Client, workspaceId: string): Promise<string> => {
    for (;;) {
      const [run] = (await client.workspaceRuns.list({ workspaceId })).items;
      if (run !== undefined) return run.id;
    }
  };

  it("fire a schedule as a run of the workspace, in a session of its own there", async () => {
    const { owner, workspaceId, managerId } = await fixture();
    const body = { prompt: "hello", delay_seconds: 1 };
    const schedule = await owner.workspaceSchedules.create({ workspaceId, body });
    expect(schedule).toMatchObject({ workspace_id: workspaceId, agent_id: managerId, status: "pending" });
    const runId = await runOf(owner, workspaceId);
    await readToEnd(owner, runId);
    const run = await owner.runs.get({ agentId: managerId, runId });
    expect(run).toMatchObject({ workspace_id: workspaceId, origin: "schedule" });
    expect((await owner.threads.list({ workspaceId })).items.map(({ id }) => id)).toEqual([run.thread_id]);
    const { items } = await owner.workspaceSchedules.list({ workspaceId });
    expect(items.map(({ id }) => id)).toEqual([schedule.id]);
    expect(items[0]).toHaveProperty("last_fired_at");
  });

  it("hold what an AI client schedules until the owner confirms it", async () => {
    const { owner, ai, aiKey, workspaceId, managerId: agentId } = await fixture();
    const { id: scheduleId } = await ai.workspaceSchedules.create({ workspaceId, body: later });
    const waiting = await owner.workspaceSchedules.get({ workspaceId, scheduleId });
    expect(waiting).toMatchObject({ status: "awaiting_confirmation", workspace_id: workspaceId });
    const path = `/v1/agents/${agentId}/schedules/${scheduleId}/confirm`;
    expectProblem(await service().call(path, { method: "POST", bearer: aiKey }), [403, "owner_needed"]);
    await owner.schedules.confirm({ agentId, scheduleId });
    expect(await ai.workspaceSchedules.cancel({ workspaceId, scheduleId })).toMatchObject({
      status: "cancelled",
    });
    const again = `/v1/workspaces/${workspaceId}/schedules/${scheduleId}`;
    expectProblem(await service().call(again, { method: "DELETE", bearer: aiKey }), [404, "not_found"]);
  });

  it("make a schedule once by its key, and find it in its workspace alone", async () => {
    const { owner, ownerKey: bearer, workspaceId } = await fixture();
    const create = (json: unknown) =>
      service().call(`/v1/workspaces/${workspaceId}/schedules`, {
        method: "POST",
        bearer,
        json,
        headers: { "idempotency-key": "key" },
      });
    const first = await create(later);
    expect(first.status, first.text).toBe(201);
    expect((await create(later)).body).toEqual(first.body);
    expectProblem(await create({ ...later, prompt: "x" }), [422, "idempotency_key_reused"]);
    const { id } = scheduleSchema.parse(first.body);
    const other = await owner.workspaces.create({});
    const elsewhere = await service().call(`/v1/workspaces/${other.id}/schedules/${id}`, { bearer });
    expectProblem(elsewhere, [404, "not_found"]);
    const foreign = { ...later, session_id: UNKNOWN };
    const inSession = await service().call(`/v1/workspaces/${workspaceId}/schedules`, {
      method: "POST",
      bearer,
      json: foreign,
    });
    expectProblem(inSession, [404, "not_found"]);
  });

  it("end with the member that they are of", async () => {
    const { owner, workspaceId, managerId } = await fixture();
    const { id: scheduleId } = await owner.workspaceSchedules.create({ workspaceId, body: later });
    const workflowId = crypto.randomUUID();
    const body = { name: "n", prompt: "p" };
    await owner.workspaceWorkflows.put({ workspaceId, workflowId, body });
    await owner.workflows.activate({ id: workflowId });
    const next = await owner.agents.create({ body: { name: "next" } });
    await owner.workspaces.update({ workspaceId, body: { manager_agent_id: next.id } });
    const { items } = await owner.members.list({ workspaceId });
    const memberId = items.find(({ agent_id }) => agent_id === managerId)?.id ?? "";
    await owner.members.remove({ workspaceId, memberId });
    expect(await owner.workspaceSchedules.get({ workspaceId, scheduleId })).toMatchObject({
      status: "cancelled",
    });
    const [workflow] = (await owner.workspaceWorkflows.list({ workspaceId })).items;
    expect(workflow).toMatchObject({ id: workflowId, active_version: null, agent_id: managerId });
    expect(await owner.workspaceWorkflows.put({ workspaceId, workflowId, body })).toMatchObject({
      agent_id: next.id,
      version: 1,
      active_version: null,
    });
  });

  it("write a workflow in versions, which the owner activates and whose runs are the workspace's", async () => {
    const { owner, ai, aiKey, workspaceId, managerId } = await fixture();
    const workflowId = crypto.randomUUID();
    const put = (client: Client, prompt: string) =>
      client.workspaceWorkflows.put({ workspaceId, workflowId, body: { name: "report", prompt } });
    expect(await put(ai, "one")).toMatchObject({
      id: workflowId,
      workspace_id: workspaceId,
      agent_id: managerId,
      version: 1,
      active_version: null,
    });
    expect((await put(ai, "one")).version).toBe(1);
    expect((await put(ai, "two")).version).toBe(2);
    const path = `/v1/workflows/${workflowId}`;
    const activate = await service().call(`${path}/activate`, { method: "POST", bearer: aiKey, json: {} });
    expectProblem(activate, [403, "owner_needed"]);
    await owner.workflows.activate({ id: workflowId, body: { version: 1 } });
    const executed = await service().call(`${path}/executions`, { method: "POST", bearer: aiKey, json: {} });
    expect(executed.status, executed.text).toBe(202);
    const runId = await runOf(owner, workspaceId);
    expect(executed.body).toMatchObject({ run_id: runId, version: 1 });
    await readToEnd(owner, runId);
    expect((await owner.workspaceWorkflows.list({ workspaceId })).items).toMatchObject([
      { id: workflowId, version: 2, active_version: 1 },
    ]);
    expect(await ai.workspaceWorkflows.delete({ workspaceId, workflowId })).toMatchObject({ id: workflowId });
    expect((await owner.workspaceWorkflows.list({ workspaceId })).items).toEqual([]);
    const gone = await service().call(`${path}/executions`, { method: "POST", bearer: aiKey, json: {} });
    expectProblem(gone, [404, "not_found"]);
  });

  it("refuse an id of a workflow that is none, or another workspace's", async () => {
    const { owner, ownerKey: bearer, workspaceId } = await fixture();
    const put = (id: string) =>
      service().call(`/v1/workspaces/${workspaceId}/workflows/${id}`, {
        method: "PUT",
        bearer,
        json: { name: "n", prompt: "p" },
      });
    expectProblem(await put("report"), [400, "invalid_request"]);
    const other = await owner.workspaces.create({});
    const workflowId = crypto.randomUUID();
    const body = { name: "n", prompt: "p" };
    await owner.workspaceWorkflows.put({ workspaceId: other.id, workflowId, body });
    expectProblem(await put(workflowId), [404, "not_found"]);
  });

  it("receive no e-mail", async () => {
    const { ownerKey: bearer, workspaceId } = await fixture();
    const path = `/v1/workspaces/${workspaceId}/inbound-email`;
    expectProblem(await service().call(path, { bearer }), [404, "inbound_email_off"]);
  });

  it("show a site for its owner alone, of an account that somebody has signed in to", async () => {
    const { owner, ownerKey, aiKey, workspaceId } = await fixture();
    const path = `/v1/workspaces/${workspaceId}/site`;
    const put = (bearer: string, json: unknown) => service().call(path, { method: "PUT", bearer, json });
    expectProblem(await put(aiKey, {}), [403, "owner_needed"]);
    expectProblem(await put(ownerKey, {}), [403, "site_unclaimed"]);
    expectProblem(await put(ownerKey, { revision_id: null }), [404, "not_found"]);
    expectProblem(await service().call(path, { bearer: ownerKey }), [404, "not_found"]);
    const opened = await service().call(`${path}/open`, { method: "POST", bearer: aiKey, json: {} });
    expectProblem(opened, [404, "not_found"]);
    expect((await owner.workspaces.get({ workspaceId })).id).toBe(workspaceId);
  });

  it("publish a site once somebody has signed in with a key, until nobody is", async () => {
    const { ownerKey, aiKey, workspaceId } = await fixture();
    const put = (bearer: string, json: unknown = {}) =>
      service().call(`/v1/workspaces/${workspaceId}/site`, { method: "PUT", bearer, json });
    expectProblem(await put(ownerKey), [403, "site_unclaimed"]);
    const page = { "sec-fetch-site": "same-origin" };
    const form = { key: ownerKey, to: "/" };
    const signedIn = await service().call("/sign-in", { method: "POST", form, headers: page });
    expect(signedIn.status).toBe(303);
    expectProblem(await put(aiKey), [403, "owner_needed"]);
    const published = await put(ownerKey);
    expect(published.status, published.text).toBe(200);
    const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const signOut = { method: "POST", form: {}, headers: { ...page, cookie } };
    expect((await service().call("/sign-out", signOut)).status).toBe(303);
    expectProblem(await put(ownerKey), [403, "site_unclaimed"]);
    const taken = await Promise.all(Array.from({ length: 12 }, () => put(ownerKey, { revision_id: null })));
    const [shown, ...refused] = taken.toSorted((one, other) => one.status - other.status);
    expect(shown?.status).toBe(200);
    expect(shown?.body).toEqual(published.body);
    for (const answer of refused) expectProblem(answer, [404, "not_found"]);
  });
});
