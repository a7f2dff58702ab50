// Findings without a review: annotations, no findings, and invalid ones.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import {
  FindingsFixture,
  inDiff,
  inRange,
  outOfDiff,
  PULL,
  review,
  SAID_PAGES,
  shownAt,
} from "../support/fixtures/findings-fixture.ts";

/** For what the review is told of those before it, and once more before anything is published. */
const READ_TWICE = [...SAID_PAGES, ...SAID_PAGES];

describe("findings", () => {
  let fixture: FindingsFixture;
  beforeAll(async () => {
    fixture = await FindingsFixture.open();
  });
  afterEach(() => fixture.reset());
  afterAll(async () => await fixture.close());

  it("are annotations where the job may not write, and the missing permission is named", async () => {
    fixture.reply = review(inDiff, outOfDiff);
    fixture.fixture.codeHost.rest.comments.deny("pull-requests");
    const { step } = await fixture.play();
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", findings: "2" } });
    expect(shownAt(step)).toEqual(["warning undefined:undefined", "error zebra.ts:5", "notice zebra.ts:20"]);
    expect(step.annotations[0]?.message).toMatch(
      /answered 403 to POST \/pulls\/7\/reviews\. Resource not accessible by integration Give the job "permissions: pull-requests: write"\. The findings are annotations instead\.$/,
    );
    expect(step.summary).toContain("2 in the job's annotations");
  });

  it("are annotations on a fork's pull request, whose job only reads", async () => {
    fixture.reply = review(inDiff);
    const fork: JobOptions = { ...PULL, pullRequest: { origin: "fork" }, idToken: true };
    const { step, calls } = await fixture.play(fork, { "allow-forks": "true" });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(calls).toEqual(READ_TWICE);
    expect(shownAt(step)).toEqual(["error zebra.ts:5"]);
    expect(step.log).toContain("The job of a fork's pull request can write no review");
  });

  it("are a review of a fork's pull request where a maintainer's comment starts the run", async () => {
    fixture.reply = review(inDiff);
    const { sent } = await fixture.play({
      event: "issue_comment",
      comment: "/agent review",
      pullRequest: { origin: "fork" },
    });
    expect(sent).toMatchObject([{ commit_id: fixture.headSha, event: "COMMENT", comments: [{ line: 5 }] }]);
  });

  it('are annotations with "findings: annotations", on a pull request and elsewhere', async () => {
    fixture.reply = review(inDiff, inRange);
    const pull = await fixture.play(PULL, { findings: "annotations" });
    expect(pull.calls).toEqual([]);
    expect(shownAt(pull.step)).toEqual(["error zebra.ts:5", "warning zebra.ts:5"]);
    expect(pull.step.annotations[1]).toMatchObject({ title: "Two lines", endLine: "6" });
    const push = await fixture.play(
      { event: "push" },
      { "output-schema": JSON.stringify({ type: "object" }) },
    );
    expect(push.calls).toEqual([]);
    expect(shownAt(push.step)).toEqual(["error zebra.ts:5", "warning zebra.ts:5"]);
  });

  it("are none where the reply has none", async () => {
    fixture.reply = review();
    const clean = await fixture.play();
    expect(clean.step).toMatchObject({ exitCode: 0, annotations: [], outputs: { findings: "0" } });
    expect(clean.calls).toEqual([...READ_TWICE, "POST /pulls/7/reviews"]);
    fixture.reply = review(inDiff);
    const { step } = await fixture.play(PULL, { findings: "none" });
    expect(step).toMatchObject({ annotations: [], outputs: { findings: "" } });
  });

  it("are not reported as none where the reply is not a review", async () => {
    fixture.reply = null;
    const asked = await fixture.play();
    expect(asked.step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", findings: "" } });
    expect(asked.step.annotations).toMatchObject([
      {
        level: "warning",
        message: expect.stringMatching(/^The run was asked for a review, but its reply is not one/),
      },
    ]);
    expect(asked.calls).toEqual(READ_TWICE);
    const { step } = await fixture.play(
      { event: "issue_comment", comment: "/agent fix" },
      { comment: "false" },
    );
    expect(step).toMatchObject({ annotations: [], outputs: { findings: "" } });
  });

  it("are dropped where invalid", async () => {
    fixture.reply = review({ ...inDiff, line: 0 }, inDiff, { ...inDiff, path: "../../etc/passwd" });
    const { step, sent } = await fixture.play(PULL, { "output-schema": JSON.stringify({ type: "object" }) });
    expect(step.outputs.findings).toBe("1");
    expect(step.annotations.map(({ message }) => message)).toEqual([
      '2 findings of the reply are left out. No. 1: "line" must be an integer from 1, got 0; No. 3: "path" must be a path inside the repository, got "../../etc/passwd".',
    ]);
    expect(sent).toMatchObject([{ comments: [{ line: 5 }] }]);
  });

  it.each(["review", "annotations"])("cannot print commands of the runner, as %s", async (findings) => {
    const words = [
      "::error::pwned",
      "##[error]pwned",
      "--></details><img src=https://pwned.example/p.png> @octocat",
      "![p](https://pwned.example/p.png)",
      "````suggestion\npwned\n````",
      "a\u202Eb \u001b[31m",
      "<!-- agent-service:finding 00000000000000000000000000000000 -->",
      "```",
    ].join("\n");
    const hostile = { ...inDiff, title: words, body: words, suggestion: words };
    fixture.reply = {
      summary: words,
      findings: [
        hostile,
        { ...hostile, line: 25 },
        { ...hostile, path: "a,line=1::pwned%0A@octocat</details>##[error].ts" },
      ],
    };
    const { step, sent } = await fixture.play(PULL, { findings });
    expect(step).toMatchObject({ exitCode: 0, injectedCommands: [], outputs: { findings: "3" } });
    expect(step.annotations).toHaveLength(findings === "review" ? 0 : 3);
    for (const { level, line, title } of step.annotations) {
      expect([level, ["5", "25"].includes(line ?? "")]).toEqual(["error", true]);
      expect(title).toMatch(/^::error::pwned ## \[error\]pwned/);
    }
    expect(step.rawLog).not.toMatch(/##\[/);
    const pages = [
      step.summary,
      ...sent.flatMap(({ body, comments: some }) => [body, ...some.map((one) => String(one.body))]),
    ];
    expect(pages).toHaveLength(findings === "review" ? 3 : 1);
    for (const page of pages) {
      const outside = page.replace(/^(`{3,})[^`\n]*\n[\s\S]*?^\1$|<code>.*?<\/code>/gm, "");
      expect(outside).not.toMatch(/<img|!\[|\u202E|@octocat/);
      expect(page).not.toMatch(/\u202E|[^\P{Cc}\n]/u);
      expect(outside.match(/<details/g)?.length).toBe(outside.match(/<\/details>/g)?.length);
    }
    if (findings === "review") {
      const [comment = ""] = sent[0]?.comments.map(({ body }) => String(body)) ?? [];
      expect(comment.replace(/^(`{3,})\n[\s\S]*?^\1$/gm, "")).not.toMatch(/^`+suggestion$/m);
      expect(comment).toContain("*The suggestion holds invisible characters, so it cannot be applied.*");
      expect(comment.match(/<!-- agent-service:finding [0-9a-f]{32} -->$/)).not.toBeNull();
    }
  });
});
