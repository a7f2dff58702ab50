import { describe, expect, it } from "vitest";
import { readManifestSection } from "../../fakes/runner/action-manifest.ts";
import { InputError } from "../../src/action/input-error.ts";
import { inputSettings, readInputs } from "../../src/action/inputs.ts";
import { modelInputNames } from "../../src/action/model-input-names.ts";
import * as models from "../../src/action/model-inputs.ts";
import type { Settings } from "../../src/base/settings/setting.ts";

function read(given: Readonly<Record<string, string>>) {
  const inputs: Readonly<Record<string, string>> = { "base-url": "https://agents.example.com", ...given };
  return readInputs({ read: (name) => inputs[name] ?? "", names: Object.keys(inputs), models });
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
  const declared: Settings = { ...inputSettings, ...models.modelInputSettings };
  const manifest = readManifestSection("inputs");

  it("has exactly the inputs that the step reads", () => {
    expect(Object.keys(manifest).sort()).toEqual(Object.keys(declared).sort());
  });

  it("has the inputs of the model that a step without one knows by their names", () => {
    expect(Object.keys(models.modelInputSettings)).toEqual(modelInputNames);
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
        model: null,
      },
      mode: "run",
      runId: null,
      session: { type: "thread" },
      maxTurnTokens: null,
      maxCostMicroUsd: null,
      bestOf: 1,
      bestOfModels: null,
      outputSchema: null,
      setup: null,
      timeoutMinutes: 60,
      idleMinutes: 20,
      wait: true,
      onCancel: "cancel",
      clone: "auto",
      failOn: new Set(["failure", "quota", "incomplete"]),
      summary: true,
      comment: true,
      changes: "patch",
      branchPrefix: "agent/",
      signedCommits: false,
      attest: false,
      findings: "none",
      failOnSeverity: null,
      checkRun: false,
      paths: [],
      ignorePaths: [],
      failedJobLogs: false,
      includeAuthors: "everyone",
      account: null,
      egress: null,
      mcpServers: null,
      outputs: null,
      triggerPhrase: "/agent",
      allowUsers: new Set(),
      allowBots: new Set(),
      allowEvents: new Set(),
      allowForks: false,
      githubToken: "",
      matrix: "",
      ignored: [],
    });
  });

  it("attests pushed commits alone", () => {
    expect(read({ attest: "true", changes: "commit" })).toMatchObject({ attest: true });
    expect(problems({ attest: "true" })).toEqual([
      'Input "attest" is about pushed commits: set "changes" to commit or pull-request.',
    ]);
    expect(problems({ attest: "yes", changes: "commit" })).toEqual([
      'Input "attest" must be true or false, got "yes".',
    ]);
  });

  it("reads what a review is about and what of it gates, and needs findings for that", () => {
    const given = {
      findings: "annotations",
      "fail-on-severity": "warning",
      "check-run": "true",
      paths: "src/**,\n*.md",
      "ignore-paths": "dist/**",
      "failed-job-logs": "true",
      "include-authors": "writers",
    };
    expect(read(given)).toMatchObject({
      failOnSeverity: "warning",
      checkRun: true,
      paths: ["src/**", "*.md"],
      ignorePaths: ["dist/**"],
      failedJobLogs: true,
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
      "best-of": "3",
      "best-of-models": "model-a, model-b",
      "timeout-minutes": "360",
      wait: "False",
      "on-cancel": "detach",
      "fail-on": "cancelled, failure",
      summary: "false",
      account: "acme",
      matrix: '{"os":"linux"}',
      setup: "ci/agent.sh",
    });
    expect(inputs).toMatchObject({
      prompt: { from: "text", text: "Do it" },
      service: { type: "remote", baseUrl: "http://127.0.0.1:8080/prefix", audience: "other" },
      session: { type: "id", id: "s-1" },
      maxTurnTokens: 0,
      bestOf: 3,
      bestOfModels: ["model-a", "model-b"],
      timeoutMinutes: 360,
      wait: false,
      onCancel: "detach",
      failOn: new Set(["failure", "cancelled"]),
      summary: false,
      account: "acme",
      setup: { path: "ci/agent.sh" },
    });
    expect(read({}).setup).toBeNull();
    expect(read({ setup: "none" }).setup).toEqual({ path: null });
    for (const path of ["/etc/setup.sh", "a b.sh", "a//b", "a\nb"])
      expect(() => read({ setup: path })).toThrow('Input "setup" must be "none", or the path of a script');
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
    expect(problems({ "base-url": "https://agents.example.com/v1/" })).toEqual([
      'Input "base-url" ends with "/v1", which every request of its own adds: leave out "/v1".',
    ]);
    expect(problems({ "max-turn-tokens": "5000001" })).toEqual([
      'Input "max-turn-tokens" must be an integer from 0 to 5000000, got "5000001".',
    ]);
    expect(problems({ "best-of": "6" })).toEqual([
      'Input "best-of" must be an integer from 1 to 5, got "6".',
    ]);
    expect(problems({ "best-of": "2", "best-of-models": "a,b,c" })).toEqual([
      'Input "best-of-models" names 3 models, and "best-of: 2" has an attempt for 2 of them. Raise "best-of", or leave it out.',
    ]);
    expect(problems({ "base-url": "embedded", "best-of": "2" })).toContain(
      'Input "best-of" needs a service, which gives each attempt a copy of the files: name one in "base-url", or leave it out.',
    );
    expect(problems({ wait: "yes" })).toEqual(['Input "wait" must be true or false, got "yes".']);
    expect(problems({ "output-schema": "[1]" })).toEqual([
      'Input "output-schema" must be a JSON Schema: a JSON object of at most 65536 bytes, got "[1]".',
    ]);
    expect(problems({ "fail-on": "failure,never" })).toEqual([
      'Input "fail-on" must be "none" or a comma-separated list of failure, quota, incomplete, cancelled, skipped, detached, checks-failed, got "failure,never".',
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
    expect(readInputs({ read: () => "", names: [], models })).toMatchObject({
      service: { type: "embedded", model: null },
    });
  });

  it("are a model, its address, its key and its provider", () => {
    const taken = { name: "gpt-5.5", baseUrl: "https://api.openai.com/v1", apiKey: "sk-1" };
    expect(read(model).service).toEqual({
      type: "embedded",
      model: {
        ...taken,
        fallback: null,
        explorer: null,
        agent: null,
        provider: "auto",
        effort: null,
        price: null,
        federation: null,
      },
    });
    const anthropic = { "base-url": "embedded", model: "claude", "model-provider": "anthropic" };
    expect(read(anthropic).service).toEqual({
      type: "embedded",
      model: {
        name: "claude",
        fallback: null,
        explorer: null,
        agent: null,
        baseUrl: null,
        apiKey: null,
        provider: "anthropic",
        effort: null,
        price: null,
        federation: null,
      },
    });
    const openai = { "base-url": "embedded", model: "gpt-5.5", "model-provider": "openai", effort: "max" };
    expect(read(openai).service).toMatchObject({
      model: { baseUrl: null, provider: "openai", effort: "max", federation: null },
    });
    const google = { "base-url": "embedded", model: "gemini-3.5-flash", "model-provider": "google" };
    expect(read(google).service).toMatchObject({ model: { baseUrl: null, provider: "google" } });
  });

  it("may name a second model", () => {
    expect(read({ ...model, "base-url": "embedded", "fallback-model": "m-2" }).service).toMatchObject({
      model: { fallback: "m-2" },
    });
    expect(problems({ ...model, "base-url": "embedded", "fallback-model": "two words" })).toHaveLength(1);
  });

  it("may name a model that explores for it", () => {
    expect(read({ ...model, "base-url": "embedded", "explore-model": "m-3" }).service).toMatchObject({
      model: { explorer: "m-3" },
    });
    expect(problems({ ...model, "base-url": "embedded", "explore-model": "two words" })).toHaveLength(1);
  });

  it("may say what the model costs", () => {
    const priced = (text: string) => ({ ...model, "base-url": "embedded", "model-price": text });
    expect(read(priced("0.6 / 0.06 / $2.4")).service).toMatchObject({
      model: { price: { input: 0.6, cached: 0.06, output: 2.4 } },
    });
    expect(read(priced("2.5/15")).service).toMatchObject({
      model: { price: { input: 2.5, cached: 2.5, output: 15 } },
    });
    for (const wrong of ["2.5", "1 / 2 / 3", "0 / 0", "1 / 1 / 1 / 1", "1e3 / 2", "20000 / 1", "-1 / 2"])
      expect(problems(priced(wrong))).toEqual([
        `Input "model-price" must be US dollars for a million tokens of input and of output, like "2.5 / 15", or of input, cached input and output, like "2.5 / 0.25 / 15", got "${wrong}".`,
      ]);
  });

  it("are those of another agent, which knows where its model is", () => {
    const chosen = { "base-url": "embedded", model: "m-1", "model-api-key": "sk-1" };
    for (const agent of ["claude", "codex", "gemini"]) {
      expect(read({ ...chosen, agent }).service).toMatchObject({ model: { agent, baseUrl: null } });
    }
    expect(problems({ ...chosen, agent: "opencode" })).toEqual([
      'Input "model-provider" is missing. Set it to anthropic, openai, google or openrouter, or "model-base-url" to the address of its API, like "https://api.openai.com/v1".',
    ]);
    expect(read({ ...chosen, agent: "opencode", "model-provider": "anthropic" }).service).toMatchObject({
      model: { agent: "opencode", provider: "anthropic" },
    });
  });

  it("are none for GitHub Copilot, which the job's token opens", () => {
    const bare = { "base-url": "embedded", agent: "copilot", "github-token": "ghs_1" };
    const taken = { agent: "copilot", name: null, apiKey: "ghs_1", baseUrl: null, provider: "copilot" };
    expect(read(bare).service).toMatchObject({ type: "embedded", model: taken });
    expect(read({ ...bare, model: "gpt-5.4" }).service).toMatchObject({
      model: { ...taken, name: "gpt-5.4" },
    });
    expect(problems({ ...bare, "github-token": "" })).toEqual([
      'Input "github-token" is empty: "agent: copilot" asks GitHub\'s models with it. Leave it out, or give the agent another "model-provider".',
    ]);
    const other = { ...bare, model: "gpt-5.5", "model-provider": "openai", "model-api-key": "sk-1" };
    expect(read(other).service).toMatchObject({
      model: { ...taken, name: "gpt-5.5", apiKey: "sk-1", provider: "openai" },
    });
    const tenant = {
      ...bare,
      "model-provider": "copilot",
      "model-base-url": "https://copilot-api.octo.ghe.com/",
    };
    expect(read(tenant).service).toMatchObject({
      model: { ...taken, baseUrl: "https://copilot-api.octo.ghe.com" },
    });
    for (const url of [
      "https://models.example",
      "http://api.githubcopilot.com",
      "https://api-githubcopilot.com",
    ])
      expect(problems({ ...tenant, "model-base-url": url })).toEqual([
        expect.stringContaining('Input "model-base-url" must be an address of GitHub Copilot'),
      ]);
    expect(problems({ ...tenant, "model-api-key": "sk-1" })).toEqual([
      'Input "model-api-key" and "model-provider: copilot" exclude each other: the job\'s token is the key.',
    ]);
    expect(problems({ ...tenant, agent: "codex", model: "m-1" })).toEqual([
      'Input "model-provider: copilot" is for "agent: copilot": its API answers no other agent.',
    ]);
    // A key of somebody else's, and no word of whose.
    expect(problems({ ...other, "model-provider": "" })).toEqual([
      expect.stringContaining('Input "model-provider" is missing.'),
    ]);
    expect(problems({ ...other, "model-provider": "google" })).toEqual([
      'Input "agent: copilot" needs a model of another protocol: GitHub Copilot CLI speaks copilot, openai-compatible, anthropic, not gemini.',
    ]);
    expect(read({ ...federated, ...bare, model: "claude-sonnet-5" }).service).toMatchObject({
      model: { agent: "copilot", apiKey: null, federation: { provider: "anthropic" } },
    });
  });

  it("tell what another agent needs", () => {
    expect(problems({ "base-url": "embedded", agent: "claude" })).toEqual([
      'Input "agent: claude" needs a model: give "model", and "model-api-key" or the identifiers of its provider.',
    ]);
    expect(problems({ ...model, "base-url": "embedded", agent: "codex", "fallback-model": "m-2" })).toEqual([
      'Input "fallback-model" is for the built-in agent: remove it, or "agent: codex".',
    ]);
    expect(problems({ "base-url": "embedded", agent: "aider" })).toEqual([
      'Input "agent" must be one of built-in, claude, codex, copilot, gemini, opencode, got "aider".',
    ]);
    expect(
      problems({ "base-url": "embedded", model: "m-1", agent: "codex", "model-provider": "anthropic" }),
    ).toEqual([
      'Input "agent: codex" needs a model of another protocol: Codex speaks openai-compatible, not anthropic.',
    ]);
    expect(problems({ "base-url": "embedded", model: "m-1", agent: "codex", effort: "high" })).toContain(
      'Input "effort" is for the built-in agent: remove it, or "agent: codex".',
    );
    const servers = { "mcp-servers": '{"docs":{"url":"https://docs.example/mcp"}}' };
    expect(problems({ ...model, ...servers, "base-url": "embedded", agent: "codex" })).toEqual([]);
    expect(problems({ ...federated, "base-url": "embedded", agent: "gemini" })).toEqual([
      'Input "agent: gemini" needs a model of another protocol: Gemini CLI speaks gemini, not anthropic.',
    ]);
    expect(problems({ "base-url": "https://agents.example.com", agent: "claude" })).toEqual([
      'Input "agent: claude" is for jobs without a server: which agent a service runs, its operator says. Leave "agent" or "base-url" out.',
    ]);
  });

  it.each([
    ["claude-sonnet-5", "anthropic"],
    ["gpt-5.5", "openai"],
    ["gemini-3-pro", "google"],
    ["deepseek/deepseek-v4", "openrouter"],
  ])("name the provider that %s looks like", (name, provider) => {
    expect(problems({ "base-url": "embedded", model: name, "model-api-key": "sk-1" })).toEqual([
      expect.stringContaining(`Input "model-provider" is missing. Set "model-provider: ${provider}"`),
    ]);
    const placed = { "base-url": "embedded", model: name, "model-provider": "openai-compatible" };
    expect(problems(placed)).toEqual([expect.stringContaining('Input "model-base-url" must be')]);
  });

  it("name what is missing or wrong, and no key", () => {
    expect(problems({ "base-url": "embedded", "model-api-key": "sk-1" })).toEqual([
      'Input "model-provider" is missing. Set it to anthropic, openai, google or openrouter, or "model-base-url" to the address of its API, like "https://api.openai.com/v1".',
      'Input "model" must be the name of a model, like "claude-sonnet-5", got nothing.',
    ]);
    expect(problems({ ...model, "model-provider": "gemini" })).toEqual([
      'Input "model-provider" must be one of auto, openai-compatible, anthropic, openai, openrouter, google, copilot, got "gemini".',
    ]);
    expect(problems({ ...model, effort: "extreme" })).toEqual([
      'Input "effort" must be one of low, medium, high, max, got "extreme".',
    ]);
    expect(problems({ ...model, "model-api-key": "sk 1" })).toEqual([
      'Input "model-api-key" must be one line of visible ASCII characters, got something else.',
    ]);
  });

  it("are listed as ignored where they have no effect", () => {
    expect(read({ ...model, audience: "a", account: "b" }).ignored).toEqual([
      '"audience", "account" have no effect without a "base-url": the service runs inside this job.',
    ]);
    expect(read({ ...model, clone: "push" }).ignored).toEqual([
      '"clone" has no effect without a "base-url": the service runs inside this job.',
    ]);
    expect(read({ ...model, "base-url": "https://agents.example.com" })).toMatchObject({
      service: { type: "remote" },
      ignored: [
        '"model", "model-base-url", "model-api-key" have no effect with this "base-url": the service has models of its own.',
      ],
    });
  });

  const federated = {
    model: "claude-sonnet-5",
    "anthropic-federation-rule-id": "fdrl_01Rule",
    "anthropic-organization-id": "0f1e2d3c-4b5a-4678-9abc-def012345678",
    "anthropic-service-account-id": "svac_01Account",
  };
  it("are listed as ignored where the service or the mode leaves them unread", () => {
    const remote = { "base-url": "https://agents.example.com" };
    const choices = {
      effort: "high",
      "fallback-model": "m-2",
      "explore-model": "m-3",
      "model-price": "1 / 2",
    };
    expect(read({ ...remote, ...federated, ...choices }).ignored).toEqual([
      '"fallback-model", "explore-model", "effort", "model-price" have no effect with this "base-url": the service decides them.',
    ]);
    expect(read({ ...remote, mode: "attach", "run-id": "r", prompt: "x", "max-cost": "1" }).ignored).toEqual([
      '"prompt", "max-cost" have no effect with "mode: attach", which starts no run.',
    ]);
    // The runner passes on the default of an input that the workflow leaves out.
    expect(read({ ...remote, mode: "attach", "run-id": "r", "best-of": "1" }).ignored).toEqual([]);
    expect(read({ ...remote, mode: "attach", "run-id": "r", "best-of": "3" }).ignored).toEqual([
      '"best-of" has no effect with "mode: attach", which starts no run.',
    ]);
  });

  it.each([
    ["a service", { "base-url": "https://agents.example.com" }],
    ["a service that is handed a model", { "base-url": "https://agents.example.com", ...federated }],
    ["no server", model],
  ])("are not listed as ignored for the leg of a matrix, which counts with %s", (_, inputs) => {
    const matrix = '{"os":"linux"}';
    const { ignored } = read(inputs);
    expect(read({ ...inputs, matrix })).toMatchObject({ matrix, ignored });
    expect(ignored.join()).not.toContain("matrix");
  });

  const federation = {
    provider: "anthropic",
    identifiers: {
      federation_rule_id: "fdrl_01Rule",
      organization_id: "0f1e2d3c-4b5a-4678-9abc-def012345678",
      service_account_id: "svac_01Account",
    },
    audience: "https://api.anthropic.com",
  };

  it("are identifiers of a provider in place of a key", () => {
    const embedded = { ...federated, "base-url": "embedded" };
    expect(read(embedded).service).toEqual({
      type: "embedded",
      model: {
        name: "claude-sonnet-5",
        fallback: null,
        explorer: null,
        agent: null,
        baseUrl: "https://api.anthropic.com/v1",
        apiKey: null,
        provider: "anthropic",
        effort: null,
        price: null,
        federation,
      },
    });
    const more = { "model-audience": "https://own.example", "anthropic-workspace-id": "default" };
    expect(read({ ...embedded, ...more, "model-provider": "anthropic" }).service).toMatchObject({
      model: {
        federation: {
          identifiers: { ...federation.identifiers, workspace_id: "default" },
          audience: "https://own.example",
        },
      },
    });
  });

  it("are handed to a service, too", () => {
    expect(read(federated)).toMatchObject({
      service: { type: "remote", model: { name: "claude-sonnet-5", federation } },
      ignored: [],
    });
  });

  it("tell which identifier is missing or wrong, and what does not go with them", () => {
    const embedded = { ...federated, "base-url": "embedded" };
    expect(
      problems({ ...embedded, "anthropic-organization-id": "", "anthropic-service-account-id": "" }),
    ).toEqual([
      'Input "anthropic-organization-id" is missing: beside Input "anthropic-federation-rule-id" it names the organization, the UUID of an Anthropic organization.',
      'Input "anthropic-service-account-id" is missing: beside Input "anthropic-federation-rule-id" it names the service account, the id of a service account, svac_….',
    ]);
    expect(problems({ ...embedded, "anthropic-federation-rule-id": "svac_1" })).toEqual([
      'Input "anthropic-federation-rule-id" must be the id of a federation rule, fdrl_…, got "svac_1".',
    ]);
    expect(problems({ ...embedded, "openai-service-account-id": "user-1" })).toEqual([
      'Input "anthropic-federation-rule-id" and Input "openai-service-account-id" exclude each other: a run has one model provider.',
    ]);
    expect(problems({ ...embedded, model: "" })).toEqual([
      'Input "model" must be the name of a model, like "claude-sonnet-5", got nothing.',
    ]);
    expect(
      problems({
        ...embedded,
        "model-api-key": "sk-1",
        "model-base-url": "https://example.com",
        "model-provider": "openai",
      }),
    ).toEqual([
      'Input "model-api-key" and the identifiers of Anthropic exclude each other: remove the key, which is not needed any more.',
      'Input "model-base-url" and the identifiers of Anthropic exclude each other: its token goes to https://api.anthropic.com/v1 alone.',
      'Input "model-provider" must be anthropic beside the identifiers of Anthropic, got "openai".',
    ]);
    expect(problems({ "base-url": "embedded", "model-audience": "https://own.example" })).toEqual([
      'Input "model-audience" needs the identifiers of a model\'s provider, such as Input "anthropic-federation-rule-id".',
    ]);
  });

  it("are identifiers of a cloud, which say where the model is", () => {
    const azure = {
      prompt: "x",
      "base-url": "embedded",
      "azure-tenant-id": "5f3c2a1b-0d4e-4f6a-8b7c-9d0e1f2a3b4c",
      "azure-client-id": "1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d",
      "azure-resource": "octo-models",
      model: "gpt-5.5",
    };
    expect(read(azure).service).toMatchObject({
      model: {
        provider: "openai",
        baseUrl: "https://octo-models.openai.azure.com/openai/v1",
        apiKey: null,
        federation: { provider: "foundry", audience: "api://AzureADTokenExchange" },
      },
    });
    expect(read({ ...azure, "model-provider": "foundry" }).service).toMatchObject({
      model: { provider: "openai" },
    });
    const aws = { "aws-role-arn": "arn:aws:iam::123456789012:role/agent", "aws-region": "eu-west-1" };
    const bedrock = { prompt: "x", "base-url": "embedded", ...aws, model: "eu.anthropic.claude-sonnet-5" };
    expect(read(bedrock).service).toMatchObject({
      model: {
        provider: "anthropic",
        baseUrl: "https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic/v1",
        federation: { provider: "bedrock", audience: "sts.amazonaws.com" },
      },
    });
    expect(problems({ ...bedrock, model: "claude-sonnet-5" })).toEqual([
      'Input "model" must be an inference profile where the endpoint is runtime, like "us.anthropic.claude-sonnet-5" or "global.anthropic.claude-sonnet-5", got "claude-sonnet-5".',
    ]);
    expect(problems({ ...bedrock, "aws-endpoint": "mantle" })).toEqual([
      'Input "model" must be the id of a model where the endpoint is mantle, like "anthropic.claude-sonnet-5", got "eu.anthropic.claude-sonnet-5".',
    ]);
    expect(problems({ ...bedrock, "aws-region": "" })).toEqual([
      'Input "aws-region" is missing: beside Input "aws-role-arn" it names the region, an AWS region, like us-east-1.',
    ]);
    expect(problems({ ...bedrock, "aws-role-arn": "agent" })).toEqual([
      'Input "aws-role-arn" must be the ARN of an IAM role, arn:aws:iam::123456789012:role/…, got "agent".',
    ]);
    expect(problems({ ...bedrock, "azure-resource": "octo" })).toEqual([
      'Input "azure-resource" and Input "aws-role-arn" exclude each other: a run has one model provider.',
    ]);
    expect(problems({ ...azure, "model-api-key": "k", "model-base-url": "https://example.com" })).toEqual([
      'Input "model-api-key" and the identifiers of Microsoft Foundry exclude each other: remove the key, which is not needed any more.',
      'Input "model-base-url" and the identifiers of Microsoft Foundry exclude each other: its token goes to https://octo-models.openai.azure.com/openai/v1 alone.',
    ]);
    const google = {
      prompt: "x",
      "base-url": "embedded",
      "google-workload-identity-provider":
        "projects/octo/locations/global/workloadIdentityPools/ci/providers/g",
      "google-project-id": "octo-models",
      model: "gemini-3.5-flash",
    };
    expect(problems(google)[0]).toMatch(/^Input "google-workload-identity-provider" must be the whole name/);
    expect(problems({ prompt: "x", "base-url": "embedded", model: "m", "model-provider": "vertex" })).toEqual(
      [
        'Input "model-provider: vertex" needs "google-workload-identity-provider" and "google-project-id": by them the job proves itself to Google Vertex AI. With a key, set "model-base-url" to the address of its API.',
      ],
    );
  });

  it("need a job that stays, and an address that nobody listens to", () => {
    expect(problems({ ...federated, wait: "false", "on-cancel": "detach" })).toEqual([
      'Input "wait: false" ends the job too early: a run with the job\'s own model account needs the job, which renews its token. Leave "wait" out.',
      'Input "on-cancel: detach" ends the job too early: a run with the job\'s own model account needs the job, which renews its token.',
    ]);
    expect(problems({ ...federated, "base-url": "http://agents.example.com" })).toEqual([
      'Input "base-url" is plain http: anybody on the network path could read the model\'s token. Use https.',
    ]);
    expect(problems({ ...federated, "base-url": "http://127.0.0.1:8080" })).toEqual([]);
  });

  it("reads who may ask for a run, and by which word", () => {
    const inputs = read({
      "trigger-phrase": "@bot",
      "allow-users": "Octocat,\n hubot",
      "allow-bots": "Renovate[bot]",
      "allow-events": "watch, pull_request.closed",
      "allow-forks": "true",
      session: "new",
    });
    expect(inputs).toMatchObject({
      triggerPhrase: "@bot",
      allowUsers: new Set(["octocat", "hubot"]),
      allowBots: new Set(["renovate[bot]"]),
      allowEvents: new Set(["watch", "pull_request.closed"]),
      allowForks: true,
      session: { type: "new" },
    });
  });

  it.each([
    ["trigger-phrase", "two words", 'one word of 2 to 50 letters, digits and ./@!:-, like "/agent"'],
    ["trigger-phrase", ">a", 'one word of 2 to 50 letters, digits and ./@!:-, like "/agent"'],
    ["allow-users", "*", 'a comma-separated list of logins (like "octocat, hubot"; "*" is no login)'],
    ["allow-bots", "*", 'a comma-separated list of logins (like "renovate[bot]"; "*" is no login)'],
    [
      "allow-events",
      "*",
      'a comma-separated list of events, or actions of pull_request, like "watch, pull_request.closed"',
    ],
    ["allow-forks", "yes", "true or false"],
  ])("refuses %s: %s", (name, text, allowed) => {
    expect(problems({ [name]: text })).toEqual([
      `Input "${name}" must be ${allowed}, got ${JSON.stringify(text)}.`,
    ]);
  });
});
