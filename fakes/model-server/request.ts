// What was asked of a model, the same for every wire, and the rules of a history that every API refuses to bend.

import { createHash } from "node:crypto";
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
export type OfferedTool = { readonly name: string; readonly description: string; readonly schema: unknown };

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

/** A sentence where an API would answer 400, else null: every call has one result, right after it. */
export function faultOfHistory(messages: readonly Message[]): string | null {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      const stray = message.results.find(({ callId }) => !open.delete(callId));
      if (stray !== undefined) return `Tool result "${stray.callId}" answers no open tool call before it.`;
      continue;
    }
    if (open.size > 0) break;
    if (message.role !== "assistant") continue;
    open = new Set(message.calls.map(({ id }) => id));
    const forged = message.thoughts.find(
      ({ text, signature }) => (signature ?? signThought(text)) !== signThought(text),
    );
    if (forged !== undefined) return "Invalid signature in thinking block.";
    const unsigned = message.calls.find(
      ({ tool, signature }) => signature !== undefined && signature !== signThought(tool),
    );
    if (unsigned !== undefined)
      return `Function call is missing a thought_signature in functionCall parts. Function call \`${unsigned.tool}\`.`;
  }
  const [missing] = open;
  return missing === undefined ? null : `Tool call "${missing}" was not followed by its tool result.`;
}

/** The signature of a thought, which must come back with it unchanged. */
export function signThought(text: string): string {
  return createHash("sha256").update(`thought:${text}`).digest("base64");
}
