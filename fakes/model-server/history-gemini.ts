// What Gemini refuses of a history, in its words. https://ai.google.dev/gemini-api/docs/thought-signatures and errors that its
// users published, looked up on 2026-11-23. A signature holds for its call, whatever came before.

import type * as z from "zod/mini";
import { type contents, geminiBody, modelIn, needsSignatures, SKIPPED } from "./body-gemini.ts";
import { sealThought } from "./thought-seals.ts";
import { fault, type Turn } from "./turn.ts";

const BOUND_TO_NOTHING = "gemini";

type Content = z.infer<typeof contents>;

export function refuseGeminiHistory(value: unknown, path: string): Turn | null {
  const { contents: history } = geminiBody.parse(value);
  const message = orderFault(history) ?? signatureFault(history, modelIn(path));
  return message === null ? null : fault({ status: 400, message });
}

export function geminiPrefix(): string {
  return BOUND_TO_NOTHING;
}

function orderFault(history: readonly Content[]): string | null {
  for (const [at, { role, parts }] of history.entries()) {
    const before = history[at - 1];
    if (parts.length === 0)
      return `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`;
    const answers = parts.filter(({ functionResponse }) => functionResponse !== undefined).length;
    const called = before?.role === "model" ? callsOf(before).length : 0;
    if (role !== "model" && called !== answers)
      return called === 0
        ? "Please ensure that function response turn comes immediately after a function call turn."
        : "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
    if (
      role === "model" &&
      callsOf({ parts }).length > 0 &&
      (before === undefined || before.role === "model")
    )
      return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  }
  return history.at(-1)?.role === "model"
    ? "Please ensure that single turn requests end with a user role or the role field is empty."
    : null;
}

/** Of calls side by side the first is signed. */
function signatureFault(history: readonly Content[], model: string): string | null {
  for (const [at, content] of history.entries()) {
    for (const [index, { functionCall, thoughtSignature }] of callsOf(content).entries()) {
      const name = functionCall?.name ?? "";
      if (thoughtSignature === undefined && index === 0 && needsSignatures(model))
        return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${at + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;
      const isKnown = thoughtSignature === undefined || thoughtSignature === SKIPPED;
      if (!isKnown && thoughtSignature !== sealThought(name, BOUND_TO_NOTHING))
        return "Corrupted thought signature.";
    }
  }
  return null;
}

function callsOf({ parts }: Pick<Content, "parts">) {
  return parts.filter(({ functionCall }) => functionCall !== undefined);
}
