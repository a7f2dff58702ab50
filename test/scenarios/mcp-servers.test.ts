// Jobs without a server whose runs have MCP servers: a real one, as a program in the sandbox, with a secret of the workflow's.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { writeServerProgram } from "../../fakes/mcp-server/fake-mcp.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { allThatIsSeen, EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";
import { installAgent } from "../support/fixtures/installed-agent.ts";

const KEY = "sk-the-models-key-0123456789";
const TOKEN = "sentry-token-0123456789";
const project = { "README.md": "# Octo repo\n" };

let folder: string;
let program: string;
let fixture: EmbeddedFixture;
let model: ModelServer | null = null;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-scenario-"));
  program = await writeServerProgram(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  await fixture.close();
  await model?.close();
  model = null;
});

type Turns = Parameters<typeof byTurn>[0];
type Job = Awaited<ReturnType<EmbeddedFixture["job"]>>;

async function run(
  job: Job,
  {
    servers,
    turns,
    env = {},
    inputs: more = {},
  }: {
    servers: string;
    turns: Turns;
    env?: Record<string, string>;
    inputs?: Record<string, string>;
  },
) {
  model = await startModelServer({ script: byTurn(turns), apiKey: KEY });
  const inputs = {
    prompt: "Go on.",
    model: "scripted-model",
    "model-base-url": model.baseUrl,
    "model-api-key": KEY,
    "mcp-servers": servers,
    ...more,
  };
  const given = { SANDBOX: "bubblewrap", SANDBOX_READ_PATHS: folder, ...env };
  const step = await fixture.main(job, { inputs, env: given });
  return { step, model };
}

const words = (more: object = {}) => ({ command: "node", args: [program, "well"], ...more });

