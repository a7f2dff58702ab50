// /v1/workflows/{id}/activate and /executions, for both caller classes.

import { expect, it } from "vitest";
import { expectProblem, onEveryDeployment, readToEnd, replyOf, UNKNOWN } from "./every-deployment.ts";

onEveryDeployment("workflows", (service) => {
  const accountWithWorkflow = async () => {
    const account = await service().accountWithAgent();
    const workflow = await service().putWorkflow({ agentId: account.agentId, prompt: "Look." });
    const post = (
      bearer: string | undefined,
      verb: "activate" | "executions",
      json?: unknown,
      key?: string,
    ) =>
      service().call(`/v1/workflows/${workflow.id}/${verb}`, {
        method: "POST",
        ...(bearer === undefined ? {} : { bearer }),
        ...(json === undefined ? {} : { json }),
        ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
      });
    return { ...account, workflow, post };
  };

  it("run the version that the owner activated, whatever is written later", async () => {
    const { owner, ai, agentId, workflow } = await accountWithWorkflow();
    const activated = await owner.workflows.activate({ id: workflow.id });
    expect(activated).toMatchObject({ id: workflow.id, agent_id: agentId, version: 1, active_version: 1 });
    expect(Date.parse(activated.updated_at)).toBeGreaterThan(Date.parse(activated.created_at));
    await service().putWorkflow({ agentId, id: workflow.id, prompt: "Delete all." });
    const executed = await ai.workflows.execute({ id: workflow.id, body: { input: "Only 7." } });
    expect(executed.version).toBe(1);
    expect(replyOf(await readToEnd(owner, executed.run_id))).toBe("You said: Look.\n\nOnly 7.");
    const run = await owner.runs.get({ agentId, runId: executed.run_id });
    expect([run.status, run.thread_id]).toEqual(["completed", executed.session_id]);
    expect(await owner.workflows.activate({ id: workflow.id, body: { version: 2 } })).toMatchObject({
      version: 2,
      active_version: 2,
    });
    expect((await ai.workflows.execute({ id: workflow.id })).version).toBe(2);
  });

  it("are the owner's alone to run while none is active, and to activate", async () => {
    const { owner, aiKey, ownerKey, agentId, workflow, post } = await accountWithWorkflow();
    for (const verb of ["executions", "activate"] as const) {
      const refused = await post(aiKey, verb);
      expectProblem(refused, [403, "owner_needed"]);
      expect(refused.text).toContain(`/agent/${agentId}?workflow=${workflow.id}`);
    }
    const executed = await post(ownerKey, "executions");
    expect(executed.status).toBe(202);
    expect((await owner.runs.list({ agentId })).length).toBe(1);
  });

  it("have no version beyond the newest, and no fields that nobody knows", async () => {
    const { ownerKey, post } = await accountWithWorkflow();
    expectProblem(await post(ownerKey, "activate", { version: 2 }), [404, "not_found"]);
    for (const json of [{ version: 0 }, { verison: 1 }]) {
      expectProblem(await post(ownerKey, "activate", json), [400, "invalid_request"]);
    }
    expectProblem(await post(ownerKey, "executions", { input: "" }), [400, "invalid_request"]);
  });

  it("start one run for one idempotency key", async () => {
    const { ownerKey, owner, agentId, post } = await accountWithWorkflow();
    const first = await post(ownerKey, "executions", { input: "a" }, "nightly");
    expect((await post(ownerKey, "executions", { input: "a" }, "nightly")).body).toEqual(first.body);
    const other = await post(ownerKey, "executions", { input: "b" }, "nightly");
    expectProblem(other, [422, "idempotency_key_reused"]);
    expect(await owner.runs.list({ agentId })).toHaveLength(1);
  });

  it("give the first run and its version again when another version was activated since, and say so", async () => {
    const { ownerKey, owner, agentId, workflow, post } = await accountWithWorkflow();
    const first = await post(ownerKey, "executions", { input: "a" }, "nightly");
    expect(first.headers.get("x-svc-idempotent-replay")).toBeNull();
    expect(first.body).toMatchObject({ version: 1, run_id: first.headers.get("x-svc-run-id") });
    await service().putWorkflow({ agentId, id: workflow.id, prompt: "Look again." });
    await owner.workflows.activate({ id: workflow.id });
    const again = await post(ownerKey, "executions", { input: "a" }, "nightly");
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(again.headers.get("x-svc-idempotent-replay")).toBe("true");
    const other = await service().putWorkflow({ agentId, prompt: "Look." });
    const elsewhere = await service().call(`/v1/workflows/${other.id}/executions`, {
      method: "POST",
      bearer: ownerKey,
      json: { input: "a" },
      headers: { "idempotency-key": "nightly" },
    });
    expectProblem(elsewhere, [422, "idempotency_key_reused"]);
  });

  it("are their account's alone", async () => {
    const { ownerKey, post } = await accountWithWorkflow();
    const [stranger, job] = [await service().account(), await service().job()];
    for (const verb of ["activate", "executions"] as const) {
      expectProblem(await post(undefined, verb), [401, "unauthorized"]);
      expectProblem(await post(stranger.ownerKey, verb), [403, "forbidden"]);
      expectProblem(await post(job.bearer, verb), [403, "forbidden"]);
      const nowhere = `/v1/workflows/${UNKNOWN}/${verb}`;
      const answer = await service().call(nowhere, { method: "POST", bearer: ownerKey });
      expectProblem(answer, [404, "not_found"]);
    }
  });
});
