// `changes: pull-request`: one pull request a session, opened by the first run and updated by the next ones.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import type { CodeHostPull } from "../../fakes/code-host/pulls.ts";
import { ChangesFixture, LINES } from "../support/fixtures/changes-fixture.ts";
import type { StepResult } from "../support/fixtures/scenario-fixture.ts";

const given = { changes: "pull-request", "branch-prefix": "agent/", comment: "false" };
const line = (number: number, text: string, lines = LINES) => lines.replace(`line ${number}\n`, `${text}\n`);

describe("changes: pull-request", () => {
  let fixture: ChangesFixture;
  let number = 7;
  beforeAll(async () => {
    fixture = await ChangesFixture.open();
  });
  // Each test has an issue, and so a session, of its own.
  beforeEach(() => {
    number += 1;
    const { codeHost } = fixture.fixture;
    fixture.repository.updateRef("refs/heads/main", fixture.main);
    codeHost.pulls.mayBeOpened = true;
    codeHost.push.protectedBranches.clear();
    codeHost.rest.comments.allowAll();
    codeHost.faults.api.clear();
  });
  afterAll(async () => await fixture.close());

  const issue = (comment: string, more: JobOptions = {}): JobOptions => ({
    event: "issue_comment",
    isIssue: true,
    comment,
    pullRequest: { number, title: "Notes are wrong, see octo-org/x#5 [skip ci] @octocat" },
    ...more,
  });
  const play = async (job: JobOptions, inputs: Record<string, string> = {}): Promise<StepResult> =>
    (await fixture.play(job, { inputs: { ...given, ...inputs } })).step;
  const pullOf = (step: StepResult): CodeHostPull => {
    const id = Number(step.outputs["pull-request-url"]?.split("/").at(-1));
    const found = fixture.fixture.codeHost.pulls.all.find((pull) => pull.number === id);
    if (found === undefined)
      throw new Error(`There is no pull request "${step.outputs["pull-request-url"]}".`);
    return found;
  };
  const expectKept = (step: StepResult, reason: string, message: RegExp) => {
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason, "pull-request-url": "" },
    });
    expect(step.annotations.at(-1)?.message).toMatch(message);
  };

  it("opens one, with an inert title and text", async () => {
    fixture.plan(
      fixture.changes({ "notes.txt": line(2, "two") }),
      "I **mended** it. Fixes #5, thanks @octocat <!-- hidden -->",
    );
    const step = await play(issue("/agent mend it"));
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    const branch = step.outputs.branch ?? "";
    expect(branch).toMatch(new RegExp(`^agent/issue-${number}-[0-9a-f]{8}$`));
    const pull = pullOf(step);
    expect(pull).toMatchObject({ head: branch, base: "main", state: "open" });
    expect(pull.title).toBe("Notes are wrong, see No. 5 (skip ci) octocat");
    expect(pull.body).toMatch(
      /^<!-- agent-service:begin -->\nI \*\*mended\*\* it\. Fixes issue #5, thanks <code>@octocat<\/code>\s+### 1 file changed/,
    );
    expect(pull.body).toContain(`\n\nRefs #${number}\n\n<sub>Made by an agent in [this job](`);
    expect(pull.body).not.toContain("hidden");
    const tip = fixture.tip(branch) ?? "";
    expect(pull.body).toMatch(
      new RegExp(`\\(http://127\\.0\\.0\\.1:\\d+/octo-org/octo-repo/blob/${tip}/notes\\.txt#L2\\)`),
    );
    expect(step.outputs["commit-sha"]).toBe(tip);
    expect(fixture.repository.git(["rev-list", "--parents", "-1", tip])).toBe(`${tip} ${fixture.main}`);
    expect(fixture.message(tip)).toMatch(
      /\nCo-authored-by: octocat <12\+octocat@users\.noreply\.127\.0\.0\.1>$/,
    );
    expect(fixture.tip("main")).toBe(fixture.main);
    expect(step.summary).toContain(`## ✅ Opened [pull request &#35;${pull.number}](`);
    expect(step.log).toContain(`\n✅ Opened pull request #${pull.number}\n`);
  });

  it("closes the issue where the request was to fix it", async () => {
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const step = await play(issue("/agent fix"), { changes: "commit" });
    expect(pullOf(step).body).toContain(`\nCloses #${number}\n`);
    expect(fixture.tip("main")).toBe(fixture.main);
  });

  it("updates the same one, on top of what people have pushed there", async () => {
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const first = await play(issue("/agent mend it"));
    const branch = first.outputs.branch ?? "";
    const person = fixture.commit(branch, { "notes.txt": line(9, "nine", line(2, "two")) });
    const { body } = pullOf(first);
    fixture.fixture.codeHost.pulls.edit(pullOf(first).number, {
      title: "My title",
      body: `Before.\n${body}\nAfter.`,
    });
    fixture.plan(fixture.changes({ "notes.txt": line(5, "five", line(2, "two")) }), "I mended more.");
    const second = await play(issue("/agent and the fifth", { payload: {} }));
    expect(second).toMatchObject({ exitCode: 0, annotations: [] });
    expect(second.outputs["session-id"]).toBe(first.outputs["session-id"]);
    expect(second.outputs["pull-request-url"]).toBe(first.outputs["pull-request-url"]);
    const tip = fixture.tip(branch) ?? "";
    expect(fixture.repository.git(["rev-list", "--parents", "-1", tip])).toBe(`${tip} ${person}`);
    expect(fixture.file(tip, "notes.txt")).toBe(line(9, "nine", line(5, "five", line(2, "two"))).trim());
    const pull = pullOf(second);
    expect(pull.title).toBe("My title");
    expect(pull.body).toMatch(
      /^Before\.\n<!-- agent-service:begin -->\nI mended more\.[\s\S]+<!-- agent-service:end -->\nAfter\.$/,
    );
    expect(second.summary).toMatch(/^## ✅ Updated \[pull request &#35;\d+\]/);
  });

  it("merges the base branch where it has moved", async () => {
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const first = await play(issue("/agent mend it"));
    const branch = first.outputs.branch ?? "";
    const before = fixture.tip(branch);
    const later = fixture.commit("main", { "later.txt": "later\n", ".github/workflows/x.yml": "on: push\n" });
    fixture.repository.updateRef("refs/heads/main", later);
    fixture.plan(fixture.changes({ "notes.txt": line(5, "five", line(2, "two")) }, later));
    const second = await play(issue("/agent and the fifth"));
    // GitHub's rule about workflows counts the merge's own change; ours does not.
    expectKept(second, "permission_missing", /a change of a workflow, which a job's token may not push/);
    const clean = fixture.commit("main", { ".github/workflows/x.yml": null });
    fixture.plan(fixture.changes({ "notes.txt": line(5, "five", line(2, "two")) }, clean));
    const third = await play(issue("/agent once more"));
    expect(third).toMatchObject({ exitCode: 0, annotations: [] });
    const tip = fixture.tip(branch) ?? "";
    expect(fixture.repository.git(["rev-list", "--parents", "-1", tip])).toBe(`${tip} ${before} ${clean}`);
    expect(fixture.diff(clean, tip)).toEqual(["M notes.txt"]);
  });

  it("is kept in the patch where people changed the same lines", async () => {
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const first = await play(issue("/agent mend it"));
    const branch = first.outputs.branch ?? "";
    const person = fixture.commit(branch, { "notes.txt": line(2, "zwei") });
    fixture.plan(fixture.changes({ "notes.txt": line(2, "deux") }));
    const second = await play(issue("/agent in French"));
    expectKept(second, "changes_conflict", /was changed in the same places since, in "notes\.txt"/);
    expect(fixture.tip(branch)).toBe(person);
  });

  it("opens another after that one is closed, but not for a run that it has", async () => {
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const first = await play(issue("/agent mend it"));
    fixture.fixture.codeHost.pulls.edit(pullOf(first).number, { state: "closed" });
    const runId = first.outputs["run-id"] ?? "";
    const again = await play(issue("/agent mend it"), { mode: "attach", "run-id": runId });
    expect(again.outputs["pull-request-url"]).toBe(first.outputs["pull-request-url"]);
    const second = await play(issue("/agent mend it again"));
    expect(second.outputs.branch).toBe(`${first.outputs.branch}-2`);
    expect(pullOf(second).state).toBe("open");
  });

  it("reverts what the agent reverted, and opens nothing for that", async () => {
    fixture.plan({ base_sha: fixture.main, files: [], patch: "" });
    const idle = await play(issue("/agent look at it"));
    expect(idle).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { branch: "", "pull-request-url": "" },
    });
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const first = await play(issue("/agent mend it"));
    fixture.plan({ base_sha: fixture.main, files: [], patch: "" }, "I undid it.");
    const second = await play(issue("/agent undo that"));
    expect(second.outputs["pull-request-url"]).toBe(first.outputs["pull-request-url"]);
    const tip = fixture.tip(second.outputs.branch ?? "") ?? "";
    expect(fixture.repository.git(["rev-parse", `${tip}^`])).toBe(first.outputs["commit-sha"]);
    expect(fixture.diff(fixture.main, tip)).toEqual([]);
    expect(pullOf(second).body).toContain("I undid it.");
  });

  it("pushes and opens nothing twice", async () => {
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const first = await play(issue("/agent mend it"));
    const person = fixture.commit(first.outputs.branch ?? "", { "other.txt": "other\n" });
    const count = fixture.fixture.codeHost.pulls.all.length;
    const again = await play(issue("/agent mend it"), {
      mode: "attach",
      "run-id": first.outputs["run-id"] ?? "",
    });
    expect(again).toMatchObject({ exitCode: 0, annotations: [] });
    expect(again.outputs["commit-sha"]).toBe(first.outputs["commit-sha"]);
    expect(fixture.tip(first.outputs.branch ?? "")).toBe(person);
    expect(fixture.fixture.codeHost.pulls.all).toHaveLength(count);
  });

  it("does not touch a branch that the session did not make", async () => {
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const first = await play(issue("/agent mend it"));
    const branch = first.outputs.branch ?? "";
    const theirs = fixture.commit("main", { "mine.txt": "mine\n" });
    fixture.repository.updateRef(`refs/heads/${branch}`, theirs);
    fixture.repository.updateRef("refs/heads/main", fixture.main);
    fixture.plan(fixture.changes({ "notes.txt": line(3, "three") }));
    expectKept(
      await play(issue("/agent again")),
      "branch_taken",
      /was not made by this session\. Rename or delete it/,
    );
    expect(fixture.tip(branch)).toBe(theirs);
  });

  it("is stacked on the branch of a pull request, and not on a fork's", async () => {
    const topic = fixture.commit("topic", { "topic.txt": "topic\n" });
    fixture.repository.updateRef("refs/pull/7/head", topic);
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }, topic));
    const on = { event: "issue_comment", comment: "/agent fix", pullRequest: { number: 7 } } as const;
    const step = await play(on);
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(pullOf(step)).toMatchObject({ base: "topic", head: step.outputs.branch });
    expect(step.outputs.branch).toMatch(/^agent\/pull-7-/);
    const fork = await play({ ...on, pullRequest: { number: 7, origin: "fork" } });
    expectKept(fork, "fork_head", /comes from a fork/);
  });

  it("is the agent's own where the request is on it, and no other one", async () => {
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const first = await play(issue("/agent mend it"));
    const branch = first.outputs.branch ?? "";
    const tip = fixture.tip(branch) ?? "";
    const count = fixture.fixture.codeHost.pulls.all.length;
    fixture.repository.updateRef(`refs/pull/${pullOf(first).number}/head`, tip);
    fixture.plan(fixture.changes({ "notes.txt": line(5, "five", line(2, "two")) }, tip));
    const on = (openedBy: { login: string; id: string }): JobOptions => ({
      event: "issue_comment",
      comment: "/agent and the fifth",
      pullRequest: { number: pullOf(first).number, headRef: branch },
      openedBy,
    });
    const second = await play(on({ login: "github-actions[bot]", id: "41898282" }));
    expect(second).toMatchObject({ exitCode: 0, annotations: [], outputs: { branch } });
    expect(second.outputs["pull-request-url"]).toBe(first.outputs["pull-request-url"]);
    expect(second.outputs["commit-sha"]).toBe(fixture.tip(branch));
    expect(fixture.repository.git(["rev-parse", `${branch}^`])).toBe(tip);
    expect(fixture.fixture.codeHost.pulls.all).toHaveLength(count);
    fixture.plan(fixture.changes({ "notes.txt": line(8, "eight", line(2, "two")) }, tip));
    const third = await play(on({ login: "octocat", id: "12" }));
    expect(pullOf(third)).toMatchObject({ base: branch });
    expect(third.outputs.branch).not.toBe(branch);
  });

  it("targets the default branch where the job is on none, named after the workflow", async () => {
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const step = await play(
      { ref: "refs/tags/v1", sha: fixture.main, workflow: "Nightly: tidy up!" },
      { prompt: "Tidy up" },
    );
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(step.outputs.branch).toMatch(/^agent\/nightly-tidy-up-[0-9a-f]{8}$/);
    expect(pullOf(step)).toMatchObject({ base: "main", title: "Tidy up" });
    expect(pullOf(step).body).not.toContain("Refs");
  });

  it("names the setting that prevents opening it, and opens it in the next attempt", async () => {
    fixture.fixture.codeHost.pulls.mayBeOpened = false;
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const step = await play(issue("/agent mend it"));
    expectKept(
      step,
      "permission_missing",
      /were pushed to agent\/issue-\d+-[0-9a-f]{8}, but no pull request was opened: .*"Allow GitHub Actions to create and approve pull requests"/,
    );
    fixture.fixture.codeHost.pulls.mayBeOpened = true;
    fixture.fixture.codeHost.rest.comments.deny("pull-requests");
    const runId = step.outputs["run-id"] ?? "";
    const denied = await play(issue("/agent mend it"), { mode: "attach", "run-id": runId });
    expectKept(denied, "permission_missing", /Give it "permissions: pull-requests: write"/);
    fixture.fixture.codeHost.rest.comments.allowAll();
    const again = await play(issue("/agent mend it"), { mode: "attach", "run-id": runId });
    expect(pullOf(again).state).toBe("open");
  });

  it("is signed by GitHub from the first commit on", async () => {
    const signed = { "signed-commits": "true" };
    const before = fixture.fixture.codeHost.push.count;
    fixture.plan(fixture.changes({ "notes.txt": line(2, "two") }));
    const first = await play(issue("/agent mend it"), signed);
    const branch = first.outputs.branch ?? "";
    expect(first).toMatchObject({ exitCode: 0, annotations: [] });
    expect(first.outputs["commit-sha"]).toBe(fixture.tip(branch));
    fixture.plan(fixture.changes({ "notes.txt": line(5, "five", line(2, "two")) }));
    const second = await play(issue("/agent more"), signed);
    expect(second.outputs["pull-request-url"]).toBe(first.outputs["pull-request-url"]);
    const tip = fixture.tip(branch) ?? "";
    expect(fixture.repository.git(["rev-list", "--parents", "-1", tip])).toBe(
      `${tip} ${first.outputs["commit-sha"]}`,
    );
    expect(fixture.diff(fixture.main, tip)).toEqual(["M notes.txt"]);
    expect(fixture.fixture.codeHost.push.count).toBe(before);
  });

  it("deletes a new branch that got no signed commit", async () => {
    fixture.plan(fixture.changes({ link: { mode: "120000", content: "x" } }));
    const step = await play(issue("/agent link it"), { "signed-commits": "true" });
    expectKept(step, "signing_unsupported", /"link" is not one/);
    expect(fixture.repository.git(["for-each-ref", `refs/heads/agent/issue-${number}-*`])).toBe("");
  });
});
