import { afterAll, describe, expect, it } from "vitest";
import { UsageMeter } from "../../../../../src/service/executor/usage-meter.ts";
import type { AgentStep } from "../../../../support/acp-agent.ts";
import { closeFixtures, runAgent } from "../../../../support/fixtures/acp-fixture.ts";

afterAll(closeFixtures);

function update(sessionUpdate: string, fields: Readonly<Record<string, unknown>>): AgentStep {
  return { do: "update", update: { sessionUpdate, ...fields } };
}

function text(said: string, messageId?: string): AgentStep {
  return update("agent_message_chunk", { content: { type: "text", text: said }, messageId });
}

function thought(said: string): AgentStep {
  return update("agent_thought_chunk", { content: { type: "text", text: said } });
}

describe("what an agent tells", () => {
  it("becomes one message as long as nothing comes between", async () => {
    const { outcome, events } = await runAgent({
      turn: [text("All "), text("done."), thought("Hm."), text("Bye.")],
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(events).toEqual([
      { type: "TEXT_MESSAGE_START", messageId: "message-1", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "message-1", delta: "All " },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "message-1", delta: "done." },
      { type: "TEXT_MESSAGE_END", messageId: "message-1" },
      { type: "REASONING_START", messageId: "message-2" },
      { type: "REASONING_MESSAGE_START", messageId: "message-2", role: "reasoning" },
      { type: "REASONING_MESSAGE_CONTENT", messageId: "message-2", delta: "Hm." },
      { type: "REASONING_MESSAGE_END", messageId: "message-2" },
      { type: "REASONING_END", messageId: "message-2" },
      { type: "TEXT_MESSAGE_START", messageId: "message-3", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "message-3", delta: "Bye." },
      { type: "TEXT_MESSAGE_END", messageId: "message-3" },
    ]);
  });

  it("becomes two messages where the agent says that they are two", async () => {
    const { recorder } = await runAgent({ turn: [text("One.", "a"), text("Two.", "b")] });
    expect(recorder.types().filter((type) => type === "TEXT_MESSAGE_START")).toHaveLength(2);
  });

  it.each([
    [
      "as chunks to append, which Codex sends",
      { terminal_output_delta: { data: "one\n", terminal_id: "t" } },
      { terminal_output_delta: { data: "two\n", terminal_id: "t" } },
    ],
    [
      "as chunks of a terminal",
      { terminal_output: { data: "one\n", terminal_id: "c" } },
      { terminal_output: { data: "two\n", terminal_id: "c" } },
    ],
  ])("has the output of a command that comes %s", async (_how, first, second) => {
    const { events } = await runAgent({
      turn: [
        update("tool_call", {
          toolCallId: "c",
          title: "npm test",
          kind: "execute",
          status: "in_progress",
          rawInput: { command: "npm test" },
          content: [{ type: "terminal", terminalId: "c" }],
        }),
        update("tool_call_update", { toolCallId: "c", _meta: first }),
        update("tool_call_update", { toolCallId: "c", _meta: second }),
        update("tool_call_update", {
          toolCallId: "c",
          status: "completed",
          rawOutput: { exitCode: 0 },
          _meta: { terminal_exit: { exit_code: 0, signal: null, terminal_id: "c" } },
        }),
      ],
    });
    expect(events.find(({ type }) => type === "TOOL_CALL_RESULT")).toMatchObject({ content: "one\ntwo" });
  });

  // 0.61.0, without a terminal of its own: the program's source, looked up on 2026-11-27.
  it("has the output of a command that comes with its end, as Gemini CLI sends it", async () => {
    const call = { toolCallId: "c", title: "npm test", kind: "execute", locations: [] };
    const { events } = await runAgent({
      turn: [
        update("tool_call", { ...call, status: "in_progress", content: [] }),
        update("tool_call_update", {
          ...call,
          status: "completed",
          content: [{ type: "content", content: { type: "text", text: "one\ntwo" } }],
        }),
      ],
    });
    expect(events.find(({ type }) => type === "TOOL_CALL_RESULT")).toMatchObject({ content: "one\ntwo" });
  });

  it("names what is no text", async () => {
    const block = (content: Record<string, unknown>) => update("agent_message_chunk", { content });
    const { recorder } = await runAgent({
      turn: [
        block({ type: "image", data: "AAAA", mimeType: "image/png" }),
        block({ type: "resource_link", name: "a", uri: "file:///a" }),
        block({ type: "resource", resource: { uri: "file:///b", text: "inside" } }),
      ],
    });
    expect(recorder.text()).toBe("[image][a](file:///a)inside");
  });

  it("becomes a tool call once its arguments are there, with the paths of the repository", async () => {
    const { events } = await runAgent({
      turn: [
        update("tool_call", {
          toolCallId: "c",
          title: "edit",
          kind: "edit",
          status: "pending",
          rawInput: {},
        }),
        update("tool_call_update", {
          toolCallId: "c",
          status: "in_progress",
          title: "Edit a.txt",
          locations: [{ path: "$ROOT/a.txt", line: 2 }],
          rawInput: { filePath: "$ROOT/a.txt", folder: "$ROOT" },
        }),
        update("tool_call_update", {
          toolCallId: "c",
          status: "completed",
          content: [
            { type: "content", content: { type: "text", text: "Done with $ROOT/a.txt." } },
            { type: "diff", path: "$ROOT/a.txt", oldText: "one\ntwo\n", newText: "one\nTWO\n" },
            { type: "terminal", terminalId: "t" },
          ],
        }),
        update("tool_call_update", { toolCallId: "c", status: "failed" }),
      ],
    });
    const args = {
      title: "Edit a.txt",
      locations: ["a.txt:2"],
      input: { filePath: "a.txt", folder: "." },
    };
    expect(events).toEqual([
      { type: "TOOL_CALL_START", toolCallId: "call-1", toolCallName: "edit" },
      { type: "TOOL_CALL_ARGS", toolCallId: "call-1", delta: JSON.stringify(args) },
      { type: "TOOL_CALL_END", toolCallId: "call-1" },
      {
        type: "TOOL_CALL_RESULT",
        toolCallId: "call-1",
        messageId: "message-2",
        role: "tool",
        content: "Done with a.txt.\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO",
      },
    ]);
  });

  it("keeps calls apart that run beside each other, and shows one that never ended", async () => {
    const call = (toolCallId: string, fields: Record<string, unknown>) =>
      update("tool_call", {
        toolCallId,
        title: toolCallId,
        name: toolCallId,
        status: "in_progress",
        ...fields,
      });
    const end = (toolCallId: string, fields: Record<string, unknown>) =>
      update("tool_call_update", { toolCallId, ...fields });
    const { events, recorder } = await runAgent({
      turn: [
        call("first", {}),
        call("second", { status: "pending" }),
        end("second", { status: "failed", rawOutput: "no such file" }),
        end("first", { status: "completed", rawOutput: { exit: 0, output: "hi" } }),
        call("third", { status: "pending" }),
      ],
    });
    expect(recorder.faults()).toEqual([]);
    const names = events.flatMap((event) => (event.type === "TOOL_CALL_START" ? [event.toolCallName] : []));
    expect(names).toEqual(["first", "second", "third"]);
    const results = events.flatMap((event) => (event.type === "TOOL_CALL_RESULT" ? [event.content] : []));
    expect(results).toEqual(["error: no such file", "hi"]);
  });

  it("becomes a plan, and a step for each part that is begun", async () => {
    const plan = (...statuses: string[]) =>
      update("plan", {
        entries: statuses.map((status, index) => ({ content: `Part\n${index}`, priority: "high", status })),
      });
    const { events } = await runAgent({
      turn: [
        plan("pending", "pending", "pending"),
        plan("in_progress", "pending", "completed"),
        plan("completed", "in_progress", "completed"),
      ],
    });
    expect(
      events.map((event) => {
        if (event.type !== "CUSTOM" || event.name !== "plan")
          return "stepName" in event ? `${event.type} ${event.stepName}` : event.type;
        return event.value.steps.map(({ text, status }) => `${text} ${status}`).join(", ");
      }),
    ).toEqual([
      "Part 0 pending, Part 1 pending, Part 2 pending",
      "Part 0 in_progress, Part 1 pending, Part 2 completed",
      "STEP_STARTED Part 0",
      "STEP_STARTED Part 2",
      "STEP_FINISHED Part 2",
      "Part 0 completed, Part 1 in_progress, Part 2 completed",
      "STEP_FINISHED Part 0",
      "STEP_STARTED Part 1",
      "STEP_FINISHED Part 1",
    ]);
  });

  it("is passed over where this version does not know it, or it is not of the form", async () => {
    const { outcome, recorder } = await runAgent({
      turn: [
        update("hologram", { content: 1 }),
        update("agent_message_chunk", { content: "text" }),
        { do: "update", update: { sessionUpdate: "tool_call" } },
        text("Done."),
      ],
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("Done.");
  });

  it("holds no secret of the agent's environment, torn or whole", async () => {
    const environment = {
      MODEL_API_KEY: "sk-very-secret",
      AGENT_CONFIG: JSON.stringify({ provider: { apiKey: "inner-secret", name: "harmless-name" } }),
    };
    const { recorder, events } = await runAgent({
      settings: { environment },
      turn: [
        text("The key is sk-ve"),
        text("ry-secret, the other inner-"),
        text("secret, by harmless-name, sk-v"),
        update("tool_call", {
          toolCallId: "c",
          title: "env",
          status: "completed",
          rawInput: { key: "sk-very-secret" },
          rawOutput: "MODEL_API_KEY=sk-very-secret",
        }),
      ],
    });
    expect(recorder.text()).toBe("The key is ***, the other ***, by harmless-name, sk-v");
    expect(JSON.stringify(events)).not.toMatch(/sk-very-secret|inner-secret/);
  });
});

describe("a turn", () => {
  it.each([
    ["end_turn", "end_turn"],
    ["max_tokens", "length"],
    ["refusal", "content_filter"],
    ["max_turn_requests", "max_turns"],
  ])("that stops with %s is a run that stops with %s", async (stopReason, expected) => {
    const { outcome } = await runAgent({ turn: [text("x"), { do: "stop", answer: { stopReason } }] });
    expect(outcome).toEqual({ stopReason: expected });
  });

  it.each([
    ["cancelled", /^The agent "node" cancelled its turn, though nobody asked it to/, true],
    ["tired", /^The agent "node" ended its turn for a reason that ACP does not know: "tired"/, false],
  ])("that stops with %s is a failed run", async (stopReason, message, isRetryable) => {
    const { outcome } = await runAgent({ turn: [text("x"), { do: "stop", answer: { stopReason } }] });
    expect(outcome).toEqual({ failed: expect.stringMatching(message), isRetryable });
  });

  it("without a word or a deed is a failed run", async () => {
    const { outcome } = await runAgent({ turn: [{ do: "complain", text: "401 from the model\n" }] });
    expect(outcome).toMatchObject({
      failed: expect.stringMatching(
        /without a word or a deed.*Its last line of errors: "401 from the model"\.$/,
      ),
    });
  });

  it("is told where it works, what was said before, and the task", async () => {
    const { answer, checkout } = await runAgent({
      turn: [text("x")],
      task: {
        history: async () => [
          { role: "user", content: "Hello." },
          { role: "assistant", content: "Hi." },
        ],
      },
    });
    expect(answer("session/new")).toEqual({ cwd: checkout.root, mcpServers: [] });
    expect(answer("initialize")).toMatchObject({
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
    });
    const { prompt } = answer("session/prompt") as { prompt: readonly { text: string }[] };
    expect(prompt).toHaveLength(1);
    expect(prompt[0]?.text).toMatch(
      /checkout of octo\/fixture at commit 0{40}.*user: Hello\.\n\nassistant: Hi\.\n\nDo the task\.$/s,
    );
  });

  it("ends with the reply as data where a form was asked for", async () => {
    const { outcome, events, answer } = await runAgent({
      task: { outputSchema: { type: "object", required: ["a"] } },
      turn: [text("First I look.", "one"), text('{"a":', "two"), text(" 1}", "two")],
    });
    expect(outcome).toEqual({ stopReason: "end_turn" });
    expect(events.at(-1)).toEqual({ type: "CUSTOM", name: "output", value: { a: 1 } });
    expect(JSON.stringify(answer("session/prompt"))).toContain("fits this JSON Schema");
  });

  it("is asked once more for the form, and then fails", async () => {
    const { outcome, heard } = await runAgent({
      task: { outputSchema: { type: "object" } },
      turn: [text("No JSON.")],
    });
    expect(outcome).toMatchObject({
      failed: expect.stringMatching(/does not fit output_schema, even after/),
    });
    const prompts = heard.filter(({ what }) => what === "session/prompt");
    expect(prompts).toHaveLength(2);
    expect(JSON.stringify(prompts[1])).toContain("Answer again with the JSON value alone.");
  });

  it("costs what its agent tells, and no more is counted than is new", async () => {
    const meter = new UsageMeter({ holdMicroUsd: 1_000_000, raiseHold: async () => false });
    const usage = (used: number, amount: number) =>
      update("usage_update", { used, size: 1000, cost: { amount, currency: "USD" } });
    await runAgent({
      task: { meter },
      turn: [
        usage(100, 0.01),
        usage(100, 0.01),
        usage(90, 0.03),
        text("x"),
        { do: "stop", answer: { stopReason: "end_turn", usage: { totalTokens: 250 } } },
      ],
    });
    expect(meter.usage.roles.executor).toEqual({ tokens: 250, calls: 3, microUsd: 30_000 });
  });

  it("is ended when it has used more tokens than it may", async () => {
    const { outcome, recorder, answer } = await runAgent({
      task: { maxTurnTokens: 100 },
      turn: [text("Working"), update("usage_update", { used: 101, size: 1000 }), { do: "wait" }],
    });
    expect(outcome).toEqual({ stopReason: "max_tokens" });
    expect(answer("session/cancel")).toBeNull();
    expect(recorder.faults()).toEqual([]);
  });

  it("is ended when nobody pays for more", async () => {
    const meter = new UsageMeter({ holdMicroUsd: 10, raiseHold: async () => false });
    const cost = { amount: 1, currency: "USD" };
    const { outcome } = await runAgent({
      task: { meter },
      turn: [text("x"), update("usage_update", { used: 1, size: 1000, cost }), { do: "wait" }],
    });
    expect(outcome).toEqual({ stopReason: "credits" });
  });
});
