// Models with a small window: what their servers say of it leads to shorter answers, and the run goes on.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../../../fakes/model-server/request.ts";
import { everyTime } from "../../../../../fakes/model-server/script.ts";
import { answer, call, fault, say, type Turn } from "../../../../../fakes/model-server/turn.ts";
import type { ModelProtocol } from "../../../../../src/contract/models/protocols.ts";
import { ModelWindow } from "../../../../../src/service/executor/backends/model/model-window.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture } from "./model-fixture.ts";

const WINDOW = 16_384;
const TURNS = 12;
/** Of a tokenizer that makes more of a text than the rule of thumb. */
const countedTokens = ({ body }: ModelRequest) => Math.ceil(JSON.stringify(body).length / 3);

type Refusal = (sizes: { readonly input: number; readonly output: number }) => string;

const servers: readonly (readonly [string, ModelProtocol, Refusal])[] = [
  [
    "vLLM, of the whole request",
    "openai-compatible",
    ({ input, output }) =>
      `This model's maximum context length is ${WINDOW} tokens. However, you requested ${input + output} tokens (${input} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`,
  ],
  [
    "vLLM, of the answer",
    "openai-compatible",
    ({ input, output }) =>
      `'max_tokens' or 'max_completion_tokens' is too large: ${output}. This model's maximum context length is ${WINDOW} tokens and your request has ${input} input tokens (${output} > ${WINDOW} - ${input}). None`,
  ],
  [
    "vLLM of 2026, which counts no further than it must",
    "openai-compatible",
    ({ output }) =>
      `This model's maximum context length is ${WINDOW} tokens. However, you requested ${output} output tokens and your prompt contains at least ${WINDOW - output + 1} input tokens, for a total of at least ${WINDOW + 1} tokens. Please reduce the length of the input prompt or the number of requested output tokens.`,
  ],
  [
    "Anthropic",
    "anthropic",
    ({ input, output }) =>
      `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${WINDOW}, decrease input length or \`max_tokens\` and try again`,
  ],
];

describe.each(servers)("a window of 16k by %s", (_of, provider, refusal) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;

  beforeEach(() => {
    recorder = new TaskRecorder();
  });

  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  const refuse = (request: ModelRequest): Turn | null => {
    const sizes = { input: countedTokens(request), output: request.maxOutputTokens ?? 0 };
    return sizes.input + sizes.output > WINDOW ? fault({ status: 400, message: refusal(sizes) }) : null;
  };

  it("leads to a shorter answer, from the first request on, and the run reads and ends", async () => {
    let turns = 0;
    fixture = await ModelFixture.start({
      provider,
      refuse,
      files: Object.fromEntries(
        Array.from({ length: TURNS }, (_, at) => [`${at}.txt`, "a line of text\n".repeat(300)]),
      ),
      script: everyTime((request) => {
        const usage = { input: countedTokens(request) };
        if (request.lastUserMessage.includes("about to be cut"))
          return answer([say("## Goal\nRead.")], { usage });
        turns += 1;
        return answer([turns < TURNS ? call("read_file", { path: `${turns}.txt` }) : say("Done.")], {
          usage,
        });
      }),
    });
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toContain("Done.");
    const { requests } = fixture.server;
    const refused = requests.filter((request) => refuse(request) !== null);
    expect(requests[0]?.maxOutputTokens).toBe(16_000);
    expect(refused[0]).toBe(requests[0]);
    expect(refused.length).toBeLessThanOrEqual(4);
    for (const { maxOutputTokens } of requests.slice(1))
      expect(maxOutputTokens).toBeGreaterThanOrEqual(1_000);
  });
});

describe("what fits into a window", () => {
  it.each([
    [200_000, 16_000, 20_000, 16_000],
    [16_384, 16_000, 1_000, 8_192],
    [16_384, 16_000, 8_000, 7_962],
    [16_384, 16_000, 16_000, 4_096],
    [16_384, 2_000, 16_000, 2_000],
  ])("of %i tokens: an answer of %i beside an input of %i has %i", (window, wanted, input, answer) => {
    expect(new ModelWindow(window).answerTokens(wanted, input)).toBe(answer);
  });

  it("is an input beside a quarter of it, or beside the whole answer where that is shorter", () => {
    expect(new ModelWindow(16_384).inputTokens(16_000)).toBe(11_673);
    expect(new ModelWindow(200_000).inputTokens(16_000)).toBe(174_800);
  });
});
