// Runs as tasks, and pages that a client opens for its user, as 2026-07-28 has them on the wire.

import { afterAll, beforeAll, expect, it } from "vitest";
import { grantCredits } from "../../../../src/service/core/accounts/keys.ts";
import { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { askRaw, takesTasks } from "../../../support/mcp/mcp-client.ts";
import { say, scriptedBackend, untilStopped } from "../../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const backend = scriptedBackend(async (task) => {
  const asked = task.messages.at(-1)?.content ?? "";
  await say(task, "At work.");
  if (asked === "fail") throw new Error("This backend fails.");
  await untilStopped(task);
});

onEveryStore((store) => {
  let fixture: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;

  beforeAll(async () => {
    fixture = await CoreFixture.start({ backend, store });
    fixture.executor.start();
    api = await openHttpApi(fixture);
    account = await makeAccount(fixture, "subscribed");
    await grantCredits(fixture.core, { accountId: account.id, credits: 100_000 });
  });

  afterAll(() => api.close());

  const ask = (method: string, params: Record<string, unknown>, capabilities = takesTasks) =>
    askRaw(api.url, { bearer: account.owner, method, params, capabilities });
  const invoke = (message: string) =>
    ask("tools/call", { name: "invoke_agent", arguments: { agent: "helper", message } });
  const ended = (taskId: string) => fixture.ended(taskId);

  it("are the runs that a call started, from its answer to their end", async () => {
    const task = await invoke("wait");
    expect(task).toMatchObject({ resultType: "task", status: "working", pollIntervalMs: 2_000 });
    expect(task.ttlMs).toBe(fixture.core.policy.keptMs);
    const taskId = String(task.taskId);
    expect(await fixture.run(taskId)).toMatchObject({ id: taskId, agentId: account.agent.id });
    await fixture.until(taskId, ({ lastSeq }) => lastSeq >= 4);
    expect(await ask("tasks/get", { taskId })).toMatchObject({
      resultType: "complete",
      taskId,
      status: "working",
      statusMessage: expect.any(String),
    });
    expect(await ask("tasks/update", { taskId, inputResponses: { nobody: {} } })).toMatchObject({
      resultType: "complete",
    });
    expect(await ask("tasks/cancel", { taskId })).toMatchObject({ resultType: "complete" });
    await ended(taskId);
    expect(await ask("tasks/get", { taskId })).toMatchObject({ taskId, status: "cancelled" });
    expect(await ask("tasks/cancel", { taskId })).toMatchObject({ resultType: "complete" });
  });

  it("are completed with an error where the run failed", async () => {
    const { taskId } = await invoke("fail");
    await ended(String(taskId));
    const task = await ask("tasks/get", { taskId });
    expect(task).toMatchObject({
      status: "completed",
      result: { isError: true, structuredContent: { run: { status: "failed" }, reply: "At work." } },
    });
  });

  it("are unknown to other accounts, and to clients without the extension", async () => {
    const { taskId } = await invoke("fail");
    const other = await makeAccount(fixture);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const asked = { bearer: other.owner, method, params: { taskId }, capabilities: takesTasks };
      expect(await askRaw(api.url, asked)).toMatchObject({ error: { code: -32602 } });
      const plain = await ask(method, { taskId }, {});
      expect(plain).toMatchObject({ status: 400, error: { code: -32021 } });
    }
  });

  it("are in the place of the page of a schedule for no client: a page is opened first", async () => {
    const args = { agent: "helper", prompt: "later", delay_seconds: 60 };
    const params = { name: "create_schedule", arguments: args };
    const opens = { elicitation: { url: {} } };
    const asked = await ask("tools/call", params, opens);
    expect(asked).toMatchObject({
      resultType: "input_required",
      inputRequests: { page: { method: "elicitation/create", params: { mode: "url" } } },
    });
    const requestState = String(asked.requestState);
    const again = { ...params, requestState, inputResponses: { page: { action: "accept" } } };
    expect(await ask("tools/call", again, opens)).toMatchObject({
      structuredContent: { id: requestState, status: "awaiting_confirmation" },
    });
    const listed = await ask("tools/call", { name: "list_schedules", arguments: { agent: "helper" } });
    expect(listed).toMatchObject({ structuredContent: { schedules: [{ id: requestState }] } });
    const forged = { ...again, requestState: "00000000-0000-4000-8000-000000000000" };
    expect(await ask("tools/call", forged, opens)).toMatchObject({ isError: true });
  });
});
