// What a model's answer says of its tokens, on each of the four wires, streamed or whole. Pure.

import * as z from "zod/mini";

/** `cached` and `written` are parts of `input`. */
export type CallTokens = {
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
};

const count = z.optional(z.nullable(z.number()));
const usageSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z.optional(z.nullable(z.object({ cached_tokens: count }))),
  input_tokens: count,
  output_tokens: count,
  input_tokens_details: z.optional(z.nullable(z.object({ cached_tokens: count }))),
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  promptTokenCount: count,
  cachedContentTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
});
const holder = { usage: z.optional(z.nullable(usageSchema)) };
const pieceSchema = z.object({
  ...holder,
  usageMetadata: z.optional(z.nullable(usageSchema)),
  message: z.optional(z.nullable(z.union([z.object(holder), z.unknown()]))),
  response: z.optional(z.nullable(z.union([z.object(holder), z.unknown()]))),
});
type Usage = z.infer<typeof usageSchema>;

const none: CallTokens = { input: 0, cached: 0, written: 0, output: 0 };

/** Null where the answer says nothing. Numbers of a stream are running totals: the largest of each counts. */
export function tokensOf(answer: string): CallTokens | null {
  const found = piecesOf(answer).flatMap(usagesOf).map(toTokens);
  if (found.length === 0) return null;
  return found.reduce(
    (sum, tokens) => ({
      input: Math.max(sum.input, tokens.input),
      cached: Math.max(sum.cached, tokens.cached),
      written: Math.max(sum.written, tokens.written),
      output: Math.max(sum.output, tokens.output),
    }),
    none,
  );
}

function piecesOf(answer: string): unknown[] {
  const whole = parsed(answer);
  if (whole !== undefined) return [whole];
  return answer.split("\n").flatMap((line) => {
    const piece = line.startsWith("data:") ? parsed(line.slice("data:".length)) : undefined;
    return piece === undefined ? [] : [piece];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function usagesOf(piece: unknown): Usage[] {
  const read = pieceSchema.safeParse(piece);
  if (!read.success) return [];
  const { usage, usageMetadata, message, response } = read.data;
  return [usage, usageMetadata, usageIn(message), usageIn(response)].filter(
    (one) => one !== null && one !== undefined,
  );
}

function usageIn(value: unknown): Usage | null {
  const read = z.object(holder).safeParse(value);
  return read.success ? (read.data.usage ?? null) : null;
}

/** Anthropic counts what it read from its cache, and what it wrote there, beside the input; the others within it. */
function toTokens(usage: Usage): CallTokens {
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const input = usage.prompt_tokens ?? usage.input_tokens ?? usage.promptTokenCount ?? 0;
  const within =
    usage.prompt_tokens_details?.cached_tokens ??
    usage.input_tokens_details?.cached_tokens ??
    usage.cachedContentTokenCount ??
    0;
  const thoughts = usage.thoughtsTokenCount ?? 0;
  return {
    input: input + read + written,
    cached: within + read,
    written,
    output: usage.completion_tokens ?? usage.output_tokens ?? (usage.candidatesTokenCount ?? 0) + thoughts,
  };
}
