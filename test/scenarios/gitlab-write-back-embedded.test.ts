// `agent-service run --embedded --comment --changes commit` in a merge request's pipeline: the service inside the job, whose agent looks for the
// token wherever a command can.

import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import { FakeGitLab } from "../../fakes/gitlab/gitlab.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say as saysModel } from "../../fakes/model-server/turn.ts";
import type { Environment } from "../../src/base/environment.ts";
import { gitlabJob } from "../ci/job-variables.ts";
import { commitEdits, LINES } from "../support/fixtures/changes-fixture.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";

const TOKEN = "glpat-5aB7cD9eF1gH3iJ5kL7m";

let folder: string;
let repository: TestRepository;
let gitlab: FakeGitLab;
let model: ModelServer;
let head: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gitlab-embedded-"));
  repository = new TestRepository(folder, "project.git");
  const main = repository.commit({ files: { "notes.txt": LINES } });
  head = commitEdits(repository, main, { "notes.txt": LINES.replace("line 5\n", "line five\n") });
  repository.updateRef("refs/heads/topic", head);
  gitlab = await FakeGitLab.start();
  gitlab.addToken(TOKEN, { role: "developer" });
  gitlab.addRepository(repository);
  gitlab.addMergeRequest({
    iid: 9,
    title: "Count",
    sourceBranch: "topic",
    author: gitlab.account("octocat"),
  });
  gitlab.addVersion(9, { base: main, head });
  const look =
    "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; git config --list; echo new > new.txt";
  model = await startModelServer({
    script: byTurn([call("run_command", { command: look }), saysModel("Done.")]),
  });
});
afterEach(async () => {
  await gitlab.close();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(env: Environment = {}) {
  const cwd = join(folder, "checkout");
  const git = (...args: string[]) => execFileSync("git", args, { cwd, stdio: "pipe" });
  execFileSync("git", ["clone", "--quiet", "--branch=topic", repository.path, cwd], { stdio: "pipe" });
  git("checkout", "--quiet", "--detach", head);
  git("remote", "set-url", "origin", `${gitlab.url}/my-group/my-project.git`);
  const variables = {
    ...gitlabJob,
    CI: "true",
    CI_API_V4_URL: gitlab.apiUrl,
    CI_SERVER_URL: gitlab.url,
    CI_JOB_URL: `${gitlab.url}/my-group/my-project/-/jobs/302`,
    CI_PIPELINE_SOURCE: "merge_request_event",
    CI_MERGE_REQUEST_IID: "9",
    CI_MERGE_REQUEST_PROJECT_ID: "20",
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "20",
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
    CI_COMMIT_SHA: head,
    AGENT_SERVICE_GITLAB_TOKEN: TOKEN,
    SANDBOX: "off",
  };
  const ofModel = ["--model", "scripted-model", "--model-base-url", model.baseUrl];
  const words = ["run", "--embedded", "--comment", "--changes", "commit", ...ofModel, "Add a file."];
  const ran = await new ServiceProcess(words, { ...variables, ...env }, { folder: cwd }).ended;
  const output = join(cwd, "agent-service-output");
  const names = await readdir(output).catch(() => []);
  const files = await Promise.all(names.map((name) => readFile(join(output, name), "utf8")));
  for (const text of [ran.stdout, ran.stderr, ...files, JSON.stringify(model.requests)]) {
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain(Buffer.from(`agent-service:${TOKEN}`).toString("base64"));
  }
  return ran;
}

describe("a job on GitLab without a server", () => {
  it("pushes to the merge request's branch, and neither commands nor the model see the token", async () => {
    const { code, stderr } = await run();
    expect(code, stderr).toBe(0);
    // The command looked where there is something to see.
    expect(model.requests.at(-1)?.toolResults[0]?.text).toContain("PATH=");
    expect(repository.git(["show", "topic:new.txt"])).toBe("new");
    expect(repository.git(["rev-parse", "topic^"])).toBe(head);
    const notes = gitlab.reviews.get(9)?.notes ?? [];
    expect(notes.map(({ body }) => body.split("\n")[0])).toEqual([
      expect.stringMatching(/^\*\*✅ Pushed .* to <code>topic<\/code>\*\*$/),
    ]);
  });

  it("writes nothing for a fork's merge request, though the token is there", async () => {
    const { code, stderr } = await run({ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "999" });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("This is a fork's merge request: nothing is written for its run.");
    expect(gitlab.requests).toEqual([]);
  });
});
