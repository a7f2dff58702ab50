// Gemini's generateContent, streamGenerateContent and countTokens: the parts of a request that are passed on. Pure. By the types
// of @google/genai 2.32.0 and by what Gemini CLI 0.61.0 sends, looked up on 2026-11-23.

import * as z from "zod/mini";
import { isObject } from "../../../../../../base/json.ts";
import {
  chosen,
  json,
  type Kept,
  optionalFlag,
  optionalNumber,
  optionalText,
  reasons,
  refused,
  text,
  texts,
  toolName,
} from "./kept.ts";
import { type DecodedRequest, keptOf, lengthIn } from "./model-request.ts";

const { executed, fetched, stored, priced, kept } = reasons;

/** Names in camel case: the API takes `system_instruction` for `systemInstruction`, too. */
function object<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const schema = z.object(shape);
  const named = z.transform((value: unknown) => {
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camel(name), inner]));
  });
  return z.pipe(named, schema);
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const blob = object({ mimeType: text, data: text, displayName: optionalText });
const resultPart = object({ inlineData: z.nullish(blob), fileData: refused(fetched) });

/** Of the kinds of a part, those that the agent and the model write themselves. */
const part = object({
  text: optionalText,
  thought: optionalFlag,
  thoughtSignature: optionalText,
  inlineData: z.nullish(blob),
  functionCall: z.nullish(object({ id: optionalText, name: toolName, args: json })),
  functionResponse: z.nullish(
    object({
      id: optionalText,
      name: toolName,
      response: json,
      parts: z.nullish(z.array(resultPart)),
      willContinue: optionalFlag,
      scheduling: optionalText,
    }),
  ),
  mediaResolution: json,
  videoMetadata: json,
  fileData: refused(fetched),
  executableCode: refused(executed),
  codeExecutionResult: refused(executed),
  toolCall: refused(executed),
  toolResponse: refused(executed),
});

const parts = z.array(part);
const content = object({ role: optionalText, parts: z.nullish(parts) });
/** The instructions may be a text, a part or a list of parts, as clients of the API write them. */
const instruction: Kept = chosen((value) => {
  if (typeof value === "string") return text;
  if (Array.isArray(value)) return parts;
  return isObject(value) && "parts" in value ? content : part;
});

const declaration = object({
  name: toolName,
  description: optionalText,
  behavior: optionalText,
  parameters: json,
  parametersJsonSchema: json,
  response: json,
  responseJsonSchema: json,
});
const executedTools = [
  "googleSearch",
  "googleSearchRetrieval",
  "enterpriseWebSearch",
  "urlContext",
  "codeExecution",
  "computerUse",
  "fileSearch",
  "googleMaps",
  "retrieval",
  "mcpServers",
  "exaAiSearch",
  "parallelAiSearch",
];
const declared = object({
  functionDeclarations: z.nullish(z.array(declaration)),
  ...Object.fromEntries(executedTools.map((name) => [name, refused(executed)])),
});
/** Others than those above are left out, and a tool without functions is none. */
const tools = z.nullish(z.array(declared));

const generationConfig = object({
  temperature: optionalNumber,
  topP: optionalNumber,
  topK: optionalNumber,
  maxOutputTokens: optionalNumber,
  candidateCount: json,
  stopSequences: texts,
  responseMimeType: optionalText,
  responseSchema: json,
  responseJsonSchema: json,
  responseFormat: json,
  responseLogprobs: optionalFlag,
  logprobs: optionalNumber,
  presencePenalty: optionalNumber,
  frequencyPenalty: optionalNumber,
  seed: optionalNumber,
  mediaResolution: optionalText,
  thinkingConfig: z.nullish(
    object({ includeThoughts: optionalFlag, thinkingBudget: optionalNumber, thinkingLevel: optionalText }),
  ),
});

const fields = {
  contents: z.nullish(z.array(content)),
  systemInstruction: z.nullish(instruction),
  tools,
  toolConfig: z.nullish(
    object({
      functionCallingConfig: z.nullish(
        object({
          mode: optionalText,
          allowedFunctionNames: texts,
          streamFunctionCallArguments: optionalFlag,
        }),
      ),
    }),
  ),
  safetySettings: z.nullish(z.array(object({ category: text, threshold: text }))),
  generationConfig: z.nullish(generationConfig),
  cachedContent: refused(stored),
  serviceTier: refused(priced, ["standard", "unspecified"]),
  store: refused(kept, [false]),
};
const request = object(fields);
const counted = object({
  contents: fields.contents,
  generateContentRequest: z.nullish(request),
});

export function decodeGenerated(body: unknown): DecodedRequest {
  const { generationConfig: { maxOutputTokens, candidateCount, ...config } = {}, ...rest } = filled(
    keptOf(request, body),
  );
  return {
    model: null,
    maxOutputTokens: lengthIn(maxOutputTokens),
    body: (sent) => ({
      ...rest,
      generationConfig: {
        ...config,
        maxOutputTokens: sent.maxOutputTokens,
        ...(candidateCount === undefined ? {} : { candidateCount: 1 }),
      },
    }),
  };
}

export function decodeCountedContents(body: unknown): DecodedRequest {
  const { contents, generateContentRequest: whole } = keptOf(counted, body);
  return {
    model: null,
    maxOutputTokens: null,
    body: ({ model }) =>
      whole === undefined || whole === null
        ? { contents }
        : { generateContentRequest: { ...whole, model: `models/${model}` } },
  };
}

/** Without nulls, which stand for nothing, and without lists of tools that the agent does not execute. */
function filled({ generationConfig, tools: listed, ...rest }: z.output<typeof request>) {
  return {
    ...rest,
    ...(generationConfig === undefined || generationConfig === null ? {} : { generationConfig }),
    ...(listed === undefined || listed === null ? {} : { tools: listed.filter(hasFunctions) }),
  };
}

function hasFunctions(tool: unknown): boolean {
  return isObject(tool) && tool.functionDeclarations !== undefined;
}
