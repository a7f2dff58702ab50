// A model's thoughts in the history: they go back as they came, are forgotten where what stands before them changes, and where an
// API refuses them the run goes on without.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../../../fakes/model-server/request.ts";
import { everyTime } from "../../../../../fakes/model-server/script.ts";
import { answer, breakOff, call, fault, say, think } from "../../../../../fakes/model-server/turn.ts";
import { refusesThoughts } from "../../../../../src/service/executor/backends/model/refused-thoughts.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, type ModelFixtureOptions, providers } from "./model-fixture.ts";

/** How each API refuses a thought, and what holds the thoughts in its bodies. */
const refusals = {
  anthropic: [
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
    '"signature":',
  ],
  openai: [
    "The encrypted content gAAA...c90= could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    '"encrypted_content":',
  ],
  google: ["Corrupted thought signature.", '"thoughtSignature":"'],
  "openai-compatible": [
    "Provider returned error messages.1.content.0: Invalid `signature` in `thinking` block",
    '"reasoning_details":',
  ],
} as const;

describe.each(providers)("the thoughts of a model (%s)", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;
  const [refused, mark] = refusals[provider];
  /** OpenRouter names models so, and gives their thoughts with a signature. */
  const executor = provider === "openai-compatible" ? "anthropic/claude" : "scripted-model";
  const models = { executor, advisor: null, reviewer: null };
  const settings = { models };

  const start = async (script: ModelFixtureOptions["script"], options: Partial<ModelFixtureOptions> = {}) => {
    fixture = await ModelFixture.start({ provider, script, settings, files: { "a.txt": "a" }, ...options });
  };
  const holdsThoughts = ({ body }: ModelRequest) => JSON.stringify(body).includes(mark);

  beforeEach(() => {
    recorder = new TaskRecorder();
  });

  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  it("alone are no answer: the model is asked to go on, and they are not sent back", async () => {
    await start([
      [think("Hm.")],
      [think("So."), call("list_files")],
      answer([think("On and on")], { stop: "length" }),
      [think("Now."), say("Done.")],
    ]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("Done.");
    const { requests } = fixture.server;
    expect(requests).toHaveLength(4);
    expect(requests[1]?.lastUserMessage).toContain("Your answer was empty");
    expect(JSON.stringify(requests[1]?.body)).not.toContain("Hm.");
    expect(JSON.stringify(requests[3]?.body)).not.toContain("On and on");
  });

  it("go back until the API refuses them: then the same is asked once more without", async () => {
    let left = 1;
    await start(
      [
        [think("One."), call("list_files")],
        [think("Two."), call("read_file", { path: "a.txt" })],
        say("Done."),
      ],
      {
        refuse: (request) => {
          if (!holdsThoughts(request) || request.assistantTurns < 2 || left === 0) return null;
          left -= 1;
          return fault({ status: 400, message: refused });
        },
      },
    );
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    const { requests } = fixture.server;
    expect(requests.map(holdsThoughts)).toEqual([false, true, true, false]);
    expect(requests.at(-1)?.toolResults).toHaveLength(2);
  });

  it("are sent no more to an API that refuses them twice", async () => {
    await start(
      everyTime(({ assistantTurns }) =>
        assistantTurns === 5
          ? say("Done.")
          : [think("Hm."), call("read_file", { path: `${assistantTurns}` })],
      ),
      { refuse: (request) => (holdsThoughts(request) ? fault({ status: 400, message: refused }) : null) },
    );
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(fixture.server.requests.filter(holdsThoughts)).toHaveLength(2);
    expect(recorder.text()).toBe("Done.");
  });

  it("that are refused where there are none end the run, with the words of the API", async () => {
    await start([fault({ status: 400, message: refused })]);
    await expect(fixture.run({}, recorder)).rejects.toMatchObject({
      isRetryable: false,
      message: expect.stringContaining("refused the model's own thoughts (400)"),
    });
    expect(fixture.server.requests).toHaveLength(1);
  });

  it("may be refused in the middle of an answer, which is continued", async () => {
    await start([
      [think("One."), call("list_files")],
      [say("The first half"), breakOff("invalid_request_error", refused)],
      say(", and the second."),
    ]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("The first half, and the second.");
    expect(fixture.server.requests.map(holdsThoughts)).toEqual([false, true, false]);
  });

  it("of another model are not shown to the fallback model", async () => {
    await start(
      everyTime(({ model, assistantTurns }) => {
        if (model !== "other-model" && assistantTurns === 1) return fault({ status: 404, message: "Gone." });
        return assistantTurns < 2 ? [think("Hm."), call("list_files")] : say("Done.");
      }),
      { settings: { models: { ...models, fallback: "other-model" } } },
    );
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    const first = fixture.server.requests.find(({ model }) => model === "other-model");
    expect(first === undefined || holdsThoughts(first)).toBe(false);
    expect(first?.toolResults).toHaveLength(1);
  });

  it("are forgotten where the results before them are trimmed, and only there", async () => {
    const long = Object.fromEntries(
      ["a", "b", "c"].map((name) => [`${name}.txt`, `${name} line\n`.repeat(900)]),
    );
    let turns = 0;
    await start(
      everyTime(({ lastUserMessage }) => {
        if (lastUserMessage.includes("about to be cut")) return say(" ");
        turns += 1;
        return turns < 12
          ? [think("Hm."), call("read_file", { path: `${"abc".at(turns % 3)}.txt` })]
          : say("Done.");
      }),
      { files: long, settings: { ...settings, contextTokens: 12_000, maxOutputTokens: 1_000 } },
    );
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    const bodies = fixture.server.requests.map(({ body }) => JSON.stringify(body));
    expect(
      bodies.some((body) => body.includes("removed to save room") || body.includes("was cut to save room")),
    ).toBe(true);
  });
});

describe("a model that is told how much to think (Anthropic, before Claude 4.6)", () => {
  it("thinks no more behind a trimmed history, where its calls have no thought before them", async () => {
    const fixture = await ModelFixture.start({
      provider: "anthropic",
      files: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`${at}.txt`, "a line\n".repeat(900)])),
      settings: {
        models: { executor: "claude-sonnet-4-5", advisor: null, reviewer: null },
        effort: "high",
        contextTokens: 12_000,
        maxOutputTokens: 2_000,
      },
      script: everyTime(({ lastUserMessage, body }) => {
        if (lastUserMessage.includes("about to be cut")) return say("## Goal\nRead.");
        turns += 1;
        const said = turns < 9 ? [think("Hm."), call("read_file", { path: `${turns}.txt` })] : [say("Done.")];
        return answer(said, { usage: { input: Math.ceil(JSON.stringify(body).length / 4) } });
      }),
    });
    let turns = 0;
    try {
      expect(await fixture.run()).toEqual({ stopReason: "end_turn" });
      const thinking = fixture.server.requests.map(
        ({ body }) => typeof body === "object" && body !== null && "thinking" in body,
      );
      expect(thinking[0]).toBe(true);
      expect(thinking).toContain(false);
    } finally {
      await fixture.close();
    }
  });
});

