// What servers of Chat Completions refuse of a history, in their words: OpenAI's, Mistral's of an empty answer, and OpenRouter's
// of thoughts that Anthropic signed. From errors that their users published, looked up on 2026-11-23.

import { type ChatBody, chatBody, textOf } from "./body-openai-chat.ts";
import { prefixOf, sealThought } from "./thought-seals.ts";
import { fault, type Turn } from "./turn.ts";

type Sent = ChatBody["messages"][number];

export function refuseChatHistory(value: unknown): Turn | null {
  const body = chatBody.parse(value);
  for (const rule of [ids, pairs, emptyAnswers, seals]) {
    const refused = rule(body);
    if (refused !== null) return refused;
  }
  return null;
}

export function chatPrefix(value: unknown): string {
  const body = chatBody.parse(value);
  return prefixAt(body, body.messages.length);
}

function prefixAt({ tools = [], messages }: ChatBody, at: number): string {
  return prefixOf(tools, messages.slice(0, at));
}

function ids({ messages }: ChatBody): Turn | null {
  for (const [at, sent] of messages.entries()) {
    for (const [index, { id, function: made }] of callsOf(sent).entries()) {
      const place = `messages[${at}].tool_calls[${index}]`;
      if (id.length > 40)
        return openAi(
          `Invalid '${place}.id': string too long. Expected a string with maximum length 40, but got a string with length ${id.length} instead.`,
          `${place}.id`,
        );
      if (!/^[a-zA-Z0-9_-]+$/.test(made.name))
        return openAi(
          `Invalid '${place}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
          `${place}.function.name`,
        );
    }
  }
  return null;
}

/** Every call has one result, before anybody speaks again. */
function pairs({ messages }: ChatBody): Turn | null {
  let open: { readonly ids: Set<string>; readonly at: number } = { ids: new Set(), at: 0 };
  for (const [at, sent] of [...messages, null].entries()) {
    if (sent?.role === "tool") {
      if (!open.ids.delete(sent.tool_call_id))
        return openAi(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages.[${at}].role`,
        );
      continue;
    }
    if (open.ids.size > 0)
      return openAi(
        `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open.ids].join(", ")}`,
        `messages.[${open.at}].role`,
      );
    if (sent?.role === "assistant") open = { ids: new Set(callsOf(sent).map(({ id }) => id)), at };
  }
  return null;
}

function emptyAnswers({ messages }: ChatBody): Turn | null {
  const isEmpty = messages.some(
    (sent) => sent.role === "assistant" && callsOf(sent).length === 0 && textOf(sent.content ?? "") === "",
  );
  if (!isEmpty) return null;
  const message = "Assistant message must have either content or tool_calls, but not none.";
  return fault({
    status: 400,
    body: { object: "error", message, type: "invalid_request_message_order", param: null, code: "3240" },
  });
}

function seals(body: ChatBody): Turn | null {
  for (const [at, sent] of body.messages.entries()) {
    if (sent.role !== "assistant") continue;
    for (const [index, { text = "", signature }] of (sent.reasoning_details ?? []).entries()) {
      if (signature === sealThought(text, prefixAt(body, at))) continue;
      const raw = JSON.stringify({
        type: "error",
        error: {
          type: "invalid_request_error",
          message: `messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation.`,
        },
      });
      const metadata = { raw, provider_name: "Anthropic" };
      return fault({
        status: 400,
        body: { error: { message: "Provider returned error", code: 400, metadata } },
      });
    }
  }
  return null;
}

function callsOf(sent: Sent) {
  return sent.role === "assistant" ? (sent.tool_calls ?? []) : [];
}

function openAi(message: string, param: string): Turn {
  return fault({
    status: 400,
    body: { error: { message, type: "invalid_request_error", param, code: null } },
  });
}
