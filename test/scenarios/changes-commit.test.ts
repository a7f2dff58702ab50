// `changes: commit`: what a run changed, pushed by the job to the branch that it was about.

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ChangesScene, type Edits, LINES } from "../support/changes-scene.ts";
import type { StepResult } from "../support/scenario.ts";

const inputs = { changes: "commit", prompt: "Mend the notes, please.\nAll of them." };
const MENDED = LINES.replace("line 2\n", "line two\n");

describe("changes: commit", () => {
  let scene: ChangesScene;
  beforeAll(async () => {
    scene = await ChangesScene.open({
      "old.txt": "old\n",
      "tool.sh": { mode: "100755", content: "#!/bin/sh\n" },
      ".github/workflows/ci.yml": "on: push\n",
    });
  });
  afterEach(() => {
    const { forge } = scene.scene;
    scene.repository.git(["update-ref", "refs/heads/main", scene.main]);
    forge.push.protectedBranches.clear();
    forge.push.beforePush = null;
    forge.rest.comments.allowAll();
    forge.faults.git.clear();
    forge.faults.api.clear();
  });
  afterAll(async () => await scene.close());

  const expectKept = (step: StepResult, reason: string, message: RegExp) => {
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason } });
    expect(step.annotations.at(-1)?.message).toMatch(message);
    expect(step.annotations.at(-1)?.message).toMatch(/ The output "patch-file" has all of them\.$/);
    expect(step.outputs).toMatchObject({ branch: "", "commit-sha": "", "pull-request-url": "" });
    expect(step.outputs["patch-file"]).not.toBe("");
  };

  it("adds one commit to the branch, by the account of the token", async () => {
    scene.plan(scene.changes({ "notes.txt": MENDED }));
    const { step, job } = await scene.play({}, { inputs });
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", branch: "main" },
    });
    const tip = scene.tip("main") ?? "";
    expect(step.outputs["commit-sha"]).toBe(tip);
    expect(scene.repository.git(["rev-parse", `${tip}^`])).toBe(scene.main);
    expect(scene.diff(scene.main, tip)).toEqual(["M notes.txt"]);
    expect(scene.file(tip, "notes.txt")).toBe(MENDED.trim());
    const bot = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.127.0.0.1>";
    expect(scene.repository.git(["show", "-s", "--format=%an <%ae>|%cn <%ce>", tip])).toBe(`${bot}|${bot}`);
    expect(scene.message(tip).split("\n")).toEqual([
      "Mend the notes, please.",
      "",
      `Made by an agent, in the job ${scene.scene.forge.url}/octo-org/octo-repo/actions/runs/${job.env.GITHUB_RUN_ID}`,
      "",
      `Agent-Session: ${step.outputs["session-id"]}`,
      `Agent-Run: ${step.outputs["run-id"]}`,
    ]);
    expect(step.summary).toContain(tip.slice(0, 7));
  });

  it("takes every kind of file as it is, without writing one of them", async () => {
    const odd: Edits = {
      "old.txt": null,
      "tool.sh": { mode: "100644", content: "#!/bin/sh\n" },
      "run.sh": { mode: "100755", content: "#!/bin/sh\nexit 0\n" },
      "image.bin": { mode: "100644", content: Buffer.from([0, 255, 1, 254, 10, 13, 0]) },
      "crlf.txt": "one\r\ntwo\r\n",
      link: { mode: "120000", content: "/etc/passwd" },
      "-rf": "dash\n",
      "line\nbreak ü.txt": "odd\n",
      ".gitattributes": "* filter=evil text eol=lf\n",
    };
    scene.plan(scene.changes(odd));
    const { step } = await scene.play({}, { inputs });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    const tip = step.outputs["commit-sha"] ?? "";
    const listed = scene.repository
      .git(["-c", "core.quotePath=false", "ls-tree", "-r", "-z", tip])
      .split("\0");
    const modes = new Map(listed.map((line) => [line.split("\t")[1], line.slice(0, 6)]));
    expect(Object.fromEntries(Object.keys(odd).map((path) => [path, modes.get(path)]))).toEqual({
      "old.txt": undefined,
      "tool.sh": "100644",
      "run.sh": "100755",
      "image.bin": "100644",
      "crlf.txt": "100644",
      link: "120000",
      "-rf": "100644",
      "line\nbreak ü.txt": "100644",
      ".gitattributes": "100644",
    });
    expect(scene.diff(scene.main, tip)).toHaveLength(Object.keys(odd).length);
    expect(scene.repository.git(["rev-parse", `${tip}:crlf.txt`])).toBe(
      scene.repository.blob("one\r\ntwo\r\n"),
    );
  });

  it("goes on top of what others have pushed since, even in the same moment", async () => {
    scene.plan(scene.changes({ "notes.txt": MENDED }));
    const job = await scene.scene.job();
    const theirs = scene.commit("main", { "notes.txt": LINES.replace("line 9\n", "line nine\n") });
    let latest = theirs;
    scene.scene.forge.push.beforePush = () => {
      scene.scene.forge.push.beforePush = null;
      latest = scene.commit("main", { "other.txt": "other\n" });
    };
    const { step } = await scene.play(job, { inputs });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    const tip = scene.tip("main") ?? "";
    expect(scene.repository.git(["rev-parse", `${tip}^`])).toBe(latest);
    expect(latest).not.toBe(theirs);
    expect(scene.file(tip, "notes.txt")).toBe(MENDED.replace("line 9\n", "line nine\n").trim());
  });

  it("gives up where others push all the time", async () => {
    scene.plan(scene.changes({ "notes.txt": MENDED }));
    let count = 0;
    scene.scene.forge.push.beforePush = () => {
      count += 1;
      scene.commit("main", { "other.txt": `${count}\n` });
    };
    const { step } = await scene.play({}, { inputs });
    expectKept(step, "branch_moved", /others push to main all the time\. Re-run the job\./);
    expect(count).toBe(3);
  });

  it("keeps what others have changed in the same place", async () => {
    scene.plan(scene.changes({ "notes.txt": MENDED }));
    const job = await scene.scene.job();
    const theirs = scene.commit("main", { "notes.txt": LINES.replace("line 2\n", "line zwei\n") });
    const { step } = await scene.play(job, { inputs });
    expectKept(step, "changes_conflict", /main was changed in the same places since, in "notes\.txt"\./);
    expect(scene.tip("main")).toBe(theirs);
  });

  it("pushes a run once, however often its job runs", async () => {
    scene.plan(scene.changes({ "notes.txt": MENDED }));
    const first = await scene.play({ runId: "1296269700" }, { inputs });
    const tip = scene.tip("main");
    const held = scene.commit("main", { "other.txt": "other\n" });
    const runId = first.step.outputs["run-id"] ?? "";
    const again = await scene.play(
      { runAttempt: "2" },
      { inputs: { ...inputs, mode: "attach", "run-id": runId } },
    );
    expect(again.step).toMatchObject({ exitCode: 0, outputs: { "commit-sha": tip, branch: "main" } });
    expect(scene.tip("main")).toBe(held);
    // Were the first push lost, the same commit is made again.
    scene.repository.git(["update-ref", "refs/heads/main", scene.main]);
    const job = { runId: "1296269700", runAttempt: "3" };
    const lost = await scene.play(job, { inputs: { ...inputs, mode: "attach", "run-id": runId } });
    expect(lost.step.outputs["commit-sha"]).toBe(tip);
  });

  it("is the head of a pull request that was talked about, and never GitHub's merge of it", async () => {
    const topic = scene.commit("topic", { "topic.txt": "topic\n" });
    const later = scene.commit("main", { "later.txt": "later\n" });
    const tree = scene.repository.git(["merge-tree", "--write-tree", later, topic]);
    const merge = scene.repository.commitTree(tree, { parents: [later, topic], day: 4 });
    scene.repository.git(["update-ref", "refs/heads/main", later]);
    scene.repository.git(["update-ref", "refs/pull/7/merge", merge]);
    scene.plan(scene.changes({ "notes.txt": MENDED }, merge));
    const { step } = await scene.play({ event: "pull_request" }, { inputs: { ...inputs, comment: "false" } });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { branch: "topic" } });
    const tip = scene.tip("topic") ?? "";
    expect(scene.repository.git(["rev-list", "--parents", "-1", tip])).toBe(`${tip} ${topic}`);
    expect(scene.diff(topic, tip)).toEqual(["M notes.txt"]);
    scene.repository.git(["update-ref", "-d", "refs/heads/topic"]);
  });

  it("is no push to a fork, a tag or a branch that is gone", async () => {
    scene.plan(scene.changes({ "notes.txt": MENDED }));
    const fork = await scene.play(
      { event: "issue_comment", comment: "/agent fix", pullRequest: { origin: "fork" }, payload: {} },
      { inputs: { ...inputs, comment: "false" } },
    );
    expectKept(fork.step, "fork_head", /pull request #7 comes from a fork/);
    const tag = await scene.play({ ref: "refs/tags/v1", sha: scene.main }, { inputs });
    expectKept(tag.step, "no_branch", /this job is on no branch\. Use "changes: pull-request"/);
    const gone = await scene.play({ ref: "refs/heads/gone", sha: scene.main }, { inputs });
    expectKept(gone.step, "no_branch", /there is no branch gone any more/);
    expect(scene.tip("main")).toBe(scene.main);
  });

  it("says what a protected branch and a missing permission take", async () => {
    scene.plan(scene.changes({ "notes.txt": MENDED }));
    scene.scene.forge.push.protectedBranches.add("main");
    const guarded = await scene.play({}, { inputs });
    expectKept(
      guarded.step,
      "branch_protected",
      /GitHub says: GH006: Protected branch update failed for refs\/heads\/main\..*"changes: pull-request"/,
    );
    scene.scene.forge.push.protectedBranches.clear();
    scene.scene.forge.rest.comments.deny("contents");
    const denied = await scene.play({}, { inputs });
    expectKept(denied.step, "permission_missing", /Give it "permissions: contents: write"\./);
  });

  it("refuses what nobody may change on his own, whichever service sends it", async () => {
    const workflow = scene.changes({
      ".github/workflows/ci.yml": "on: [push, pull_request]\n",
      "a.txt": "a\n",
    });
    scene.plan(workflow);
    const guarded = await scene.play({}, { inputs });
    expectKept(
      guarded.step,
      "patch_unusable",
      /the patch changes "\.github\/workflows\/ci\.yml", which only people change/,
    );
    const add = (path: string) =>
      `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+evil\n`;
    for (const path of ["../outside.txt", ".git/config", "sub/.GIT/hooks/pre-push", "a/../../b"]) {
      scene.plan({ ...workflow, patch: add(path) });
      const { step } = await scene.play({}, { inputs });
      expectKept(step, "patch_unusable", /does not apply to commit|which only people change/);
    }
    scene.plan({ ...workflow, base_sha: "--upload-pack=evil" });
    const strange = await scene.play({}, { inputs });
    expectKept(strange.step, "patch_unusable", /names no commit/);
    scene.plan({ ...workflow, base_sha: "1".repeat(40) });
    const unknown = await scene.play({}, { inputs });
    expectKept(unknown.step, "patch_unusable", /they begin with commit 1111111, which GitHub has not got/);
    expect(scene.tip("main")).toBe(scene.main);
  });

  it("pushes nothing where nothing changed, or all was held back", async () => {
    const before = scene.scene.forge.push.count;
    scene.plan(null);
    const idle = await scene.play({}, { inputs });
    expect(idle.step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "success", branch: "", "commit-sha": "" },
    });
    const held_back = [{ path: ".github/workflows/ci.yml", reason: "protected" as const }];
    scene.plan({ base_sha: scene.main, files: [], patch: "", held_back });
    const held = await scene.play({}, { inputs });
    expect(held.step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", branch: "" } });
    expect(held.step.summary).toContain("Held back");
    expect(scene.scene.forge.push.count).toBe(before);
  });

  it("tries again where git's answer was lost", async () => {
    scene.plan(scene.changes({ "notes.txt": MENDED }));
    scene.scene.forge.faults.git.next({ type: "status", status: 502 }, 2);
    const { step } = await scene.play({}, { inputs });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(step.log).toMatch(/git fetch ended with 128\. Trying again in /);
  });

  it("shows the token to the forge alone", async () => {
    scene.plan(scene.changes({ "notes.txt": MENDED }));
    const job = await scene.scene.job();
    const real = process.env.PATH ?? "";
    const spied = join(job.env.RUNNER_TEMP ?? "", "spied");
    await mkdir(spied);
    const log = join(spied, "calls");
    const script = `#!/bin/sh\n{ printf '%s\\n' "$*"; cat "$GIT_DIR/config"; } >> ${log} 2>/dev/null\nPATH=${real} exec git "$@"\n`;
    await writeFile(join(spied, "git"), script, { mode: 0o755 });
    const { step } = await scene.play(job, { inputs, env: { PATH: `${spied}:${real}` } });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    const basic = Buffer.from(`x-access-token:${job.githubToken}`).toString("base64");
    const calls = await readFile(log, "utf8");
    expect(calls).toContain("push --quiet");
    const everything = [
      calls,
      scene.message(step.outputs["commit-sha"] ?? ""),
      step.log,
      JSON.stringify(step.outputs),
      step.summary,
    ];
    for (const secret of [job.githubToken, basic]) {
      for (const text of everything) expect(text.includes(secret)).toBe(false);
    }
    expect(step.masks).toContain(basic);
    const left = await readdir(job.env.RUNNER_TEMP ?? "");
    expect(left.filter((name) => name.startsWith("agent-service-"))).toEqual([]);
  });

  it("ends with its job in the middle of a push", async () => {
    scene.plan(scene.changes({ "notes.txt": MENDED }));
    const cancelled = new AbortController();
    const job = await scene.scene.job();
    scene.scene.forge.push.beforePush = () => {
      cancelled.abort();
      return new Promise(() => {});
    };
    const { step } = await scene.play(job, { inputs, signal: cancelled.signal });
    expect(step.exitSignal).toBe(null);
    expectKept(step, "interrupted", /The job was cancelled while the changes were pushed\./);
    expect(scene.tip("main")).toBe(scene.main);
    const left = await readdir(job.env.RUNNER_TEMP ?? "");
    expect(left.filter((name) => name.startsWith("agent-service-"))).toEqual([]);
  });

  it("lets GitHub sign it, of plain files alone", async () => {
    const signed = { ...inputs, "signed-commits": "true" };
    const before = scene.scene.forge.push.count;
    scene.plan(scene.changes({ "notes.txt": MENDED, "old.txt": null, "neu ü.txt": "neu\n" }));
    const { step } = await scene.play({}, { inputs: signed });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { branch: "main" } });
    const tip = scene.tip("main") ?? "";
    expect(step.outputs["commit-sha"]).toBe(tip);
    expect(scene.diff(scene.main, tip)).toEqual(["A neu ü.txt", "M notes.txt", "D old.txt"]);
    expect(scene.message(tip)).toMatch(/^Mend the notes, please\.\n\nMade by [\s\S]+\nAgent-Run: [\w-]+$/);
    expect(scene.repository.git(["show", "-s", "--format=%cn", tip])).toBe("GitHub");
    expect(scene.scene.forge.push.count).toBe(before);
    scene.repository.git(["update-ref", "refs/heads/main", scene.main]);
    scene.plan(
      scene.changes({
        "run.sh": { mode: "100755", content: "#!/bin/sh\n" },
        link: { mode: "120000", content: "x" },
      }),
    );
    const unfit = await scene.play({}, { inputs: signed });
    expectKept(unfit.step, "signing_unsupported", /"link", "run\.sh" is none: executable/);
  });
});