describe("the words by which an API refuses thoughts", () => {
  it.each([
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "messages.3.content.0: Invalid signature in thinking block",
    "messages.1.content.2: Invalid `data` in `redacted_thinking` block",
    "messages.5.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
    "messages.1.content.0.thinking.signature: Field required",
    "Item 'rs_0c3876' of type 'reasoning' was provided without its required following item.",
    "Item 'fc_04c5' of type 'function_call' was provided without its required 'reasoning' item: 'rs_0bf7'.",
    '{"message":"The encrypted content gAAA...DQ== could not be verified.","code":"invalid_encrypted_content"}',
    "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again.",
    "Corrupted thought signature.",
    "Invalid thought signature.",
    "Unable to submit request because Thought signature is not valid..",
    "Function call is missing a thought_signature in functionCall parts.",
    "Invalid value at 'contents[2].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed",
    '{"error":{"metadata":{"raw":"{\\"message\\":\\"messages.1.content.0: Invalid `signature` in `thinking` block\\"}"}}}',
  ])("are known: %s", (text) => {
    for (const status of [400, 404, 429, 500, undefined]) expect(refusesThoughts(status, text)).toBe(true);
    expect(refusesThoughts(401, text)).toBe(false);
  });

  it.each([
    "Encrypted content is not supported with this model.",
    "Thinking is not enabled for models/gemini-2.0-flash",
    "Unsupported parameter: 'reasoning.summary' is not supported with this model.",
    "Invalid signature of the request.",
    "",
  ])("are not: %s", (text) => {
    expect(refusesThoughts(400, text)).toBe(false);
  });
});
