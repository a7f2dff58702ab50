// Requests that are made again: how long a run waits, what its readers see of it, and when another model goes on.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { everyTime } from "../../../../../fakes/model-server/script.ts";
import { answer, call, fault, say, think } from "../../../../../fakes/model-server/turn.ts";
import type { BackendFailure } from "../../../../../src/service/executor/backend.ts";
import { UsageMeter } from "../../../../../src/service/executor/usage-meter.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import {
  API_KEY,
  expectWhole,
  HastyClock,
  ModelFixture,
  type ModelFixtureOptions,
  providers,
  ratesOf,
} from "./model-fixture.ts";

describe.each(providers)("a model's API that does not answer (%s)", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;

  const start = async (script: ModelFixtureOptions["script"], options: Partial<ModelFixtureOptions> = {}) => {
    fixture = await ModelFixture.start({ provider, script, ...options });
  };
  const notices = () =>
    recorder.events.flatMap((event) =>
      event.type === "CUSTOM" && event.name === "notice" ? [event.value.text] : [],
    );
  const failure = async (changes = {}, settings = {}): Promise<BackendFailure> =>
    await fixture.run(changes, recorder, settings).then(
      () => Promise.reject(new Error("The run did not fail.")),
      (thrown: BackendFailure) => thrown,
    );
  const models = (fallback: string | null) => ({
    executor: "scripted-model",
    fallback,
    advisor: null,
    reviewer: null,
  });

  beforeEach(() => {
    recorder = new TaskRecorder();
  });

  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  it("is waited for as long as it said, and the run says so in its words", async () => {
    await start([fault({ status: 429, retryAfter: 70, message: `Slow down, ${API_KEY}.` }), say("Now.")]);
    await fixture.run({}, recorder);
    expect(recorder.text()).toBe("Now.");
    expect(fixture.clock.slept[0]).toBeGreaterThanOrEqual(70_000);
    expect(notices()).toEqual([
      expect.stringMatching(
        /^Waits 7\d s\. The model's API at 127\.0\.0\.1:\d+ takes no more requests now \(429\): "Slow down, \[key\]\."\.$/,
      ),
    ]);
  });

  it.each([
    ["the header in milliseconds", { headers: { "retry-after-ms": "1500" } }, 1_500],
    [
      "Google's RetryInfo, in an array",
      {
        body: [
          {
            error: {
              code: 429,
              message: "Quota exceeded.",
              status: "RESOURCE_EXHAUSTED",
              details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }],
            },
          },
        ],
      },
      34_000,
    ],
    ["words alone", { message: "Please try again in 20.5s." }, 20_500],
  ])("says how long to wait by %s", async (_what, options, waitMs) => {
    await start([fault({ status: 429, ...options }), say("Now.")]);
    await fixture.run({}, recorder);
    expect(fixture.clock.slept[0]).toBeGreaterThanOrEqual(waitMs);
    expect(fixture.clock.slept[0]).toBeLessThanOrEqual(1.1 * waitMs);
  });

  it("is not waited for past the end of the run", async () => {
    await start([fault({ status: 503, retryAfter: 600 })]);
    expect(await failure({ deadline: { limitMs: 3_600_000, leftMs: () => 630_000 } })).toMatchObject({
      isRetryable: true,
    });
    expect(fixture.server.requests).toHaveLength(1);
    expect(fixture.clock.slept).toEqual([]);
  });

  it("is waited for as long as the run has, and the run says again and again that it waits", async () => {
    await start([fault({ status: 503, retryAfter: 600 }), say("Now.")]);
    const clock = new HastyClock(300_000);
    const limits = { requestTimeoutMs: 900_000, firstChunkTimeoutMs: 900_000, idleTimeoutMs: 900_000 };
    expect(await fixture.run({}, recorder, { clock, ...limits })).toEqual({ stopReason: "end_turn" });
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(600_000);
    expect(notices().map((text) => text.split(".")[0])).toEqual([
      expect.stringMatching(/^Waits 6\d\d s$/),
      expect.stringMatching(/^Still waits for \d+ s$/),
      expect.stringMatching(/^Still waits for \d+ s$/),
    ]);
  });

  it("has no quota left is not asked again", async () => {
    const body = {
      error: {
        message: "You exceeded your current quota.",
        type: "insufficient_quota",
        code: "insufficient_quota",
      },
    };
    await start([fault({ status: 429, body })]);
    expect(await failure()).toMatchObject({
      isRetryable: false,
      message: expect.stringContaining('"You exceeded your current quota."'),
    });
    expect(fixture.server.requests).toHaveLength(1);
  });

  it("has no quota left for this day is not asked again, whatever wait it names, and another model goes on", async () => {
    const violations = [
      { quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier" },
      {
        quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
        quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
        quotaDimensions: { location: "global", model: "gemini-3.8-flash" },
        quotaValue: "250",
      },
    ];
    const message = "You exceeded your current quota, please check your plan. Please retry in 41.2s.";
    const details = [
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "41s" },
    ];
    const body = { error: { code: 429, message, status: "RESOURCE_EXHAUSTED", details } };
    await start(
      everyTime(({ model }) => (model === "other-model" ? say("Done.") : fault({ status: 429, body }))),
    );
    expect(await failure()).toMatchObject({
      isRetryable: false,
      message: expect.stringMatching(/no quota left today for the model "scripted-model" \(429\).*tomorrow/),
    });
    expect(fixture.clock.slept).toEqual([]);
    expect(await fixture.run({}, recorder, { models: models("other-model") })).toEqual({
      stopReason: "end_turn",
    });
    expect(fixture.server.requests.map(({ model }) => model)).toEqual([
      "scripted-model",
      "scripted-model",
      "other-model",
    ]);
  });

  it.each([
    [
      "a page",
      502,
      "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
      "502 Bad Gateway",
    ],
    ["a plain text", 500, "upstream connect error", "upstream connect error"],
    [
      "an array",
      400,
      [{ error: { code: 400, message: "Unknown name.", status: "INVALID_ARGUMENT" } }],
      "Unknown name.",
    ],
    ["a detail", 422, { detail: [{ msg: "Field required" }] }, "Field required"],
  ])("is quoted whatever the form: %s", async (_what, status, body, words) => {
    await start(everyTime(() => fault({ status, body })));
    expect((await failure()).message).toContain(`(${status}): "${words}"`);
  });

  it("leaves the run to the fallback model when it is overloaded, which sees none of the other's thoughts", async () => {
    const rates = ratesOf(
      { id: "scripted-model", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 1_000 },
      { id: "other-model", inNanoUsdPerToken: 10_000, outNanoUsdPerToken: 10_000 },
    );
    const usage = { input: 1_000, output: 100 };
    await start(
      everyTime(({ model, assistantTurns }) => {
        if (model === "other-model") return answer([say("The other one.")], { usage });
        if (assistantTurns === 0) return answer([think("Secret thought."), call("list_files")], { usage });
        return fault({ status: 529, message: "Overloaded" });
      }),
      { settings: { models: models("other-model"), rates } },
    );
    const meter = new UsageMeter({ holdMicroUsd: 10_000_000, raiseHold: async () => false });
    expect(await fixture.run({ meter }, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("The other one.");
    const asked = fixture.server.requests.map(({ model }) => model);
    expect(asked).toEqual([...Array<string>(4).fill("scripted-model"), "other-model"]);
    const last = JSON.stringify(fixture.server.requests.at(-1)?.body);
    expect(last).not.toContain("Secret thought.");
    expect(last).not.toContain("signature");
    expect(fixture.server.requests.at(-1)?.toolResults).toHaveLength(1);
    expect(notices()).toEqual([
      expect.stringMatching(
        /^The run goes on with the model "other-model" in place of "scripted-model"\. The model's API at \S+ fails \(529\): "Overloaded"\.$/,
      ),
    ]);
    expect(meter.usage.roles.executor?.microUsd).toBe(1_100 + 11_000);
    const used = { calls: 1, inputTokens: 1_000, cachedInputTokens: 0, outputTokens: 100 };
    expect(meter.usage.models).toEqual([
      { model: "scripted-model", ...used, costMicroUsd: 1_100 },
      { model: "other-model", ...used, costMicroUsd: 11_000 },
    ]);
  });

  it.each([
    ["asks for a long wait", fault({ status: 429, retryAfter: 900 }), 1],
    ["has the model no more", fault({ status: 404, message: "The model is no longer available." }), 1],
    ["stays busy", fault({ status: 429 }), 3],
  ])("leaves the run to the fallback model when it %s, for good", async (_what, broken, tries) => {
    await start(
      everyTime(({ model, assistantTurns }) => {
        if (model !== "other-model") return broken;
        return assistantTurns === 0 ? call("list_files") : say("Done.");
      }),
      { settings: { models: models("other-model") } },
    );
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(fixture.server.requests.map(({ model }) => model)).toEqual([
      ...Array<string>(tries).fill("scripted-model"),
      "other-model",
      "other-model",
    ]);
  });

  it.each([
    ["refuses the request", 400],
    ["refuses the key", 401],
  ])("is not left to another model where it %s", async (_what, status) => {
    await start(
      everyTime(() => fault({ status })),
      { settings: { models: models("other-model") } },
    );
    expect(await failure()).toMatchObject({ isRetryable: false });
    expect(fixture.server.requests).toHaveLength(1);
  });

  it("is not left to a model without a price", async () => {
    const rates = {
      ...ratesOf({ id: "scripted-model", inNanoUsdPerToken: 0, outNanoUsdPerToken: 0 }),
      otherModels: "refused" as const,
    };
    await start(
      everyTime(() => fault({ status: 404 })),
      { settings: { models: models("other-model"), rates } },
    );
    expect(await failure()).toMatchObject({ isRetryable: false });
    expect(fixture.server.requests).toHaveLength(1);
  });

  it("fails the run when the fallback model fails too", async () => {
    await start(
      everyTime(() => fault({ status: 529 })),
      { settings: { models: models("other-model") } },
    );
    expect(await failure()).toMatchObject({ isRetryable: true, message: expect.stringContaining("529") });
    const asked = fixture.server.requests.map(({ model }) => model);
    expect(asked.filter((model) => model === "scripted-model")).toHaveLength(3);
    expect(asked.filter((model) => model === "other-model")).toHaveLength(12);
  });

  it("may be polled by a tool whose result changes each time", async () => {
    await start(
      everyTime(() => async ({ assistantTurns }) => {
        await writeFile(join(fixture.checkout.root, "state.txt"), `step ${assistantTurns}`);
        return assistantTurns === 9 ? say("Ready.") : call("read_file", { path: "state.txt" });
      }),
      { files: { "state.txt": "" } },
    );
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("Ready.");
    expect(JSON.stringify(recorder.events)).not.toContain("times in a row");
  });
});
