// Replies of a form that the caller asked for, and forms that are made to do harm.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { everyTime } from "../../../../../fakes/model-server/script.ts";
import { answer, call, say } from "../../../../../fakes/model-server/turn.ts";
import { BackendFailure } from "../../../../../src/service/executor/backend.ts";
import { outputForm } from "../../../../../src/service/executor/backends/model/output-schema.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, type ModelFixtureOptions, providers } from "./model-fixture.ts";

const outputSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { verdict: { enum: ["good", "bad"] }, lines: { type: "array", items: { type: "integer" } } },
  required: ["verdict"],
  additionalProperties: false,
};

describe.each(providers)("a reply of a form, by %s", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;

  beforeEach(() => {
    recorder = new TaskRecorder();
  });

  const start = async (script: ModelFixtureOptions["script"]) => {
    fixture = await ModelFixture.start({ provider, script });
  };

  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });

  const outputs = () => recorder.events.filter(({ type }) => type === "CUSTOM");

  it.each([
    ["alone", '{"verdict": "good", "lines": [1, 2]}'],
    ["in a fence", '```json\n{"verdict": "good", "lines": [1, 2]}\n```\n'],
  ])("comes as data too, given %s", async (_, text) => {
    await start([call("list_files"), say(text)]);
    expect(await fixture.run({ outputSchema }, recorder)).toEqual({ stopReason: "end_turn" });
    expect(fixture.server.systemPrompt()).toContain('"enum":["good","bad"]');
    expect(outputs()).toEqual([
      { type: "CUSTOM", name: "output", value: { verdict: "good", lines: [1, 2] } },
    ]);
  });

  it.each([
    ['{"verdict": "fine"}', "/verdict must be equal to one of the allowed values"],
    ['{"verdict": "good", "lines": ["x"]}', "/lines/0 must be integer"],
    ['{"verdict": "good", "more": 1}', '"more"'],
    ["It is good.", "not JSON"],
  ])("that does not fit (%s) is asked for once more, with what is wrong", async (text, fault) => {
    await start([say(text), say('{"verdict": "bad"}')]);
    await fixture.run({ outputSchema }, recorder);
    expect(fixture.server.requests[1]?.lastUserMessage).toContain(fault);
    expect(outputs()).toEqual([{ type: "CUSTOM", name: "output", value: { verdict: "bad" } }]);
  });

  it("that does not fit twice fails the run, and says where", async () => {
    await start([say("{}"), say('{"verdict": 5}')]);
    await expect(fixture.run({ outputSchema }, recorder)).rejects.toMatchObject({
      name: "BackendFailure",
      message: expect.stringContaining("/verdict"),
      chargedFor: "output_schema",
    });
    expect(outputs()).toEqual([]);
  });

  it.each([
    ["its turns", { maxTurns: 1 }, call("list_files"), "max_turns"],
    ["the room of one answer", {}, answer([say('{"verdict": ')], { stop: "length" }), "length"],
    ["its tokens", { defaultMaxTurnTokens: 100 }, say("Never."), "max_tokens"],
  ])("that %s leave no room for ends the run there, without data", async (_, settings, step, bound) => {
    fixture = await ModelFixture.start({ provider, script: everyTime(() => step), settings });
    expect(await fixture.run({ outputSchema }, recorder)).toEqual({ stopReason: bound });
    expect(outputs()).toEqual([]);
  });

  it("is whole where the answer came in two pieces", async () => {
    const cut = answer([say(`{"verdict": "good", "lines": [${"1, ".repeat(40)}`)], {
      cut: { type: "events", count: 6 },
    });
    await start([
      cut,
      ({ messages }) => {
        const said = messages.findLast(({ role }) => role === "assistant");
        const text = said?.role === "assistant" ? said.text : "";
        return say(text.endsWith(",") ? " 7]}" : ", 7]}");
      },
    ]);
    await fixture.run({ outputSchema }, recorder).catch(() => {});
    expect(fixture.server.requests[1]?.lastUserMessage).toContain("Go on");
  });

  it("costs nothing where the form cannot be used", async () => {
    await start([say("Never.")]);
    await expect(fixture.run({ outputSchema: { type: "strin" } }, recorder)).rejects.toMatchObject({
      name: "BackendFailure",
      isRetryable: false,
      message: expect.stringContaining("output_schema"),
    });
    expect(fixture.server.requests).toEqual([]);
  });
});

describe("a form", () => {
  const nested = (depth: number): Record<string, unknown> =>
    depth === 0 ? {} : { properties: { a: nested(depth - 1) } };

  it.each([
    ["of another document", { $ref: "https://example.com/schema.json" }, "points outside"],
    [
      "of another document, deep inside",
      { properties: { a: { items: { $ref: "other.json#/a" } } } },
      "outside",
    ],
    ["that is too large", { description: "x".repeat(40_000) }, "at most 32768"],
    ["with a pattern without end", { type: "string", pattern: "a".repeat(1_000) }, "at most 512"],
    ["that answers later", { $async: true, type: "string" }, "$async"],
    ["with a pattern that is none", { type: "string", pattern: "(" }, "regular expression"],
    ["that refers to nothing", { $ref: "#/nowhere" }, "can't resolve"],
  ])("%s is refused", (_, schema, why) => {
    expect(() => outputForm(schema)).toThrow(BackendFailure);
    expect(() => outputForm(schema)).toThrow(why);
  });

  it("that is nested without measure is refused or used, and nothing breaks", () => {
    try {
      expect(outputForm(nested(1_500)).check("{}").ok).toBe(true);
    } catch (cause) {
      expect(cause).toBeInstanceOf(BackendFailure);
    }
  });

  it("whose pattern takes for ever is stopped", () => {
    const form = outputForm({ type: "string", pattern: "^(a+)+$" });
    expect(form.check('"aaa"').ok).toBe(true);
    expect(() => form.check(`"${"a".repeat(60)}!"`)).toThrow("takes too long");
  });

  it("whose references multiply is stopped", () => {
    const links = Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]);
    const $defs = { ...Object.fromEntries(links), d40: { type: "null" } };
    expect(() => outputForm({ $defs, $ref: "#/$defs/d0" }).check("1")).toThrow("takes too long");
  });
});
