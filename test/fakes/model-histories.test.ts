// What the scripted model's API refuses of a history on each wire, by default: what the published APIs refuse, in their words.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { call, think } from "../../fakes/model-server/turn.ts";

let server: ModelServer;
beforeEach(async () => {
  const script = everyTime(() => [think("Hm."), call("echo", { text: "a" })]);
  server = await startModelServer({ script, expectsBadHistories: true });
});
afterEach(() => server.close());

async function post(path: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${server.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

const user = { role: "user", content: "Hello" };
const go = { role: "user", content: "Go on." };

describe("a history on Anthropic's wire", () => {
  const send = (messages: readonly object[], more: object = {}) =>
    post("/v1/messages", { model: "any", max_tokens: 9, messages, ...more });
  const use = (id = "call_1", name = "echo") => ({ type: "tool_use", id, name, input: {} });
  const result = (id = "call_1") => ({ type: "tool_result", tool_use_id: id, content: "A" });
  const turn = (...content: object[]) => ({ role: "assistant", content });
  const answered = { role: "user", content: [result()] };

  it.each<[string, readonly object[], object, string]>([
    [
      "that begins with the model",
      [turn({ type: "text", text: "A" }), go],
      {},
      'first message must use the "user" role',
    ],
    [
      "that ends with the model",
      [user, turn({ type: "text", text: "A" })],
      {},
      "does not support assistant message prefill",
    ],
    [
      "with an empty text",
      [user, turn({ type: "text", text: "" }, use()), answered],
      {},
      "text content blocks must be non-empty",
    ],
    [
      "with white space alone",
      [user, turn({ type: "text", text: " " }), go],
      {},
      "must contain non-whitespace text",
    ],
    ["with a call of another id", [user, turn(use("a.b:c")), answered], {}, "String should match pattern"],
    ["with a call twice", [user, turn(use(), use()), answered], {}, "`tool_use` ids must be unique"],
    [
      "with a call that nothing answers",
      [user, turn(use()), go],
      {},
      "ids were found without `tool_result` blocks immediately after: call_1",
    ],
    [
      "with a text before the results",
      [user, turn(use()), { role: "user", content: [{ type: "text", text: "A" }, result()] }],
      {},
      "ids were found without `tool_result` blocks",
    ],
    [
      "with a result that answers nothing",
      [user, turn({ type: "text", text: "A" }), answered],
      {},
      "unexpected `tool_use_id` found in `tool_result` blocks: call_1",
    ],
    [
      "with a call that no thought precedes",
      [user, turn(use()), answered],
      { thinking: { type: "enabled", budget_tokens: 1_024 } },
      "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
    ],
  ])("%s is refused", async (_what, messages, more, words) => {
    const { status, text } = await send(messages, more);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining(words) },
    });
  });

  it("holds its thoughts only where nothing before them has changed", async () => {
    const told = { system: "Be brief.", tools: [{ name: "echo", input_schema: { type: "object" } }] };
    const { content } = JSON.parse((await send([user], told)).text);
    const history = [user, { role: "assistant", content }, answered];
    expect((await send(history, told)).status).toBe(200);
    const marked = {
      ...user,
      content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } }],
    };
    expect((await send([marked, ...history.slice(1)], told)).status).toBe(200);
    for (const [messages, more] of [
      [[go, ...history.slice(1)], told],
      [[user, ...history], told],
      [history, { ...told, system: "Be long." }],
      [history, { ...told, tools: [] }],
    ] as const) {
      const { status, text } = await send(messages, more);
      expect(status).toBe(400);
      expect(text).toContain("The block is bound to a different conversation.");
    }
  });
});

describe("a history on Chat Completions", () => {
  const send = (messages: readonly object[], model = "any") =>
    post("/v1/chat/completions", { model, messages });
  const made = (id: string, name = "echo") => ({ id, type: "function", function: { name, arguments: "{}" } });
  const turn = (...tool_calls: object[]) => ({ role: "assistant", content: null, tool_calls });

  it.each<[string, readonly object[], string]>([
    [
      "with a result that answers nothing",
      [user, { role: "tool", tool_call_id: "x", content: "A" }],
      "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
    ],
    ["with a call that nothing answers", [user, turn(made("x")), go], "did not have response messages: x"],
    ["with a call at its end", [user, turn(made("x"))], "did not have response messages: x"],
    [
      "with an empty answer",
      [user, { role: "assistant", content: "" }, go],
      "Assistant message must have either content or tool_calls, but not none.",
    ],
    [
      "with too long an id",
      [user, turn(made("x".repeat(41))), go],
      "string too long. Expected a string with maximum length 40",
    ],
    ["with a name of another form", [user, turn(made("x", "a.b")), go], "does not match pattern"],
  ])("%s is refused", async (_what, messages, words) => {
    const { status, text } = await send(messages);
    expect(status).toBe(400);
    expect(text).toContain(words);
  });

  it("holds OpenRouter's thoughts only where nothing before them has changed", async () => {
    const events = await post("/v1/chat/completions", { model: "a/b", messages: [user], stream: true });
    const deltas = events.text
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .flatMap((line) => JSON.parse(line.slice(6)).choices[0]?.delta.reasoning_details ?? []);
    const detail = { ...deltas[0], text: "Hm.", signature: deltas.at(-1).signature };
    const said = { role: "assistant", content: "A", reasoning_details: [detail] };
    expect((await send([user, said, go], "a/b")).status).toBe(200);
    const { status, text } = await send([go, said, go], "a/b");
    expect(status).toBe(400);
    expect(text).toContain("Provider returned error");
    expect(text).toContain("Invalid `signature` in `thinking` block");
  });
});

