import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from "../../fakes/model-server/model-server.ts";
import { everyTime, type Script } from "../../fakes/model-server/script.ts";
import { answer, call, callRaw, say, think } from "../../fakes/model-server/turn.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(script: Script, options: Omit<ModelServerOptions, "script"> = {}): Promise<ModelServer> {
  const server = await startModelServer({ script, ...options });
  servers.push(server);
  return server;
}

describe("the scripted model", () => {
  it("refuses a call that nothing answers", async () => {
    const server = await serve([say("Never.")], { expectsBadHistories: true });
    const made = { id: "call_9", type: "function", function: { name: "echo", arguments: "{}" } };
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: null, tool_calls: [made] },
      { role: "user", content: "Go on." },
    ];
    const response = await post(`${server.baseUrl}/chat/completions`, { model: "any", messages });
    expect(response.status).toBe(400);
    const message =
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_9";
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", message } });
  });

  it("refuses a result that answers nothing", async () => {
    const server = await serve([say("Never.")], { expectsBadHistories: true });
    const content = [{ type: "tool_result", tool_use_id: "call_8", content: "A" }];
    const body = { model: "any", max_tokens: 9, messages: [{ role: "user", content }] };
    const response = await post(`${server.baseUrl}/messages`, body);
    expect(response.status).toBe(400);
    const message =
      "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: call_8. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
    expect(await response.json()).toMatchObject({ error: { message } });
  });

  it("refuses a body of another form, and does not count it", async () => {
    const server = await serve([say("Never.")]);
    const response = await post(`${server.baseUrl}/messages`, { model: "any", messages: [] });
    expect(response.status).toBe(400);
    expect(server.requests).toEqual([]);
  });

  it("asks for a key where it was told one", async () => {
    const server = await serve([say("Come in.")], { apiKey: "another" });
    const url = `${server.baseUrl}/chat/completions`;
    expect((await post(url, hello("any"))).status).toBe(401);
    expect((await post(url, hello("any"), { authorization: "Bearer another" })).status).toBe(200);
  });

  it("lists its models in either form", async () => {
    const server = await serve([], { models: ["small", "large"] });
    const list = async (headers: Record<string, string>) =>
      (await fetch(`${server.baseUrl}/models`, { headers })).json();
    expect(await list({})).toMatchObject({
      object: "list",
      data: [{ id: "small", object: "model" }, { id: "large" }],
    });
    expect(await list({ "anthropic-version": "2023-06-01" })).toMatchObject({
      data: [{ type: "model" }, {}],
      has_more: false,
    });
  });

  it("knows no model that its script does not", async () => {
    const server = await serve(({ model }) => (model === "known" ? [say("Yes.")] : undefined));
    const ask = (model: string) => post(`${server.baseUrl}/chat/completions`, hello(model));
    expect((await ask("known")).status).toBe(200);
    expect((await ask("other")).status).toBe(404);
  });

  it("refuses a thought that came back changed", async () => {
    const server = await serve([say("Never.")], { expectsBadHistories: true });
    const thinking = { type: "thinking", thinking: "Hm.", signature: "forged" };
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: [thinking, { type: "text", text: "Yes?" }] },
      { role: "user", content: "Go on." },
    ];
    const response = await post(`${server.baseUrl}/messages`, { model: "any", max_tokens: 9, messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
  });

  it("says so when its script throws, in the words of the wire", async () => {
    const server = await serve(() => {
      throw new Error("No such story.");
    });
    const body = { ...hello("any"), max_tokens: 9 };
    const response = await post(`${server.baseUrl}/messages`, body);
    expect(response.status).toBe(400);
    const message = "The script failed: Error: No such story.";
    expect(await response.json()).toMatchObject({ type: "error", error: { message } });
  });

  it("sends the numbers of a chat stream only to who asks for them", async () => {
    const server = await serve([say("Hi.")]);
    const body = { ...hello("any"), stream: true };
    const events = await sseOf(await post(`${server.baseUrl}/chat/completions`, body));
    expect(events.some((event) => "usage" in event)).toBe(false);
  });
});

