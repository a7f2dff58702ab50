// The surface of an MCP server for one request: its tools, resources, prompts and tasks. The server itself knows no noun.

import type {
  CallToolResult,
  CompleteRequestParams,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";

/** `resultType` "task": the call goes on as a task (io.modelcontextprotocol/tasks). */
export type TaskCreated = { readonly resultType: "task"; readonly [field: string]: unknown };
export type ToolOutcome = CallToolResult | InputRequiredResult | TaskCreated;

type CallableTool = { readonly name: string; readonly outputSchema?: Tool["outputSchema"] };

/** A ProtocolError that is thrown is answered as one. */
export type Surface = {
  readonly instructions: string;
  /** In the order in which they are listed. */
  readonly tools: readonly Tool[];
  /** A tool that can be called, listed or not. Throws a ProtocolError where there is none. */
  findTool(name: string): CallableTool;
  callTool(call: ToolCallParams, context: ServerContext): Promise<ToolOutcome>;
  readonly resourceTemplates: readonly ResourceTemplateType[];
  listResources(): Promise<readonly Resource[]>;
  readResource(uri: string, context: ServerContext): Promise<ReadResourceResult | InputRequiredResult>;
  readonly prompts: readonly Prompt[];
  getPrompt(
    asked: { readonly name: string; readonly args: Readonly<Record<string, string>> },
    context: ServerContext,
  ): Promise<GetPromptResult | InputRequiredResult>;
  /** Values that an argument may have, the likely ones first. */
  complete(asked: CompleteRequestParams): Promise<readonly string[]>;
  readonly tasks: Tasks;
};

export type ToolCallParams = { readonly name: string; readonly args: Readonly<Record<string, unknown>> };

/** Each throws a ProtocolError for an id that is no task of the caller's. */
export type Tasks = {
  get(taskId: string): Promise<object>;
  update(taskId: string, responses: Readonly<Record<string, unknown>>): Promise<void>;
  cancel(taskId: string): Promise<void>;
};
