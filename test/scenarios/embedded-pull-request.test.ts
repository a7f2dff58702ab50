// Jobs of a pull request without a server, on what actions/checkout leaves: one commit, whose history shows no change.

import { execFileSync } from "node:child_process";
import { rename } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn, everyTime } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { allThatIsSeen, EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";

const base = { "README.md": "# Octo repo\n", "src/a.ts": "export const a = 1;\n" };

let fixture: EmbeddedFixture;
let model: ModelServer;
let head: string;
beforeEach(async () => {
  fixture = await EmbeddedFixture.open(base);
  const { repository } = fixture;
  const first = repository.git(["rev-parse", "refs/heads/main"]);
  const main = repository.commit({ files: { ...base, "later.txt": "main's\n" }, parents: [first], day: 1 });
  head = repository.commit({
    files: { ...base, "src/a.ts": "export const a = 2;\n" },
    parents: [first],
    day: 2,
  });
  const merged = { ...base, "later.txt": "main's\n", "src/a.ts": "export const a = 2;\n" };
  const merge = repository.commit({ files: merged, parents: [main, head], subject: "Merge", day: 3 });
  repository.updateRef("refs/heads/main", main);
  repository.updateRef("refs/heads/topic", head);
  repository.updateRef("refs/pull/7/head", head);
  repository.updateRef("refs/pull/7/merge", merge);
  model = await startModelServer({
    script: byTurn([call("git_changes", {}), say("I looked at it.")]),
    apiKey: "k",
  });
});
afterEach(async () => {
  await fixture.close();
  await model.close();
});

const review = async (job: CodeHostJob) =>
  await fixture.main(job, {
    inputs: { model: "scripted-model", "model-base-url": model.baseUrl, "model-api-key": "k" },
  });
const seenChanges = () => model.requests.at(-1)?.toolResults.at(-1)?.text ?? "";

describe("a pull request's job without a server", () => {
  it("sees the change on the merge commit that actions/checkout fetches by default", async () => {
    const job = await fixture.job({ event: "pull_request" });
    const root = fixture.checkOut(job);
    const step = await review(job);
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(seenChanges()).toMatch(/^base [0-9a-f]{40}, 1 files\nmodified \+1 -1 src\/a\.ts$/);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
    expect(git("diff", "--name-only", "HEAD^1", "HEAD")).toBe("src/a.ts");
    expect(git("status", "--porcelain")).toBe("");
    expect(git("fsck", "--connectivity-only", "--no-dangling")).toBe("");
    expect(await allThatIsSeen(step)).not.toContain(job.githubToken);
    expect(await fixture.leftOvers(job)).toEqual([]);
  });

  it("sees the change on the head that the workflow names", async () => {
    const job = await fixture.job({ event: "pull_request" });
    fixture.checkOut(job, head);
    const step = await review(job);
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(seenChanges()).toMatch(/, 1 files\nmodified \+1 -1 src\/a\.ts$/);
  });

  it("fetches nothing where the checkout has the base", async () => {
    const job = await fixture.job({ event: "pull_request" });
    const root = fixture.checkOut(job);
    const url = `file://${fixture.repository.path}`;
    execFileSync("git", ["fetch", "--quiet", "--depth=2", url, job.env.GITHUB_SHA ?? ""], { cwd: root });
    const before = fixture.codeHost.requests.length;
    await review(job);
    expect(seenChanges()).toContain(", 1 files");
    const fetches = fixture.codeHost.requests
      .slice(before)
      .filter(({ path }) => path.includes("upload-pack"));
    expect(fetches).toEqual([]);
  });

  it("says in its first line that the change cannot be seen, and how to fix the checkout", async () => {
    const job = await fixture.job({ event: "pull_request" });
    fixture.checkOut(job);
    const { path } = fixture.repository;
    await rename(path, `${path}.away`);
    const step = await review(job);
    await rename(`${path}.away`, path);
    expect(seenChanges()).toContain("[no base to compare with");
    const why =
      /The agent cannot see what pull request #7 changes: .* Give actions\/checkout "fetch-depth: 2"\./;
    expect(step.annotations[0]).toMatchObject({ level: "warning", message: expect.stringMatching(why) });
    expect(step.rawLog.indexOf("cannot see what")).toBeLessThan(step.rawLog.indexOf("Run "));
    expect(step.summary.split("\n\n")[1]).toMatch(/^> ⚠️ The agent cannot see what pull request .*7/);
    const [comment] = fixture.codeHost.rest.commentsOf(7, "issues");
    expect(comment?.body).toMatch(/^> ⚠️ The agent cannot see what pull request /);
  });

  it("is shown first what changed since the last review, then the whole change", async () => {
    const { repository } = fixture;
    const play = async () => {
      const job = await fixture.job({ event: "pull_request" });
      fixture.checkOut(job, head);
      const inputs = { model: "scripted-model", "model-base-url": reviewer.baseUrl, "model-api-key": "k" };
      const step = await fixture.main(job, { inputs: { ...inputs, findings: "review" } });
      expect(step.exitCode).toBe(0);
      return (reviewer.requests.at(-1)?.messages ?? []).flatMap((message) =>
        message.role === "user" ? [message.text] : [],
      );
    };
    const reviewer = await startModelServer({
      script: everyTime(() => say(JSON.stringify({ summary: "Fine.", findings: [] }))),
      apiKey: "k",
    });
    try {
      expect((await play()).join("\n")).not.toContain("changed since the last review");
      const files = { ...base, "src/a.ts": "export const a = 2;\n", "src/b.ts": "export const b = 3;\n" };
      const main = repository.git(["rev-parse", "refs/heads/main"]);
      head = repository.commit({ files, parents: [head], day: 4 });
      repository.updateRef("refs/heads/main", main);
      repository.updateRef("refs/heads/topic", head);
      repository.updateRef("refs/pull/7/head", head);
      const told = (await play()).join("\n");
      const since = told.indexOf("changed since the last review\n");
      const whole = told.indexOf("What the pull request changes, against its base");
      expect(since).toBeGreaterThan(-1);
      expect(whole).toBeGreaterThan(since);
      expect(told.slice(since, whole)).toContain("+export const b = 3;");
      expect(told.slice(since, whole)).not.toContain("export const a");
      expect(told.slice(whole)).toContain("+export const a = 2;");
    } finally {
      await reviewer.close();
    }
  });
});
