// Gemini's generateContent and streamGenerateContent. https://ai.google.dev/api/generate-content

import * as z from "zod/mini";
import { type Asked, type Message, nameResults, signThought } from "./request.ts";
import type { Answer, ModelUsage, StopReason } from "./turn.ts";
import {
  commentEvent,
  dataEvent,
  deltasOf,
  type EventWriter,
  type MadeCall,
  type Outline,
  parseInput,
  type Wire,
  type Writable,
} from "./wire.ts";

const part = z.looseObject({
  text: z.optional(z.string()),
  thought: z.optional(z.boolean()),
  thoughtSignature: z.optional(z.string()),
  functionCall: z.optional(
    z.looseObject({ id: z.optional(z.string()), name: z.string(), args: z.optional(z.unknown()) }),
  ),
  functionResponse: z.optional(
    z.looseObject({ id: z.optional(z.string()), name: z.string(), response: z.unknown() }),
  ),
});

const contents = z.looseObject({ role: z.optional(z.enum(["user", "model"])), parts: z.array(part) });

const geminiBody = z.looseObject({
  contents: z.array(contents).check(z.minLength(1)),
  generationConfig: z.optional(z.looseObject({ maxOutputTokens: z.optional(z.number()) })),
  systemInstruction: z.optional(z.looseObject({ parts: z.array(part) })),
  tools: z.optional(
    z.array(
      z.looseObject({
        functionDeclarations: z.optional(
          z.array(
            z.looseObject({
              name: z.string(),
              description: z.optional(z.string()),
              parameters: z.optional(z.unknown()),
              parametersJsonSchema: z.optional(z.unknown()),
            }),
          ),
        ),
      }),
    ),
  ),
});

export const gemini: Wire = { name: "gemini", decode, events, document, failure };

function decode(body: unknown, path: string): Asked {
  const { contents: history, systemInstruction, tools = [], generationConfig } = geminiBody.parse(body);
  const [, model = "", verb = ""] = /\/models\/([^:/?]+):(\w+)/.exec(path) ?? [];
  return {
    model: decodeURIComponent(model),
    stream: verb === "streamGenerateContent",
    wantsUsage: true,
    maxOutputTokens: generationConfig?.maxOutputTokens ?? null,
    system: textOf(systemInstruction?.parts ?? []),
    messages: nameResults(history.flatMap((content) => readContent(content, needsSignatures(model)))),
    tools: tools
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, description = "", parameters, parametersJsonSchema }) => ({
        name,
        description,
        schema: parametersJsonSchema ?? parameters,
      })),
  };
}

/** https://ai.google.dev/gemini-api/docs/thought-signatures, looked up on 2026-11-22. */
function needsSignatures(model: string): boolean {
  return /^gemini-[3-9]/.test(model);
}

/** What stands for the signature of a call that another model made. */
const SKIPPED = "skip_thought_signature_validator";

/** A call without an id goes by its name. */
function readContent({ role, parts }: z.infer<typeof contents>, isStrict: boolean): Message[] {
  if (role === "model") {
    const thoughts = parts.flatMap(({ text, thought, thoughtSignature = null }) =>
      thought === true && text !== undefined ? [{ text, signature: thoughtSignature }] : [],
    );
    const called = parts.flatMap(({ functionCall, thoughtSignature = null }) =>
      functionCall === undefined ? [] : [{ ...functionCall, signature: thoughtSignature }],
    );
    // Of calls side by side the first is signed.
    const calls = called.map(({ id, name, args, signature }, at) => ({
      id: id ?? name,
      tool: name,
      input: args,
      ...(at === 0 && isStrict && signature !== SKIPPED ? { signature } : {}),
    }));
    return [{ role: "assistant", text: textOf(parts), thoughts, calls }];
  }
  const results = parts.flatMap(({ functionResponse: given }) => {
    if (given === undefined) return [];
    return [
      {
        callId: given.id ?? given.name,
        tool: given.name,
        ...resultOf(given.response),
      },
    ];
  });
  const text = textOf(parts);
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, results }] : []),
    ...(results.length === 0 || text !== "" ? [{ role: "user" as const, text }] : []),
  ];
}

