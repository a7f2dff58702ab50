// What an agent cannot ask of its model's provider: to execute, fetch or look up, beyond the network and the budget of the run.
// What the agent itself executes is passed on in each form that the protocols have.

import { afterEach, describe, expect, it } from "vitest";
import { answer, say } from "../../../../../../fakes/model-server/turn.ts";
import type { CodingAgentWire } from "../../../../../../src/contract/models/protocols.ts";
import {
  ProxyFixture,
  type RecordingServer,
  startRecordingServer,
} from "../../../../../support/fixtures/proxy-fixture.ts";

type Call = { readonly wire: CodingAgentWire; readonly path: string; readonly body: object };

const EVIL = "https://evil.example/?d=contents";
const user = (content: unknown) => ({ messages: [{ role: "user", content }] });
const hello = user("Hello");
const messages = (more: object): Call => ({
  wire: "anthropic",
  path: "/v1/messages",
  body: { model: "claude-sonnet-5", max_tokens: 100, ...hello, ...more },
});
const counted = (more: object): Call => ({
  wire: "anthropic",
  path: "/v1/messages/count_tokens",
  body: { model: "claude-sonnet-5", ...hello, ...more },
});
const chat = (more: object): Call => ({
  wire: "openai-compatible",
  path: "/chat/completions",
  body: { model: "gpt-5", ...hello, ...more },
});
const responses = (more: object): Call => ({
  wire: "openai-compatible",
  path: "/responses",
  body: { model: "gpt-5", input: "Hello", ...more },
});
const gemini = (more: object, verb = "generateContent"): Call => ({
  wire: "gemini",
  path: `/v1beta/models/gemini-3-pro:${verb}`,
  body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }], ...more },
});
const contents = (part: object) => ({ contents: [{ role: "user", parts: [part] }] });

