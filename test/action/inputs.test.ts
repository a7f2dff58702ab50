import { describe, expect, it } from "vitest";
import { InputError, readInputs } from "../../src/action/inputs.ts";

function read(given: Readonly<Record<string, string>>) {
  return readInputs((name) => ({ "base-url": "https://agents.example.com", ...given })[name] ?? "");
}

function problems(given: Readonly<Record<string, string>>): readonly string[] {
  try {
    read(given);
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
  return [];
}

describe("readInputs", () => {
  it("fills in the defaults", () => {
    expect(read({})).toEqual({
      prompt: { from: "event" },
      baseUrl: "https://agents.example.com",
      audience: "agents.example.com",
      sessionId: null,
      maxTurnTokens: null,
      timeoutMinutes: 60,
      wait: true,
      onCancel: "cancel",
      failOn: new Set(["failure", "quota"]),
      summary: true,
      account: null,
      githubToken: "",
      matrix: "",
    });
  });

  it("takes what is given", () => {
    const inputs = read({
      prompt: "  Do it  ",
      "base-url": "http://127.0.0.1:8080/prefix/",
      audience: "other",
      session: "s-1",
      "max-turn-tokens": "0",
      "timeout-minutes": "360",
      wait: "False",
      "on-cancel": "detach",
      "fail-on": "cancelled, failure",
      summary: "false",
      account: "acme",
      matrix: '{"os":"linux"}',
    });
    expect(inputs).toMatchObject({
      prompt: { from: "text", text: "Do it" },
      baseUrl: "http://127.0.0.1:8080/prefix",
      audience: "other",
      sessionId: "s-1",
      maxTurnTokens: 0,
      timeoutMinutes: 360,
      wait: false,
      onCancel: "detach",
      failOn: new Set(["failure", "cancelled"]),
      summary: false,
      account: "acme",
    });
    expect(read({ "base-url": "https://h:8443" }).audience).toBe("h:8443");
    expect(read({ "fail-on": "none" }).failOn).toEqual(new Set());
    expect(read({ "prompt-file": "./.github\\prompt.md" }).prompt).toEqual({
      from: "file",
      path: ".github/prompt.md",
    });
  });

  it("names a wrong input, what is allowed and what it got", () => {
    expect(problems({ "timeout-minutes": "2h" })).toEqual([
      'Input "timeout-minutes" must be an integer from 1 to 360, got "2h".',
    ]);
    expect(problems({ "base-url": "" })).toEqual([
      'Input "base-url" must be the address of the service, like "https://agents.example.com", got nothing.',
    ]);
    expect(problems({ "max-turn-tokens": "5000001" })).toEqual([
      'Input "max-turn-tokens" must be an integer from 0 to 5000000, got "5000001".',
    ]);
    expect(problems({ wait: "yes" })).toEqual(['Input "wait" must be "true" or "false", got "yes".']);
    expect(problems({ "fail-on": "failure,never" })).toEqual([
      'Input "fail-on" must be "none" or a comma-separated list of failure, quota, cancelled, skipped, detached, got "failure,never".',
    ]);
    expect(problems({ prompt: "a", "prompt-file": "b" })).toEqual([
      'Inputs "prompt" and "prompt-file" exclude each other: give one of them.',
    ]);
  });

  it("names every wrong input at once", () => {
    expect(
      problems({ "timeout-minutes": "0", wait: "1", "on-cancel": "stop", session: "a\nb" }),
    ).toHaveLength(4);
  });

  it("refuses a prompt file outside the repository", () => {
    for (const path of ["/etc/passwd", "../secret", "a/../../b", "C:\\x", "\\\\host\\share", "a\u0000b"]) {
      expect(problems({ "prompt-file": path })).toHaveLength(1);
    }
  });

  it("refuses an address with a credential, a query or another scheme", () => {
    for (const url of [
      "https://u:p@h",
      "https://h/?a=1",
      "https://h/#x",
      "file:///x",
      "agents.example.com",
    ]) {
      expect(problems({ "base-url": url })).toHaveLength(1);
    }
  });

  it("never repeats the token", () => {
    const text = problems({ "github-token": "ghs_secret", "timeout-minutes": "x" }).join();
    expect(text).not.toContain("ghs_secret");
  });
});
