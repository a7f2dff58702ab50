import { describe, expect, it } from "vitest";
import { type CodeHostEvent, type EventContext, eventPayload } from "../../../fakes/code-host/event.ts";
import { decodeTrigger, TriggerError } from "../../../src/github/trigger/github-trigger.ts";

const HEAD = "a".repeat(40);
const BASE = "b".repeat(40);

function payload(event: CodeHostEvent, more: Partial<EventContext> = {}): Readonly<Record<string, unknown>> {
  return eventPayload({
    event,
    serverUrl: "https://github.example.com",
    repository: { fullName: "octo-org/octo-repo", id: "74", ownerId: "65", visibility: "public" },
    actor: "octocat",
    actorId: "12",
    ref: "refs/heads/main",
    sha: BASE,
    beforeSha: HEAD,
    pullRequest: {
      number: 7,
      origin: "branch",
      headRef: "topic",
      headSha: HEAD,
      baseRef: "main",
      baseSha: BASE,
      title: "Change something",
      body: "Why not.",
    },
    comment: "/agent",
    isIssue: false,
    action: null,
    label: "agent",
    openedBy: null,
    workflowPath: ".github/workflows/agent.yml",
    ...more,
  });
}

const octocat = { id: 12, login: "octocat", isBot: false };
const refs = { headSha: HEAD, headRef: "topic", baseSha: BASE, baseRef: "main", isFork: false };
const subject = { number: 7, isPullRequest: true, title: "Change something", body: "Why not." };
const comment = { body: "/agent", author: octocat, createdAt: "2026-01-15T10:00:00Z" };

describe("decodeTrigger", () => {
  it("reads a comment on a pull request and on an issue", () => {
    expect(decodeTrigger("issue_comment", payload("issue_comment"))).toEqual({
      type: "issue_comment",
      action: "created",
      sender: octocat,
      subject: { ...subject, author: octocat },
      comment: { ...comment, id: 3_000_001, updatedAt: "2026-01-15T10:00:00Z" },
    });
    const onIssue = decodeTrigger("issue_comment", payload("issue_comment", { isIssue: true }));
    expect(onIssue).toMatchObject({ subject: { number: 7, isPullRequest: false } });
  });

  it("reads a review and a comment at a line", () => {
    expect(decodeTrigger("pull_request_review", payload("pull_request_review"))).toMatchObject({
      type: "pull_request_review",
      action: "submitted",
      subject,
      refs,
      comment: { ...comment, id: 3_001_001, updatedAt: null },
    });
    const event = "pull_request_review_comment";
    expect(decodeTrigger(event, payload(event))).toMatchObject({
      type: event,
      refs,
      comment,
      place: { path: "src/index.ts", line: 1, diffHunk: expect.stringContaining("+export") },
    });
    const outdated = payload(event);
    const outdatedComment = { ...(outdated.comment as object), line: null };
    expect(decodeTrigger(event, { ...outdated, comment: outdatedComment })).toMatchObject({
      place: { line: null },
    });
  });

  it("reads an issue that is opened, labeled or assigned", () => {
    const read = (action: string) => decodeTrigger("issues", payload("issues", { action }));
    expect(read("opened")).toMatchObject({ type: "issues", action: "opened", label: null, assignee: null });
    expect(read("labeled")).toMatchObject({ label: "agent", subject: { isPullRequest: false } });
    expect(read("assigned")).toMatchObject({ assignee: "octocat" });
  });

  it("reads a pull request, and whether it comes from a fork", () => {
    const read = (event: "pull_request" | "pull_request_target", origin: "branch" | "fork") => {
      const { pullRequest } = { pullRequest: { ...pullOf(), origin } };
      return decodeTrigger(event, payload(event, { pullRequest }));
    };
    expect(read("pull_request", "branch")).toMatchObject({ type: "pull_request", action: "opened", refs });
    expect(read("pull_request", "fork")).toMatchObject({
      refs: { isFork: true, headPushedAt: "2026-01-15T09:30:00Z" },
      subject: { author: { login: "outside-contributor" } },
    });
    expect(read("pull_request_target", "fork")).toMatchObject({
      type: "pull_request",
      refs: { isFork: true },
    });
  });

  it("counts a deleted fork as a fork", () => {
    const whole = payload("pull_request");
    const pull = whole.pull_request as { head: object };
    const gone = { ...whole, pull_request: { ...pull, head: { ...pull.head, repo: null } } };
    expect(decodeTrigger("pull_request", gone)).toMatchObject({ refs: { isFork: true, headPushedAt: null } });
  });

  it("reads events that only users with write access start", () => {
    expect(decodeTrigger("push", payload("push"))).toEqual({
      type: "push",
      sender: octocat,
      ref: "refs/heads/main",
      afterSha: BASE,
    });
    expect(decodeTrigger("schedule", payload("schedule"))).toEqual({ type: "schedule", cron: "17 3 * * *" });
    expect(decodeTrigger("workflow_dispatch", payload("workflow_dispatch"))).toMatchObject({
      type: "workflow_dispatch",
      sender: octocat,
    });
    expect(decodeTrigger("repository_dispatch", payload("repository_dispatch"))).toMatchObject({
      type: "repository_dispatch",
      action: "nightly",
    });
  });

  it("recognises workflow_run, and leaves unknown events as they are", () => {
    expect(decodeTrigger("workflow_run", payload("workflow_run"))).toMatchObject({ type: "workflow_run" });
    expect(decodeTrigger("release", {})).toEqual({ type: "other", event: "release" });
  });

  it("knows a bot by its type and by its name", () => {
    const bot = (login: string, type: string) => {
      const sender = { login, id: 5, type };
      const read = decodeTrigger("issue_comment", { ...payload("issue_comment"), sender });
      return read.type === "issue_comment" && read.sender.isBot;
    };
    expect(bot("helper[bot]", "Bot")).toBe(true);
    expect(bot("helper[bot]", "User")).toBe(true);
    expect(bot("helper", "Bot")).toBe(true);
    expect(bot("helper", "User")).toBe(false);
  });

  it("accepts a deleted author and an empty text", () => {
    const whole = payload("issue_comment");
    const issue = { ...(whole.issue as object), user: null, body: null };
    const read = decodeTrigger("issue_comment", { ...whole, issue });
    expect(read).toMatchObject({ subject: { author: null, body: "" } });
  });

  it.each<[CodeHostEvent, string, unknown]>([
    ["issue_comment", "comment", undefined],
    ["issue_comment", "comment", { id: "3000001", body: "/agent" }],
    ["issue_comment", "sender", { login: "a\nb", id: 1, type: "User" }],
    ["issues", "action", 1],
    ["pull_request", "pull_request", { number: 7 }],
    ["pull_request_review", "review", null],
    ["push", "after", "main"],
  ])("refuses %s with another %s", (event, field, value) => {
    expect(() => decodeTrigger(event, { ...payload(event), [field]: value })).toThrow(TriggerError);
    expect(() => decodeTrigger(event, null)).toThrow(
      `The payload of the event "${event}" is not what GitHub publishes for it.`,
    );
  });
});

function pullOf(): EventContext["pullRequest"] {
  const common = { number: 7, origin: "branch" as const, title: "Change something", body: "Why not." };
  return { ...common, headRef: "topic", headSha: HEAD, baseRef: "main", baseSha: BASE };
}
