// What goes wrong between the service and a model's API, and what whoever reads the run is told of it.

import { afterEach, describe, expect, it, vi } from "vitest";
import { everyTime } from "../../../../../fakes/model-server/script.ts";
import {
  answer,
  breakOff,
  call,
  drip,
  endless,
  fault,
  reset,
  say,
  stall,
  think,
} from "../../../../../fakes/model-server/turn.ts";
import type { BackendFailure } from "../../../../../src/service/executor/backend.ts";
import { ManualClock } from "../../../../support/clocks/manual-clock.ts";
import { amount } from "../../../../support/run/long.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import {
  API_KEY,
  expectWhole,
  HastyClock,
  ModelFixture,
  type ModelFixtureOptions,
  providers,
} from "./model-fixture.ts";

/** Longer than any wait between two tries. */
const patient = { requestTimeoutMs: 900_000, firstChunkTimeoutMs: 900_000, idleTimeoutMs: 900_000 };
const LONG = "A text that is long enough to be cut. ".repeat(20);

/** A thought, and the beginning of a call; on Google's wire a call comes whole. */
const eventsBeforeInput = { anthropic: 8, "openai-compatible": 4, openai: 10, google: 2 };

describe.each(providers)("a model's API (%s)", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;

  const start = async (script: ModelFixtureOptions["script"], options: Partial<ModelFixtureOptions> = {}) => {
    recorder = new TaskRecorder();
    fixture = await ModelFixture.start({ provider, script, ...options });
  };

  /** A request is left once `pass` has let its time go by, and so is the second; then the run has failed. */
  const expectLeftTwice = async (
    running: Promise<BackendFailure>,
    clock: ManualClock,
    pass: () => Promise<void>,
  ) => {
    for (const request of [1, 2]) {
      const { ended } = await fixture.server.arrival(request);
      await pass();
      expect(await ended).toBe("hung-up");
      if (request === 2) break;
      await clock.whenSleeping();
      clock.advance(1_000);
    }
    expect(await running).toMatchObject({
      isRetryable: true,
      message: expect.stringContaining("did not answer in time"),
    });
    expect(fixture.server.requests).toHaveLength(2);
  };

  const failure = async (changes = {}): Promise<BackendFailure> => {
    const cause = await fixture.run({}, recorder, changes).then(
      () => null,
      (thrown: BackendFailure) => thrown,
    );
    if (cause === null) throw new Error("The run did not fail.");
    expect(cause.name).toBe("BackendFailure");
    expect(JSON.stringify([cause.message, cause.cause, cause.stack])).not.toContain(API_KEY);
    return cause;
  };

  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  it("that is busy is asked again when it said, and nothing of it is seen", async () => {
    await start([fault({ status: 429, retryAfter: 7 }), say("Now.")]);
    await fixture.run({}, recorder);
    expect(recorder.text()).toBe("Now.");
    expect(fixture.clock.slept).toHaveLength(1);
    expect(fixture.clock.slept[0]).toBeGreaterThanOrEqual(7_000);
    expect(recorder.usage.roles.executor).toMatchObject({ calls: 1 });
  });

  it("that asks for more timeouts than there is fails the run, which may be repeated", async () => {
    await start([fault({ status: 429, retryAfter: 3_600 })]);
    expect(await failure()).toMatchObject({ isRetryable: true, message: expect.stringContaining("429") });
  });

  it("that fails thrice is asked a fourth time, later each time", async () => {
    await start([...[500, 502, 529].map((status) => fault({ status })), say("Up again.")]);
    await fixture.run({}, recorder);
    expect(recorder.text()).toBe("Up again.");
    expect(fixture.clock.slept).toHaveLength(3);
    expect(fixture.clock.slept[2]).toBeGreaterThan(fixture.clock.slept[0] ?? 0);
  });

  it("that fails for good ends the run, which may be repeated", async () => {
    await start(everyTime(() => fault({ status: 500, message: `stack of ${API_KEY}` })));
    expect(await failure()).toMatchObject({ isRetryable: true, message: expect.stringContaining("500") });
    expect(fixture.server.requests).toHaveLength(12);
    expect(fixture.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(120_000);
  });

  it("that cannot be reached ends the run, and says what to check", async () => {
    await start([]);
    await fixture.server.close();
    expect(await failure()).toMatchObject({
      isRetryable: true,
      message: expect.stringContaining("MODEL_BASE_URL"),
    });
    expect(fixture.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(20_000);
  });

  it("that resets the connection is asked again", async () => {
    await start([reset(), say("Here.")]);
    await fixture.run({}, recorder);
    expect(recorder.text()).toBe("Here.");
  });

  it.each([
    ["cut", answer([say(LONG)], { cut: { type: "events", count: 8 } })],
    ["closed too early", answer([say(LONG)], { cut: { type: "events", count: 8, how: "end" } })],
    ["ended by an error of its own", [say("A text that is long "), breakOff()]],
  ])("whose answer is %s is asked to go on from there", async (_, broken) => {
    await start([broken, say("[the rest]")]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    const [said, asked] = fixture.server.requests[1]?.messages.slice(1) ?? [];
    expect(said?.role === "assistant" && said.text.length > 5 && LONG.startsWith(said.text)).toBe(true);
    expect(asked).toMatchObject({ role: "user", text: expect.stringContaining("Go on") });
    expect(recorder.text()).toMatch(/^A text.*\[the rest\]$/);
  });

  it("whose answer is cut in a call does not have it carried out", async () => {
    const broken = answer([think("Hm."), call("read_file", { path: "a.txt" })], {
      cut: { type: "events", count: eventsBeforeInput[provider] },
    });
    await start([broken, say("Again.")], { files: { "a.txt": "secret" } });
    await fixture.run({}, recorder);
    expect(recorder.text()).toBe("Again.");
    expect(fixture.server.requests[1]?.messages).toHaveLength(1);
    expect(recorder.events.find(({ type }) => type === "TOOL_CALL_RESULT")).toMatchObject({
      content: expect.stringContaining("cut off"),
    });
  });

  it.each(["cut", "end"] as const)("may break an answer off (%s) at any place", async (how) => {
    const parts = [
      think("Hm, so."),
      say("I look."),
      call("read_file", { path: "a.txt" }),
      call("list_files"),
    ];
    // Every place is tried by one of the providers; the long run tries each by all of them.
    const step = amount({ short: providers.length, long: 1 });
    for (let count = providers.indexOf(provider) % step; count < 30; count += step) {
      await start(
        everyTime(({ messages, assistantTurns }) => {
          if (fixture.server.requests.length === 1)
            return answer(parts, { cut: { type: "events", count, how } });
          const results = messages.filter(({ role }) => role === "tool").length;
          return say(`Answer ${assistantTurns} after ${results}.`);
        }),
        { files: { "a.txt": "text" } },
      );
      expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
      expect(recorder.text()).toMatch(/Answer [01] after [0-2]\.$/);
      const asked = recorder.events.filter(({ type }) => type === "TOOL_CALL_START").length;
      expect(recorder.events.filter(({ type }) => type === "TOOL_CALL_RESULT")).toHaveLength(asked);
      await expectWhole(recorder);
      await fixture.close();
    }
    await start([]);
  });

  it("that cuts every answer is given up", async () => {
    await start(everyTime(() => answer([say(LONG)], { cut: { type: "events", count: 6 } })));
    expect(await failure()).toMatchObject({ isRetryable: true });
    expect(fixture.server.requests).toHaveLength(5);
  });

  it("that never begins to answer is left and asked again", async () => {
    await start([stall(), say("Now.")]);
    const clock = new ManualClock();
    const running = fixture.run({}, recorder, { clock, firstChunkTimeoutMs: 20_000 });
    const first = await fixture.server.arrival(1);
    await clock.whenSleeping();
    clock.advance(20_000);
    expect(await first.ended).toBe("hung-up");
    await clock.whenSleeping();
    clock.advance(1_000);
    await running;
    expect(recorder.text()).toBe("Now.");
  });

  it("that is silent is asked once more, and then the run ends", async () => {
    await start(everyTime(() => stall()));
    const clock = new ManualClock();
    const running = failure({ clock, firstChunkTimeoutMs: 20_000 });
    await expectLeftTwice(running, clock, async () => {
      await clock.whenSleeping();
      clock.advance(20_000);
    });
  });

  it("that sends its text one byte at a time for ever is left when the request's time is up, twice", async () => {
    await start(everyTime(() => drip([say("x")])));
    const clock = new ManualClock();
    const limits = { firstChunkTimeoutMs: 20_000, idleTimeoutMs: 20_000, requestTimeoutMs: 60_000 };
    const running = failure({ clock, ...limits });
    await expectLeftTwice(running, clock, async () => {
      for (const ms of [19_000, 19_000, 19_000, 3_000]) {
        const before = recorder.text().length;
        await vi.waitFor(() => expect(recorder.text().length).toBeGreaterThan(before), { timeout: 20_000 });
        await clock.whenSleeping();
        clock.advance(ms);
      }
    });
  });

  it("that never ends its line is left, once, before it fills the memory", async () => {
    await start(everyTime(() => endless()));
    expect(await failure()).toMatchObject({
      isRetryable: false,
      message: expect.stringContaining("sent a line of more than 8 MB. Check MODEL_BASE_URL"),
    });
    expect(await (await fixture.server.arrival(1)).ended).toBe("hung-up");
    expect(fixture.server.requests).toHaveLength(1);
  });

  it("that refuses the key says so, and not which", async () => {
    await start([say("Never.")]);
    expect(await failure({ apiKey: "sk-another" })).toMatchObject({
      isRetryable: false,
      message: `The model's API at ${new URL(fixture.server.url).host} refuses the key (401): "Invalid API key.". Check MODEL_API_KEY.`,
    });
  });

  it("that does not know the model says which, and where", async () => {
    await start(() => undefined);
    const { message } = await failure({ models: { executor: "gone-1", advisor: null, reviewer: null } });
    expect(message).toBe(
      `The model "gone-1" is unknown at ${new URL(fixture.server.url).host}: "No script for model "gone-1".". Name one that it has.`,
    );
  });

  it("of a cloud that refuses the form of a model's name says that it is the model", async () => {
    const message =
      "Invocation of model ID x with on-demand throughput isn’t supported. Retry your request with the ID of an inference profile.";
    await start([fault({ status: 400, message }), say("never")]);
    const error = await failure();
    expect(error.message).toMatch(/^The model "scripted-model" is unknown at .*inference profile.*Name one/);
    expect(fixture.server.requests).toHaveLength(1);
  });

  it("of a cloud that subscribes to a model first is asked once more, two minutes later", async () => {
    const message = "Model access is denied: not authorized to perform aws-marketplace:Subscribe.";
    await start([fault({ status: 403, message }), say("Now.")]);
    const clock = new HastyClock(300_000);
    await fixture.run({}, recorder, { clock, ...patient });
    expect(recorder.text()).toBe("Now.");
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(120_000);
  });

  it("of a cloud that does not subscribe to it ends the run", async () => {
    const message = "Model access is denied: not authorized to perform aws-marketplace:Subscribe.";
    await start([fault({ status: 403, message }), fault({ status: 403, message }), say("never")]);
    const error = await failure({ clock: new HastyClock(300_000), ...patient });
    expect(error.message).toContain("AWS subscribes to it at the first request");
    expect(fixture.server.requests).toHaveLength(2);
  });

  it("that refuses the request is quoted, in one line, without the key", async () => {
    await start([fault({ status: 400, message: `Too many\npigeons for ${API_KEY} ${"x".repeat(5_000)}` })]);
    const { message, isRetryable } = await failure();
    expect(message).toContain("Too many pigeons for [key]");
    expect(message).not.toContain("\n");
    expect(message.length).toBeLessThan(500);
    expect(isRetryable).toBe(false);
    expect(fixture.server.requests).toHaveLength(1);
  });

  it("for which the conversation is too long gets a shorter one, once", async () => {
    const tooLong = fault({ status: 400, message: "This model's maximum context length is 100 tokens." });
    await start([call("read_file", { path: "a.txt" }), call("list_files"), tooLong, say("Fits.")], {
      files: { "a.txt": "x".repeat(30_000) },
    });
    await fixture.run({}, recorder);
    expect(recorder.text()).toBe("Fits.");
    expect(fixture.server.toolResults().at(0)?.text).toContain("removed");
    await fixture.close();

    await start(everyTime(() => tooLong));
    expect((await failure()).message).toContain("maximum context length");
    expect(fixture.server.requests).toHaveLength(1);
  });

  it("is sent where the run is in its trace", async () => {
    await start([say("Hi.")]);
    await fixture.run({ traceparent: () => "00-trace" }, recorder);
    expect(fixture.server.requests[0]?.headers.traceparent).toBe("00-trace");
  });
});