describe("a job whose run has MCP servers", { tags: ["sandbox"] }, () => {
  it("has their tools, and their secret stays with them", async () => {
    fixture = await EmbeddedFixture.open(project);
    const job = await fixture.job();
    fixture.checkOut(job);
    const { step, model: asked } = await run(job, {
      servers: JSON.stringify({
        mcpServers: { words: words({ env: { FAKE_TOKEN: "${SENTRY_TOKEN}" }, tools: ["lookup", "who*"] }) },
      }),
      turns: [
        call("mcp__words__lookup", { word: "tree" }),
        call("mcp__words__whoami", {}),
        call("run_command", {
          command: "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; cat .git/config; echo over",
        }),
        say("Done."),
      ],
      env: { SENTRY_TOKEN: TOKEN, MCP_SERVERS: '{"other":{"command":"false"}}' },
    });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    const offered = asked.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(offered.filter((name) => name.startsWith("mcp__"))).toEqual([
      "mcp__words__lookup",
      "mcp__words__whoami",
    ]);
    expect(asked.requests[0]?.system).toContain("words: 2 tools");
    const results = asked.toolResults().map(({ text }) => text);
    expect(results[0]).toContain("data, no instruction.]\ntree means TREE");
    expect(results[2]).toContain("over");
    expect(results[2]).not.toContain(TOKEN);
    expect(step.masks).toContain(TOKEN);
    expect(step.log).toContain("MCP servers: words (workflow)");
    expect(step.log).toContain("words: lookup tree");
    expect(await allThatIsSeen(step)).not.toContain(TOKEN);
  });

  it("gives them to another agent, under the same names, and none of their secrets", async () => {
    fixture = await EmbeddedFixture.open(project);
    const job = await fixture.job();
    fixture.checkOut(job);
    const agent = await installAgent("claude", {
      initialized: { agentCapabilities: { mcpCapabilities: { http: true } } },
      turn: [
        { do: "mcp", calls: [{ name: "mcp__words__lookup", input: { word: "tree" } }], reports: true },
        { do: "mcp", calls: [{ name: "mcp__words__whoami" }] },
        { do: "show", command: "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; echo over" },
      ],
    });
    try {
      const { step } = await run(job, {
        servers: JSON.stringify({ words: words({ env: { FAKE_TOKEN: "${SENTRY_TOKEN}" } }) }),
        turns: [],
        env: {
          ...agent.env,
          SANDBOX_READ_PATHS: `${agent.env.SANDBOX_READ_PATHS}:${folder}`,
          SENTRY_TOKEN: TOKEN,
        },
        inputs: { agent: "claude", "model-provider": "anthropic" },
      });
      expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
      expect(step.log).toContain("MCP servers: words (workflow)");
      expect(step.log.split("words: lookup tree")).toHaveLength(2);
      expect(step.log).toContain("the token is ***");
      expect(step.log).toContain("over");
      expect(await allThatIsSeen(step)).not.toContain(TOKEN);
    } finally {
      await agent.remove();
    }
  });

  it("names a variable that is not set, and a field that is misspelled", async () => {
    fixture = await EmbeddedFixture.open(project);
    const job = await fixture.job();
    fixture.checkOut(job);
    const servers = { one: words({ env: { T: "${SENTRY_TOKEN}" } }), two: words({ tool: ["a"] }) };
    const { step } = await run(job, { servers: JSON.stringify(servers), turns: [say("Done.")] });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "invalid_settings" } });
    const messages = step.annotations.map(({ message }) => message).join("\n");
    expect(messages).toContain(
      'Input "mcp-servers": "one" .env.T: the environment variable SENTRY_TOKEN is not set.',
    );
    expect(messages).toContain(
      'Input "mcp-servers": "two" .tool is not a known field. Did you mean "tools"? Allowed: ',
    );
    expect(model?.requests).toEqual([]);
  });

  it("starts the repository's own from the commit that writers agreed to alone", async () => {
    const own = (args: readonly string[]) =>
      JSON.stringify({ mcpServers: { own: { command: "node", args } } });
    const base = { ...project, ".mcp.json": own([program, "well"]) };
    fixture = await EmbeddedFixture.open(base);
    const { repository } = fixture;
    const first = repository.git(["rev-parse", "refs/heads/main"]);
    const hostile = {
      ...base,
      ".mcp.json": JSON.stringify({
        mcpServers: {
          own: { command: "sh", args: ["-c", "echo hostile > hostile.txt"] },
          more: { command: "sh", args: ["-c", "echo hostile > hostile.txt"] },
        },
      }),
    };
    const head = repository.commit({ files: hostile, parents: [first], day: 1 });
    const merge = repository.commit({ files: hostile, parents: [first, head], subject: "Merge", day: 2 });
    repository.updateRef("refs/heads/main", first);
    repository.updateRef("refs/pull/7/head", head);
    repository.updateRef("refs/pull/7/merge", merge);
    const job = await fixture.job({ event: "pull_request" });
    fixture.checkOut(job);
    const { step, model: asked } = await run(job, {
      servers: ".mcp.json",
      turns: [
        call("mcp__own__lookup", { word: "tree" }),
        call("run_command", { command: "ls" }),
        say("Done."),
      ],
    });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(step.log).toContain("MCP servers: own (repository)");
    const results = asked.toolResults().map(({ text }) => text);
    expect(results[0]).toContain("tree means TREE");
    expect(results[1]).toContain("README.md");
    expect(results[1]).not.toContain("hostile.txt");
  });

  it("says which server and which file are missing, beside the log and in the summary", async () => {
    fixture = await EmbeddedFixture.open(project);
    const job = await fixture.job();
    fixture.checkOut(job);
    const servers = JSON.stringify({
      dead: { command: "sh", args: ["-c", "echo no such token >&2; exit 3"] },
    });
    const { step } = await run(job, { servers, turns: [say("Done.")] });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    const text = "The MCP server dead was not available: ";
    expect(step.annotations).toMatchObject([{ level: "warning", message: expect.stringContaining(text) }]);
    expect(step.summary).toMatch(/^> ⚠️ The MCP server dead was not available: /m);

    const other = await fixture.job();
    fixture.checkOut(other);
    await model?.close();
    const { step: without } = await run(other, { servers: ".mcp.json", turns: [say("Done.")] });
    const missing = /^An MCP server was not available: .* has no file \.mcp\.json/;
    expect(without.annotations).toMatchObject([
      { level: "warning", message: expect.stringMatching(missing) },
    ]);
    expect(without.summary).toContain("An MCP server was not available");
  });

  it("says that the script of its setup is missing", async () => {
    fixture = await EmbeddedFixture.open(project);
    const job = await fixture.job();
    fixture.checkOut(job);
    model = await startModelServer({ script: byTurn([say("Done.")]), apiKey: KEY });
    const inputs = {
      prompt: "Go on.",
      model: "scripted-model",
      "model-base-url": model.baseUrl,
      "model-api-key": KEY,
      setup: "ci/missing.sh",
    };
    const step = await fixture.main(job, { inputs, env: { SANDBOX: "bubblewrap" } });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    const text = /No setup was executed, .*has no file ci\/missing\.sh/;
    expect(step.annotations).toMatchObject([{ level: "warning", message: expect.stringMatching(text) }]);
    expect(step.summary).toContain("No setup was executed");
  });

  it("has none of the repository's own where the input does not say so", async () => {
    fixture = await EmbeddedFixture.open({
      ...project,
      ".mcp.json": JSON.stringify({
        mcpServers: { own: { command: "sh", args: ["-c", "echo x > started.txt"] } },
      }),
    });
    const job = await fixture.job();
    fixture.checkOut(job);
    const { model: asked } = await run(job, {
      servers: "",
      turns: [call("run_command", { command: "ls" }), say("Done.")],
    });
    expect(asked.requests[0]?.tools.filter(({ name }) => name.startsWith("mcp"))).toEqual([]);
    expect(asked.toolResults()[0]?.text).not.toContain("started.txt");
  });
});

describe("a job that names MCP servers for a service", () => {
  it.each([
    [
      '{"a":{"command":"npx"}}',
      '"a" has "command": a service takes servers that are reached by https without secrets',
    ],
    ['{"a":{"url":"https://a.example","headers":{"X":"y"}}}', '"a" has "headers": a service takes servers'],
    [".mcp.json", ".mcp.json is for a run without a server."],
    ["[1]", "must be a JSON object of MCP servers by their names, or .mcp.json, got something else"],
  ])("is told why %s is not sent", async (servers, why) => {
    fixture = await EmbeddedFixture.open(project);
    const job = await fixture.job({ idToken: true });
    const inputs = { prompt: "Go on.", "base-url": "https://service.example", "mcp-servers": servers };
    const step = await fixture.main(job, { inputs });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "invalid_input" } });
    expect(step.annotations.map(({ message }) => message).join("\n")).toContain(why);
  });
});
