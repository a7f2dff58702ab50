// The tools of the conformance suite, with the results that it describes.

import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  acceptedContent,
  type CallToolResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import type { ToolOutcome } from "../../../src/service/api/mcp/surface.ts";
import {
  clientCapabilities,
  requireTasks,
  takesTasks,
} from "../../../src/service/api/mcp/tasks-extension.ts";
import type { ConformanceTasks, Work } from "./conformance-tasks.ts";

/** One red pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** No sound. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const KEY = "a key of the test";

type Args = Readonly<Record<string, unknown>>;
type ConformanceTool = {
  readonly listing: Tool;
  call(args: Args, context: ServerContext): Promise<ToolOutcome> | ToolOutcome;
};

export function text(said: string): { readonly type: "text"; readonly text: string } {
  return { type: "text", text: said };
}

function result(...content: CallToolResult["content"]): CallToolResult {
  return { content };
}

const object = { type: "object" as const };
const noArguments = { ...object, properties: {} };
const nameSchema = { ...object, properties: { name: { type: "string" as const } }, required: ["name"] };
const askName = (message: string) => inputRequired.elicit({ message, requestedSchema: nameSchema });
const askModel = (said: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(said) }], maxTokens });

export function conformanceTools(tasks: ConformanceTasks): readonly ConformanceTool[] {
  return [...plainTools, ...askingTools, ...taskTools(tasks)];
}

function tool(name: string, call: ConformanceTool["call"], inputSchema: Tool["inputSchema"] = noArguments) {
  return { listing: { name, description: `The suite's ${name}.`, inputSchema }, call };
}

const plainTools: readonly ConformanceTool[] = [
  tool("test_simple_text", () => result(text("This is a simple text response for testing."))),
  tool("test_image_content", () => result({ type: "image", data: PNG, mimeType: "image/png" })),
  tool("test_audio_content", () => result({ type: "audio", data: WAV, mimeType: "audio/wav" })),
  tool("test_embedded_resource", () =>
    result({
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    }),
  ),
  tool("test_multiple_content_types", () =>
    result(
      text("Multiple content types test:"),
      { type: "image", data: PNG, mimeType: "image/png" },
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ),
  ),
  tool("test_error_handling", () => ({
    ...result(text("This tool intentionally returns an error for testing")),
    isError: true,
  })),
  tool("test_tool_with_progress", async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await sleep(50);
      if (progressToken === undefined) continue;
      const params = { progressToken, progress, total: 100 };
      await mcpReq.notify({ method: "notifications/progress", params });
    }
    return result(text("Done."));
  }),
  // Our server declares no logging, which the newest revision deprecates.
  tool("test_logging_tool", () => result(text("Done, and nothing logged."))),
  tool("test_missing_capability", (_args, context) => {
    const { sampling } = clientCapabilities(context);
    if (sampling !== undefined) return result(text("The client has it."));
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  }),
  tool("json_schema_2020_12_tool", () => result(text("Done.")), {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...object,
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } },
      },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  }),
];

/** Tools that ask before they answer, in one round or more. */
const askingTools: readonly ConformanceTool[] = [
  tool("test_streaming_elicitation", async (_args, { mcpReq }) => {
    const name = acceptedContent(mcpReq.inputResponses, "user_name")?.name;
    if (typeof name === "string") return result(text(`Hello, ${name}!`));
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined) {
      const params = { progressToken, progress: 50, total: 100 };
      await mcpReq.notify({ method: "notifications/progress", params });
    }
    return inputRequired({ inputRequests: { user_name: askName("What is your name?") } });
  }),
  tool("test_input_required_result_elicitation", (_args, { mcpReq }) => {
    const name = acceptedContent(mcpReq.inputResponses, "user_name")?.name;
    if (typeof name === "string") return result(text(`Hello, ${name}!`));
    return inputRequired({ inputRequests: { user_name: askName("What is your name?") } });
  }),
  tool("test_input_required_result_sampling", (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question");
    if (answer.kind === "sampling") return result(text(JSON.stringify(answer.result.content)));
    return inputRequired({
      inputRequests: { capital_question: askModel("What is the capital of France?", 100) },
    });
  }),
  tool("test_input_required_result_list_roots", (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots");
    if (answer.kind === "roots") return result(text(answer.roots.map(({ uri }) => uri).join(", ")));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  }),
  tool("test_input_required_result_request_state", (_args, { mcpReq }) => {
    if (mcpReq.requestState<string>() === "state" && mcpReq.inputResponses !== undefined) {
      return result(text("state-ok"));
    }
    return inputRequired({ inputRequests: { confirm: confirmation() }, requestState: "state" });
  }),
  tool("test_input_required_result_multiple_inputs", (_args, { mcpReq }) => {
    const asked = {
      user_name: askName("What is your name?"),
      greeting: askModel("Generate a greeting", 50),
      client_roots: inputRequired.listRoots(),
    };
    const given = mcpReq.inputResponses ?? {};
    if (Object.keys(asked).every((key) => key in given)) return result(text("All three were given."));
    return inputRequired({ inputRequests: asked, requestState: "three" });
  }),
  tool("test_input_required_result_multi_round", (_args, { mcpReq }) => {
    const state = mcpReq.requestState<string>();
    const given = mcpReq.inputResponses ?? {};
    if (state === "round 2" && "step2" in given) return result(text("Both steps were given."));
    if (state === "round 1" && "step1" in given) {
      const requestedSchema = {
        ...object,
        properties: { color: { type: "string" as const } },
        required: ["color"],
      };
      const step2 = inputRequired.elicit({
        message: "Step 2: What is your favorite color?",
        requestedSchema,
      });
      return inputRequired({ inputRequests: { step2 }, requestState: "round 2" });
    }
    const step1 = askName("Step 1: What is your name?");
    return inputRequired({ inputRequests: { step1 }, requestState: "round 1" });
  }),
  tool("test_input_required_result_tampered_state", (_args, { mcpReq }) => {
    const state = mcpReq.requestState<string>();
    if (state === undefined) {
      return inputRequired({ inputRequests: { confirm: confirmation() }, requestState: sealed("state") });
    }
    if (state === sealed("state")) return result(text("The state is ours."));
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The state is not ours.");
  }),
  tool("test_input_required_result_capabilities", (_args, context) => {
    const { sampling, elicitation, roots } = clientCapabilities(context);
    const inputRequests = {
      ...(sampling === undefined ? {} : { greeting: askModel("Generate a greeting", 50) }),
      ...(elicitation === undefined ? {} : { user_name: askName("What is your name?") }),
      ...(roots === undefined ? {} : { client_roots: inputRequired.listRoots() }),
    };
    return Object.keys(inputRequests).length === 0
      ? result(text("The client can be asked nothing."))
      : inputRequired({ inputRequests });
  }),
];