/** The field that the refusal names, and the request. */
const refused: readonly (readonly [field: string, call: Call])[] = [
  ["mcp_servers", messages({ mcp_servers: [{ type: "url", url: EVIL, name: "x" }] })],
  ["mcp_servers", counted({ mcp_servers: [{ type: "url", url: EVIL, name: "x" }] })],
  ["tools[0]", messages({ tools: [{ type: "web_fetch_20260318", name: "web_fetch" }] })],
  ["tools[0]", messages({ tools: [{ type: "web_search_20250305", name: "web_search" }] })],
  ["tools[0]", messages({ tools: [{ type: "code_execution_20250825", name: "code_execution" }] })],
  ["tools[0]", messages({ tools: [{ type: "mcp_toolset", mcp_server_name: "x" }] })],
  ["tools[0]", messages({ tools: [{ type: "advisor_20260301", name: "advisor", model: "claude-opus-5" }] })],
  ["tools[0]", counted({ tools: [{ type: "web_fetch_20260318", name: "web_fetch" }] })],
  ["messages[0].content[0].source", messages(user([{ type: "image", source: { type: "url", url: EVIL } }]))],
  [
    "messages[0].content[0].source",
    messages(user([{ type: "document", source: { type: "url", url: EVIL } }])),
  ],
  [
    "messages[0].content[0].source",
    messages(user([{ type: "document", source: { type: "file", file_id: "file_1" } }])),
  ],
  [
    "messages[0].content[0].content[0].source",
    messages(
      user([
        {
          type: "tool_result",
          tool_use_id: "1",
          content: [{ type: "image", source: { type: "url", url: EVIL } }],
        },
      ]),
    ),
  ],
  [
    "messages[0].content[0].source.content[0].source",
    messages(
      user([
        {
          type: "document",
          source: { type: "content", content: [{ type: "image", source: { type: "url", url: EVIL } }] },
        },
      ]),
    ),
  ],
  ["messages[0].content[0]", messages(user([{ type: "container_upload", file_id: "file_1" }]))],
  [
    "messages[1].content[0].tool.definition",
    messages({
      messages: [
        ...hello.messages,
        {
          role: "system",
          content: [
            {
              type: "tool_addition",
              tool: {
                type: "tool_definition",
                definition: { type: "web_fetch_20260318", name: "web_fetch" },
              },
            },
          ],
        },
      ],
    }),
  ],
  ["container", messages({ container: { skills: [{ type: "custom", skill_id: "x" }] } })],
  ["thread", messages({ thread: { type: "continue", previous_message_id: "msg_1" } })],
  ["service_tier", messages({ service_tier: "priority" })],
  ["speed", messages({ speed: "fast" })],
  ["fallbacks", messages({ fallbacks: [{ model: "claude-opus-5" }] })],
  [
    "context_management.edits[0]",
    messages({ context_management: { edits: [{ type: "compact_20260112" }] } }),
  ],

  ["web_search_options", chat({ web_search_options: {} })],
  ["tools[0]", chat({ tools: [{ type: "web_search" }] })],
  ["tools[0]", chat({ tools: [{ type: "builtin_function", function: { name: "$web_search" } }] })],
  ["tools[0].function.name", chat({ tools: [{ type: "function", function: { name: "$web_search" } }] })],
  ["plugins", chat({ plugins: [{ id: "web" }] })],
  ["models", chat({ models: ["dear/model"] })],
  ["search_parameters", chat({ search_parameters: { mode: "on" } })],
  ["messages[0].content[0].image_url.url", chat(user([{ type: "image_url", image_url: { url: EVIL } }]))],
  ["messages[0].content[0].file.file_id", chat(user([{ type: "file", file: { file_id: "file-1" } }]))],
  ["messages[0].content[0]", chat(user([{ type: "video_url", video_url: { url: EVIL } }]))],
  ["service_tier", chat({ service_tier: "priority" })],
  ["store", chat({ store: true })],
  ["model", chat({ model: "anthropic/claude-sonnet-5:online" })],
  ["model", chat({ model: "gpt-5-search-api" })],

  ["tools[0]", responses({ tools: [{ type: "mcp", server_label: "x", server_url: EVIL }] })],
  ["tools[0]", responses({ tools: [{ type: "mcp", server_label: "x", connector_id: "connector_gmail" }] })],
  ["tools[0]", responses({ tools: [{ type: "web_search", external_web_access: true }] })],
  ["tools[0]", responses({ tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] })],
  ["tools[0]", responses({ tools: [{ type: "code_interpreter", container: { type: "auto" } }] })],
  ["tools[0]", responses({ tools: [{ type: "image_generation" }] })],
  ["tools[0]", responses({ tools: [{ type: "computer_use_preview" }] })],
  [
    "tools[0].environment.type",
    responses({ tools: [{ type: "shell", environment: { type: "container_auto" } }] }),
  ],
  [
    "tools[0].tools[0]",
    responses({ tools: [{ type: "namespace", name: "n", tools: [{ type: "web_search" }] }] }),
  ],
  ["tools[0].execution", responses({ tools: [{ type: "tool_search", execution: "server" }] })],
  [
    "input[0].tools[0]",
    responses({
      input: [{ type: "additional_tools", role: "developer", tools: [{ type: "mcp", server_url: EVIL }] }],
    }),
  ],
  [
    "input[0].tools[0]",
    responses({ input: [{ type: "tool_search_output", tools: [{ type: "web_search" }] }] }),
  ],
  [
    "input[0].content[0].file_url",
    responses({ input: [{ role: "user", content: [{ type: "input_file", file_url: EVIL }] }] }),
  ],
  [
    "input[0].content[0].image_url",
    responses({ input: [{ role: "user", content: [{ type: "input_image", image_url: EVIL }] }] }),
  ],
  [
    "input[0].content[0].file_id",
    responses({ input: [{ role: "user", content: [{ type: "input_image", file_id: "file-1" }] }] }),
  ],
  [
    "input[0].output[0].image_url",
    responses({
      input: [
        {
          type: "function_call_output",
          call_id: "1",
          output: [{ type: "input_image", image_url: EVIL }],
        },
      ],
    }),
  ],
  ["input[0]", responses({ input: [{ type: "item_reference", id: "msg_1" }] })],
  ["previous_response_id", responses({ previous_response_id: "resp_1" })],
  ["conversation", responses({ conversation: "conv_1" })],
  ["prompt", responses({ prompt: { id: "pmpt_1" } })],
  ["background", responses({ background: true })],
  ["store", responses({ store: true })],
  ["service_tier", responses({ service_tier: "flex" })],

  ["tools[0].googleSearch", gemini({ tools: [{ googleSearch: {} }] })],
  ["tools[0].googleSearch", gemini({ tools: [{ google_search: {} }] })],
  ["tools[0].urlContext", gemini({ tools: [{ functionDeclarations: [], urlContext: {} }] })],
  ["tools[0].codeExecution", gemini({ tools: [{ codeExecution: {} }] }, "streamGenerateContent?alt=sse")],
  ["tools[0].fileSearch", gemini({ tools: [{ fileSearch: {} }] })],
  ["contents[0].parts[0].fileData", gemini(contents({ fileData: { fileUri: EVIL } }))],
  ["contents[0].parts[0].fileData", gemini(contents({ file_data: { file_uri: EVIL } }))],
  [
    "contents[0].parts[0].functionResponse.parts[0].fileData",
    gemini(
      contents({
        functionResponse: { name: "x", response: {}, parts: [{ fileData: { fileUri: EVIL } }] },
      }),
    ),
  ],
  ["cachedContent", gemini({ cachedContent: "cachedContents/1" })],
  [
    "generateContentRequest.tools[0].urlContext",
    gemini({ generateContentRequest: { tools: [{ urlContext: {} }] } }, "countTokens"),
  ],
];

