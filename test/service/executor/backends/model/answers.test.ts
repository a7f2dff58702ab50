// What a model answers, as events of the run, on both wires.

import { afterEach, describe, expect, it } from "vitest";
import { answer, call, callRaw, say, think, wait } from "../../../../../fakes/model-server/turn.ts";
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
      ...["REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_END", "REASONING_END"],
      ...["TEXT_MESSAGE_START", "TEXT_MESSAGE_END"],
      ...["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"],
      ...["REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_END", "REASONING_END"],
      ...["TEXT_MESSAGE_START", "TEXT_MESSAGE_END"],
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
    expect(fixture.server.toolResults().map(({ text }) => text)).toEqual(["second\n", "first\n"]);
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
    expect(results.map(({ text }) => text)).toEqual(["first", "first", "second", "third"]);
  });

  it.each([
    ["whose input is no JSON", callRaw("read_file", '{"path": "a'), "not JSON"],
    ["whose input does not fit", call("read_file", { path: 5 }), "The input of read_file is wrong"],
    ["to a tool that nobody offered", call("rm", { path: "/" }), "no tool named rm"],
    ["that the tool refuses", call("read_file", { path: "../etc/passwd" }), "error: "],
  ])("with a call %s hears of it, and goes on", async (_, part, text) => {
    await start([[part, call("list_files")], say("Sorry.")], { files: { "a.txt": "" } });
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    const results = fixture.server.toolResults();
    expect(results).toHaveLength(2);
    expect(results[0]?.text).toContain(text);
    expect(results[0]?.text).toMatch(/^error: /);
    expect(results[1]?.text).toBe("a.txt");
    expect(recorder.text()).toBe("Sorry.");
  });

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

  it("that reaches its length ends the run there", async () => {
    await start([answer([say("Only so")], { stop: "length" })]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "length" });
  });

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
        yield [think(firstUserMessage), call("search", { texts: [firstUserMessage] })];
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
