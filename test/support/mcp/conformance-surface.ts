// The tools, resources and prompts that the conformance suite describes, each by what the suite calls it.

import {
  type GetPromptResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Surface } from "../../../src/service/api/mcp/surface.ts";
import type { ConformanceTasks } from "./conformance-tasks.ts";
import { conformanceTools, PNG, text } from "./conformance-tools.ts";

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

export function conformanceSurface(tasks: ConformanceTasks): Surface {
  const tools = conformanceTools(tasks);
  return {
    instructions: "Tools of the conformance suite.",
    tools: tools.map(({ listing }) => listing),
    findTool: (name) => {
      const tool = tools.find(({ listing }) => listing.name === name);
      if (tool !== undefined) return tool.listing;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name}.`);
    },
    callTool: async ({ name, args }, context) => {
      const tool = tools.find(({ listing }) => listing.name === name);
      if (tool === undefined) throw new TypeError(`There is no tool ${name}.`);
      return await tool.call(args, context);
    },
    resourceTemplates: [
      { uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" },
    ],
    listResources: async () => [
      { uri: "test://static-text", name: "text", mimeType: "text/plain" },
      { uri: "test://static-binary", name: "binary", mimeType: "image/png" },
    ],
    readResource: async (uri) => readResource(uri),
    prompts: [
      { name: "test_simple_prompt", description: "Simple." },
      {
        name: "test_prompt_with_arguments",
        description: "With arguments.",
        arguments: [
          { name: "arg1", required: true },
          { name: "arg2", required: true },
        ],
      },
      {
        name: "test_prompt_with_embedded_resource",
        description: "With a resource.",
        arguments: [{ name: "resourceUri", required: true }],
      },
      { name: "test_prompt_with_image", description: "With an image." },
      { name: "test_input_required_result_prompt", description: "Asks before it answers." },
    ],
    getPrompt: async ({ name, args }, context) => getPrompt(name, args, context),
    complete: async ({ argument }) =>
      ["paris", "park", "party"].filter((one) => one.startsWith(argument.value)),
    tasks,
  };
}

function readResource(uri: string): ReadResourceResult {
  if (uri === "test://static-text") {
    const content = "This is the content of the static text resource.";
    return { contents: [{ uri, mimeType: "text/plain", text: content }] };
  }
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: PNG }] };
  const id = TEMPLATE.exec(uri)?.[1];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: "application/json", text: data }] };
}

function getPrompt(name: string, args: Readonly<Record<string, string>>, context: ServerContext) {
  const said = (...contents: GetPromptResult["messages"][number]["content"][]): GetPromptResult => ({
    messages: contents.map((content) => ({ role: "user", content })),
  });
  switch (name) {
    case "test_prompt_with_arguments":
      return said(text(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`));
    case "test_prompt_with_embedded_resource":
      return said(
        {
          type: "resource",
          resource: {
            uri: args.resourceUri ?? "",
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        },
        text("Please process the embedded resource above."),
      );
    case "test_prompt_with_image":
      return said(
        { type: "image", data: PNG, mimeType: "image/png" },
        text("Please analyze the image above."),
      );
    case "test_input_required_result_prompt":
      return context.mcpReq.inputResponses?.user_context === undefined
        ? inputRequired({
            inputRequests: {
              user_context: inputRequired.elicit({
                message: "What context should the prompt use?",
                requestedSchema: {
                  type: "object",
                  properties: { context: { type: "string" } },
                  required: ["context"],
                },
              }),
            },
          })
        : said(text("With the context that was given."));
    default:
      return said(text("This is a simple prompt for testing."));
  }
}
