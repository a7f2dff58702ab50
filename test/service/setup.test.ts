// A repository's setup script, before the agent: a service as its settings make it, a clone, a real sandbox.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { asRunEvent, type RunEvent } from "../../src/contract/runs/run-event.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import type { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";

const REPOSITORY = "octo-org/octo-repo";
const SETUP = ".github/agent/setup.sh";
const run = (command: string) => call("run_command", { command });

let folder: string;
let repository: TestRepository;
let model: ModelServer;
let fixture: ServiceFixture;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "setup-test-"));
  repository = new TestRepository(folder, "octo-repo.git");
});
afterEach(async () => {
  await fixture.close();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(command: string): Promise<void> {
  model = await startModelServer({ script: () => byTurn([run(command), say("Done.")])() });
  const settings = { MODEL: "scripted-model", MODEL_BASE_URL: model.baseUrl, SANDBOX: "bubblewrap" };
  const config = readConfig(
    { DATA_DIR: join(folder, "data") },
    { PATH: process.env.PATH, BACKEND: "model", ...settings },
  );
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  const { backend, model: modelConfig, sandbox, rates } = config.value;
  fixture = await startFixture({
    level: "service",
    repositories: { [REPOSITORY]: { path: repository.path, visibility: "public" } },
    config: { backend, model: modelConfig, sandbox, rates },
  });
}

type Played = { readonly events: readonly RunEvent[]; readonly text: string; readonly told: string };

async function play(claims: Readonly<Record<string, unknown>>, body: object = {}): Promise<Played> {
  const sha = repository.git(["rev-parse", "refs/heads/main"]);
  const job = await fixture.job({ ...fixture.freshRepository(), repository: REPOSITORY, sha, ...claims });
  const answer = await job.submit({ message: "Test it.", ...body });
  const { run_id: runId } = submitRunResponseSchema.parse(answer.body);
  const events = (await job.follow(runId)).flatMap(({ event }) => asRunEvent(event) ?? []);
  expect((await job.run(runId)).status).toBe("completed");
  return { events, text: model.toolResults().at(-1)?.text ?? "", told: model.systemPrompt() };
}

/** What the run's stream shows of setup: arguments and result; null where there was none. */
function setupIn(events: readonly RunEvent[]): { readonly args: string; readonly result: string } | null {
  const start = events.find((event) => event.type === "TOOL_CALL_START" && event.toolCallName === "setup");
  if (start?.type !== "TOOL_CALL_START") return null;
  const id = start.toolCallId;
  const args = events.flatMap((event) =>
    event.type === "TOOL_CALL_ARGS" && event.toolCallId === id ? [event.delta] : [],
  );
  const result = events.find((event) => event.type === "TOOL_CALL_RESULT" && event.toolCallId === id);
  return { args: args.join(""), result: result?.type === "TOOL_CALL_RESULT" ? result.content : "" };
}

const installs = [
  "#!/bin/bash",
  "set -eu",
  "mkdir node_modules && echo 'installed' > node_modules/package",
  "echo 'of setup' > ~/marker",
  'echo "in $(pwd)"',
].join("\n");

describe("a repository's setup", { tags: ["sandbox"] }, () => {
  it("is executed before the agent, whose commands find what it left in tree and home", async () => {
    repository.commit({ files: { [SETUP]: installs, ".gitignore": "node_modules/\n" } });
    await start("cat node_modules/package ~/marker; echo kept > ~/own; ls -A ~");
    const { events, text, told } = await play({});
    expect(setupIn(events)).toEqual({ args: `{"script":"${SETUP}"}`, result: "in /checkout\n[exit code 0]" });
    expect(text).toBe("installed\nof setup\nmarker\nown\n\n[exit code 0]".replace("\n\n", "\n"));
    expect(told).toContain(`The repository's ${SETUP} was executed before you`);
    expect(told).toContain("HOME is /home/agent, and stays between commands");
    // What git ignores is no change of the run.
    expect(events.some((event) => event.type === "CUSTOM" && event.name === "repository.changes")).toBe(
      false,
    );
  });

  it("is executed by bash where its first line names no program", async () => {
    const words = 'words=(of bash); [[ ${#words[@]} == 2 ]] && cat <(echo "${words[@]}")\n';
    repository.commit({ files: { [SETUP]: words } });
    await start("true");
    const { events } = await play({});
    expect(setupIn(events)?.result).toBe("of bash\n[exit code 0]");
  });

  it("that fails does not end the run: its readers and the agent are told", async () => {
    repository.commit({ files: { [SETUP]: "echo no such package >&2\nexit 3\n" } });
    await start("echo tested");
    const { events, text, told } = await play({});
    expect(setupIn(events)?.result).toBe("no such package\n[exit code 3]");
    expect(text).toBe("tested\n[exit code 0]");
    expect(told).toMatch(
      /setup\.sh was executed before you, and failed \(exit code 3\): .*\nno such package/,
    );
  });

  it("is another one, or none, where the run says so", async () => {
    repository.commit({ files: { [SETUP]: "echo default\n", "ci/own.sh": "echo own\n" } });
    await start("true");
    expect(setupIn((await play({}, { setup: "ci/own.sh" })).events)?.result).toBe("own\n[exit code 0]");
    expect(setupIn((await play({}, { setup: null })).events)).toBeNull();
    const missing = await play({}, { setup: "ci/missing.sh" });
    expect(setupIn(missing.events)?.result).toMatch(/^error: .* has no file ci\/missing\.sh/);
    expect(missing.told).toContain("has no file ci/missing.sh");
    const job = await fixture.job({ ...fixture.freshRepository(), repository: REPOSITORY });
    for (const setup of ["/etc/passwd", "a b", "", "x\ny", "a".repeat(256)])
      expect((await job.submit({ message: "x", setup })).status).toBe(400);
  });

  it("is the base's in a pull request, whatever its head says", async () => {
    const base = repository.commit({ files: { [SETUP]: "echo of the base; cat package.json\n" } });
    const files = { [SETUP]: "echo TAKEN\n", "package.json": "of the head\n" };
    const head = repository.commit({ files, parents: [base] });
    const merge = repository.commit({ files, parents: [base, head] });
    repository.updateRef("refs/heads/main", base);
    repository.updateRef("refs/pull/7/head", head);
    repository.updateRef("refs/pull/7/merge", merge);
    await start("true");
    const { events } = await play({
      event_name: "pull_request",
      sha: merge,
      ref: "refs/pull/7/merge",
      base_ref: "main",
      head_ref: "topic",
    });
    expect(setupIn(events)?.result).toBe("of the base\nof the head\n[exit code 0]");
    expect(JSON.stringify(events)).not.toContain("TAKEN");
    const asked = { pull_request: { number: 7, head_sha: head, base_ref: "main" } };
    const comment = await play({ event_name: "issue_comment", sha: base }, asked);
    expect(setupIn(comment.events)?.result).toBe("of the base\nof the head\n[exit code 0]");
  });

  it("is copied from an equal one, and says so", async () => {
    repository.commit({ files: { [SETUP]: installs, ".gitignore": "node_modules/\n" } });
    await start("cat node_modules/package ~/marker");
    const claims = fixture.freshRepository({ repository: REPOSITORY });
    expect(setupIn((await play(claims)).events)?.result).toContain("[exit code 0]");
    const { events, text } = await play(claims);
    expect(setupIn(events)?.result).toMatch(
      /^\[An equal setup took [\d.]+ s: what it left was copied in [\d.]+ s\]$/,
    );
    expect(text).toBe("installed\nof setup\n[exit code 0]");
  });

  it("has no home that another run finds", async () => {
    repository.commit({ files: { [SETUP]: "ls -A ~ | wc -l; echo secret > ~/mine\n" } });
    await start("cat ~/mine");
    for (const turn of [1, 2]) {
      const { events, text } = await play({});
      expect(setupIn(events)?.result, `run ${turn}`).toBe("0\n[exit code 0]");
      expect(text).toBe("secret\n[exit code 0]");
    }
  });
});
