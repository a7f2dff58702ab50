// agent-service run --embedded, as a child process in a real checkout, on a scripted model.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { writeServerProgram } from "../../fakes/mcp-server/fake-mcp.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn, everyTime } from "../../fakes/model-server/script.ts";
import { editTestFix, storyTools, sumProject } from "../../fakes/model-server/stories.ts";
import { answer, call, fault, say, stall } from "../../fakes/model-server/turn.ts";
import { gitlabJob } from "../ci/job-variables.ts";
import { BorrowedFixture } from "../service/checkouts/borrowed-fixture.ts";
import { nodeEnvironment } from "../support/run/node-environment.ts";
import { runCommand } from "../support/run/run-command.ts";

const MAIN = new URL("../../npm/cli.mjs", import.meta.url).pathname;
const KEY = "sk-the-models-key-0123456789";
const tools = { ...storyTools, run: (command: string) => call("run_command", { command }) };

let fixture: BorrowedFixture;
let temp: string;
let model: ModelServer | null = null;
beforeEach(async () => {
  fixture = await BorrowedFixture.make(sumProject);
  temp = await mkdtemp(join(tmpdir(), "run-test-"));
});
afterEach(async () => {
  await model?.close();
  model = null;
  await fixture.close();
  await rm(temp, { recursive: true, force: true });
});

function start(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; stdin?: "pipe" } = {},
) {
  const child = spawn(process.execPath, [MAIN, "run", ...args], {
    cwd: options.cwd ?? fixture.root,
    env: { PATH: process.env.PATH, TMPDIR: temp, ...nodeEnvironment(), ...options.env },
    stdio: [options.stdin ?? "ignore", "pipe", "pipe"],
  });
  const { stdout: out, stderr: err } = child;
  if (out === null || err === null) throw new Error("The process has no output.");
  const ended = Promise.all([once(child, "close"), text(out), text(err)]);
  return { child, ended: ended.then(([[code], stdout, stderr]) => ({ code, stdout, stderr })) };
}

/** To its end, where the process is not what is shown. */
async function play(args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const env = { TMPDIR: temp, ...options.env };
  const { stdout, ...exit } = await runCommand(["run", ...args], env, {
    folder: options.cwd ?? fixture.root,
  });
  return { ...exit, stdout: stdout === "" ? "" : `${stdout}\n` };
}

/** Not in what a command says on somebody's machine, where it is no job. */
const WORDS_OF_JOBS = /\b(jobs?|steps?|workflows?|actions\/checkout|inputs?|re-run)\b|"[a-z]+-[a-z-]+"/i;

const modelFlags = (server: Pick<ModelServer, "baseUrl">) => [
  "--model",
  "scripted-model",
  "--model-base-url",
  server.baseUrl,
];

/** Nothing listens on this port, and no other test is given it. */
const NOBODY = { baseUrl: "http://127.0.0.1:1/v1" };