/** Clients put a text into an object, under names of their own. */
function resultOf(response: unknown): { readonly text: string; readonly isError: boolean } {
  const parsed = resultBody.safeParse(response);
  const { content, output, error } = parsed.success ? parsed.data : {};
  const text = error ?? content ?? output ?? JSON.stringify(response);
  return { text, isError: error !== undefined };
}

const resultBody = z.looseObject({
  content: z.optional(z.string()),
  output: z.optional(z.string()),
  error: z.optional(z.string()),
});

function textOf(parts: readonly z.infer<typeof part>[]): string {
  return parts.map(({ text = "", thought }) => (thought === true ? "" : text)).join("");
}

function events(outline: Outline): EventWriter {
  let isGarbled = false;
  const chunk = (parts: readonly object[]) => dataEvent(frameOf(outline, [candidateOf(parts)]));
  return {
    start: () => [],
    write: (piece) => {
      switch (piece.type) {
        case "text":
          return deltasOf(piece.text).map((text) => chunk([{ text }]));
        case "thought":
          return deltasOf(piece.text).map((text) => chunk([{ text, thought: true }]));
        case "calls":
          if (piece.calls.some(isGarbledCall)) isGarbled = true;
          return [chunk(callParts(piece.calls))];
        case "ping":
          return [commentEvent];
        case "error":
          return [dataEvent({ error: { code: 503, message: piece.message, status: piece.kind } })];
      }
    },
    finish: () => {
      const candidate = { ...candidateOf([{ text: "" }]), finishReason: finishOf(outline.answer, isGarbled) };
      return [dataEvent({ ...frameOf(outline, [candidate]), usageMetadata: usageOf(outline.answer.usage) })];
    },
  };
}

function document(outline: Outline, pieces: readonly Writable[]): unknown {
  const candidate = candidateOf(pieces.flatMap(partsOf));
  const isGarbled = pieces.some((piece) => piece.type === "calls" && piece.calls.some(isGarbledCall));
  const finished = { ...candidate, finishReason: finishOf(outline.answer, isGarbled) };
  return { ...frameOf(outline, [finished]), usageMetadata: usageOf(outline.answer.usage) };
}

function partsOf(piece: Writable): object[] {
  if (piece.type === "text") return [{ text: piece.text }];
  if (piece.type === "thought") return [{ text: piece.text, thought: true }];
  return piece.type === "calls" ? callParts(piece.calls) : [];
}

/** Arguments travel as a value: garbled ones are left out, and the reason to finish says so. */
function callParts(calls: readonly MadeCall[]): object[] {
  return calls
    .filter((made) => !isGarbledCall(made))
    .map(({ id, tool, input }, at) => ({
      functionCall: { id, name: tool, args: parseInput(input) },
      ...(at === 0 ? { thoughtSignature: signThought(tool) } : {}),
    }));
}

function isGarbledCall({ input }: MadeCall): boolean {
  const value = parseInput(input);
  return typeof value !== "object" || value === null || Array.isArray(value);
}

function candidateOf(parts: readonly object[]) {
  return { content: { role: "model", parts }, index: 0 };
}

function frameOf({ id, asked }: Outline, candidates: readonly object[]) {
  return { candidates, modelVersion: asked.model, responseId: id };
}

function finishOf({ stop }: Answer, isGarbled: boolean): string {
  return isGarbled ? "MALFORMED_FUNCTION_CALL" : finishReasons[stop];
}

const finishReasons: Readonly<Record<StopReason, string>> = {
  stop: "STOP",
  calls: "STOP",
  length: "MAX_TOKENS",
  filter: "SAFETY",
};

function usageOf({ input, output, cacheRead, reasoning }: ModelUsage) {
  return {
    promptTokenCount: input,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + output,
  };
}

function failure(code: number, message: string): unknown {
  const status = code === 429 ? "RESOURCE_EXHAUSTED" : code < 500 ? "INVALID_ARGUMENT" : "UNAVAILABLE";
  return { error: { code, message, status } };
}
