// `changes: commit`: the changes of a run, pushed by the job to the branch that it works on.

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { samples } from "../report/secret-samples.ts";
import { ChangesFixture, type Edits, LINES } from "../support/fixtures/changes-fixture.ts";
import type { StepResult } from "../support/fixtures/scenario-fixture.ts";

const inputs = { changes: "commit", prompt: "Mend the notes, please.\nAll of them." };
const FIXED = LINES.replace("line 2\n", "line two\n");

describe("changes: commit", () => {
  let fixture: ChangesFixture;
  beforeAll(async () => {
    fixture = await ChangesFixture.open({
      "old.txt": "old\n",
      "tool.sh": { mode: "100755", content: "#!/bin/sh\n" },
      ".github/workflows/ci.yml": "on: push\n",
    });
  });
  afterEach(() => {
    const { codeHost } = fixture.fixture;
    fixture.repository.updateRef("refs/heads/main", fixture.main);
    codeHost.push.protectedBranches.clear();
    codeHost.push.beforePush = null;
    codeHost.rest.comments.allowAll();
    codeHost.faults.git.clear();
    codeHost.faults.api.clear();
  });
  afterAll(async () => await fixture.close());

  const expectKept = (step: StepResult, reason: string, message: RegExp) => {
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason } });
    expect(step.annotations.at(-1)?.message).toMatch(message);
    expect(step.annotations.at(-1)?.message).toMatch(/ The output "patch-file" has all of them\.$/);
    expect(step.outputs).toMatchObject({ branch: "", "commit-sha": "", "pull-request-url": "" });
    expect(step.outputs["patch-file"]).not.toBe("");
  };

  it("adds one commit to the branch, by the account of the token", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const { step, job } = await fixture.play({}, { inputs });
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", branch: "main" },
    });
    const tip = fixture.tip("main") ?? "";
    expect(step.outputs["commit-sha"]).toBe(tip);
    expect(fixture.repository.git(["rev-parse", `${tip}^`])).toBe(fixture.main);
    expect(fixture.diff(fixture.main, tip)).toEqual(["M notes.txt"]);
    const url = `${fixture.fixture.codeHost.url}/octo-org/octo-repo/blob/${tip}/notes.txt#L2`;
    expect(step.summary).toContain(`[<code>notes.txt</code>](${url})`);
    expect(fixture.file(tip, "notes.txt")).toBe(FIXED.trim());
    const bot = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.127.0.0.1>";
    expect(fixture.repository.git(["show", "-s", "--format=%an <%ae>|%cn <%ce>", tip])).toBe(`${bot}|${bot}`);
    expect(fixture.message(tip).split("\n")).toEqual([
      "Mend the notes, please.",
      "",
      `Made by an agent, in the job ${fixture.fixture.codeHost.url}/octo-org/octo-repo/actions/runs/${job.env.GITHUB_RUN_ID}`,
      "",
      `Agent-Session: ${step.outputs["session-id"]}`,
      `Agent-Run: ${step.outputs["run-id"]}`,
    ]);
    expect(step.summary).toContain(tip.slice(0, 7));
  });

  it("commits every kind of file unchanged, without checking any out", async () => {
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
    fixture.plan(fixture.changes(odd));
    const { step } = await fixture.play({}, { inputs });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    const tip = step.outputs["commit-sha"] ?? "";
    const listed = fixture.repository
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
    expect(fixture.diff(fixture.main, tip)).toHaveLength(Object.keys(odd).length);
    expect(fixture.repository.git(["rev-parse", `${tip}:crlf.txt`])).toBe(
      fixture.repository.blob("one\r\ntwo\r\n"),
    );
  });

  it("commits on top of what others have pushed since, even at the same moment", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const job = await fixture.fixture.job();
    const theirs = fixture.commit("main", { "notes.txt": LINES.replace("line 9\n", "line nine\n") });
    let latest = theirs;
    fixture.fixture.codeHost.push.beforePush = () => {
      fixture.fixture.codeHost.push.beforePush = null;
      latest = fixture.commit("main", { "other.txt": "other\n" });
    };
    const { step } = await fixture.play(job, { inputs });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    const tip = fixture.tip("main") ?? "";
    expect(fixture.repository.git(["rev-parse", `${tip}^`])).toBe(latest);
    expect(latest).not.toBe(theirs);
    expect(fixture.file(tip, "notes.txt")).toBe(FIXED.replace("line 9\n", "line nine\n").trim());
  });

  it("gives up where others keep pushing", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    let count = 0;
    fixture.fixture.codeHost.push.beforePush = () => {
      count += 1;
      fixture.commit("main", { "other.txt": `${count}\n` });
    };
    const { step } = await fixture.play({}, { inputs });
    expectKept(step, "branch_moved", /main kept moving while they were pushed\. Re-run the job\./);
    expect(count).toBe(3);
  });

  it("is kept in the patch where others changed the same lines", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const job = await fixture.fixture.job();
    const theirs = fixture.commit("main", { "notes.txt": LINES.replace("line 2\n", "line zwei\n") });
    const { step } = await fixture.play(job, { inputs });
    expectKept(step, "changes_conflict", /main was changed in the same places since, in "notes\.txt"\./);
    expect(fixture.tip("main")).toBe(theirs);
  });

  it("pushes a run once, however often its job is re-run", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const first = await fixture.play({ runId: "1296269700" }, { inputs });
    const tip = fixture.tip("main");
    const held = fixture.commit("main", { "other.txt": "other\n" });
    const runId = first.step.outputs["run-id"] ?? "";
    const again = await fixture.play(
      { runAttempt: "2" },
      { inputs: { ...inputs, mode: "attach", "run-id": runId } },
    );
    expect(again.step).toMatchObject({ exitCode: 0, outputs: { "commit-sha": tip, branch: "main" } });
    expect(fixture.tip("main")).toBe(held);
    // If the first push is lost, the same commit is made again.
    fixture.repository.updateRef("refs/heads/main", fixture.main);
    const job = { runId: "1296269700", runAttempt: "3" };
    const lost = await fixture.play(job, { inputs: { ...inputs, mode: "attach", "run-id": runId } });
    expect(lost.step.outputs["commit-sha"]).toBe(tip);
  });

  it("is on the head of the pull request, never on GitHub's merge of it", async () => {
    const topic = fixture.commit("topic", { "topic.txt": "topic\n" });
    const later = fixture.commit("main", { "later.txt": "later\n" });
    const tree = fixture.repository.git(["merge-tree", "--write-tree", later, topic]);
    const merge = fixture.repository.commitTree(tree, { parents: [later, topic], day: 4 });
    fixture.repository.updateRef("refs/heads/main", later);
    fixture.repository.updateRef("refs/pull/7/merge", merge);
    fixture.plan(fixture.changes({ "notes.txt": FIXED }, merge));
    const { step } = await fixture.play(
      { event: "pull_request" },
      { inputs: { ...inputs, comment: "false" } },
    );
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { branch: "topic" } });
    const tip = fixture.tip("topic") ?? "";
    expect(fixture.repository.git(["rev-list", "--parents", "-1", tip])).toBe(`${tip} ${topic}`);
    expect(fixture.diff(topic, tip)).toEqual(["M notes.txt"]);
    fixture.repository.git(["update-ref", "-d", "refs/heads/topic"]);
  });

  it("does not push to a fork, a tag or a deleted branch", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const fork = await fixture.play(
      { event: "issue_comment", comment: "/agent fix", pullRequest: { origin: "fork" }, payload: {} },
      { inputs: { ...inputs, comment: "false" } },
    );
    expectKept(fork.step, "fork_head", /pull request #7 comes from a fork/);
    const tag = await fixture.play({ ref: "refs/tags/v1", sha: fixture.main }, { inputs });
    expectKept(tag.step, "no_branch", /this job is on no branch\. Use "changes: pull-request"/);
    const gone = await fixture.play({ ref: "refs/heads/gone", sha: fixture.main }, { inputs });
    expectKept(gone.step, "no_branch", /the branch gone is gone/);
    expect(fixture.tip("main")).toBe(fixture.main);
  });

  it("names the fix for a protected branch and a missing permission", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    fixture.fixture.codeHost.push.protectedBranches.add("main");
    const guarded = await fixture.play({}, { inputs });
    expectKept(
      guarded.step,
      "branch_protected",
      /GitHub says: GH006: Protected branch update failed for refs\/heads\/main\..*"changes: pull-request"/,
    );
    fixture.fixture.codeHost.push.protectedBranches.clear();
    fixture.fixture.codeHost.rest.comments.deny("contents");
    const denied = await fixture.play({}, { inputs });
    expectKept(denied.step, "permission_missing", /Give it "permissions: contents: write"\./);
  });

  it("refuses changes of protected paths, whichever service sends them", async () => {
    const workflow = fixture.changes({
      ".github/workflows/ci.yml": "on: [push, pull_request]\n",
      "a.txt": "a\n",
    });
    fixture.plan(workflow);
    const guarded = await fixture.play({}, { inputs });
    expectKept(
      guarded.step,
      "patch_unusable",
      /the patch changes "\.github\/workflows\/ci\.yml", which only people may change/,
    );
    const add = (path: string) =>
      `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+evil\n`;
    for (const path of ["../outside.txt", ".git/config", "sub/.GIT/hooks/pre-push", "a/../../b"]) {
      fixture.plan({ ...workflow, patch: add(path) });
      const { step } = await fixture.play({}, { inputs });
      expectKept(step, "patch_unusable", /does not apply to commit|which only people may change/);
    }
    const commit = "1".repeat(40);
    const gitlink = `diff --git a/lib b/lib\nnew file mode 160000\nindex 0000000..${commit.slice(0, 7)}\n--- /dev/null\n+++ b/lib\n@@ -0,0 +1 @@\n+Subproject commit ${commit}\n`;
    fixture.plan({ ...workflow, patch: gitlink });
    const { step: withSubmodule } = await fixture.play({}, { inputs });
    expectKept(withSubmodule, "patch_unusable", /the patch changes "lib", which only people may change/);
    fixture.plan({ ...workflow, base_sha: "--upload-pack=evil" });
    const strange = await fixture.play({}, { inputs });
    expectKept(strange.step, "patch_unusable", /did not name their base commit/);
    fixture.plan({ ...workflow, base_sha: "1".repeat(40) });
    const unknown = await fixture.play({}, { inputs });
    expectKept(
      unknown.step,
      "patch_unusable",
      /they begin with commit 1111111, which is not on GitHub any more/,
    );
    expect(fixture.tip("main")).toBe(fixture.main);
  });

  it("pushes nothing where nothing changed, or all changes were withheld", async () => {
    const before = fixture.fixture.codeHost.push.count;
    fixture.plan(null);
    const idle = await fixture.play({}, { inputs });
    expect(idle.step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "success", branch: "", "commit-sha": "" },
    });
    const held_back = [{ path: ".github/workflows/ci.yml", reason: "protected" as const }];
    fixture.plan({ base_sha: fixture.main, files: [], patch: "", held_back });
    const held = await fixture.play({}, { inputs });
    expect(held.step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", branch: "" } });
    expect(held.step.summary).toContain("Held back");
    expect(fixture.fixture.codeHost.push.count).toBe(before);
  });

  it("retries where git's answer was lost", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    fixture.fixture.codeHost.faults.git.next({ type: "status", status: 502 }, 2);
    const { step } = await fixture.play({}, { inputs });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(step.log).toMatch(/git fetch ended with 128\. Trying again in /);
  });

  it("sends the token only to the code host", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const job = await fixture.fixture.job();
    const real = process.env.PATH ?? "";
    const spied = join(job.env.RUNNER_TEMP ?? "", "spied");
    await mkdir(spied);
    const log = join(spied, "calls");
    const script = `#!/bin/sh\n{ printf '%s\\n' "$*"; cat "$GIT_DIR/config"; } >> ${log} 2>/dev/null\nPATH=${real} exec git "$@"\n`;
    await writeFile(join(spied, "git"), script, { mode: 0o755 });
    const { step } = await fixture.play(job, { inputs, env: { PATH: `${spied}:${real}` } });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    const basic = Buffer.from(`x-access-token:${job.githubToken}`).toString("base64");
    const calls = await readFile(log, "utf8");
    expect(calls).toContain("push --quiet");
    const everything = [
      calls,
      fixture.message(step.outputs["commit-sha"] ?? ""),
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

  it("stops in the middle of a push when the job is cancelled", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    const cancelled = new AbortController();
    const job = await fixture.fixture.job();
    fixture.fixture.codeHost.push.beforePush = () => {
      cancelled.abort();
      return new Promise(() => {});
    };
    const { step } = await fixture.play(job, { inputs, signal: cancelled.signal });
    expect(step.exitSignal).toBe(null);
    expectKept(step, "interrupted", /The job was cancelled while the changes were pushed\./);
    expect(fixture.tip("main")).toBe(fixture.main);
    const left = await readdir(job.env.RUNNER_TEMP ?? "");
    expect(left.filter((name) => name.startsWith("agent-service-"))).toEqual([]);
  });

  it("lets GitHub sign it, for plain files only", async () => {
    const signed = { ...inputs, "signed-commits": "true" };
    const before = fixture.fixture.codeHost.push.count;
    fixture.plan(fixture.changes({ "notes.txt": FIXED, "old.txt": null, "neu ü.txt": "neu\n" }));
    const { step } = await fixture.play({}, { inputs: signed });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { branch: "main" } });
    const tip = fixture.tip("main") ?? "";
    expect(step.outputs["commit-sha"]).toBe(tip);
    expect(fixture.diff(fixture.main, tip)).toEqual(["A neu ü.txt", "M notes.txt", "D old.txt"]);
    expect(fixture.message(tip)).toMatch(/^Mend the notes, please\.\n\nMade by [\s\S]+\nAgent-Run: [\w-]+$/);
    expect(fixture.repository.git(["show", "-s", "--format=%cn", tip])).toBe("GitHub");
    expect(fixture.fixture.codeHost.push.count).toBe(before);
    fixture.repository.updateRef("refs/heads/main", fixture.main);
    fixture.plan(
      fixture.changes({
        "run.sh": { mode: "100755", content: "#!/bin/sh\n" },
        link: { mode: "120000", content: "x" },
      }),
    );
    const unfit = await fixture.play({}, { inputs: signed });
    expectKept(unfit.step, "signing_unsupported", /"link", "run\.sh" is not one: executable/);
  });

  it("pushes no secret, and says where it is, but not what", async () => {
    const [token = ""] = samples["a GitHub token"] ?? [];
    fixture.plan(
      fixture.changes({ "config/.env": `DEBUG=1\nTOKEN=${token}\n` }),
      `I wrote ${token} into it.`,
    );
    for (const changes of ["commit", "pull-request"]) {
      const { step } = await fixture.play({}, { inputs: { ...inputs, changes } });
      expectKept(step, "secret_in_changes", /would publish a GitHub token \(config\/\.env:2\)\. Revoke /);
      expect(fixture.tip("main")).toBe(fixture.main);
      expect(await readFile(step.outputs["patch-file"] ?? "", "utf8")).toContain(token);
      expect(step.outputs.reply).toBe("I wrote ‹a GitHub token, masked› into it.");
      const shown = [
        step.rawLog,
        step.summary,
        JSON.stringify(step.outputs),
        JSON.stringify(step.annotations),
      ];
      expect(shown.join("\n")).not.toContain(token);
    }
    expect(fixture.repository.git(["for-each-ref", "refs/heads/agent"])).toBe("");
  });

  it("pushes no character that nobody sees", async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED.replace("line 4", "line \u202E4") }));
    const { step } = await fixture.play({}, { inputs });
    expectKept(step, "hidden_characters", /no reader sees: U\+202E \(notes\.txt:4\)\. Look at/);
    expect(fixture.tip("main")).toBe(fixture.main);
  });
});