describe("the scripted model on OpenAI's responses", () => {
  const input = [
    { role: "user", content: [{ type: "input_text", text: "Hello" }] },
    { type: "function_call", call_id: "call_x", name: "echo", arguments: '{"text":"a"}' },
    { type: "function_call_output", call_id: "call_x", output: "A" },
  ];

  it("streams items, each opened, filled and closed, and ends with the whole response", async () => {
    const server = await serve([
      [think("Hm."), say("Calling."), call("echo", { text: "b" }), callRaw("echo", "{")],
    ]);
    const body = { model: "any", instructions: "Be brief.", input, stream: true };
    const events = await sseOf(await post(`${server.baseUrl}/responses`, body));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const kinds = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    expect(kinds.slice(0, 3)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
    ]);
    expect(kinds.at(-1)).toBe("response.completed");
    const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
    expect(done).toMatchObject([
      { type: "reasoning", summary: [{ text: "Hm." }] },
      { type: "message", content: [{ type: "output_text", text: "Calling." }] },
      { type: "function_call", name: "echo", arguments: '{"text":"b"}' },
      { type: "function_call", name: "echo", arguments: "{" },
    ]);
    expect(events.at(-1)).toMatchObject({
      response: { status: "completed", output: done, usage: { total_tokens: 120 } },
    });
    expect(server.requests[0]).toMatchObject({
      system: "Be brief.",
      assistantTurns: 1,
      firstUserMessage: "Hello",
    });
    expect(server.toolResults()).toMatchObject([{ callId: "call_x", tool: "echo", text: "A" }]);
  });

  it("answers without a stream", async () => {
    const server = await serve([answer([say("Hi.")], { stop: "length" })]);
    const response = await post(`${server.baseUrl}/responses`, { model: "any", input: "Hello" });
    expect(await response.json()).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ type: "message", content: [{ text: "Hi." }] }],
    });
  });
});

describe("the scripted model on Gemini's API", () => {
  it("streams parts, reads what came back, and says when arguments were garbled", async () => {
    const script = everyTime(({ assistantTurns }) =>
      assistantTurns === 0 ? [think("Hm."), say("Hi."), call("echo", { text: "a" })] : callRaw("echo", "{"),
    );
    const server = await serve(script);
    const url = `${server.url}/v1beta/models/any:streamGenerateContent?alt=sse`;
    const contents: unknown[] = [{ role: "user", parts: [{ text: "Hello" }] }];
    const first = await sseOf(
      await post(url, { contents, systemInstruction: { parts: [{ text: "Be brief." }] } }),
    );
    expect(first.flatMap(partsOf)).toEqual([
      { text: "Hm.", thought: true },
      { text: "Hi." },
      {
        functionCall: { id: "call_1", name: "echo", args: { text: "a" } },
        thoughtSignature: expect.stringMatching(/./),
      },
      { text: "" },
    ]);
    expect(first.at(-1)).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { totalTokenCount: 120 },
    });
    contents.push({ role: "model", parts: first.flatMap(partsOf) });
    contents.push({
      role: "user",
      parts: [{ functionResponse: { id: "call_1", name: "echo", response: { text: "A" } } }],
    });
    const second = await sseOf(await post(url, { contents }));
    expect(second.at(-1)).toMatchObject({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] });
    expect(server.requests[0]).toMatchObject({ model: "any", system: "Be brief." });
    expect(server.toolResults()).toMatchObject([{ callId: "call_1", tool: "echo", text: '{"text":"A"}' }]);
  });
});

function hello(model: string) {
  return { model, messages: [{ role: "user", content: "Hello" }] };
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

const event = z.record(z.string(), z.unknown());

async function sseOf(response: Response): Promise<z.infer<typeof event>[]> {
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line) => event.parse(JSON.parse(line.slice("data: ".length))));
}

const candidates = z.object({
  candidates: z.array(z.object({ content: z.object({ parts: z.array(z.unknown()) }) })),
});

function partsOf(value: unknown): unknown[] {
  return candidates.parse(value).candidates.flatMap(({ content }) => content.parts);
}
