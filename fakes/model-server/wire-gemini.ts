// Gemini's generateContent and streamGenerateContent. https://ai.google.dev/api/generate-content

import * as z from "zod/mini";
import { type Asked, type Message, nameResults } from "./request.ts";
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
  const { contents: history, systemInstruction, tools = [] } = geminiBody.parse(body);
  const [, model = "", verb = ""] = /\/models\/([^:/?]+):(\w+)/.exec(path) ?? [];
  return {
    model: decodeURIComponent(model),
    stream: verb === "streamGenerateContent",
    wantsUsage: true,
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
    const calls = parts.flatMap(({ functionCall: called }) =>
      called === undefined ? [] : [{ id: called.id ?? called.name, tool: called.name, input: called.args }],
    );
    return [{ role: "assistant", text: textOf(parts), thoughts, calls }];
  }
  const results = parts.flatMap(({ functionResponse: given }) => {
    if (given === undefined) return [];
    return [
      {
        callId: given.id ?? given.name,
        tool: given.name,
        text: JSON.stringify(given.response),
        isError: false,
      },
    ];
  });
  const text = textOf(parts);
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, results }] : []),
    ...(results.length === 0 || text !== "" ? [{ role: "user" as const, text }] : []),
  ];
}

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
    .map(({ id, tool, input }) => ({ functionCall: { id, name: tool, args: parseInput(input) } }));
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
