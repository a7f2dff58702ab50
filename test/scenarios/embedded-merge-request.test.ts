// `agent-service run --embedded` in the job of a GitLab merge request, on what GitLab's runner fetches: the head, and no
// branch to compare it with.

import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { gitlabJob } from "../ci/job-variables.ts";
import { EmbeddedFixture, REPOSITORY } from "../support/fixtures/embedded-fixture.ts";
import { runCommand } from "../support/run/run-command.ts";

const base = { "README.md": "# Octo repo\n", "src/a.ts": "export const a = 1;\n" };

let fixture: EmbeddedFixture;
let model: ModelServer;
let head: string;
let merge: string;
beforeEach(async () => {
  fixture = await EmbeddedFixture.open(base);
  const { repository } = fixture;
  const first = repository.git(["rev-parse", "refs/heads/main"]);
  const main = repository.commit({ files: { ...base, "later.txt": "main's\n" }, parents: [first], day: 1 });
  const files = { ...base, "src/a.ts": "export const a = 2;\n" };
  head = repository.commit({ files, parents: [first], day: 2 });
  const merged = { ...files, "later.txt": "main's\n" };
  merge = repository.commit({ files: merged, parents: [main, head], subject: "Merge", day: 3 });
  repository.git(["update-ref", "refs/heads/main", main]);
  repository.git(["update-ref", "refs/merge-requests/7/head", head]);
  repository.git(["update-ref", "refs/merge-requests/7/merge", merge]);
  model = await startModelServer({ script: byTurn([call("git_changes", {}), say("I looked at it.")]) });
});
afterEach(async () => {
  await fixture.close();
  await model.close();
});

async function review(sha: string, variables: Readonly<Record<string, string>> = {}) {
  const job = await fixture.job();
  const cwd = fixture.checkOut(job, sha);
  const env = {
    ...gitlabJob,
    CI: "true",
    CI_SERVER_URL: job.env.GITHUB_SERVER_URL,
    CI_PROJECT_PATH: REPOSITORY,
    CI_PIPELINE_SOURCE: "merge_request_event",
    CI_COMMIT_REF_NAME: "topic",
    CI_COMMIT_SHA: sha,
    CI_JOB_TOKEN: job.githubToken,
    CI_MERGE_REQUEST_IID: "7",
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
    ...variables,
  };
  const flags = ["--model", "scripted-model", "--model-base-url", model.baseUrl];
  const ran = await runCommand(["run", "--embedded", "Review it", ...flags], env, { folder: cwd });
  const git = (...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
  return { ...ran, git, token: job.githubToken };
}
const seenChanges = () => model.requests.at(-1)?.toolResults.at(-1)?.text ?? "";

describe("a merge request's job without a server", () => {
  it("fetches the target branch, and sees the change", async () => {
    const { code, stdout, stderr, git, token } = await review(head);
    expect([code, seenChanges()]).toEqual([
      0,
      expect.stringMatching(/, 1 files\nmodified \+1 -1 src\/a\.ts$/),
    ]);
    expect(stdout + stderr).not.toContain("cannot see");
    expect(stdout + stderr).not.toContain(token);
    expect(git("diff", "--name-only", "origin/main...HEAD")).toBe("src/a.ts");
  });

  it("sees the change on the merge of a pipeline for merged results", async () => {
    const { code } = await review(merge, { CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head });
    expect([code, seenChanges()]).toEqual([
      0,
      expect.stringMatching(/, 1 files\nmodified \+1 -1 src\/a\.ts$/),
    ]);
  });

  it("says in its first line that the change cannot be seen, and which variable to set", async () => {
    const { stdout, stderr } = await review(head, { CI_SERVER_URL: "http://127.0.0.1:9" });
    const lines = (stderr + stdout).split("\n").filter((line) => !/sandbox/i.test(line));
    expect(lines[0]).toMatch(
      /^The agent cannot see what merge request !7 changes: .* Set the job's variable GIT_DEPTH to "0"\.$/,
    );
    expect(seenChanges()).toContain("[no base to compare with");
  });
});
