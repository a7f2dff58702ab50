// What OpenAI's responses refuse of a history, in their words. From errors that their users published, looked up on 2026-11-23.
// Reasoning is bound to what follows it, not to what came before.

import { type Item, itemsOf, responsesBody } from "./body-openai-responses.ts";
import { sealThought } from "./thought-seals.ts";
import { fault, type Turn } from "./turn.ts";

const BOUND_TO_NOTHING = "responses";
const MOST_CALL_ID_CHARS = 64;

export function refuseResponsesHistory(value: unknown): Turn | null {
  const body = responsesBody.parse(value);
  const items = itemsOf(body);
  for (const rule of [names, pairs, lonelyReasoning, seals]) {
    const refused = rule(items);
    if (refused !== null) return refused;
  }
  return null;
}

export function responsesPrefix(): string {
  return BOUND_TO_NOTHING;
}

type CallItem = Extract<Item, { type: "function_call" | "custom_tool_call" }>;
type AnswerItem = Extract<Item, { type: "function_call_output" | "custom_tool_call_output" }>;

function isCall(item: Item): item is CallItem {
  return item.type === "function_call" || item.type === "custom_tool_call";
}

function isAnswer(item: Item): item is AnswerItem {
  return item.type === "function_call_output" || item.type === "custom_tool_call_output";
}

function names(items: readonly Item[]): Turn | null {
  for (const [at, item] of items.entries()) {
    if (item.type === "message" && item.id !== undefined && !item.id.startsWith("msg"))
      return refused(`Invalid 'input[${at}].id': '${item.id}'. Expected an ID that begins with 'msg'.`);
    if (item.type === "reasoning" && item.id !== undefined && !item.id.startsWith("rs"))
      return refused(`Invalid 'input[${at}].id': '${item.id}'. Expected an ID that begins with 'rs'.`);
    if (!isCall(item)) continue;
    if (item.call_id.length > MOST_CALL_ID_CHARS)
      return refused(
        `Invalid 'input[${at}].call_id': string too long. Expected a string with maximum length ${MOST_CALL_ID_CHARS}, but got a string with length ${item.call_id.length} instead.`,
      );
    if (!/^[a-zA-Z0-9_-]+$/.test(item.name))
      return refused(
        `Invalid 'input[${at}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      );
  }
  return null;
}

function pairs(items: readonly Item[]): Turn | null {
  const called = items.flatMap((item) => (isCall(item) ? [item.call_id] : []));
  const answered = items.flatMap((item) => (isAnswer(item) ? [item.call_id] : []));
  const stray = answered.find((id) => !called.includes(id));
  if (stray !== undefined)
    return refused(`No tool call found for function call output with call_id ${stray}.`);
  const missing = called.find((id) => !answered.includes(id));
  return missing === undefined ? null : refused(`No tool output found for function call ${missing}.`);
}

/** Reasoning leads to a message or a call of the same answer. */
function lonelyReasoning(items: readonly Item[]): Turn | null {
  for (const [at, item] of items.entries()) {
    if (item.type !== "reasoning") continue;
    const next = items.slice(at + 1).find(({ type }) => type !== "reasoning");
    const isLed =
      (next !== undefined && isCall(next)) || (next?.type === "message" && next.role === "assistant");
    if (!isLed)
      return refused(
        `Item '${item.id ?? "rs_unknown"}' of type 'reasoning' was provided without its required following item.`,
      );
  }
  return null;
}

function seals(items: readonly Item[]): Turn | null {
  for (const item of items) {
    if (item.type !== "reasoning") continue;
    const { id = "rs_unknown", encrypted_content: content, summary } = item;
    if (content == null)
      return refused(
        `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        { status: 404 },
      );
    if (content !== sealThought(summary.map(({ text }) => text).join(""), BOUND_TO_NOTHING))
      return refused(
        `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        { param: null, code: "invalid_encrypted_content" },
      );
  }
  return null;
}

function refused(
  message: string,
  {
    status = 400,
    param = "input",
    code = null,
  }: { readonly status?: number; readonly param?: string | null; readonly code?: string | null } = {},
): Turn {
  return fault({ status, body: { error: { message, type: "invalid_request_error", param, code } } });
}
