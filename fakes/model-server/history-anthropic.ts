// What Anthropic refuses of a history, in its words. From errors that its users published and from its pages on preserved
// thinking, looked up on 2026-11-23; which empty texts it takes: experientiallabs/experiential pull request 804 (2026-07).

import type * as z from "zod/mini";
import { blocksOf, isBlock, messagesBody, type Sent } from "./body-anthropic.ts";
import { prefixOf, sealThought } from "./thought-seals.ts";
import { fault, type Turn } from "./turn.ts";

type Body = z.infer<typeof messagesBody>;
type Rule = (body: Body) => string | null;

export function refuseAnthropicHistory(value: unknown): Turn | null {
  const body = messagesBody.parse(value);
  const message = rules.map((rule) => rule(body)).find((said) => said !== null);
  return message === undefined ? null : fault({ status: 400, message });
}

export function anthropicPrefix(value: unknown): string {
  const body = messagesBody.parse(value);
  return prefixAt(body, body.messages.length);
}

function prefixAt({ system = [], tools = [], messages }: Body, at: number): string {
  const told = typeof system === "string" ? [{ type: "text", text: system }] : system;
  return prefixOf(told, tools, messages.slice(0, at));
}

/** The first and the last are the user's: today's models take no beginning of their answer. */
const endsOfHistory: Rule = ({ messages }) => {
  const said = messages.filter(({ role }) => role !== "system");
  if (said[0]?.role === "assistant") return 'messages: first message must use the "user" role';
  return said.at(-1)?.role === "assistant"
    ? "This model does not support assistant message prefill. The conversation must end with a user message."
    : null;
};

const emptyTexts: Rule = ({ messages }) =>
  firstOf(messages, (sent, at) => {
    const blocks = blocksOf(sent);
    if (sent.content === "" && sent.role === "assistant") return null;
    if (blocks.some((block) => isBlock(block, "text") && block.text === "") && sent.content !== "")
      return "messages: text content blocks must be non-empty";
    if (sent.role === "user" && (blocks.length === 0 || sent.content === ""))
      return `messages.${at}: user messages must have non-empty content`;
    const areBlank =
      blocks.length > 0 && blocks.every((block) => isBlock(block, "text") && isBlank(block.text));
    return areBlank ? "messages: text content blocks must contain non-whitespace text" : null;
  });

const callIds: Rule = ({ messages }) => {
  const seen = new Set<string>();
  return firstOf(messages, (sent, at) =>
    firstOf(blocksOf(sent), (block, index) => {
      if (!isBlock(block, "tool_use")) return null;
      const place = `messages.${at}.content.${index}`;
      if (!/^[a-zA-Z0-9_-]+$/.test(block.id))
        return `${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(block.name))
        return `${place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
      if (seen.has(block.id)) return "messages: `tool_use` ids must be unique";
      seen.add(block.id);
      return null;
    }),
  );
};

const pairs: Rule = ({ messages }) => {
  const said = messages.filter(({ role }) => role !== "system");
  return firstOf(said, (sent, at) => {
    const called = callsOf(said[at - 1]);
    const answered = sent.role === "user" ? firstResults(sent) : [];
    const results = blocksOf(sent).flatMap((block, index) =>
      isBlock(block, "tool_result") ? [{ id: block.tool_use_id, index }] : [],
    );
    const missing = called.filter((id) => !answered.includes(id));
    if (missing.length > 0)
      return `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    const stray = results.find(({ id }) => !called.includes(id));
    return stray === undefined
      ? null
      : `messages.${at}.content.${stray.index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  });
};

const seals: Rule = (body) =>
  firstOf(body.messages, (sent, at) =>
    firstOf(blocksOf(sent), (block, index) => {
      if (!isBlock(block, "thinking")) return null;
      if (block.signature === sealThought(block.thinking, prefixAt(body, at))) return null;
      return `messages.${at}.content.${index}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;
    }),
  );

/** Of requests that set how much is thought, as models before Claude 4.6 take them. */
const thoughtsBeforeCalls: Rule = ({ thinking, messages }) => {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const last = messages[at];
  const [first] = last === undefined ? [] : blocksOf(last);
  if (thinking?.type !== "enabled" || last === undefined || first === undefined) return null;
  if (callsOf(last).length === 0 || first.type === "thinking" || first.type === "redacted_thinking")
    return null;
  return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`;
};

const rules: readonly Rule[] = [endsOfHistory, emptyTexts, callIds, pairs, seals, thoughtsBeforeCalls];

function callsOf(sent: Sent | undefined): string[] {
  if (sent?.role !== "assistant") return [];
  return blocksOf(sent).flatMap((block) => (isBlock(block, "tool_use") ? [block.id] : []));
}

/** Results come before all else. */
function firstResults(sent: Sent): string[] {
  const ids: string[] = [];
  for (const block of blocksOf(sent)) {
    if (!isBlock(block, "tool_result")) break;
    ids.push(block.tool_use_id);
  }
  return ids;
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

function firstOf<Some>(all: readonly Some[], said: (some: Some, at: number) => string | null): string | null {
  for (const [at, some] of all.entries()) {
    const message = said(some, at);
    if (message !== null) return message;
  }
  return null;
}
