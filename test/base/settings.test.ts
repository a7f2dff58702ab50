import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { commandLine, json, jsonInteger } from "../../src/base/settings/json-kinds.ts";
import {
  duration,
  flag,
  httpUrl,
  integer,
  line,
  listOf,
  oneOf,
  secret,
} from "../../src/base/settings/kinds.ts";
import { type Kind, readSettings, setting, variablesOf } from "../../src/base/settings/setting.ts";
import { strictObject } from "../../src/base/strict-object.ts";

function decode<Value>(kind: Kind<Value>, text: string): Value | undefined {
  const decoded = kind.decode(text);
  return decoded.ok ? decoded.value : undefined;
}

function problemOf(kind: Kind<unknown>, text: string): string {
  const { problems } = readSettings({ NAME: setting(kind, null) }, variablesOf({ NAME: text }));
  return problems.join("\n");
}

describe("settings", () => {
  const declared = {
    PORT: setting(integer({ min: 0, max: 65_535 }), 8080),
    MODE: setting(oneOf(["all", "api"]), "all"),
    KEY: setting(secret, null),
  };

  it("have their fallback where they are missing or empty", () => {
    expect(readSettings(declared, variablesOf({ PORT: " ", MODE: "" }))).toEqual({
      values: { PORT: 8080, MODE: "all", KEY: null },
      problems: [],
    });
  });

  it("are read without the space around them", () => {
    const { values } = readSettings(declared, variablesOf({ PORT: " 1 ", MODE: "API\n", KEY: "k" }));
    expect(values).toEqual({ PORT: 1, MODE: "api", KEY: "k" });
  });

  it("are all named when wrong, by their title, with what is allowed and what was given", () => {
    const texts: Record<string, string> = { PORT: "2h", MODE: "x".repeat(200), KEY: "top secret" };
    const source = { textOf: (name: string) => texts[name], titleOf: (name: string) => `Input "${name}"` };
    expect(readSettings(declared, source).problems).toEqual([
      'Input "PORT" must be an integer from 0 to 65535, got "2h".',
      `Input "MODE" must be all or api, got "${"x".repeat(100)}".`,
      'Input "KEY" must be one line of visible ASCII characters, got something else.',
    ]);
  });

  it("are named when they are required and missing", () => {
    const required = { MODEL: { ...setting(line({ maxChars: 5 }), ""), isRequired: true } };
    expect(readSettings(required, variablesOf({})).problems).toEqual([
      "MODEL must be one line of at most 5 characters, got nothing.",
    ]);
  });

  it("show what a terminal would obey or hide", () => {
    expect(problemOf(flag, "a\u001b[31m\u202eb")).toBe(
      'NAME must be true or false, got "a\\u001b[31m‹U+202E›b".',
    );
  });

  it("show no password that a URL holds", () => {
    expect(problemOf(httpUrl, "https://user:pass@host/?x")).toContain('got "https://…@host/?x"');
  });
});

describe("kinds of settings", () => {
  it.each<[string, Kind<unknown>, string, unknown]>([
    ["integer", integer({ min: 1, max: 360 }), "007", 7],
    ["flag", flag, "True", true],
    ["url", httpUrl, "HTTPS://Example.com/base//", "https://example.com/base"],
    ["list", listOf({ allowed: "", separator: /,/, item: (text) => text }), "a, b,,c,", ["a", "b", "c"]],
    ["seconds", duration({ max: 100_000 }), "90", 90],
    ["hours", duration({ max: 100_000 }), "1h", 3600],
    ["mixed", duration({ max: 1_000_000 }), "1d2h3m4s", 93_784],
    ["command", commandLine("x"), '["a", ""]', ["a", ""]],
  ])("decode %s", (_name, kind, text, value) => {
    expect(decode(kind, text)).toEqual(value);
  });

  it.each<[string, Kind<unknown>, string]>([
    ["integer above", integer({ min: 1, max: 360 }), "361"],
    ["integer with an exponent", integer({ min: 1, max: 360 }), "1e2"],
    ["negative integer", integer({ min: 0, max: 360 }), "-1"],
    ["flag", flag, "yes"],
    ["URL with a query", httpUrl, "https://h/?q=1"],
    ["other protocol", httpUrl, "ftp://h"],
    ["line with a line break", line({ maxChars: 10 }), "a\nb"],
    ["long line", line({ maxChars: 2 }), "abc"],
    ["list with a wrong item", listOf({ allowed: "", separator: /,/, item: () => undefined }), "a"],
    ["no duration", duration({ max: 10 }), "0s"],
    ["long duration", duration({ max: 10 }), "1h"],
    ["unknown unit", duration({ max: 1_000 }), "1w"],
    ["half a duration", duration({ max: 10_000 }), "1h5"],
  ])("refuse %s", (_name, kind, text) => {
    expect(decode(kind, text)).toBeUndefined();
  });
});

describe("JSON settings", () => {
  const entry = strictObject({
    id: z.string("must be a string"),
    size: jsonInteger({ min: 1, max: 9 }),
  });
  const list = json({ allowed: "a list of sizes", schema: z.array(entry, "must be a list") });

  it("name each fault by its place", () => {
    expect(problemOf(list, '[{"id": "a", "size": 10}, {"id": 1, "size": 1, "x": 0}, 5]')).toBe(
      [
        "NAME[0].size must be an integer from 1 to 9.",
        "NAME[1].id must be a string.",
        'NAME[1].x is not a known field. Allowed: "id", "size".',
        "NAME[2] must be an object.",
      ].join("\n"),
    );
  });

  it("say when the text is not JSON, without showing it", () => {
    expect(problemOf(list, "{secret")).toBe("NAME must be a list of sizes, got text that is not JSON.");
  });
});
