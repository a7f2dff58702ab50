// The tokens of an answer, as the four wires say them.

import { describe, expect, it } from "vitest";
import { tokensOf } from "../../../bench/agent/wire-usage.ts";

const stream = (...pieces: readonly unknown[]) =>
  pieces.map((piece) => `event: piece\ndata: ${JSON.stringify(piece)}\n\n`).join("");

describe("the tokens of an answer", () => {
  it.each<[string, string, ReturnType<typeof tokensOf>]>([
    [
      "Chat Completions, whole",
      JSON.stringify({
        usage: { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 60 } },
      }),
      { input: 100, cached: 60, written: 0, output: 20 },
    ],
    [
      "Chat Completions, streamed",
      `${stream({ choices: [], usage: null }, { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } })}data: [DONE]\n\n`,
      { input: 7, cached: 0, written: 0, output: 3 },
    ],
    [
      "Responses, streamed",
      stream(
        { type: "response.created", response: { usage: null } },
        {
          type: "response.completed",
          response: {
            usage: { input_tokens: 50, output_tokens: 5, input_tokens_details: { cached_tokens: 40 } },
          },
        },
      ),
      { input: 50, cached: 40, written: 0, output: 5 },
    ],
    [
      "Anthropic, streamed: what was cached counts beside the input",
      stream(
        {
          type: "message_start",
          message: {
            usage: {
              input_tokens: 4,
              cache_read_input_tokens: 90,
              cache_creation_input_tokens: 6,
              output_tokens: 1,
            },
          },
        },
        { type: "message_delta", usage: { output_tokens: 33 } },
      ),
      { input: 100, cached: 90, written: 6, output: 33 },
    ],
    [
      "Gemini, streamed: the last total counts",
      stream(
        { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1 } },
        {
          usageMetadata: {
            promptTokenCount: 10,
            cachedContentTokenCount: 8,
            candidatesTokenCount: 4,
            thoughtsTokenCount: 2,
          },
        },
      ),
      { input: 10, cached: 8, written: 0, output: 6 },
    ],
  ])("of %s", (_, answer, tokens) => {
    expect(tokensOf(answer)).toEqual(tokens);
  });

  it("are not known where the answer says nothing of them", () => {
    expect(tokensOf("")).toBeNull();
    expect(tokensOf(stream({ choices: [{ delta: { content: "hi" } }] }))).toBeNull();
    expect(tokensOf('{"error":{"message":"no"}}')).toBeNull();
  });
});
