// Reads the tokens that a model's answer says it took, from JSON or server-sent events of any of the protocols, and how
// much the model wrote. Pure.

import * as z from "zod/mini";
import { isObject } from "../../../../../base/json.ts";
import type { EstimatedCallSize, ReportedUsage } from "../../model/reported-usage.ts";

/** A document, or a line of a stream, that is longer than this is not read. */
const MAX_READ_CHARS = 16_000_000;
const MAX_DEPTH = 12;

/** Members whose text is what the model wrote. */
const writtenNames = new Set([
  "text",
  "thinking",
  "partial_json",
  "content",
  "delta",
  "arguments",
  "reasoning",
  "reasoning_content",
]);

const count = z.optional(z.catch(z.optional(z.number()), undefined));
const cachedIn = z.optional(z.catch(z.nullish(z.looseObject({ cached_tokens: count })), undefined));
const usageSchema = z.looseObject({
  // Anthropic; OpenAI's responses
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  input_tokens_details: cachedIn,
  // OpenAI's chat completions
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: cachedIn,
  // Gemini
  promptTokenCount: count,
  toolUsePromptTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
  cachedContentTokenCount: count,
});

export class AnswerUsage {
  readonly #isStream: boolean;
  #kept = "";
  #input: number | null = null;
  #cachedInput: number | null = null;
  #output: number | null = null;
  #isWhole = false;
  #heardChars = 0;
  #heardBytes = 0;

  constructor(contentType: string) {
    this.#isStream = contentType.toLowerCase().startsWith("text/event-stream");
  }

  /** Of an answer that was cut, the output counted so far may be that of its first word: it is left out. */
  get reported(): ReportedUsage {
    return {
      input: this.#input,
      cachedInput: this.#cachedInput,
      output: this.#isWhole ? this.#output : null,
    };
  }

  get size(): Pick<EstimatedCallSize, "heardChars" | "heardBytes"> {
    return { heardChars: this.#heardChars, heardBytes: this.#heardBytes };
  }

  add(text: string): void {
    if (!this.#isStream) {
      this.#keep(this.#kept + text);
      return;
    }
    const lines = (this.#kept + text).split("\n");
    this.#keep(lines.pop() ?? "");
    for (const line of lines) this.#readLine(line);
  }

  /** No more follows. */
  end(): void {
    if (this.#isStream) this.#readLine(this.#kept);
    else this.#read(this.#kept);
    this.#kept = "";
    this.#isWhole = true;
  }

  /** It was cut here. */
  cut(): void {
    if (!this.#isStream) this.#hear(this.#kept);
    this.#kept = "";
  }

  #keep(text: string): void {
    if (text.length <= MAX_READ_CHARS) {
      this.#kept = text;
      return;
    }
    this.#hear(text);
    this.#kept = "";
  }

  #hear(text: string): void {
    this.#heardChars += text.length;
    this.#heardBytes += Buffer.byteLength(text);
  }

  #readLine(line: string): void {
    if (line.startsWith("data:")) this.#read(line.slice("data:".length));
  }

  #read(json: string): void {
    for (const value of parsed(json)) {
      for (const text of writtenIn(value, 0)) this.#hear(text);
      for (const usage of usagesIn(value)) this.#take(usage);
    }
  }

  /** Every protocol counts up: a later number replaces an earlier one. */
  #take(usage: z.infer<typeof usageSchema>): void {
    const sum = (...parts: readonly (number | undefined)[]) =>
      parts.every((part) => part === undefined)
        ? null
        : parts.reduce<number>((total, part) => total + (part ?? 0), 0);
    const input = sum(
      usage.input_tokens,
      usage.cache_creation_input_tokens,
      usage.cache_read_input_tokens,
      usage.prompt_tokens,
      usage.promptTokenCount,
      usage.toolUsePromptTokenCount,
    );
    const output = sum(
      usage.output_tokens,
      usage.completion_tokens,
      usage.candidatesTokenCount,
      usage.thoughtsTokenCount,
    );
    const cached = sum(
      usage.cache_read_input_tokens,
      usage.input_tokens_details?.cached_tokens,
      usage.prompt_tokens_details?.cached_tokens,
      usage.cachedContentTokenCount,
    );
    this.#input = latest(this.#input, input);
    this.#output = latest(this.#output, output);
    this.#cachedInput = latest(this.#cachedInput, cached);
  }
}

/** Anthropic counts the input at the beginning alone, and the output at both ends. */
function latest(before: number | null, now: number | null): number | null {
  return now === null || (before ?? 0) > now ? before : now;
}

/** Of a document and of a stream's event: its own, that of Anthropic's message, that of OpenAI's response. */
function usagesIn(value: Readonly<Record<string, unknown>>): z.infer<typeof usageSchema>[] {
  const holders = [value, value.message, value.response].filter(isObject);
  return holders
    .flatMap((holder) => [holder.usage, holder.usageMetadata])
    .map((usage) => usageSchema.safeParse(usage))
    .flatMap((usage) => (usage.success ? [usage.data] : []));
}

function writtenIn(value: unknown, depth: number): readonly string[] {
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (typeof inner === "string") return writtenNames.has(name) ? [inner] : [];
    return writtenIn(inner, depth + 1);
  });
}

/** Gemini's stream is a list of documents, unless it is asked for events. */
function parsed(json: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    const value: unknown = JSON.parse(json);
    return (Array.isArray(value) ? value : [value]).filter(isObject);
  } catch {
    return [];
  }
}
