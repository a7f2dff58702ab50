// What a workspace's runs are given, its sessions, its runs and what they cost.

import { expect, it } from "vitest";
import { MAX_CONTEXT_ITEM_BYTES } from "../../../src/contract/workspaces/context-items.ts";
import type { OperationView } from "../../../src/contract/workspaces/operations.ts";
import { expectProblem, onEveryDeployment, readToEnd, UNKNOWN } from "../every-deployment.ts";

function copyIdOf(operation: OperationView): string {
  const id = operation.status === "succeeded" ? operation.result.working_copy_id : undefined;
  if (id === undefined) throw new Error("There is no copy.");
  return id;
}

onEveryDeployment("work in workspaces", (service) => {
  const fixture = async () => {
    const account = await service().accountWithAgent();
    const workspace = await account.owner.workspaces.create({ body: { name: "w" } });
    return { ...account, workspaceId: workspace.id, managerId: workspace.manager_agent_id };
  };
  const post = (path: string, bearer: string, json: unknown, key?: string) =>
    service().call(`/v1/workspaces/${path}`, {
      method: "POST",
      bearer,
      json,
      headers: key === undefined ? {} : { "idempotency-key": key },
    });

  it("rule 2: is the manager's, or that of the member that the run names", async () => {
    const { owner, ownerKey, agentId, workspaceId, managerId } = await fixture();
    const submit = (json: unknown) => post(`${workspaceId}/runs`, ownerKey, json);
    expectProblem(await submit({ message: "hello", executor_agent_id: agentId }), [400, "invalid_request"]);
    const { id: memberId } = await owner.members.add({ workspaceId, body: { agent_id: agentId } });
    const body = { message: "hello" };
    const first = await owner.workspaceRuns.submit({ workspaceId, body });
    const named = { ...body, executor_agent_id: agentId };
    const second = await owner.workspaceRuns.submit({ workspaceId, body: named });
    for (const { run_id: runId } of [first, second]) await readToEnd(owner, runId);
    const { items } = await owner.workspaceRuns.list({ workspaceId });
    expect(items.map(({ id, agent_id, workspace_id }) => [id, agent_id, workspace_id])).toEqual([
      [second.run_id, agentId, workspaceId],
      [first.run_id, managerId, workspaceId],
    ]);
    expect(items[0]).not.toHaveProperty("copy_id");
    const run = await owner.runs.get({ agentId, runId: second.run_id });
    expect(run).toEqual(items[0]);
    expect(await owner.runs.list({ agentId })).toEqual([run]);
    await owner.members.remove({ workspaceId, memberId });
    expectProblem(await submit(named), [400, "invalid_request"]);
  });

  it("rule 2: a worker needs a copy beside its task group", async () => {
    const { ownerKey, workspaceId } = await fixture();
    const json = { message: "hello", task_group_id: UNKNOWN };
    expectProblem(await post(`${workspaceId}/runs`, ownerKey, json), [400, "invalid_request"]);
  });

  it("is queued once by its key", async () => {
    const { owner, ownerKey, workspaceId } = await fixture();
    const submit = (message: string) => post(`${workspaceId}/runs`, ownerKey, { message }, "key");
    const first = await submit("hello");
    expect(first.status, first.text).toBe(202);
    const again = await submit("hello");
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(again.headers.get("x-svc-idempotent-replay")).toBe("true");
    expectProblem(await submit("other"), [422, "idempotency_key_reused"]);
    expect((await owner.workspaceRuns.list({ workspaceId })).items).toHaveLength(1);
    const other = await owner.workspaces.create({
      body: { default_manager_agent_id: (await owner.workspaces.get({ workspaceId })).manager_agent_id },
    });
    const elsewhere = await post(`${other.id}/runs`, ownerKey, { message: "hello" }, "key");
    expectProblem(elsewhere, [422, "idempotency_key_reused"]);
  });

  it("rule 8: is refused in a copy that a run has, and in the canonical one", async () => {
    const { owner, ownerKey, workspaceId } = await fixture();
    const copyId = copyIdOf(await owner.copies.create({ workspaceId }));
    const body = { message: "wait", working_copy_id: copyId };
    const { run_id: runId } = await owner.workspaceRuns.submit({ workspaceId, body });
    const held = await post(`${workspaceId}/runs`, ownerKey, body);
    expectProblem(held, [409, "copy_held"]);
    expect(held.body).toMatchObject({ run_id: runId });
    const { items } = await owner.workspaceRuns.list({ workspaceId, query: { working_copy_id: copyId } });
    expect(items.map(({ id, copy_id }) => [id, copy_id])).toEqual([[runId, copyId]]);
    const unknown = { ...body, working_copy_id: UNKNOWN };
    expectProblem(await post(`${workspaceId}/runs`, ownerKey, unknown), [404, "not_found"]);
    const [canonical] = await service().query(
      `select canonical_copy_id as id from workspaces where id = '${workspaceId}'`,
    );
    const inCanonical = { ...body, working_copy_id: canonical?.id };
    expectProblem(await post(`${workspaceId}/runs`, ownerKey, inCanonical), [400, "invalid_request"]);
  });

  it("has sessions, which its runs continue", async () => {
    const { owner, ai, ownerKey, agentId, workspaceId, managerId } = await fixture();
    const thread = await ai.threads.create({ workspaceId, body: { title: "Plan" } });
    expect(thread).toMatchObject({ workspace_id: workspaceId, agent_id: managerId, title: "Plan" });
    const body = { message: "hello", session_id: thread.id };
    const run = await owner.workspaceRuns.submit({ workspaceId, body });
    expect(run.session_id).toBe(thread.id);
    await readToEnd(owner, run.run_id);
    const begun = await owner.workspaceRuns.submit({ workspaceId, body: { message: "hello" } });
    await readToEnd(owner, begun.run_id);
    const { items } = await owner.threads.list({ workspaceId });
    expect(items.map(({ id, title }) => [id, title])).toEqual([
      [begun.session_id, null],
      [thread.id, "Plan"],
    ]);
    // A session of the manager that is none of this workspace.
    const { sessionId } = await owner.runs.submit({ agentId: managerId, body: { message: "hello" } });
    const foreign = { message: "hello", session_id: sessionId };
    expectProblem(await post(`${workspaceId}/runs`, ownerKey, foreign), [404, "not_found"]);
    const ofOther = { title: "x", agent_id: agentId };
    expectProblem(await post(`${workspaceId}/threads`, ownerKey, ofOther), [400, "invalid_request"]);
  });

  it("rule 7: begins a session once by a key in the header or the body, of which the header wins", async () => {
    const { owner, ownerKey, workspaceId } = await fixture();
    const create = (title: string, idempotency_key: string, header?: string) =>
      post(`${workspaceId}/threads`, ownerKey, { title, idempotency_key }, header);
    const first = await create("a", "one");
    expect(first.status, first.text).toBe(201);
    expect((await create("a", "two", "one")).body).toEqual(first.body);
    expectProblem(await create("b", "one"), [422, "idempotency_key_reused"]);
    expect((await create("b", "one", "two")).status).toBe(201);
    expect((await owner.threads.list({ workspaceId })).items).toHaveLength(2);
  });

  it("is given context items, within bounds", async () => {
    const { owner, ai, ownerKey, workspaceId } = await fixture();
    const text = await ai.contextItems.create({ workspaceId, body: { content: "Be brief." } });
    expect(text).toMatchObject({ kind: "text", title: "Context", content: "Be brief." });
    const file = await owner.contextItems.create({ workspaceId, body: { kind: "file", content: "a/b.md" } });
    expect(file.title).toBe("a/b.md");
    expect((await owner.contextItems.list({ workspaceId })).items).toEqual([file, text]);
    const create = (json: unknown) => post(`${workspaceId}/context-items`, ownerKey, json);
    expectProblem(await create({ kind: "file", content: "../b" }), [400, "path_invalid"]);
    expectProblem(await create({ kind: "url", content: "javascript:alert(1)" }), [400, "invalid_request"]);
    expectProblem(await create({ content: "" }), [400, "invalid_request"]);
    expect((await create({ kind: "url", content: "https://example.com/a" })).status).toBe(201);
    const large = await create({ content: "é".repeat(MAX_CONTEXT_ITEM_BYTES / 2 + 1) });
    expectProblem(large, [413, "file_too_large"]);
    expect(large.body).toMatchObject({ cap_bytes: MAX_CONTEXT_ITEM_BYTES });
    const most = { content: "x".repeat(MAX_CONTEXT_ITEM_BYTES) };
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => create(most)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 413, 413]);
    expect(await owner.contextItems.delete({ workspaceId, contextItemId: text.id })).toEqual(text);
    const again = await service().call(`/v1/workspaces/${workspaceId}/context-items/${text.id}`, {
      method: "DELETE",
      bearer: ownerKey,
    });
    expectProblem(again, [404, "not_found"]);
  });

  it("rule 7: makes a context item once by a key in the header or the body, of which the header wins", async () => {
    const { owner, ownerKey, workspaceId } = await fixture();
    const create = (content: string, idempotency_key: string, header?: string) =>
      post(`${workspaceId}/context-items`, ownerKey, { content, idempotency_key }, header);
    const first = await create("a", "one");
    expect((await create("a", "two", "one")).body).toEqual(first.body);
    expectProblem(await create("b", "one"), [422, "idempotency_key_reused"]);
    expect((await owner.contextItems.list({ workspaceId })).items).toHaveLength(1);
  });

  it("deletes a context item once, of requests that come at once", async () => {
    const { owner, ownerKey, workspaceId } = await fixture();
    const { id } = await owner.contextItems.create({ workspaceId, body: { content: "a" } });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        service().call(`/v1/workspaces/${workspaceId}/context-items/${id}`, {
          method: "DELETE",
          bearer: ownerKey,
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 404)]);
  });

  it("costs what its runs cost, by role and by agent, as far back as it is asked", async () => {
    const { owner, workspaceId, managerId } = await fixture();
    expect(await owner.workspaces.costs({ workspaceId })).toEqual({
      credits: 0,
      gross_micro_usd: 0,
      refunded_micro_usd: 0,
      tokens: 0,
      runs: 0,
      by_role: {},
      by_agent: [],
      since: null,
      until: null,
    });
    const { run_id: runId } = await owner.workspaceRuns.submit({ workspaceId, body: { message: "hello" } });
    await readToEnd(owner, runId);
    const run = await owner.runs.get({ agentId: managerId, runId });
    const costs = await owner.workspaces.costs({ workspaceId });
    if (run.status !== "completed") throw new Error(`The run is ${run.status}.`);
    expect(costs).toMatchObject({ credits: run.credits, gross_micro_usd: run.gross_micro_usd, runs: 1 });
    expect(costs.by_agent).toMatchObject([{ agent_id: managerId, credits: run.credits, runs: 1 }]);
    expect(Object.keys(costs.by_role)).toEqual(Object.keys(run.usage_by_role ?? {}));
    const since = "2099-01-01T00:00:00Z";
    expect(await owner.workspaces.costs({ workspaceId, query: { since } })).toMatchObject({
      runs: 0,
      credits: 0,
      since: "2099-01-01T00:00:00.000Z",
    });
    expect(await owner.workspaces.costs({ workspaceId, query: { until: since } })).toMatchObject({ runs: 1 });
  });
});
