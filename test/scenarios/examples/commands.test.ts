// examples/commands.yml: "/agent …" where people talk. Answers there, pushes what it changed, and can be cancelled.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ACTIONS_BOT } from "../../../fakes/code-host/comments.ts";
import type { JobOptions } from "../../../fakes/code-host/job.ts";
import { changesOnto } from "../../support/example-changes.ts";
import { actionOf, type PlayOptions, playExample } from "../../support/example-play.ts";
import type { ScenarioFixture } from "../../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../../support/scripted-backend.ts";

const FIXED = "export const greet = (name: string): string => 'Hello, '.concat(name);\n";
const REVIEW = {
  summary: "One thing is wrong.",
  findings: [
    {
      path: "src/index.ts",
      line: 1,
      severity: "warning",
      title: "No greeting",
      body: "It says the name alone.",
    },
  ],
};
const PATCH = "@@ -1,1 +1,1 @@\n-export const greet = 0;\n+export const greet = 1;";

describe("commands in comments", () => {
  let fixture: ScenarioFixture;
  let comments = 3_900_000;
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      const asked = task.messages.at(-1)?.content ?? "";
      if (asked.startsWith("take your time")) {
        await say(task, "At work.\n");
        await untilStopped(task);
        task.signal.throwIfAborted();
      }
      if (task.outputSchema !== null) {
        await task.emit({ type: "CUSTOM", name: "output", value: REVIEW });
        return await say(task, JSON.stringify(REVIEW));
      }
      await say(task, "It greets now.");
      if (!/^(Fix|mend)/.test(asked)) return;
      const value = changesOnto(fixture.repository, {
        base: asked.includes("pull request") ? "refs/heads/topic" : "refs/heads/main",
        files: { "src/index.ts": FIXED },
      });
      await task.emit({ type: "CUSTOM", name: "repository.changes", value });
    });
    fixture = await startFixture({ level: "scenario", backend });
    const { repository } = fixture;
    const main = repository.git(["rev-parse", "refs/heads/main"]);
    const files = { "src/index.ts": "export const greet = (name: string): string => name;\n" };
    const head = repository.commit({ files, parents: [main], day: 2 });
    repository.updateRef("refs/heads/topic", head);
    repository.updateRef("refs/pull/7/head", head);
    repository.updateRef("refs/heads/main", main);
    fixture.codeHost.rest.reviews.setFiles(7, [
      { filename: "src/index.ts", status: "modified", patch: PATCH },
    ]);
  });
  afterEach(() => {
    fixture.codeHost.rest.clearComments(7);
    fixture.codeHost.rest.clearReviews(7);
  });
  afterAll(async () => await fixture.close());

  const play = async (event: JobOptions, step: PlayOptions["step"] = {}) => {
    return (await playExample({ fixture, file: "commands.yml", event, step })).agent;
  };
  /** A comment of its own, by somebody who may write unless told. */
  const comment = (body: string, more: JobOptions = {}): JobOptions => {
    const user = { login: more.actor ?? "octocat", id: Number(more.actorId ?? 12), type: "User" };
    const at = "2026-01-15T10:00:00Z";
    const url = `https://code-host.example/pull/7#issuecomment-${comments}`;
    const words = { id: comments++, body, user, created_at: at, updated_at: at, html_url: url };
    return { event: "issue_comment", comment: body, payload: { comment: words }, ...more };
  };
  const answers = () => fixture.codeHost.rest.commentsOf(7).filter(({ user }) => user === ACTIONS_BOT);
  const tipOf = (ref: string) => fixture.repository.git(["rev-parse", ref]);
  const textAt = (ref: string) => `${fixture.repository.git(["show", `${ref}:src/index.ts`])}\n`;

  it("push a repair to the pull request, and answer there", async () => {
    const before = tipOf("refs/heads/topic");
    const played = await play(comment("/agent fix"));
    expect(played?.result).toBe("success");
    const { annotations, outputs } = actionOf(played);
    expect(annotations).toEqual([]);
    expect(outputs).toMatchObject({ conclusion: "success", branch: "topic", "pull-request-url": "" });
    expect(tipOf("refs/heads/topic^")).toBe(before);
    expect(outputs["commit-sha"]).toBe(tipOf("refs/heads/topic"));
    expect(textAt("refs/heads/topic")).toBe(FIXED);
    expect(answers()).toHaveLength(1);
    expect(answers()[0]?.body).toContain("It greets now.");
    expect(answers()[0]?.body).toMatch(/^\*\*✅ Pushed \[[0-9a-f]{7}\]\(.*\) to <code>topic<\/code>\*\*\n/);
    fixture.repository.updateRef("refs/heads/topic", before);
  });

  it("open a pull request for what an issue asks", async () => {
    const main = tipOf("refs/heads/main");
    const played = await play(comment("/agent mend it", { isIssue: true }));
    const { annotations, outputs } = actionOf(played);
    expect(annotations).toEqual([]);
    expect(tipOf("refs/heads/main")).toBe(main);
    expect(fixture.codeHost.pulls.all).toMatchObject([{ base: "main", head: outputs.branch, state: "open" }]);
    expect(textAt(`refs/heads/${outputs.branch}`)).toBe(FIXED);
    expect(answers()[0]?.body).toContain(outputs["pull-request-url"]);
  });

  it("review on the lines of the pull request", async () => {
    const played = await play(comment("/agent review"));
    expect(actionOf(played)).toMatchObject({ annotations: [], outputs: { findings: "1" } });
    expect(fixture.codeHost.rest.commentsOf(7, "pulls")).toMatchObject([{ path: "src/index.ts", line: 1 }]);
    expect(answers()).toHaveLength(1);
  });

  it("answer a question, a review, a comment on a line, a new issue and a label", async () => {
    const events: readonly JobOptions[] = [
      comment("/agent why?"),
      { event: "pull_request_review", comment: "/agent why?" },
      { event: "pull_request_review_comment", comment: "/agent why?" },
      { event: "issues", pullRequest: { body: "/agent why?" } },
      { event: "issues", action: "labeled" },
    ];
    for (const event of events) {
      const played = await play(event);
      expect(actionOf(played), event.event).toMatchObject({
        exitCode: 0,
        annotations: [],
        outputs: { conclusion: "success", reply: "It greets now." },
      });
      expect(actionOf(played).outputs["comment-url"]).not.toBe("");
    }
  });

  it("end the run that is at work, without waiting for its job", async () => {
    let onWork = () => {};
    const atWork = new Promise<void>((resolve) => {
      onWork = resolve;
    });
    const first = play(comment("/agent take your time"), {
      onLine: (line) => {
        if (line === "At work.") onWork();
      },
    });
    await atWork;
    const cancelling = await play(comment("/agent cancel"));
    expect(actionOf(cancelling).outputs).toMatchObject({ conclusion: "success", reason: "run_cancelled" });
    const cancelled = await first;
    expect(actionOf(cancelled).outputs).toMatchObject({ conclusion: "cancelled" });
    // Of one group, the second would have waited for the first.
    expect([cancelled?.concurrency, cancelling?.concurrency]).toEqual([null, null]);
    expect(answers()).toHaveLength(2);
  });

  it.each<[string, JobOptions]>([
    ["a comment without the word", comment("Looks good.")],
    ["another label", { event: "issues", action: "labeled", label: "bug" }],
    ["an issue without the word", { event: "issues", pullRequest: { body: "It breaks." } }],
  ])("spare the runner for %s", async (_, event) => {
    expect(await play(event)).toMatchObject({ result: "skipped", job: null });
  });

  it("start nothing for a stranger, and answer nothing", async () => {
    const before = fixture.codeHost.push.count;
    const stranger = { actor: "outsider", actorId: "99" };
    const played = await play(comment("/agent fix", stranger));
    expect(played?.result).toBe("success");
    expect(actionOf(played)).toMatchObject({
      requests: [],
      outputs: { conclusion: "skipped", reason: "permission_missing" },
    });
    expect(fixture.codeHost.push.count).toBe(before);
    expect(answers()).toEqual([]);
  });
});