function confirmation() {
  return inputRequired.elicit({
    message: "Please confirm",
    requestedSchema: { ...object, properties: { ok: { type: "boolean" } }, required: ["ok"] },
  });
}

function sealed(state: string): string {
  return `${state}.${createHmac("sha256", KEY).update(state).digest("hex")}`;
}

function taskTools(tasks: ConformanceTasks): readonly ConformanceTool[] {
  const ended = (...content: CallToolResult["content"]) => ({ result: result(...content) });
  /** As a task where the client takes one, else at once. */
  const either = async (context: ServerContext, work: Work): Promise<ToolOutcome> => {
    if (takesTasks(context)) return tasks.start(work);
    await sleep(work.ms ?? 0);
    const end = work.end({});
    return "result" in end ? (end.result as CallToolResult) : result(text("It failed."));
  };
  return [
    tool("greet", ({ name }) => result(text(`Hello, ${name}!`)), nameSchema),
    tool("slow_compute", async ({ seconds, label }, context) => {
      const ms = Number(seconds ?? 0) * 1_000;
      const said = result(text(`Computed ${label ?? ""} in ${seconds} seconds.`));
      return ms === 0 ? said : await either(context, { ms, end: () => ({ result: said }) });
    }),
    tool("failing_job", (_args, context) => {
      requireTasks(context);
      const end = () => ({ result: { ...result(text("The job failed.")), isError: true } });
      return tasks.start({ ms: 1_000, end });
    }),
    tool("protocol_error_job", (_args, context) => {
      const error = { code: ProtocolErrorCode.InternalError, message: "The job broke." };
      return either(context, { ms: 100, end: () => ({ error }) });
    }),
    tool("confirm_delete", ({ filename }, context) =>
      either(context, {
        inputs: { confirm: confirmation() },
        end: () => ended(text(`Deleted ${filename}.`)),
      }),
    ),
    tool("multi_input", (_args, context) =>
      either(context, {
        inputs: { first: askName("First?"), second: askName("Second?") },
        end: () => ended(text("Both were given.")),
      }),
    ),
    tool("test_tool_with_task", (_args, context) => {
      requireTasks(context);
      const name = acceptedContent(context.mcpReq.inputResponses, "user_name")?.name;
      if (typeof name !== "string") {
        return inputRequired({ inputRequests: { user_name: askName("Who?") }, requestState: "asked" });
      }
      return tasks.start({ ms: 50, end: () => ended(text(`Done for ${name}.`)) });
    }),
  ];
}
