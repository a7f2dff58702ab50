// What a model answers, as events of the run, on both wires.

import { afterEach, describe, expect, it } from "vitest";
import { everyTime } from "../../../../../fakes/model-server/script.ts";
import {
  answer,
  call,
  callRaw,
  type Part,
  say,
  think,
  wait,
} from "../../../../../fakes/model-server/turn.ts";
import { readingToolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import { writeFile } from "../../../../../src/service/executor/tools/write-file.ts";
import { UsageMeter } from "../../../../../src/service/executor/usage-meter.ts";
import { outlineOf } from "../../../../support/service-streams.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { API_KEY, expectWhole, ModelFixture, type ModelFixtureOptions, providers } from "./model-fixture.ts";

describe.each(providers)("an answer by %s", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;

  const start = async (script: ModelFixtureOptions["script"], options: Partial<ModelFixtureOptions> = {}) => {
    recorder = new TaskRecorder();
    fixture = await ModelFixture.start({ provider, script, ...options });
  };

  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  it("in words is a message, delta by delta, and ends the run", async () => {
    await start([say("A sentence longer than one piece.")]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("A sentence longer than one piece.");
    const [begin, ...others] = recorder.types();
    expect(begin).toBe("TEXT_MESSAGE_START");
    expect(others.length).toBeGreaterThan(2);
    expect(fixture.server.requests[0]).toMatchObject({
      model: "scripted-model",
      apiKey: API_KEY,
      messages: [{ role: "user", text: "Hello" }],
    });
    expect(fixture.server.systemPrompt()).toContain('"octo/fixture"');
  });

  it("comes while it is said", async () => {
    const gate = Promise.withResolvers<void>();
    await start([[say("Wait"), wait(gate.promise), say(" for it.")]]);
    recorder.onEmit = ({ type }) => {
      if (type === "TEXT_MESSAGE_CONTENT") gate.resolve();
    };
    await fixture.run({}, recorder);
    expect(recorder.text()).toBe("Wait for it.");
  });

  it("shows what the model thought apart from what it said, and gives it back with the history", async () => {
    await start([
      [think("Hm."), say("Looking."), call("list_files")],
      [think("So."), say("Empty.")],
    ]);
    await fixture.run({}, recorder);
    expect(outlineOf(recorder.events).filter((line) => !line.includes("CONTENT"))).toEqual([
      "REASONING_START",
      "REASONING_MESSAGE_START",
      "REASONING_MESSAGE_END",
      "REASONING_END",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_END",
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT",
      "REASONING_START",
      "REASONING_MESSAGE_START",
      "REASONING_MESSAGE_END",
      "REASONING_END",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_END",
    ]);
    expect(fixture.server.requests[1]?.messages[1]).toMatchObject({ thoughts: [{ text: "Hm." }] });
  });

  it("with several calls has each carried out, and the results in the order of the calls", async () => {
    const files = { "a.txt": "first\n", "b.txt": "second\n" };
    const script = [
      [call("read_file", { path: "b.txt" }), call("read_file", { path: "a.txt" })],
      say("Both."),
    ];
    await start(script, { files });
    await fixture.run({}, recorder);
    expect(fixture.server.toolResults().map(({ text }) => text)).toEqual(["1\tsecond", "1\tfirst"]);
    const args = recorder.events.flatMap((event) => (event.type === "TOOL_CALL_ARGS" ? [event] : []));
    const joined = Map.groupBy(args, ({ toolCallId }) => toolCallId);
    expect(
      [...joined.values()].map((deltas) => JSON.parse(deltas.map(({ delta }) => delta).join(""))),
    ).toEqual([{ path: "b.txt" }, { path: "a.txt" }]);
    expect(recorder.types().filter((type) => type === "TOOL_CALL_RESULT")).toHaveLength(2);
  });

  it("that writes between two reads has each read see what it should", async () => {
    const write = (content: string) => call("write_file", { path: "a.txt", content });
    const read = call("read_file", { path: "a.txt" });
    await start([[read, read, write("second"), read, write("third"), read], say("Done.")], {
      files: { "a.txt": "first" },
      settings: { toolbox: (context) => [...readingToolbox(context), writeFile] },
    });
    await fixture.run({}, recorder);
    const results = fixture.server.toolResults().filter(({ tool }) => tool === "read_file");
    expect(results.map(({ text }) => text)).toEqual(["1\tfirst", "1\tfirst", "1\tsecond", "1\tthird"]);
  });

  const isGoogle = provider === "google";

  if (isGoogle) {
    it("with a call that the model garbled is asked for again", async () => {
      await start([callRaw("read_file", '{"path": "a'), say("Sorry.")]);
      expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
      expect(recorder.text()).toBe("Sorry.");
    });
  }

  const badCalls: readonly (readonly [string, Part, string])[] = [
    ["whose input does not fit", call("read_file", { path: 5 }), "The input of read_file is wrong"],
    ["to a tool that nobody offered", call("rm", { path: "/" }), "no tool named rm"],
    ["that the tool refuses", call("read_file", { path: "../etc/passwd" }), "error: "],
  ];
  // Google's API gives no input that is no JSON: it ends the answer.
  const garbledCall = ["whose input is no JSON", callRaw("read_file", '{"path": "a'), "not JSON"] as const;

  it.each(isGoogle ? badCalls : [garbledCall, ...badCalls])(
    "with a call %s hears of it, and goes on",
    async (_, part, text) => {
      await start([[part, call("list_files")], say("Sorry.")], { files: { "a.txt": "" } });
      expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
      const results = fixture.server.toolResults();
      expect(results).toHaveLength(2);
      expect(results[0]?.text).toContain(text);
      expect(results[0]?.text).toMatch(/^error: /);
      expect(results[1]?.text).toBe("a.txt  0 B");
      expect(recorder.text()).toBe("Sorry.");
    },
  );

  it("without a word is asked for once more", async () => {
    await start([say(""), say("Here.")]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("Here.");
    expect(fixture.server.requests[1]?.lastUserMessage).toContain("empty");
  });

  it("that stays without a word fails, and may be repeated", async () => {
    await start([say(""), say(" ")]);
    await expect(fixture.run({}, recorder)).rejects.toMatchObject({
      name: "BackendFailure",
      isRetryable: true,
    });
  });

  it("that stays without a word after work is no answer, and the run says so", async () => {
    await start([call("list_files"), say(""), call("list_files"), say(" ")]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "empty_answer" });
    expect(fixture.server.requests).toHaveLength(4);
  });

  it("is asked for by the rules of the repository, its caller, and what was said before", async () => {
    await start([say("Ja.")], { checkout: { instructions: async () => "Run the tests." } });
    const history = [
      { role: "user" as const, content: "Earlier?" },
      { role: "assistant" as const, content: "Yes." },
    ];
    const messages = [
      { role: "system" as const, content: "Speak German." },
      { role: "user" as const, content: "Now?" },
    ];
    await fixture.run({ messages, history: async () => history }, recorder);
    expect(fixture.server.systemPrompt()).toMatch(/Run the tests\.[\s\S]*Speak German\./);
    expect(fixture.server.requests[0]?.messages).toMatchObject([
      { role: "user", text: "Earlier?" },
      { role: "assistant", text: "Yes." },
      { role: "user", text: "Now?" },
    ]);
  });

  it.each([[[]], [[say("I")]]])("that its maker's filter stopped ends the run there (%j)", async (parts) => {
    await start([answer(parts, { stop: "filter" })]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "content_filter" });
  });

  it("that reaches its length is continued, and is one message", async () => {
    await start([
      answer([say("The answer is for")], { stop: "length" }),
      answer([think("Hm."), say("ty-two, and ")], { stop: "length" }),
      say("no more."),
    ]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("The answer is forty-two, and no more.");
    const started = recorder.events.filter(({ type }) => type === "TEXT_MESSAGE_START");
    expect(started).toHaveLength(1);
    const [, said, asked] = fixture.server.requests[1]?.messages ?? [];
    expect(said).toMatchObject({ role: "assistant", text: "The answer is for" });
    expect(asked).toMatchObject({
      role: "user",
      text: expect.stringContaining("Go on exactly where you stopped"),
    });
  });

  it("whose connection breaks is one message with what follows", async () => {
    await start([
      answer([say("A text that is long enough to be cut somewhere.")], {
        cut: { type: "events", count: isGoogle ? 3 : 6 },
      }),
      say("[the rest]"),
    ]);
    await fixture.run({}, recorder);
    expect(recorder.text()).toMatch(/^A text.*\[the rest\]$/);
    expect(recorder.events.filter(({ type }) => type === "TEXT_MESSAGE_START")).toHaveLength(1);
  });

  it("that reaches its length each time ends the run there, after three more tries", async () => {
    await start(
      everyTime(({ assistantTurns }) => answer([say(`Part ${assistantTurns}. `)], { stop: "length" })),
    );
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "length" });
    expect(recorder.text()).toBe("Part 0. Part 1. Part 2. Part 3. ");
    expect(fixture.server.requests).toHaveLength(4);
  });

  it("that reaches its length before it says anything is asked to be brief", async () => {
    await start([answer([think("On and on")], { stop: "length" }), say("Brief.")]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("Brief.");
    expect(fixture.server.requests[1]?.lastUserMessage).toContain("before it said anything");
  });

  // Google's API leaves a cut call out.
  if (!isGoogle) {
    it("whose call was cut by its length does not have it made, nor in the history", async () => {
      await start(
        [
          answer(
            [
              say("I write."),
              call("read_file", { path: "a.txt" }),
              callRaw("read_file", '{"path": "b.txt", "text": "and so'),
            ],
            { stop: "length" },
          ),
          say("Smaller."),
        ],
        { files: { "a.txt": "the text of a", "b.txt": "the text of b" } },
      );
      expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
      const [request] = fixture.server.requests.slice(1);
      const calls = request?.messages.flatMap((message) =>
        message.role === "assistant" ? message.calls : [],
      );
      expect(calls).toEqual([expect.objectContaining({ tool: "read_file", input: { path: "a.txt" } })]);
      expect(request?.toolResults).toEqual([
        expect.objectContaining({ text: expect.stringContaining("the text of a") }),
      ]);
      expect(request?.lastUserMessage).toContain("Make it smaller");
      const results = recorder.events.flatMap((event) =>
        event.type === "TOOL_CALL_RESULT" ? [event.content] : [],
      );
      expect(results).toHaveLength(2);
      expect(results).toContainEqual(expect.stringContaining("cut at the output limit"));
    });

    it("that is a cut call alone leaves nothing of it behind", async () => {
      const cut = answer([think("Hm."), callRaw("read_file", '{"path": "b')], { stop: "length" });
      await start(
        everyTime(({ lastUserMessage }) => (lastUserMessage.includes("smaller") ? say("Smaller.") : cut)),
      );
      expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
      expect(fixture.server.requests[1]?.messages.map(({ role }) => role)).not.toContain("assistant");
      expect(fixture.server.requests[1]?.lastUserMessage).toContain("Make it smaller");
    });
  }

  it("stops the model's request as soon as the run is stopped", async () => {
    await start([[say("Wait"), wait(new Promise(() => {})), say("Never.")]]);
    const reason = new Error("stopped");
    const meter = new UsageMeter({ holdMicroUsd: 1, raiseHold: async () => true });
    const counted: unknown[] = [];
    recorder.onEmit = ({ type }) => {
      if (type !== "TEXT_MESSAGE_CONTENT") return;
      recorder.controller.abort(reason);
      counted.push(meter.usage.roles.executor?.calls);
    };
    await expect(fixture.run({ meter }, recorder)).rejects.toBe(reason);
    // At once, and only once: the run is settled as soon as it is stopped.
    expect(counted).toEqual([1]);
    expect(meter.usage.roles.executor?.calls).toBe(1);
    expect(await fixture.server.requests[0]?.ended).toBe("hung-up");
  });

  it("of 50 runs at once goes to the run that asked", async () => {
    const recorders = Array.from({ length: 50 }, () => new TaskRecorder());
    await start(
      function* ({ firstUserMessage }) {
        yield [think(firstUserMessage), call("search", { pattern: firstUserMessage, literal: true })];
        yield ({ lastUserMessage, assistantTurns }) => say(`${lastUserMessage} after ${assistantTurns}`);
      },
      { files: { "a.txt": "run" } },
    );
    await Promise.all(
      recorders.map((each, at) => fixture.run({ messages: [{ role: "user", content: `run ${at}` }] }, each)),
    );
    expect(recorders.map((each) => each.text())).toEqual(recorders.map((_, at) => `run ${at} after 1`));
    for (const each of recorders) await expectWhole(each);
  });
});

describe("an answer that Anthropic's API has paused", () => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;

  const start = async (script: ModelFixtureOptions["script"]) => {
    recorder = new TaskRecorder();
    fixture = await ModelFixture.start({ provider: "anthropic", script });
  };

  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  it("goes on from there", async () => {
    await start([
      answer([say("I look at it. ")], { stop: "pause" }),
      answer([call("list_files")], { stop: "pause" }),
      say("Done."),
    ]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("I look at it. Done.");
    expect(fixture.server.requests).toHaveLength(3);
    expect(fixture.server.requests[1]?.lastUserMessage).toContain("paused");
    expect(fixture.server.toolResults()).toHaveLength(1);
  });

  it("again and again ends the run as cut", async () => {
    await start(everyTime(() => answer([say("And ")], { stop: "pause" })));
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "length" });
    expect(fixture.server.requests).toHaveLength(4);
  });
});
