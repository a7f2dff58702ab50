// The MCP server of two API nodes on one PostgreSQL, with two workers: what a client begins on one it ends on the other.

import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestKey, operateOn, type TestKey } from "../../support/account-key.ts";
import type { NodesFixture } from "../../support/fixtures/nodes-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { askRaw, openMcpClient, takesTasks } from "../../support/mcp/mcp-client.ts";
import { call } from "../../support/service-client.ts";

describe("MCP on two nodes", { tags: ["postgres"] }, () => {
  let nodes: NodesFixture;
  let key: TestKey;
  let urls: readonly string[];
  let first: Client;
  let second: Client;

  beforeAll(async () => {
    nodes = await startFixture({ level: "nodes" });
    key = await makeTestKey(nodes.place, { owner: { plan: "subscribed" } });
    await operateOn(nodes.place, (operator) =>
      operator.grant({ accountId: key.accountId, credits: 100_000 }),
    );
    urls = nodes.apis.map(({ url }) => url);
    [first, second] = (await Promise.all(urls.map((url) => openMcpClient(url, { bearer: key.secret })))) as [
      Client,
      Client,
    ];
    await first.callTool({ name: "create_agent", arguments: { name: "helper" } });
  }, 60_000);

  afterAll(async () => {
    await first.close();
    await second.close();
    await nodes.close();
  });

  const invoke = async (message: string, waitSeconds: number) => {
    const args = { agent: "helper", message, wait_seconds: waitSeconds };
    const answer = await first.callTool({ name: "invoke_agent", arguments: args });
    const structured = answer.structuredContent as { run: { id: string; status: string } };
    return { answer, run: structured.run };
  };
  const get = (runId: string, waitSeconds: number) =>
    second.callTool({ name: "get_run_result", arguments: { run_id: runId, wait_seconds: waitSeconds } });

  it("asks an agent through one node, whose run a third executes", async () => {
    const { run } = await invoke("hello", 45);
    expect(run.status).toBe("completed");
  });

  it("waits on one node for what another cancels", async () => {
    const { run } = await invoke("wait", 0);
    const waiting = get(run.id, 45);
    await first.callTool({ name: "cancel_run", arguments: { run_id: run.id } });
    expect((await waiting).structuredContent).toMatchObject({ run: { id: run.id, status: "cancelled" } });
  });

  it("tells of a task on the node that did not make it", async () => {
    const [one = "", other = ""] = urls;
    const asked = { bearer: key.secret, capabilities: takesTasks };
    const params = { name: "invoke_agent", arguments: { agent: "helper", message: "wait" } };
    const { taskId } = await askRaw(one, { ...asked, method: "tools/call", params });
    const task = await askRaw(other, { ...asked, method: "tasks/get", params: { taskId } });
    expect(task).toMatchObject({ taskId, status: "working" });
    expect(await askRaw(other, { ...asked, method: "tasks/cancel", params: { taskId } })).toMatchObject({
      resultType: "complete",
    });
    await get(String(taskId), 45);
    expect(await askRaw(one, { ...asked, method: "tasks/get", params: { taskId } })).toMatchObject({
      status: "cancelled",
    });
  });

  it("shows a schedule on one node that the owner has confirmed on another", async () => {
    const args = { agent: "helper", prompt: "later", delay_seconds: 3_600 };
    const made = await first.callTool({ name: "create_schedule", arguments: args });
    const { id, agent_id } = made.structuredContent as { id: string; agent_id: string };
    const path = `/v1/agents/${agent_id}/schedules/${id}/confirm`;
    const confirmed = await call(`${urls[1]}${path}`, { method: "POST", bearer: key.secret });
    expect(confirmed.status).toBe(200);
    const listed = await second.callTool({ name: "list_schedules", arguments: { agent: "helper" } });
    expect(listed.structuredContent).toMatchObject({ schedules: [{ id, status: "pending" }] });
  });
});