const tool = { name: "read", description: "Reads.", input_schema: { type: "object" } };
const functionTool = {
  type: "function",
  name: "read",
  description: "Reads.",
  parameters: { type: "object" },
};
const custom = {
  type: "custom",
  name: "apply_patch",
  format: { type: "grammar", syntax: "lark", definition: "x" },
};
const png = "data:image/png;base64,iVBORw0KGgo=";

/** What reaches the provider as it was sent. */
const passed: readonly (readonly [what: string, call: Call])[] = [
  [
    "Anthropic's own and client tools, with their calls and results",
    messages({
      tools: [
        tool,
        { type: "custom", ...tool, name: "write", defer_loading: true },
        { type: "bash_20250124", name: "bash" },
        { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 100 },
        { type: "memory_20250818", name: "memory" },
      ],
      messages: [
        ...hello.messages,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "x" },
            { type: "tool_use", id: "1", name: "read", input: { path: "a" } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "1",
              content: [
                { type: "text", text: "one" },
                { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
                { type: "tool_reference", tool_name: "write" },
              ],
            },
          ],
        },
      ],
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
      thinking: { type: "adaptive" },
      stream: true,
    }),
  ],
  [
    "functions and custom tools of Chat Completions",
    chat({
      max_tokens: 100,
      tools: [
        {
          type: "function",
          function: { name: "read", description: "Reads.", parameters: { type: "object" } },
        },
        { type: "custom", custom: { name: "apply_patch", format: { type: "text" } } },
      ],
      messages: [
        { role: "user", content: [{ type: "image_url", image_url: { url: png } }] },
        {
          role: "assistant",
          content: null,
          reasoning_content: "Hm.",
          tool_calls: [{ id: "1", type: "function", function: { name: "read", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "1", content: "one" },
      ],
    }),
  ],
  [
    "functions, custom tools, shells, patches and namespaces of Responses, in the list and among the items",
    responses({
      max_output_tokens: 100,
      store: false,
      include: ["reasoning.encrypted_content"],
      tools: [
        functionTool,
        custom,
        { type: "local_shell" },
        { type: "shell", environment: { type: "local" } },
        { type: "apply_patch" },
        { type: "tool_search", execution: "client" },
        { type: "namespace", name: "agents", description: "Agents.", tools: [functionTool] },
      ],
      input: [
        { type: "additional_tools", role: "developer", tools: [functionTool, custom] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
        { type: "custom_tool_call", call_id: "1", name: "apply_patch", input: "*** Begin" },
        { type: "custom_tool_call_output", call_id: "1", output: "Done." },
        {
          type: "local_shell_call",
          id: "lsh_1",
          call_id: "2",
          status: "completed",
          action: { type: "exec", command: ["ls"], env: {} },
        },
        { type: "local_shell_call_output", id: "lsho_1", output: "a.txt" },
        {
          type: "apply_patch_call",
          call_id: "3",
          status: "completed",
          operation: { type: "update_file", path: "a.txt", diff: "x" },
        },
        { type: "apply_patch_call_output", call_id: "3", status: "completed", output: "Done." },
        { type: "function_call", call_id: "4", name: "read", namespace: "agents", arguments: "{}" },
        { type: "function_call_output", call_id: "4", output: [{ type: "input_image", image_url: png }] },
        { type: "tool_search_call", call_id: "5", execution: "client", arguments: { query: "x" } },
        { type: "tool_search_output", call_id: "5", execution: "client", tools: [functionTool] },
      ],
    }),
  ],
  [
    "functions of Gemini, with their calls and results",
    gemini({
      contents: [
        { role: "user", parts: [{ text: "Hello" }, { inlineData: { mimeType: "image/png", data: "aGk=" } }] },
        {
          role: "model",
          parts: [{ functionCall: { name: "read", args: { path: "a" } }, thoughtSignature: "x" }],
        },
        { role: "user", parts: [{ functionResponse: { name: "read", response: { output: "one" } } }] },
      ],
      systemInstruction: { role: "user", parts: [{ text: "Work." }] },
      tools: [{ functionDeclarations: [{ name: "read", parametersJsonSchema: { type: "object" } }] }],
      toolConfig: { functionCallingConfig: { mode: "AUTO" } },
      generationConfig: { temperature: 1, maxOutputTokens: 100, thinkingConfig: { includeThoughts: true } },
    }),
  ],
];

let fixture: ProxyFixture | null = null;
let recorder: RecordingServer | null = null;
afterEach(async () => {
  await fixture?.close();
  await recorder?.close();
  fixture = null;
  recorder = null;
});

async function open(wire: CodingAgentWire, baseUrl?: string): Promise<ProxyFixture> {
  const step = answer([say("Good day.")]);
  fixture = await ProxyFixture.open({ wire, step, ...(baseUrl === undefined ? {} : { baseUrl }) });
  return fixture;
}

async function startRecorder(): Promise<RecordingServer> {
  recorder = await startRecordingServer();
  return recorder;
}

describe("what a model's provider would do by itself", () => {
  it.each(["anthropic", "openai-compatible", "gemini"] as const)(
    "is refused by name, before a byte is sent: %s",
    async (wire) => {
      const { model, send, meter } = bound(await open(wire));
      for (const [field, { path, body }] of refused.filter(([, call]) => call.wire === wire)) {
        const { status, text } = await send(path, { body });
        const { message } = (JSON.parse(text) as { error: { message: string } }).error;
        expect({ path, body, status, message }).toMatchObject({
          status: 400,
          message: expect.stringContaining(`"${field}"`),
        });
        expect(message).toMatch(/\. (?:Turn it off|Send|Leave|Allowed|Choose)|letters, digits/);
      }
      expect(model.requests).toEqual([]);
      expect(meter.usage.roles).toEqual({});
    },
  );

  it.each(passed.map(([what, call]) => ({ what, call })))(
    "leaves to the agent what it executes: $what",
    async ({ call: { wire, path, body } }) => {
      const { url, bodies } = await startRecorder();
      const { send } = bound(await open(wire, url));
      expect(await send(path, { body })).toMatchObject({ status: 200 });
      expect(bodies.map((text) => JSON.parse(text))).toEqual([body]);
    },
  );

  it("gets no field that is not on the list, in no spelling, and each field once", async () => {
    const { url, bodies } = await startRecorder();
    const { send } = bound(await open("openai-compatible", url));
    const body = `{"model":"dear","model":"gpt-5","Model":"dear","MODEL":"dear","max_tokens":100,"Max_Tokens":9,
      "messages":[{"role":"user","content":"Hello","Content":"x"}],"tier":"dear","n":100}`;
    await send("/chat/completions", { body });
    expect(bodies).toEqual([
      '{"messages":[{"role":"user","content":"Hello"}],"model":"gpt-5","max_tokens":100,"n":1}',
    ]);
  });

  it("is not stored where a request does not say so", async () => {
    const { url, bodies } = await startRecorder();
    const { send } = bound(await open("openai-compatible", url));
    const { path, body } = responses({ max_output_tokens: 100 });
    await send(path, { body });
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ store: false });
  });

  it("is turned on by no beta feature that is not on the list", async () => {
    const { model, send } = bound(await open("anthropic"));
    const { path, body } = messages({});
    const asked = "mcp-client-2025-11-20, context-1m-2025-08-07,code-execution-2025-05-22,effort-2025-11-24";
    await send(path, {
      body,
      headers: { "anthropic-beta": asked, "openai-beta": "x", "x-anthropic-y": "z" },
    });
    const [request] = model.requests;
    expect(request?.headers["anthropic-beta"]).toBe("context-1m-2025-08-07,effort-2025-11-24");
    expect(Object.keys(request?.headers ?? {})).not.toContain("openai-beta");
    expect(Object.keys(request?.headers ?? {})).not.toContain("x-anthropic-y");
  });

  it("is refused in the words of each protocol", async () => {
    const texts: unknown[] = [];
    for (const call of [messages, chat, gemini]) {
      const { wire, path, body } = call({ tools: [{ type: "web_search", googleSearch: {} }] });
      const { send, close } = bound(await open(wire));
      texts.push(JSON.parse((await send(path, { body })).text));
      await close();
    }
    expect(texts).toEqual([
      { type: "error", error: { type: "invalid_request_error", message: expect.any(String) } },
      {
        error: {
          type: "invalid_request_error",
          code: "proxy_refusal",
          param: "tools[0]",
          message: expect.any(String),
        },
      },
      { error: { code: 400, status: "INVALID_ARGUMENT", message: expect.any(String) } },
    ]);
  });
});

function bound(open: ProxyFixture) {
  return {
    model: open.model,
    meter: open.meter,
    send: open.send.bind(open),
    close: open.close.bind(open),
  };
}
