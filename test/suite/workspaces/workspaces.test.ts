// /v1/workspaces: made once by their key, with a manager, and read by their account alone.

import { expect, it } from "vitest";
import { workspaceSchema } from "../../../src/contract/workspaces/workspace/workspace.ts";
import { expectProblem, onEveryDeployment, UNKNOWN } from "../every-deployment.ts";

onEveryDeployment("workspaces", (service) => {
  const create = (bearer: string, json: unknown, key: string | null = crypto.randomUUID()) =>
    service().call("/v1/workspaces", {
      method: "POST",
      bearer,
      json,
      headers: key === null ? {} : { "idempotency-key": key },
    });

  it("rule 1: have a manager of their own where none is named, and start no run", async () => {
    const { owner, ownerKey } = await service().account();
    const answer = await create(ownerKey, { name: "site" });
    expect(answer.status, answer.text).toBe(201);
    const workspace = workspaceSchema.parse(answer.body);
    expect(workspace).toMatchObject({ name: "site", storage_state: "ready", metadata: {} });
    const agentId = workspace.manager_agent_id;
    const manager = await owner.agents.get({ agentId });
    expect(manager).toMatchObject({ kind: "independent", name: "site manager" });
    expect(await owner.runs.list({ agentId })).toEqual([]);
    expect(await owner.workspaces.get({ workspaceId: workspace.id })).toEqual(workspace);
  });

  it("rule 1: take an agent of the account as their manager", async () => {
    const { owner, ai, agentId } = await service().accountWithAgent();
    const metadata = { ticket: 7 };
    const workspace = await ai.workspaces.create({ body: { default_manager_agent_id: agentId, metadata } });
    expect(workspace).toMatchObject({ manager_agent_id: agentId, name: "workspace", metadata });
    expect((await owner.agents.list({ query: { include_independent: true } })).map(({ id }) => id)).toEqual([
      agentId,
    ]);
  });

  it("rule 1: take no null, and no agent that is another's, unknown or retired", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const of = async (id: unknown) => await create(ownerKey, { default_manager_agent_id: id });
    const refusal = await of(null);
    expectProblem(refusal, [400, "invalid_workspace_manager"]);
    expectProblem(await of("somebody"), [400, "invalid_request"]);
    expectProblem(await of(UNKNOWN), [404, "not_found"]);
    expectProblem(await of((await service().accountWithAgent()).agentId), [403, "forbidden"]);
    await owner.agents.retire({ agentId });
    expectProblem(await of(agentId), [409, "agent_ending"]);
    expect((await owner.workspaces.list()).items).toEqual([]);
  });

  it("rule 7: need a key that is not empty", async () => {
    const { owner, ownerKey } = await service().account();
    expectProblem(await create(ownerKey, { name: "a" }, null), [400, "invalid_request"]);
    expectProblem(await create(ownerKey, { name: "a" }, ""), [400, "invalid_request"]);
    expectProblem(await create(ownerKey, { name: "a" }, "k".repeat(256)), [400, "invalid_request"]);
    expect((await owner.workspaces.list()).items).toEqual([]);
  });

  it("rule 7: are made once by a key, which another request may not use", async () => {
    const { owner, ownerKey, id } = await service().account();
    const first = await create(ownerKey, { name: "a" }, "key");
    const again = await create(ownerKey, { name: "a" }, "key");
    expect([again.status, again.body]).toEqual([201, first.body]);
    expectProblem(await create(ownerKey, { name: "b" }, "key"), [422, "idempotency_key_reused"]);
    expect((await owner.workspaces.list()).items).toEqual([first.body]);
    expect(await service().query(`select 1 from agents where account_id = '${id}'`)).toHaveLength(1);
    const other = await service().account();
    expect((await create(other.ownerKey, { name: "a" }, "key")).status).toBe(201);
  });

  it("rule 7: are made once by requests that race", async () => {
    const { owner, ownerKey, id } = await service().account();
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => create(ownerKey, { name: "a" }, "race")));
    const made = answers.filter(({ status }) => status === 201);
    for (const answer of answers.filter((one) => !made.includes(one))) {
      expectProblem(answer, [409, "idempotency_key_in_flight"]);
      expect(answer.headers.get("retry-after")).toBe("2");
    }
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect((await owner.workspaces.list()).items).toHaveLength(1);
    expect(await service().query(`select 1 from agents where account_id = '${id}'`)).toHaveLength(1);
  });

  it("belong to one account, and are no matter of a job", async () => {
    const { owner } = await service().account();
    const { id } = await owner.workspaces.create({});
    const other = await service().account();
    const read = (bearer: string, workspaceId: string) =>
      service().call(`/v1/workspaces/${workspaceId}`, { bearer });
    expectProblem(await read(other.ownerKey, id), [403, "forbidden"]);
    expectProblem(await read(other.ownerKey, UNKNOWN), [404, "not_found"]);
    const job = await service().exchange(service().freshRepository());
    expectProblem(await create(job.access_token, {}), [403, "forbidden"]);
    expectProblem(await service().call(`/v1/workspaces/${id}`), [401, "unauthorized"]);
  });
});
