// Parked runs by MCP: what a client is told of them, and the tools that continue them.

import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StopReason } from "../../../../src/contract/runs/run.ts";
import { runResultSchema } from "../../../../src/service/api/mcp/run-result.ts";
import { grantCredits } from "../../../../src/service/core/accounts/keys.ts";
import { putWorkflow } from "../../../../src/service/core/workflows/workflows.ts";
import { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { askRaw, bodyOf, openMcpClient, takesTasks, textOf, wires } from "../../../support/mcp/mcp-client.ts";
import { askPeople, type Parking, parkingOf } from "../../../support/parking.ts";
import { say } from "../../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";
import { sqliteStore } from "../../../support/stores/stores.ts";

type ShownRun = { readonly id: string; readonly parked?: { readonly since: string; readonly until: string } };

describe.each(wires)("parked runs by %s", (wire) => {
  let parking: Parking;
  let fixture: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;
  let client: Client;

  beforeAll(async () => {
    parking = await parkingOf(async (task, { continued, told }) => {
      const asked = task.messages.at(-1)?.content ?? "";
      if (continued === 0 && asked === "question") return await askPeople(task, "Which one?");
      await say(task, continued === 0 ? "Not done yet." : `Done: ${told ?? "nothing was said"}.`);
      return { stopReason: continued === 0 ? (asked as StopReason) : "end_turn" };
    });
    fixture = await CoreFixture.start({ store: sqliteStore, ...parking });
    fixture.executor.start();
    api = await openHttpApi(fixture);
    account = await makeAccount(fixture, "subscribed");
    await grantCredits(fixture.core, { accountId: account.id, credits: 100_000 });
    client = await openMcpClient(api.url, { bearer: account.owner, wire });
  });

  afterAll(async () => {
    await client.close();
    await api.close();
    await parking.remove();
  });

  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const answer = await client.callTool({ name, arguments: args });
    const structured = bodyOf(answer);
    return { structured, text: textOf(answer), isError: answer.isError ?? false };
  };
  const invoke = (message: string) => call("invoke_agent", { agent: "helper", message });
  const runOf = (structured: Record<string, unknown>) => structured.run as ShownRun;

  it("say that a run waits for an answer, and give it to the same run", async () => {
    const asked = await invoke("question");
    expect(runResultSchema.safeParse(asked.structured).success).toBe(true);
    expect(asked.structured).toMatchObject({
      run: { status: "running", parked: { reason: "question" } },
      question: { question: "Which one?", choices: ["the first", "the second"] },
      next: "answer_question",
    });
    const { id, parked } = runOf(asked.structured);
    expect(asked.text).toContain("parked (question)");
    expect(asked.text).toContain(`call answer_question with run_id ${id}`);
    expect(asked.text).toContain(`it ends by itself on ${parked?.until.slice(0, 10)}`);
    expect(asked.text).not.toContain("It ended with a question");
    expect((await call("list_runs", { agent: "helper" })).text).toContain(
      `${id}: parked (question), session`,
    );
    expect((await call("get_run_result", { run_id: id })).structured).toMatchObject({
      next: "answer_question",
    });
    const { questions } = (await call("list_questions")).structured as { questions: unknown };
    expect(questions).toMatchObject([{ run_id: id, question: "Which one?", asked_at: parked?.since }]);

    const answer = { run_id: id, answer: "the first", asked_at: parked?.since };
    for (const answered of [await call("answer_question", answer), await call("answer_question", answer)]) {
      expect(answered.isError, answered.text).toBe(false);
      expect(answered.structured).toMatchObject({
        run: { id, status: "completed", stop_reason: "end_turn" },
        reply: "Done: the first.",
      });
      expect(answered.structured).not.toHaveProperty("next");
      expect(answered.structured).not.toHaveProperty("question");
    }
    const other = await call("answer_question", { ...answer, answer: "the second" });
    expect([other.isError, other.structured.code]).toEqual([true, "question_answered"]);
    expect((await call("list_questions")).structured).toMatchObject({ questions: [] });
  });

  it("continue a run that has reached a limit, once it is raised", async () => {
    const stopped = await invoke("max_cost");
    expect(stopped.structured).toMatchObject({
      run: { status: "running", parked: { reason: "max_cost" } },
      reply: "Not done yet.",
      next: "resume_run",
    });
    const { id } = runOf(stopped.structured);
    expect(stopped.text).toContain("Raise the run's limit of cost");
    expect(stopped.text).toContain(`call resume_run with run_id ${id}`);
    const missing = await call("resume_run", { run_id: id });
    expect([missing.isError, missing.structured.code]).toEqual([true, "run_needs_more"]);
    expect(missing.text).toContain("max_cost_usd");
    const resumed = await call("resume_run", { run_id: id, max_cost_usd: 5, message: "be brief" });
    expect(resumed.isError, resumed.text).toBe(false);
    expect(resumed.structured).toMatchObject({
      run: { id, status: "completed" },
      reply: "Done: be brief.",
    });
    const again = await call("resume_run", { run_id: id, max_cost_usd: 6 });
    expect([again.isError, again.structured.code]).toEqual([true, "run_finished"]);
  });

  it("park executed workflows, too, and continue nothing of another account", async () => {
    const written = await putWorkflow(fixture.core, {
      agentId: account.agent.id,
      id: null,
      name: `turns-${wire}`,
      prompt: "max_turns",
    });
    if (!written.ok) throw new Error(written.refusal.reason);
    const { id: workflow_id } = written.value;
    const now = fixture.clock.now();
    await fixture.store.transact((tx) => tx.workflows.activate({ id: workflow_id, version: 1, now }));
    const executed = await call("execute_workflow", { workflow_id });
    expect(executed.structured).toMatchObject({
      run: { parked: { reason: "max_turns" } },
      workflow_version: 1,
      next: "resume_run",
    });
    const { id } = runOf(executed.structured);
    const other = await makeAccount(fixture);
    const stranger = await openMcpClient(api.url, { bearer: other.owner, wire });
    for (const [name, args] of [
      ["resume_run", { run_id: id }],
      ["answer_question", { run_id: id, answer: "the first" }],
    ] as const) {
      const answer = await stranger.callTool({ name, arguments: args });
      expect([name, answer.isError, bodyOf(answer)]).toMatchObject([name, true, { code: "forbidden" }]);
    }
    await stranger.close();
    expect((await fixture.run(id)).parked).toBeDefined();
    expect((await call("resume_run", { run_id: id })).structured).toMatchObject({
      run: { id, status: "completed" },
      reply: "Done: nothing was said.",
    });
  });

  it("end as ever for a client that follows runs as tasks", async () => {
    const request = {
      bearer: account.owner,
      method: "tools/call",
      params: { name: "invoke_agent", arguments: { agent: "helper", message: "question" } },
      capabilities: takesTasks,
    };
    const { taskId } = await askRaw(api.url, request);
    expect(await fixture.ended(String(taskId))).toMatchObject({
      status: "completed",
      stopReason: "question",
    });
  });
});
