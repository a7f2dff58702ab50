// Every tool of the service used once and refused once, by a client that holds each answer to the tool's output schema: the
// list does not have the schemas, so that the client is given them.

import type { CallToolResult, Client, Transport } from "@modelcontextprotocol/client";
import { expect } from "vitest";
import { toSingleSchema } from "../../../src/contract/openapi/json-schema.ts";
import { describeTools } from "../../../src/service/api/mcp/reach-tools.ts";
import { tools } from "../../../src/service/api/mcp/tool-table.ts";
import type { Backend, BackendOutcome } from "../../../src/service/executor/backend.ts";
import { say, scriptedBackend } from "../scripted-backend.ts";
import { bodyOf, textOf } from "./mcp-client.ts";

const NOBODY = "00000000-0000-4000-8000-000000000000";
const schemas = new Map(
  [...tools, describeTools].map(({ listing, output }) => [
    listing.name,
    { ...toSingleSchema(output), type: "object" },
  ]),
);

/** Puts the output schemas into the lists that the transport of a connected client receives. */
export function withOutputSchemas(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if ("result" in message && Array.isArray(message.result.tools)) {
      for (const tool of message.result.tools) Object.assign(tool, { outputSchema: schemas.get(tool.name) });
    }
    onmessage?.(message, extra);
  };
}

const scripted = scriptedBackend(async (task) => {
  if (task.messages.at(-1)?.content !== "ask") return await say(task, "Done.");
  await task.emit({ type: "CUSTOM", name: "question", value: { question: "Which one?", choices: ["a"] } });
});

/** Says that it is done, or asks. */
export const everyToolBackend: Backend = {
  ...scripted,
  needsCheckout: false,
  run: async (task): Promise<BackendOutcome> => {
    if (scripted.needsCheckout) throw new TypeError("The scripted backend needs no checkout.");
    const outcome = await scripted.run(task, null);
    return task.messages.at(-1)?.content === "ask" ? { stopReason: "question" } : outcome;
  },
};

/** Uses every tool, each with what another has answered. Only the owner accepts, no run is parked, and none has kept its turns: those tools are refused. */
export async function useEveryTool(
  client: Client,
  { workflowId, key }: { readonly workflowId: string; readonly key: string },
): Promise<void> {
  await client.listTools();
  const used = new Set<string>();
  const use = async (name: string, args: object = {}): Promise<Record<string, string>> => {
    used.add(name);
    const answer = await client.callTool({ name, arguments: { ...args } });
    expect(answer.isError ?? false, `${name}: ${textOf(answer)}`).toBe(false);
    expect(answer.structuredContent, name).toBeDefined();
    return answer.structuredContent as Record<string, string>;
  };
  const agent = "helper";
  await use("list_agents");
  await use("get_agent", { agent });
  await use("create_agent", { name: key });
  const { run } = (await use("invoke_agent", { agent, message: "ask" })) as { run?: unknown };
  const { id: run_id } = run as { id: string };
  await use("get_run_result", { run_id });
  await use("list_runs", { agent });
  used.add("resume_run");
  const resumed = await client.callTool({ name: "resume_run", arguments: { run_id } });
  expect(bodyOf(resumed)).toMatchObject({ code: "run_finished" });
  used.add("fork_run");
  const forked = await client.callTool({ name: "fork_run", arguments: { run_id, turn: 1 } });
  expect(bodyOf(forked)).toMatchObject({ code: "turn_not_kept" });
  await use("cancel_run", { run_id });
  const { id: schedule_id } = await use("create_schedule", { agent, prompt: "later", delay_seconds: 60 });
  await use("list_schedules", { agent });
  await use("cancel_schedule", { agent, schedule_id });
  await use("list_workflows", { agent });
  await use("execute_workflow", { workflow_id: workflowId });
  await use("get_credits");
  await use("get_pricing");
  await use("list_questions", { agent });
  await use("answer_question", { run_id, answer: "a" });
  await use("list_approvals");
  await use("list_workspaces");
  const { id: workspace_id } = await use("create_workspace", { name: key, idempotency_key: key });
  await use("get_workspace", { workspace_id });
  const { id: copy_id } = await use("create_copy", { workspace_id });
  const place = { workspace_id, copy_id };
  const files = ["a.txt", "b.txt"].map((path) => ({ path, content: "text\n" }));
  await use("write_files", { ...place, files });
  await use("list_files", place);
  await use("read_file", { ...place, path: "a.txt" });
  await use("delete_file", { ...place, path: "b.txt" });
  await use("checkpoint", place);
  await use("list_revisions", { workspace_id });
  const changeset = await use("create_changeset", { ...place, title: "Text" });
  const address = { workspace_id, changeset_id: changeset.id };
  await use("get_changeset", address);
  used.add("accept_changeset");
  const { compared_revision_id: expected_current_revision } = changeset;
  const accepting = { ...address, expected_current_revision, validation_evidence: "I read it." };
  const asked = await client.callTool({ name: "accept_changeset", arguments: accepting });
  const { approve_url } = bodyOf(asked);
  await use("deny_approval", { approval_id: String(approve_url).slice(-NOBODY.length) });
  await use("reject_changeset", address);
  const { id: task_group_id } = await use("create_task_group", { workspace_id, name: "Work" });
  const { id: worker_id } = await use("start_worker", { workspace_id, task_group_id, message: "Work." });
  await use("get_worker", { workspace_id, worker_id, wait_seconds: 0 });
  await use("get_task_group", { task_group_id });
  await use("stop_task_group", { task_group_id });
  await use("delete_copy", place);
  expect([...used].sort()).toEqual(tools.map(({ listing }) => listing.name).sort());
}

/** Calls every tool with an argument that it does not know, and with ids that nobody has. */
export async function checkRefusals(client: Client): Promise<void> {
  const listed = await client.listTools();
  expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ listing }) => listing.name));
  for (const { name, inputSchema } of listed.tools) {
    const wrong = await client.callTool({ name, arguments: { nonsense: 1 } });
    expectRefusal(name, wrong);
    expect(textOf(wrong), name).toContain('"');
    const { properties = {}, required = [] } = inputSchema;
    const ids = required.filter((field) => field.endsWith("_id") || field === "agent");
    if (ids.length === 0) continue;
    const args = Object.fromEntries(required.map((field) => [field, exampleOf(field, properties[field])]));
    expectRefusal(name, await client.callTool({ name, arguments: args }));
  }
}

function exampleOf(field: string, schema: unknown): unknown {
  if (field === "files") return [{ path: "a", content: "" }];
  const { type } = schema as { type?: string };
  return type === "string" ? NOBODY : {};
}

/** A text that says what was wrong, and the API's error body as a second one: nothing that a schema would have to fit. */
function expectRefusal(name: string, answer: CallToolResult): void {
  expect(answer.isError, `${name}: ${textOf(answer)}`).toBe(true);
  expect(answer, name).not.toHaveProperty("structuredContent");
  const { error, code, request_id } = bodyOf(answer);
  expect(textOf(answer), name).toContain(`${error}`);
  expect(textOf(answer), name).toContain(`(${code}, request ${request_id})`);
  expect(String(error), name).toMatch(/^.{10,}\.$/s);
}
