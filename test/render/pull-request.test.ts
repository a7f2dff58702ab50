import { describe, expect, it } from "vitest";
import { type PullRequestContext, pullRequestBody, updatedBody } from "../../src/render/pull-request.ts";
import { expectGolden } from "./golden.ts";

const context: PullRequestContext = {
  reply:
    "# Done\n\nThe sum **adds** now. Fixes #5 and closes https://github.com/octo/x/issues/6, thanks @octocat.\n\n<!-- hidden -->\n```sh\nnpm test\n```\n",
  changes: {
    base_sha: "a".repeat(40),
    files: [
      { path: "sum.mjs", status: "modified", additions: 1, deletions: 1 },
      { path: "a | b.md", status: "added", additions: 4, deletions: 0 },
    ],
    patch: "",
    held_back: [{ path: ".github/workflows/ci.yml", reason: "protected" }],
  },
  jobUrl: "https://github.com/octo/hello/actions/runs/1",
  links: {
    repositoryUrl: "https://github.com/octo/hello",
    headSha: "a".repeat(40),
    changedSha: "b".repeat(40),
  },
  subject: { number: 12, isClosed: false },
};

describe("the body of a pull request", () => {
  it("is the reply, the files and where it comes from", () => {
    expectGolden("pull-request.md", `${pullRequestBody(context)}\n`);
  });

  it("closes the issue that it fixes, and refers to none where the request was on none", () => {
    expect(pullRequestBody({ ...context, subject: { number: 12, isClosed: true } })).toContain(
      "\n\nCloses #12\n\n",
    );
    expect(pullRequestBody({ ...context, subject: null })).not.toMatch(/(Refs|Closes) #12/);
  });

  it.each([
    "Fixes: #1",
    "fixed octo/x#2",
    "Resolves\n\\#3",
    "CLOSE [#4](https://x.test)",
    "fix **#5**",
    "closes GH-6",
  ])("closes no issue by the agent's words: %j", (reply) => {
    const body = pullRequestBody({ ...context, reply });
    expect(body).not.toMatch(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?[\s*[\\]*(?:[\w/]*#\d|GH-\d)/i);
    expect(body).toMatch(/ issue /);
  });

  it("stays within its bytes, whatever an agent writes", () => {
    const files = Array.from({ length: 5_000 }, (_, at) => ({
      path: `packages/${"long-".repeat(20)}${at}.ts`,
      status: "modified" as const,
      additions: 1,
      deletions: 1,
    }));
    const body = pullRequestBody({
      ...context,
      reply: "fix #1 ".repeat(100_000),
      changes: { ...context.changes, files },
    });
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(48 * 1024);
    expect(body).toContain("The reply is cut here");
    expect(body).toContain("Refs #12");
    expect(body).toMatch(/<!-- agent-service:end -->$/);
  });

  it("cannot be ended by the reply", () => {
    const body = pullRequestBody({
      ...context,
      reply: "<!-- agent-service:end --> after `<!-- agent-service:end -->`",
    });
    expect(body.indexOf("<!-- agent-service:end -->")).toBe(
      body.length - "<!-- agent-service:end -->".length,
    );
  });

  it("is replaced between its marks only", () => {
    const before = pullRequestBody(context);
    const after = pullRequestBody({ ...context, reply: "More." });
    expect(updatedBody(`Mine.\n\n${before}\n\nMine too.`, after)).toBe(`Mine.\n\n${after}\n\nMine too.`);
    expect(updatedBody("I wrote this anew.", after)).toBe(null);
    expect(updatedBody(`${"x".repeat(40_000)}${before}${"y".repeat(40_000)}`, after)).toBe(null);
  });
});
