// What was asked of a model, the same for every wire.

import type { IncomingHttpHeaders } from "node:http";

export type WireName = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export type Thought = { readonly text: string; readonly signature: string | null };
export type ToolCall = {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** Where the wire signs calls: what came back, null where nothing did. */
  readonly signature?: string | null;
};
export type ToolResult = {
  readonly callId: string;
  /** Of the call that it answers. */
  readonly tool: string;
  readonly text: string;
  /** Where the wire can say so; false elsewhere. */
  readonly isError: boolean;
};
export type OfferedTool = {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
  /** Whether its input is a text: a script calls it with `{ input }`. */
  readonly isCustom?: boolean;
};

export type Message =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly thoughts: readonly Thought[];
      readonly calls: readonly ToolCall[];
    }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

/** What a wire reads out of a body. */
export type Asked = {
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly OfferedTool[];
  /** False where the caller did not ask for the numbers of a stream. */
  readonly wantsUsage: boolean;
  /** How long the answer may be; null where the caller did not say. */
  readonly maxOutputTokens: number | null;
};

/** How an answer ended: whole, cut by its script, or because the caller had left. */
export type Ending = "answered" | "cut" | "hung-up";

export type ModelRequest = Asked & {
  readonly wire: WireName;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** The bearer, `x-api-key` or `x-goog-api-key`. */
  readonly apiKey: string | null;
  readonly firstUserMessage: string;
  readonly lastUserMessage: string;
  /** All of the history, oldest first. */
  readonly toolResults: readonly ToolResult[];
  /** How many answers the history holds. */
  readonly assistantTurns: number;
  readonly ended: Promise<Ending>;
};

/** What is the same to compute on every wire. */
export function viewsOf(
  asked: Asked,
): Pick<ModelRequest, "firstUserMessage" | "lastUserMessage" | "toolResults" | "assistantTurns"> {
  const said = asked.messages.flatMap((message) => (message.role === "user" ? [message.text] : []));
  return {
    firstUserMessage: said[0] ?? "",
    lastUserMessage: said.at(-1) ?? "",
    toolResults: asked.messages.flatMap((message) => (message.role === "tool" ? message.results : [])),
    assistantTurns: asked.messages.filter(({ role }) => role === "assistant").length,
  };
}

/** Names the tool of each result after the call that it answers. */
export function nameResults(messages: readonly Message[]): Message[] {
  const tools = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant") for (const { id, tool } of message.calls) tools.set(id, tool);
    if (message.role !== "tool") return message;
    const results = message.results.map((result) => ({ ...result, tool: tools.get(result.callId) ?? "" }));
    return { ...message, results };
  });
}
