// The schema of a body of Gemini's generateContent. https://ai.google.dev/api/generate-content

import * as z from "zod/mini";

export const part = z.looseObject({
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

export const contents = z.looseObject({ role: z.optional(z.enum(["user", "model"])), parts: z.array(part) });

export const geminiBody = z.looseObject({
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

/** https://ai.google.dev/gemini-api/docs/thought-signatures, looked up on 2026-11-23. */
export function needsSignatures(model: string): boolean {
  return /^gemini-[3-9]/.test(model);
}

/** What stands for the signature of a call that another model made. */
export const SKIPPED = "skip_thought_signature_validator";

export function modelIn(path: string): string {
  return decodeURIComponent(/\/models\/([^:/?]+):/.exec(path)?.[1] ?? "");
}
