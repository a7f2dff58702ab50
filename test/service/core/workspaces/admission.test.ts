// Whose new work in workspaces is taken, and what stays allowed to everybody: deletion, removal, cancellation.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { createClient } from "../../../../src/client/client.ts";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import { makeApiKey, openAccount } from "../../../../src/service/core/accounts/keys.ts";
import type { WorkspaceKeeping } from "../../../../src/service/core/workspaces/workspace-keeping.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";
import { call } from "../../../support/service-client.ts";

describe("new work in workspaces", () => {
  let core: CoreFixture;
  let api: HttpApi;
  let keeping: WorkspaceKeeping;

  beforeAll(async () => {
    core = await startFixture({ level: "core" });
    api = await openHttpApi(core);
    if (core.core.workspaces === null) throw new Error("There are no workspaces.");
    keeping = core.core.workspaces;
  });

  afterAll(() => api.close());

  const admit = (admission: Partial<WorkspaceKeeping["admission"]>) =>
    Object.assign(core.core, {
      workspaces: { ...keeping, admission: { ...keeping.admission, ...admission } },
    });

  /** A workspace with one of everything, made while everything was taken. */
  const fixture = async () => {
    admit({});
    const { id: accountId } = await openAccount(core.core, "subscribed");
    const { secret: bearer } = await makeApiKey(core.core, { accountId, callerClass: "owner", name: "k" });
    const owner = createClient({ baseUrl: api.url, credential: () => bearer });
    const { id: workspaceId, manager_agent_id: managerId } = await owner.workspaces.create({});
    const { id: agentId } = await owner.agents.create({ body: { name: "a" } });
    const { id: memberId } = await owner.members.add({ workspaceId, body: { agent_id: agentId } });
    const { id: itemId } = await owner.contextItems.create({ workspaceId, body: { content: "c" } });
    const later = { prompt: "p", delay_seconds: 3600 };
    const { id: scheduleId } = await owner.workspaceSchedules.create({ workspaceId, body: later });
    const workflowId = crypto.randomUUID();
    await owner.workspaceWorkflows.put({ workspaceId, workflowId, body: { name: "n", prompt: "p" } });
    const send = (method: string, path: string, json?: unknown) =>
      call(`${api.url}/v1${path}`, {
        method,
        bearer,
        headers: { "idempotency-key": crypto.randomUUID() },
        ...(json === undefined ? {} : { json }),
      });
    const ids = { workspaceId, managerId, agentId, memberId, itemId, scheduleId, workflowId };
    return { ...ids, accountId, owner, send };
  };

  const created = ({ workspaceId, agentId, workflowId }: Awaited<ReturnType<typeof fixture>>) => {
    const at = `/workspaces/${workspaceId}`;
    const later = { prompt: "p", delay_seconds: 60 };
    return [
      ["POST", "/workspaces", {}],
      ["POST", `${at}/members`, { agent_id: agentId }],
      ["POST", `${at}/threads`, {}],
      ["POST", `${at}/runs`, { message: "hello" }],
      ["POST", `${at}/context-items`, { content: "c" }],
      ["POST", `${at}/schedules`, later],
      ["PUT", `${at}/workflows/${workflowId}`, { name: "n", prompt: "q" }],
      ["POST", `/workflows/${workflowId}/executions`, {}],
      ["POST", `${at}/copies`, {}],
    ] as const;
  };

  it.each([
    ["WORKSPACES is off", { takesWork: false }],
    ["WORKSPACE_ACCOUNTS names others", { accounts: ["01890000-0000-7000-8000-000000000001"] }],
  ])("is refused where %s, and what cleans up is not", async (_name, admission) => {
    const made = await fixture();
    const { owner, send, workspaceId, managerId, agentId, memberId, itemId, scheduleId, workflowId } = made;
    admit(admission);
    for (const [method, path, json] of created(made)) {
      const answer = await send(method, path, json);
      const { code } = problemSchema.parse(answer.body);
      expect([method, path, answer.status, code]).toEqual([method, path, 403, "workspaces_not_admitted"]);
    }
    expect((await owner.workspaces.get({ workspaceId })).manager_agent_id).toBe(managerId);
    for (const list of [owner.members, owner.threads, owner.contextItems, owner.workspaceRuns])
      expect((await list.list({ workspaceId })).next_cursor).toBe("");
    const at = `/workspaces/${workspaceId}`;
    expect((await send("PATCH", at, { manager_agent_id: agentId })).status).toBe(200);
    expect((await send("PATCH", at, { manager_agent_id: managerId })).status).toBe(200);
    for (const path of [
      `members/${memberId}`,
      `context-items/${itemId}`,
      `schedules/${scheduleId}`,
      `workflows/${workflowId}`,
    ]) {
      const answer = await send("DELETE", `${at}/${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
    }
    expect((await send("DELETE", at)).status).toBe(202);
  });

  it("is taken of the accounts that WORKSPACE_ACCOUNTS names", async () => {
    const made = await fixture();
    admit({ accounts: [made.accountId] });
    expect((await made.send("POST", "/workspaces", {})).status).toBe(201);
  });

  it("is taken without files where WORKSPACE_FILES is off", async () => {
    const made = await fixture();
    admit({ takesFiles: false });
    const at = `/workspaces/${made.workspaceId}`;
    expect((await made.send("POST", `${at}/threads`, {})).status).toBe(201);
    const write = await made.send("PUT", `${at}/files/write`, { path: "a", content: "b" });
    expect([write.status, problemSchema.parse(write.body).code]).toEqual([403, "workspaces_not_admitted"]);
    expect((await made.send("DELETE", at)).status).toBe(202);
  });

  it("closes every way to files where WORKSPACE_FILES is off, links made before too, and opens them again", async () => {
    const made = await fixture();
    const { owner, send, workspaceId } = made;
    const at = `/workspaces/${workspaceId}`;
    const write = { path: "a.txt", content: "one" };
    expect((await send("PUT", `${at}/files/write`, write)).status).toBe(201);
    for (const start of [
      () => owner.copies.checkpoint({ workspaceId, body: { message: "m" } }),
      () => owner.copies.create({ workspaceId, body: {} }),
    ]) {
      const { id: operationId } = await start();
      const ended = async () => (await owner.operations.get({ workspaceId, operationId })).status;
      await expect.poll(ended).toBe("succeeded");
    }
    const { items } = await owner.copies.list({ workspaceId });
    const revisions = (await owner.revisions.list({ workspaceId })).items;
    const revision = revisions.find(({ message }) => message.startsWith("m"))?.id ?? "";
    const copy = items.find(({ is_canonical: isCanonical }) => !isCanonical)?.id ?? "";
    const link = await send("POST", `${at}/files/download-url`, { path: "a.txt" });
    const { url } = z.object({ url: z.string() }).parse(link.body);
    const reads = ["list", "stat?path=a.txt", "read?path=a.txt", "download?path=a.txt"];
    const ways = [
      ...["files", `copies/${copy}/files`, `revisions/${revision}/files`].flatMap((files) =>
        reads.map((read) => ["GET", `${at}/${files}/${read}`] as const),
      ),
      ["GET", `${at}/revisions/${revision}/bundle`],
      ["GET", new URL(url).pathname.replace(/^\/v1/, "")],
      ["POST", `${at}/files/download-url`, { path: "a.txt" }],
      ["PUT", `${at}/files/write`, write],
      ["POST", `${at}/files/delete`, { path: "a.txt" }],
      ["POST", `${at}/files/restore`, { path: "a.txt" }],
      ["POST", `${at}/files/empty-trash`, {}],
    ] as const;
    const statuses = async () =>
      await Promise.all(
        ways.slice(0, 14).map(async ([method, path]) => [path, (await send(method, path)).status]),
      );
    const open = ways.slice(0, 14).map(([, path]) => [path, 200]);
    expect(await statuses()).toEqual(open);
    admit({ takesFiles: false });
    for (const [method, path, json] of ways) {
      const answer = await send(method, path, json);
      const code = answer.status === 403 ? problemSchema.parse(answer.body).code : null;
      expect([method, path, answer.status, code]).toEqual([method, path, 403, "workspaces_not_admitted"]);
    }
    expect((await owner.revisions.list({ workspaceId })).items).toEqual(revisions);
    admit({});
    expect(await statuses()).toEqual(open);
  });

  it("is another gate than that of files, which are served where WORKSPACES is off", async () => {
    const { send, workspaceId } = await fixture();
    const at = `/workspaces/${workspaceId}`;
    admit({ takesWork: false });
    expect((await send("PUT", `${at}/files/write`, { path: "a.txt", content: "one" })).status).toBe(201);
    expect((await send("GET", `${at}/files/read?path=a.txt`)).status).toBe(200);
    expect((await send("POST", `${at}/files/delete`, { path: "a.txt" })).status).toBe(200);
  });
});
