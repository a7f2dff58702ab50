// Gemini's generateContent and streamGenerateContent. https://ai.google.dev/api/generate-content

import * as z from "zod/mini";
import { type contents, geminiBody, modelIn, type part } from "./body-gemini.ts";
import { geminiPrefix, refuseGeminiHistory } from "./history-gemini.ts";
import { type Asked, type Message, nameResults } from "./request.ts";
import { sealThought } from "./thought-seals.ts";
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

export const gemini: Wire = {
  name: "gemini",
  decode,
  refuseHistory: refuseGeminiHistory,
  prefixOf: geminiPrefix,
  events,
  document,
  failure,
};

function decode(body: unknown, path: string): Asked {
  const { contents: history, systemInstruction, tools = [], generationConfig } = geminiBody.parse(body);
  return {
    model: modelIn(path),
    stream: path.includes(":streamGenerateContent"),
    wantsUsage: true,
    maxOutputTokens: generationConfig?.maxOutputTokens ?? null,
    system: textOf(systemInstruction?.parts ?? []),
    messages: nameResults(history.flatMap(readContent)),
    tools: tools
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, description = "", parameters, parametersJsonSchema }) => ({
        name,
        description,
        schema: parametersJsonSchema ?? parameters,
      })),
  };
}

/** A call without an id goes by its name. */
function readContent({ role, parts }: z.infer<typeof contents>): Message[] {
  if (role === "model") {
    const thoughts = parts.flatMap(({ text, thought, thoughtSignature = null }) =>
      thought === true && text !== undefined ? [{ text, signature: thoughtSignature }] : [],
    );
    const called = parts.flatMap(({ functionCall, thoughtSignature = null }) =>
      functionCall === undefined ? [] : [{ ...functionCall, signature: thoughtSignature }],
    );
    const calls = called.map(({ id, name, args, signature }) => ({
      id: id ?? name,
      tool: name,
      input: args,
      signature,
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
          return [chunk(callParts(piece.calls, outline.prefix))];
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
  const candidate = candidateOf(pieces.flatMap((piece) => partsOf(piece, outline.prefix)));
  const isGarbled = pieces.some((piece) => piece.type === "calls" && piece.calls.some(isGarbledCall));
  const finished = { ...candidate, finishReason: finishOf(outline.answer, isGarbled) };
  return { ...frameOf(outline, [finished]), usageMetadata: usageOf(outline.answer.usage) };
}

function partsOf(piece: Writable, prefix: string): object[] {
  if (piece.type === "text") return [{ text: piece.text }];
  if (piece.type === "thought") return [{ text: piece.text, thought: true }];
  return piece.type === "calls" ? callParts(piece.calls, prefix) : [];
}

/** Arguments travel as a value: garbled ones are left out, and the reason to finish says so. */
function callParts(calls: readonly MadeCall[], prefix: string): object[] {
  return calls
    .filter((made) => !isGarbledCall(made))
    .map(({ id, tool, input }, at) => ({
      functionCall: { id, name: tool, args: parseInput(input) },
      ...(at === 0 ? { thoughtSignature: sealThought(tool, prefix) } : {}),
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
  pause: "STOP",
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