describe("a history on OpenAI's responses", () => {
  const send = (input: readonly object[]) => post("/v1/responses", { model: "any", input, store: false });
  const made = { type: "function_call", call_id: "x", name: "echo", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "x", output: "A" };
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };

  it.each<[string, readonly object[], number, string]>([
    ["with a call that nothing answers", [user, made, go], 400, "No tool output found for function call x."],
    [
      "with a result that answers nothing",
      [user, output],
      400,
      "No tool call found for function call output with call_id x.",
    ],
    [
      "with reasoning alone",
      [user, thought, go],
      400,
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ],
    ["with reasoning at its end", [user, thought], 400, "without its required following item"],
    ["with reasoning of another account", [user, thought, made, output], 400, "invalid_encrypted_content"],
    [
      "with reasoning that is only named",
      [user, { ...thought, encrypted_content: null }, made, output],
      404,
      "Items are not persisted when `store` is set to false.",
    ],
    [
      "with ids of other kinds",
      [user, { role: "assistant", type: "message", id: "x_1", content: "A" }, go],
      400,
      "Expected an ID that begins with 'msg'",
    ],
    [
      "with too long an id",
      [user, { ...made, call_id: "x".repeat(65) }],
      400,
      "string too long. Expected a string with maximum length 64",
    ],
  ])("%s is refused", async (_what, input, expected, words) => {
    const { status, text } = await send(input);
    expect(status).toBe(expected);
    expect(text).toContain(words);
  });

  it("takes its own reasoning back before what it led to", async () => {
    const { output: items } = JSON.parse((await send([user])).text);
    const { call_id } = items.at(-1);
    expect((await send([user, ...items, { ...output, call_id }])).status).toBe(200);
  });
});

describe("a history on Gemini's wire", () => {
  const send = (contents: readonly object[], model = "gemini-3-pro") =>
    post(`/v1beta/models/${model}:generateContent`, { contents });
  const hello = { role: "user", parts: [{ text: "Hello" }] };
  const made = { functionCall: { name: "echo", args: {} } };
  const response = { functionResponse: { name: "echo", response: { text: "A" } } };
  const skipped = { ...made, thoughtSignature: "skip_thought_signature_validator" };
  const model = (...parts: object[]) => ({ role: "model", parts });
  const tools = (...parts: object[]) => ({ role: "user", parts });

  it.each<[string, readonly object[], string]>([
    ["with an answer of nothing", [hello, model(), hello], "contents.parts must not be empty"],
    [
      "with a call that nothing answers",
      [hello, model(skipped), hello],
      "number of function response parts is equal to the number of function call parts",
    ],
    [
      "with one result for two calls",
      [hello, model(skipped, made), tools(response)],
      "number of function response parts is equal",
    ],
    [
      "with a result that answers nothing",
      [hello, tools(response)],
      "function response turn comes immediately after a function call turn",
    ],
    [
      "with a call behind an answer",
      [hello, model({ text: "A" }), model(skipped), tools(response)],
      "function call turn comes immediately after a user turn",
    ],
    ["that ends with the model", [hello, model({ text: "A" })], "single turn requests end with a user role"],
    [
      "with a call without a signature",
      [hello, model(made), tools(response)],
      "Function call is missing a thought_signature in functionCall parts.",
    ],
    [
      "with another signature",
      [hello, model({ ...made, thoughtSignature: "AAAA" }), tools(response)],
      "Corrupted thought signature.",
    ],
  ])("%s is refused", async (_what, contents, words) => {
    const { status, text } = await send(contents);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      error: { status: "INVALID_ARGUMENT", message: expect.stringContaining(words) },
    });
  });

  it("may skip the signature of a call that another model made", async () => {
    expect((await send([hello, model(skipped), tools(response)])).status).toBe(200);
  });
});

it("a server whose callers sent a bad history does not close in silence, unless it expects them", async () => {
  const strict = await startModelServer({ script: [] });
  await fetch(`${strict.baseUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "any", messages: [user, { role: "assistant", content: "" }, go] }),
  });
  await expect(strict.close()).rejects.toThrow("refused 1 histories");
});
