// `agent-service run --embedded --comment --changes commit` in a pull request's pipeline: the service inside the step, whose agent looks for the token
// wherever a command can.

import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { API_HOST, FakeBitbucket, WEB_HOST } from "../../fakes/bitbucket/bitbucket.ts";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say as saysModel } from "../../fakes/model-server/turn.ts";
import { type NamedHosts, startNamedHosts } from "../../fakes/named-hosts.ts";
import type { Environment } from "../../src/base/environment.ts";
import { bitbucketJob } from "../ci/job-variables.ts";
import { PULL, SCOPES, TOKEN } from "../support/fixtures/bitbucket-fixture.ts";
import { commitEdits, LINES } from "../support/fixtures/changes-fixture.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";

let folder: string;
let git: TestRepository;
let bitbucket: FakeBitbucket;
let hosts: NamedHosts;
let model: ModelServer;
let head: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bitbucket-embedded-"));
  git = new TestRepository(folder, "app.git");
  const main = git.commit({ files: { "notes.txt": LINES } });
  head = commitEdits(git, main, { "notes.txt": LINES.replace("line 5\n", "line five\n") });
  git.updateRef("refs/heads/topic", head);
  bitbucket = new FakeBitbucket(git);
  bitbucket.addToken(TOKEN, SCOPES);
  bitbucket.addPull({ id: PULL, title: "Count", author: bitbucket.addAccount("octocat"), source: "topic" });
  hosts = await startNamedHosts({
    hosts: [API_HOST, WEB_HOST],
    serve: async (request, response) => await bitbucket.serve(request, response),
  });
  const look =
    "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; git config --list; echo new > new.txt";
  model = await startModelServer({
    script: byTurn([call("run_command", { command: look }), saysModel("Done.")]),
  });
});
afterEach(async () => {
  await hosts.close();
  bitbucket.close();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

/** In a checkout as Pipelines makes it; `isMerged`: with the destination merged into it. */
async function run({ isMerged = false } = {}) {
  const cwd = join(folder, "checkout");
  const inside = (...args: string[]) => execFileSync("git", args, { cwd, stdio: "pipe" });
  execFileSync("git", ["clone", "--quiet", "--branch=topic", git.path, cwd], { stdio: "pipe" });
  if (isMerged) {
    const newer = commitEdits(git, git.git(["rev-parse", "main"]), { "other.txt": "On main.\n" });
    git.updateRef("refs/heads/main", newer);
    inside("fetch", "--quiet", "origin", "main");
    inside("-c", "user.name=p", "-c", "user.email=p@x", "merge", "--quiet", "--no-edit", "FETCH_HEAD");
  }
  inside("remote", "set-url", "origin", "https://bitbucket.org/acme/app.git");
  const variables: Environment = {
    ...bitbucketJob,
    ...hosts.env,
    CI: "true",
    GIT_SSL_CAINFO: hosts.env.NODE_EXTRA_CA_CERTS,
    BITBUCKET_BRANCH: "topic",
    BITBUCKET_COMMIT: head,
    BITBUCKET_PR_ID: String(PULL),
    BITBUCKET_PR_DESTINATION_BRANCH: "main",
    BITBUCKET_STEP_UUID: "{2b2f7a7a-5a4d-4dee-b0f1-5ecdc7d40d1f}",
    AGENT_SERVICE_BITBUCKET_TOKEN: TOKEN,
    SANDBOX: "off",
  };
  const ofModel = ["--model", "scripted-model", "--model-base-url", model.baseUrl];
  const words = ["run", "--embedded", "--comment", "--changes", "commit", ...ofModel, "Add a file."];
  const ran = await new ServiceProcess(words, variables, { folder: cwd }).ended;
  const output = join(cwd, "agent-service-output");
  const names = await readdir(output).catch(() => []);
  const files = await Promise.all(names.map((name) => readFile(join(output, name), "utf8")));
  const config = await readFile(join(cwd, ".git/config"), "utf8");
  for (const text of [ran.stdout, ran.stderr, config, ...files, JSON.stringify(model.requests)]) {
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(Buffer.from(`x-token-auth:${TOKEN}`).toString("base64"));
  }
  return { ...ran, patch: files.find((text) => text.startsWith("diff --git")) ?? "" };
}

describe("a step on Bitbucket without a server", () => {
  it("pushes to the pull request's branch, and neither commands nor the model see the token", async () => {
    const { code, stderr } = await run();
    expect(code, stderr).toBe(0);
    // The command looked where there is something to see.
    expect(model.requests.at(-1)?.toolResults[0]?.text).toContain("PATH=");
    expect(git.git(["show", "topic:new.txt"])).toBe("new");
    expect(git.git(["rev-parse", "topic^"])).toBe(head);
    const comments = bitbucket.pulls.get(PULL)?.comments.all ?? [];
    expect(comments.map(({ raw }) => raw.split("\n")[0])).toEqual([
      expect.stringMatching(/^\*\*✅ Pushed .* to `topic`\*\*$/),
    ]);
  });

  it("says that the merge in its checkout cannot be pushed to, and keeps the changes in the patch", async () => {
    const { code, stderr, patch } = await run({ isMerged: true });
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(
      /Not written: the run's changes\. The checkout is at [0-9a-f]{7}, the merge that Pipelines made of pull request #9/,
    );
    expect(stderr).toContain('Put git checkout --detach "$BITBUCKET_COMMIT" before this command.');
    expect(patch).toContain("new.txt");
    expect([bitbucket.repository.pushes, bitbucket.pulls.get(PULL)?.comments.all.length]).toEqual([0, 1]);
  });
});