describe("agent-service run", () => {
  it("says what is missing to know which service it is for", async () => {
    const { code, stderr } = await play(["Mend it"]);
    expect(code).toBe(2);
    expect(stderr).toContain("AGENT_SERVICE_URL (or --base-url) must be the service's address");
    expect(stderr).toContain("agent-service run --embedded <prompt>");
  });

  it("says where a service can be used from, when this is no CI job", async () => {
    const { code, stderr } = await play(["--base-url", "https://agents.example.com", "Mend it"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^This is no CI job that can prove its identity\..*agent-service runs submit/);
  });

  it.each([
    [["--embedded", "--base-url", "https://a.example", "x"], "exclude each other"],
    [["--embedded", "--agent", "codex", "--effort", "high", "x"], "--effort is for the built-in agent"],
    [["--embedded", "--session", "s", "x"], "--session needs a service that outlives this command"],
    [["--embedded", "--on-cancel", "detach", "x"], "--on-cancel detach needs a service"],
    [["--base-url", "https://a.example", "--model", "m", "x"], "--model is for --embedded"],
    [
      ["--embedded", "--fail-on", "success", "x"],
      '--fail-on must be "none" or a comma-separated list of failure, quota,',
    ],
    [["--embedded", "--on-cancel", "stop", "x"], "--on-cancel must be cancel or detach"],
    [["--embedded", "--timeout-minutes", "0", "x"], "--timeout-minutes must be an integer from 1 to 1440"],
    [["--embedded", "--output-schema", "none.json", "x"], '"none.json", which cannot be read'],
    [["--embedded", "--mcp-servers", "none.json", "x"], '"none.json", which cannot be read'],
    [["--embedded", "--mcp-servers", "sum.mjs", "x"], "with a JSON object of MCP servers by their names"],
    [["--embedded", "--mcp-servers", "sum.mjs", "x"], 'got "sum.mjs"'],
    [["--embedded", "--prompt-file", "none.md"], '"none.md", which cannot be read (ENOENT)'],
    [["--embedded", "--prompt-file", "none.md", "x"], "<prompt> and --prompt-file exclude each other"],
    [["--embedded", "mend", "it"], '"it" is one too many: put the prompt in quotes'],
    [["--embedded", "  "], "<prompt> is missing"],
  ])("names what is wrong with %j", async (args, message) => {
    const { code, stderr } = await play(args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it("takes the prompt from a file or from standard input", async () => {
    await writeFile(join(temp, "prompt.md"), "Brief me\n");
    const ofFile = await play(["--embedded", "--prompt-file", join(temp, "prompt.md")]);
    expect(ofFile).toMatchObject({ code: 0, stdout: expect.stringContaining("Briefing of") });
    const { child, ended } = start(["--embedded", "-"], { stdin: "pipe" });
    child.stdin?.end("Brief me\n");
    expect(await ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Briefing of") });
    const empty = start(["--embedded", "-"]);
    expect(await empty.ended).toMatchObject({ code: 2, stderr: expect.stringContaining("is empty") });
  });

  it("leaves files where it is told, and the checkout as it was", async () => {
    const { code, stdout } = await play(["--embedded", "Brief me", "--output-dir", "out"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Reply, summary, events and patch are in out.\n");
    const read = (name: string) => readFile(join(fixture.root, "out", name), "utf8");
    expect(await read("reply.md")).toContain("Briefing of `octo/fixture`");
    expect(await read("summary.md")).toMatch(/^## ⏭️ No model configured\n/);
    expect(JSON.parse(await read("result.json"))).toMatchObject({
      title: "No model configured",
      conclusion: "skipped",
      reason: "no_model",
      run_url: null,
      credits: null,
      changed_files: [],
    });
    expect((await read("events.ndjson")).trimEnd().split("\n").length).toBeGreaterThan(2);
    expect((await readdir(join(fixture.root, "out"))).sort()).toEqual([
      ".gitignore",
      "events.ndjson",
      "reply.md",
      "result.json",
      "summary.md",
    ]);
  });

  it("wants a prompt, a checkout, and settings that are right", async () => {
    expect(await play(["--embedded"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("<prompt> is missing"),
    });
    const elsewhere = join(temp, "empty");
    await mkdir(elsewhere);
    expect(await play(["--embedded", "x"], { cwd: elsewhere })).toMatchObject({
      code: 1,
      stderr: "There is no git checkout in this folder, nor above it. Change to one.\n",
    });
    expect(await play(["--embedded", "x", "--model", "m"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("MODEL_BASE_URL must be set for BACKEND model"),
    });
  });

  it("speaks of the machine where it is no job", async () => {
    const plain = join(temp, "plain");
    await mkdir(plain);
    execFileSync("git", ["init", "--quiet", plain]);
    const { code, stdout, stderr } = await play(["--embedded", "x"], { cwd: plain });
    expect(code).toBe(1);
    expect(stderr).toContain(
      "There is no commit to work on in this checkout. Change to a checkout with a commit.",
    );
    expect(stdout + stderr).not.toMatch(WORDS_OF_JOBS);
  });

  it("briefs where no model is configured, from any folder of the checkout", async () => {
    const cwd = join(fixture.root, "deep");
    await mkdir(cwd);
    const { code, stdout, stderr } = await play(["--embedded", "Brief me"], { cwd });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^No model is configured, .*--model-base-url\.\n$/);
    expect(stdout).toContain("Briefing of `octo/fixture`");
    expect(stdout).not.toMatch(/credits/i);
    expect(await readdir(temp)).toEqual([]);
  });

  it("does not begin without the key that its model needs", async () => {
    const flags = ["--embedded", "Mend it", "--model", "some-model", "--model-provider", "anthropic"];
    const { code, stdout, stderr } = await play(flags, { env: { MODEL_API_KEY: "" } });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^MODEL_API_KEY must be set: /);
  });

  it("mends the checkout with a model, whose key goes nowhere else", async () => {
    model = await startModelServer({ script: editTestFix(tools), apiKey: KEY });
    const env = { MODEL_API_KEY: KEY };
    const { code, stdout, stderr } = await play(["--embedded", "Mend it", ...modelFlags(model)], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\n✅ Changed 1 file, \d+ tokens\n$/);
    expect(stdout).toContain("sum.mjs");
    expect(await readFile(join(fixture.root, "sum.mjs"), "utf8")).toContain("a + b");
    expect(stdout + stderr).not.toContain(KEY);
    expect(await readdir(temp)).toEqual([]);
  });

  it("has the tools of the MCP servers that a file names, whose secret goes nowhere else", async () => {
    const token = "sentry-token-0123456789";
    const programs = await mkdtemp(join(tmpdir(), "mcp-command-"));
    onTestFinished(() => rm(programs, { recursive: true, force: true }));
    const args = [await writeServerProgram(programs), "well"];
    const words = {
      command: "node",
      args,
      env: { FAKE_TOKEN: `\${SENTRY_TOKEN}` },
      tools: ["lookup", "whoami"],
    };
    const file = join(programs, "servers.json");
    await writeFile(file, JSON.stringify({ mcpServers: { words } }));
    const script = byTurn([
      call("mcp__words__lookup", { word: "tree" }),
      call("mcp__words__whoami", {}),
      say("Done."),
    ]);
    model = await startModelServer({ script });
    const flags = ["--embedded", "Look it up", "--mcp-servers", file, ...modelFlags(model)];
    const env = { SANDBOX_READ_PATHS: programs, SENTRY_TOKEN: token };
    const { code, stdout, stderr } = await play(flags, { env });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("internal_error")]);
    expect(model.toolResults()[0]?.text).toContain("tree means TREE");
    expect(stdout).toContain("MCP servers: words");
    expect(stdout + stderr).not.toContain(token);
    const unset = await play(flags, { env: { SANDBOX_READ_PATHS: programs } });
    expect(unset).toMatchObject({ code: 2 });
    expect(unset.stderr).toContain(
      '--mcp-servers: "words" .env.FAKE_TOKEN: the environment variable SENTRY_TOKEN',
    );
  });

  it("goes on with the fallback model where its own is not there any more", async () => {
    model = await startModelServer({
      script: everyTime((request) =>
        request.model === "second" ? say("The second one.") : fault({ status: 404 }),
      ),
    });
    const args = ["--embedded", "Say it", ...modelFlags(model), "--fallback-model", "second"];
    const { code, stdout } = await play(args);
    expect(code).toBe(0);
    expect(stdout).toContain('goes on with the model "second"');
    expect(stdout).toContain("The second one.");
  });

  it("says in every file that a run was cut, and ends with 1", async () => {
    const usage = { input: 4_000, output: 2_000 };
    const script = everyTime(({ assistantTurns }) =>
      answer([tools.write("half.txt", `done ${assistantTurns}\n`)], { usage }),
    );
    model = await startModelServer({ script });
    const args = ["--embedded", "Mend it", ...modelFlags(model), "--max-turn-tokens", "30000"];
    const { code, stdout, stderr } = await play([...args, "--output-dir", "out"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\n⚠️ Stopped at the token limit, [\d,]+ tokens\n$/);
    expect(stderr).toMatch(/Raise --max-turn-tokens/);
    const read = (name: string) => readFile(join(fixture.root, "out", name), "utf8");
    expect(await read("summary.md")).toMatch(/^## ⚠️ Stopped at the token limit\n\nThe run reached its limit/);
    expect(JSON.parse(await read("result.json"))).toMatchObject({
      title: "Stopped at the token limit",
      conclusion: "incomplete",
      reason: "max_tokens",
      changed_files: ["half.txt"],
    });
    expect(await read("changes.patch")).toContain("half.txt");
  });

  it("writes a summary of what went wrong", async () => {
    model = await startModelServer({ script: [fault({ status: 400, message: "Too many pigeons." })] });
    const args = ["--embedded", "Mend it", ...modelFlags(model), "--output-dir", "out"];
    const { code, stdout, stderr } = await play(args);
    expect(code).toBe(1);
    const summary = await readFile(join(fixture.root, "out", "summary.md"), "utf8");
    expect(stdout + stderr + summary).not.toMatch(WORDS_OF_JOBS);
    expect(summary).toMatch(/^## ❌ The agent failed\n/);
    expect(summary).toContain("Too many pigeons.");
    expect(summary).toContain("(backend&#95;error)");
  });

  it("says to start it again where the model's server does not answer", async () => {
    const args = ["--embedded", "Mend it", ...modelFlags(NOBODY), "--output-dir", "out"];
    const { code, stdout, stderr } = await play(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Run the command again\.\n$/);
    const summary = await readFile(join(fixture.root, "out", "summary.md"), "utf8");
    expect(stdout + stderr + summary).not.toMatch(WORDS_OF_JOBS);
  });

  it("writes events as JSON, one a line", async () => {
    const { code, stdout } = await play(["--embedded", "Brief me", "--json"]);
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).event);
    expect(events[0].type).toBe("RUN_STARTED");
    expect(events.at(-1).type).toBe("RUN_FINISHED");
    expect(events.map(({ name }) => name)).not.toContain("quota");
  });

  it("cancels its run when it is interrupted", async () => {
    const script = byTurn([tools.write("half.txt", "done\n"), stall()]);
    model = await startModelServer({ script });
    const { child, ended } = start(["--embedded", "Mend it", ...modelFlags(model)]);
    await model.arrival(2);
    child.kill("SIGINT");
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain("The command was interrupted: cancelling the run.\n");
    expect(stdout + stderr).not.toMatch(WORDS_OF_JOBS);
    expect(stdout).toMatch(/🛑 The run was cancelled, \d+ tokens\n$/);
    expect(await readFile(join(fixture.root, "half.txt"), "utf8")).toBe("done\n");
    expect(await readdir(temp)).toEqual([]);
  });

  describe("in a CI job, on a machine without a sandbox", () => {
    const gitlab = {
      ...gitlabJob,
      CI: "true",
      CI_PROJECT_PATH: "group/octo/fixture",
      CI_COMMIT_REF_NAME: "main",
    };
    const mergeRequest = {
      CI_PIPELINE_SOURCE: "merge_request_event",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
    };

    it.each([
      ["a push", gitlab, true],
      ["a merge request", { ...gitlab, ...mergeRequest }, false],
      [
        "a fork's merge request",
        { ...gitlab, ...mergeRequest, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "9" },
        false,
      ],
      ["a pipeline that another one started", { ...gitlab, CI_PIPELINE_SOURCE: "parent_pipeline" }, false],
      ["a CI that is not known", { CI: "true" }, false],
      ["nobody's", {}, true],
    ])("executes commands of %s or does not", async (_name, job, isTrusted) => {
      const tools = join(temp, "tools");
      await mkdir(tools);
      for (const name of ["git", "sh"]) await symlink(await pathOf(name), join(tools, name));
      const script = byTurn([callCommand("echo ran > ran.txt"), say("Done.")]);
      model = await startModelServer({ script });
      const env = Object.fromEntries(
        Object.entries({ ...job, PATH: tools }).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      );
      const { code, stderr } = await play(
        ["--embedded", "Mend it", "--output-dir", join(temp, "out"), ...modelFlags(model)],
        { env },
      );
      expect([code, stderr]).toEqual([0, expect.not.stringContaining("internal_error")]);
      const ran = await readFile(join(fixture.root, "ran.txt"), "utf8").catch(() => null);
      expect(ran).toBe(isTrusted ? "ran\n" : null);
      const summary = await readFile(join(temp, "out", "summary.md"), "utf8");
      if ("CI_PROJECT_PATH" in job) expect(summary).toContain("group/octo/fixture");
    });
  });
});

const callCommand = tools.run;

async function pathOf(name: string): Promise<string> {
  for (const folder of ["/usr/bin", "/bin", "/usr/local/bin"]) {
    const path = join(folder, name);
    if (await stat(path).catch(() => null)) return path;
  }
  throw new Error(`There is no ${name}.`);
}
