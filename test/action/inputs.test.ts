import { describe, expect, it } from "vitest";
import { readManifestSection } from "../../fakes/runner/action-manifest.ts";
import { InputError, inputSettings, modelInputSettings, readInputs } from "../../src/action/inputs.ts";
import type { Settings } from "../../src/base/settings/setting.ts";

function read(given: Readonly<Record<string, string>>) {
  const inputs: Readonly<Record<string, string>> = { "base-url": "https://agents.example.com", ...given };
  return readInputs({ read: (name) => inputs[name] ?? "", names: Object.keys(inputs) });
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

describe("action.yml", () => {
  const declared: Settings = { ...inputSettings, ...modelInputSettings };
  const manifest = readManifestSection("inputs");

  it("has exactly the inputs that the step reads", () => {
    expect(Object.keys(manifest).sort()).toEqual(Object.keys(declared).sort());
  });

  it("has the defaults that the step has", () => {
    for (const [name, { default: text = "" }] of Object.entries(manifest)) {
      const { kind, fallback } = declared[name] ?? expect.fail(name);
      if (text === "" || text.startsWith("$" + "{{")) continue;
      expect([name, kind.decode(text)]).toEqual([name, { ok: true, value: fallback }]);
    }
  });
});

describe("readInputs", () => {
  it("fills in the defaults", () => {
    expect(read({})).toEqual({
      prompt: { from: "event" },
      service: {
        type: "remote",
        baseUrl: "https://agents.example.com",
        audience: "agents.example.com",
      },
      mode: "run",
      runId: null,
      session: { type: "thread" },
      maxTurnTokens: null,
      outputSchema: null,
      timeoutMinutes: 60,
      idleMinutes: 20,
      wait: true,
      onCancel: "cancel",
      failOn: new Set(["failure", "quota", "incomplete"]),
      summary: true,
      comment: true,
      changes: "patch",
      branchPrefix: "agent/",
      signedCommits: false,
      findings: "none",
      failOnSeverity: null,
      checkRun: false,
      paths: [],
      ignorePaths: [],
      includeAuthors: "everyone",
      account: null,
      triggerPhrase: "/agent",
      allowUsers: new Set(),
      allowBots: new Set(),
      allowForks: false,
      githubToken: "",
      matrix: "",
      ignored: [],
    });
  });

  it("reads what a review is about and what of it gates, and needs findings for that", () => {
    const given = {
      findings: "annotations",
      "fail-on-severity": "warning",
      "check-run": "true",
      paths: "src/**,\n*.md",
      "ignore-paths": "dist/**",
      "include-authors": "writers",
    };
    expect(read(given)).toMatchObject({
      failOnSeverity: "warning",
      checkRun: true,
      paths: ["src/**", "*.md"],
      ignorePaths: ["dist/**"],
      includeAuthors: "writers",
    });
    const faults = ["fail-on-severity", "check-run", "paths", "ignore-paths"].map(
      (name) => `Input "${name}" is about findings: set "findings" to annotations or review.`,
    );
    expect(() => read({ ...given, findings: "none" })).toThrow(faults.join("\n"));
    expect(() => read({ ...given, paths: "/src" })).toThrow('Input "paths" must be patterns of paths');
  });

  it("reads every input", () => {
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
      service: { type: "remote", baseUrl: "http://127.0.0.1:8080/prefix", audience: "other" },
      session: { type: "id", id: "s-1" },
      maxTurnTokens: 0,
      timeoutMinutes: 360,
      wait: false,
      onCancel: "detach",
      failOn: new Set(["failure", "cancelled"]),
      summary: false,
      account: "acme",
    });
    expect(read({ "base-url": "https://h:8443" }).service).toMatchObject({ audience: "h:8443" });
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
    expect(problems({ "base-url": "agents" })).toEqual([
      'Input "base-url" must be "embedded", or the address of the service, like "https://agents.example.com", got "agents".',
    ]);
    expect(problems({ "max-turn-tokens": "5000001" })).toEqual([
      'Input "max-turn-tokens" must be an integer from 0 to 5000000, got "5000001".',
    ]);
    expect(problems({ wait: "yes" })).toEqual(['Input "wait" must be true or false, got "yes".']);
    expect(problems({ "output-schema": "[1]" })).toEqual([
      'Input "output-schema" must be a JSON Schema: a JSON object of at most 65536 bytes, got "[1]".',
    ]);
    expect(problems({ "fail-on": "failure,never" })).toEqual([
      'Input "fail-on" must be "none" or a comma-separated list of failure, quota, incomplete, cancelled, skipped, detached, got "failure,never".',
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

  it.each([
    ["base_url", "base-url"],
    ["baseurl", "base-url"],
    ["promt", "prompt"],
    ["model-api-kye", "model-api-key"],
    ["fail_on", "fail-on"],
    ["idle-minute", "idle-minutes"],
  ])("names the input that %s is meant to be", (name, nearest) => {
    expect(problems({ [name]: "https://agents.example.com" })).toEqual([
      `Input "${name}" does not exist. Did you mean "${nearest}"?`,
    ]);
  });

  it("refuses a name with a hyphen that no input resembles", () => {
    expect(problems({ "allowed-tools": "Bash" })).toEqual([
      'Input "allowed-tools" does not exist. Remove it: action.yml lists the inputs.',
    ]);
  });

  it("takes other names for variables of the workflow", () => {
    expect(problems({ environment: "production", version: "1", claude_args: "--x" })).toEqual([]);
  });

  it.each(["", "  "])("refuses a base-url that is set and empty: %j", (baseUrl) => {
    const [fault, ...more] = problems({ "base-url": baseUrl });
    expect(fault).toMatch(
      /^Input "base-url" is set and empty, as "\$\{\{ vars\.… \}\}" is where the variable is not set\./,
    );
    expect(more).toEqual([]);
  });

  it("never repeats the token", () => {
    const text = problems({ "github-token": "ghs_secret", "timeout-minutes": "x" }).join();
    expect(text).not.toContain("ghs_secret");
  });
});

describe("the inputs of a service inside the job", () => {
  const model = {
    "base-url": "embedded",
    model: "gpt-5.5",
    "model-base-url": "https://api.openai.com/v1/",
    "model-api-key": "sk-1",
  };

  it("are all optional", () => {
    expect(read({ "base-url": "embedded" })).toMatchObject({ service: { type: "embedded", model: null } });
    expect(readInputs({ read: () => "", names: [] })).toMatchObject({
      service: { type: "embedded", model: null },
    });
  });

  it("are a model, its address, its key and its provider", () => {
    const taken = { name: "gpt-5.5", baseUrl: "https://api.openai.com/v1", apiKey: "sk-1" };
    expect(read(model).service).toEqual({ type: "embedded", model: { ...taken, provider: "auto" } });
    const anthropic = { "base-url": "embedded", model: "claude", "model-provider": "anthropic" };
    expect(read(anthropic).service).toEqual({
      type: "embedded",
      model: { name: "claude", baseUrl: null, apiKey: null, provider: "anthropic" },
    });
  });

  it("name what is missing or wrong, and no key", () => {
    expect(problems({ "base-url": "embedded", "model-api-key": "sk-1" })).toEqual([
      'Input "model" must be the name of a model, like "claude-sonnet-5", got nothing.',
      'Input "model-base-url" must be the address of a model\'s API, like "https://api.openai.com/v1", got nothing.',
    ]);
    expect(problems({ ...model, "model-provider": "gemini" })).toEqual([
      'Input "model-provider" must be one of auto, openai-compatible, anthropic, got "gemini".',
    ]);
    expect(problems({ ...model, "model-api-key": "sk 1" })).toEqual([
      'Input "model-api-key" must be one line of visible ASCII characters, got something else.',
    ]);
  });

  it("are listed as ignored where they have no effect", () => {
    expect(read({ ...model, audience: "a", account: "b" }).ignored).toEqual(["audience", "account"]);
    expect(read({ ...model, "base-url": "https://agents.example.com" })).toMatchObject({
      service: { type: "remote" },
      ignored: ["model", "model-base-url", "model-api-key"],
    });
  });

  it("reads who may ask for a run, and by which word", () => {
    const inputs = read({
      "trigger-phrase": "@bot",
      "allow-users": "Octocat,\n hubot",
      "allow-bots": "Renovate[bot]",
      "allow-forks": "true",
      session: "new",
    });
    expect(inputs).toMatchObject({
      triggerPhrase: "@bot",
      allowUsers: new Set(["octocat", "hubot"]),
      allowBots: new Set(["renovate[bot]"]),
      allowForks: true,
      session: { type: "new" },
    });
  });

  it.each([
    ["trigger-phrase", "two words", 'one word of 2 to 50 letters, digits and ./@!:-, like "/agent"'],
    ["trigger-phrase", ">a", 'one word of 2 to 50 letters, digits and ./@!:-, like "/agent"'],
    ["allow-users", "*", 'a comma-separated list of logins (like "octocat, hubot"; "*" is no login)'],
    ["allow-bots", "*", 'a comma-separated list of logins (like "renovate[bot]"; "*" is no login)'],
    ["allow-forks", "yes", "true or false"],
  ])("refuses %s: %s", (name, text, allowed) => {
    expect(problems({ [name]: text })).toEqual([
      `Input "${name}" must be ${allowed}, got ${JSON.stringify(text)}.`,
    ]);
  });
});
