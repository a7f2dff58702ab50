// Findings as one review of the pull request: comments at lines of the diff, the rest in the review's text.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ACTIONS_BOT } from "../../fakes/code-host/comments.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { filesOfDiff } from "../../fakes/code-host/reviews.ts";
import { startModelServer } from "../../fakes/model-server/model-server.ts";
import type { Script } from "../../fakes/model-server/script.ts";
import type { Step } from "../../fakes/model-server/turn.ts";
import * as model from "../../fakes/model-server/turn.ts";
import { reviewSchema } from "../../src/job/findings/findings-schema.ts";
import { probeMarker } from "../../src/job/findings/marker.ts";
import { EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";
import {
  FILE_PAGES,
  FindingsFixture,
  inDiff,
  inRange,
  outOfDiff,
  PULL,
  review,
  SAID_PAGES,
  shownAt,
} from "../support/fixtures/findings-fixture.ts";

const FINDING_MARKER = /\n<!-- agent-service:finding [0-9a-f]{32} -->$/;

describe("the findings of a review", () => {
  let fixture: FindingsFixture;
  beforeAll(async () => {
    fixture = await FindingsFixture.open();
  });
  afterEach(() => fixture.reset());
  afterAll(async () => await fixture.close());

  it("become one review, with comments at the lines of all pages of the diff", async () => {
    fixture.reply = review(inDiff, inRange, outOfDiff);
    const { step, calls, sent } = await fixture.play();
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", findings: "3" },
    });
    expect(fixture.schemas.at(-1)).toEqual(JSON.parse(JSON.stringify(reviewSchema([]))));
    // For the prompt, and once more before it is published.
    expect(calls).toEqual([...SAID_PAGES, ...SAID_PAGES, ...FILE_PAGES, "POST /pulls/7/reviews"]);
    expect(sent).toEqual([
      {
        commit_id: fixture.headSha,
        event: "COMMENT",
        body: expect.stringMatching(/^\*\*3 findings\*\*: 1 error, 1 warning, 1 notice\.\n/),
        comments: [
          { path: "zebra.ts", line: 5, side: "RIGHT", body: expect.stringMatching(FINDING_MARKER) },
          {
            path: "zebra.ts",
            start_line: 5,
            start_side: "RIGHT",
            line: 6,
            side: "RIGHT",
            body: expect.stringMatching(FINDING_MARKER),
          },
        ],
      },
    ]);
    expect(sent[0]?.comments[0]?.body).toMatch(
      /^\*\*❌ Error: Zebras count from one\*\*\n\nThe fifth line says so\.\n\n```suggestion\nconst fifth = 5;\n```\n\n</,
    );
    expect(sent[0]?.body).toContain(
      `**ℹ️ Notice: Far away** · [zebra.ts:20](${fixture.fixture.codeHost.url}/octo-org/octo-repo/blob/${fixture.headSha}/zebra.ts#L20)\n\nNot shown.`,
    );
    const url = fixture.reviews()[0]?.html_url;
    expect(step.summary).toContain("\n\nSome **things**.\n\n### 3 findings: 1 error, 1 warning, 1 notice\n");
    expect(step.summary).toContain(`3 written in [the review](${String(url)})`);
    expect(step.summary).not.toContain('"findings"');
    expect(JSON.parse(step.outputs["structured-output"] ?? "")).toEqual(fixture.reply);
  });

  it("answer a request for a review, beside the status comment", async () => {
    fixture.reply = review(inDiff);
    const asked: JobOptions = { event: "issue_comment", comment: "/agent review" };
    const { step, sent } = await fixture.play(asked, { comment: "true" });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { findings: "1" } });
    expect(sent).toMatchObject([{ commit_id: fixture.headSha, event: "COMMENT", comments: [{ line: 5 }] }]);
    const answer =
      fixture.fixture.codeHost.rest.commentsOf(7).find(({ user }) => user === ACTIONS_BOT)?.body ?? "";
    expect(answer).toMatch(
      /^\*\*🔎 \[1 error\]\(.*\)\*\*\n\nSome \*\*things\*\*\.\n\n### 1 finding: 1 error\n/,
    );
    expect(answer).toContain(`1 written in [the review](${String(fixture.reviews()[0]?.html_url)})`);
  });

  it("are published once, whatever is pushed", async () => {
    fixture.reply = review(inDiff, outOfDiff);
    await fixture.play();
    const moved = { ...inDiff, line: 6, body: "The FIFTH\nline says so." };
    fixture.reply = review(
      moved,
      outOfDiff,
      inRange,
      { ...outOfDiff, line: 21 },
      { ...inRange, line: 8, start_line: 8 },
    );
    // The same commit once more: in the same words, at the same lines, and at others that were looked at.
    const second = await fixture.play({ ...PULL, action: "synchronize" });
    expect(second.sent).toEqual([]);
    expect(second.step.summary).toContain("3 said in a review before");
    expect(second.step.summary).toContain("2 at lines that have not changed since, and not published");
    // Our account, then threads and reviews: which of the earlier findings people have settled.
    const [comments = "", reviews = ""] = SAID_PAGES;
    const asks = "POST /api/graphql";
    const reads = [comments, asks, reviews, asks, asks];
    expect(second.calls).toEqual([...reads, ...reads]);
    // Somebody asks for another look at it.
    const asked = await fixture.play({ event: "issue_comment", comment: "/agent review" });
    expect(asked.sent).toMatchObject([{ comments: [{ line: 8 }] }]);
    expect(fixture.reviews()).toHaveLength(2);
    expect(fixture.comments()).toHaveLength(2);
  });

  it("are found again by a re-run job", async () => {
    fixture.reply = review(inDiff);
    await fixture.play({ ...PULL, runId: "1296269777" });
    const again = await fixture.play({ ...PULL, runId: "1296269777", runAttempt: "2" });
    expect(again.sent).toEqual([]);
    expect(fixture.reviews()).toHaveLength(1);
  });

  it("are not suppressed by a copied marker", async () => {
    fixture.reply = review(inDiff);
    await fixture.play();
    const copied = fixture.comments()[0]?.body ?? "";
    fixture.fixture.codeHost.rest.clearReviews(7);
    const user = { login: "outsider", id: 99, type: "User" };
    fixture.fixture.codeHost.rest.addLineComment(7, {
      id: 1,
      body: copied,
      html_url: "https://code-host.example/1",
      user,
    });
    const { sent } = await fixture.play();
    expect(sent).toHaveLength(1);
  });

  it("go into the review's text where the code host refuses their line", async () => {
    fixture.reply = review(
      inDiff,
      inRange,
      { ...inDiff, line: 7, title: "Seven" },
      { ...inDiff, line: 8, title: "Eight" },
    );
    fixture.fixture.codeHost.rest.reviews.refuse({ path: "zebra.ts", line: 7 });
    const { step, sent, calls } = await fixture.play();
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { findings: "4" } });
    const whole = sent.filter(({ event }) => event === "COMMENT");
    expect(whole.map((one) => one.comments.map(({ line }) => line))).toEqual([
      [5, 6, 7, 8],
      [5, 6, 8],
    ]);
    expect(whole[1]?.body).toContain("**❌ Error: Seven** · [zebra.ts:7]");
    expect(calls.filter((call) => call.startsWith("DELETE"))).toHaveLength(3);
    expect(fixture.fixture.codeHost.rest.reviews.pendingOf(7)).toBeUndefined();
    expect(fixture.reviews()).toHaveLength(1);
    expect(step.summary).toContain("4 written in [the review]");
  });

  it("keep their lines where a killed job has left a pending review", async () => {
    fixture.reply = review(inDiff);
    fixture.fixture.codeHost.rest.reviews.leavePending(7, probeOf());
    const { step } = await fixture.play();
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(fixture.comments()).toMatchObject([{ path: "zebra.ts", line: 5 }]);
    expect(fixture.fixture.codeHost.rest.reviews.pendingOf(7)).toBeUndefined();
  });

  it("all go into the text where every line is refused", async () => {
    fixture.reply = review(inDiff, inRange);
    for (const line of [5, 6]) fixture.fixture.codeHost.rest.reviews.refuse({ path: "zebra.ts", line });
    const { step } = await fixture.play();
    expect(step.annotations).toEqual([]);
    expect(fixture.comments()).toEqual([]);
    expect(fixture.reviews()[0]?.body).toMatch(/Zebras count from one[\s\S]*Suggested:[\s\S]*Two lines/);
  });

  it("are annotations where the code host accepts no review", async () => {
    fixture.reply = review(inDiff);
    fixture.fixture.codeHost.rest.reviews.leavePending(7, "Somebody is at work here.");
    const { step } = await fixture.play();
    expect(shownAt(step)).toEqual(["warning undefined:undefined", "error zebra.ts:5"]);
    expect(step.annotations[0]?.message).toMatch(
      /^No review could be written on #7\. GitHub's API answered 422 to POST \/pulls\/7\/reviews\. .*one pending review.* The findings are annotations instead\.$/,
    );
    expect(fixture.fixture.codeHost.rest.reviews.pendingOf(7)?.body).toBe("Somebody is at work here.");
  });

  it("are published once where the code host's answer is lost", async () => {
    fixture.reply = review(inDiff);
    fixture.fixture.codeHost.rest.reviews.loseNextAnswer();
    const { step, calls } = await fixture.play();
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(calls.slice(7)).toEqual(
      SAID_PAGES.flatMap((call, index) => (index === 0 ? [call, "POST /api/graphql"] : [call])),
    );
    expect(fixture.reviews()).toHaveLength(1);
    expect(step.summary).toContain(`1 written in [the review](${String(fixture.reviews()[0]?.html_url)})`);
  });

  it("are published by the retry after an error of the code host", async () => {
    fixture.reply = review(inDiff);
    const { api } = fixture.fixture.codeHost.faults;
    // The two lists, for the prompt and again, and two pages of files are answered first.
    api.next({ type: "delay", ms: 0 }, 6);
    api.next({ type: "status", status: 502 });
    const { step, sent } = await fixture.play();
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(sent).toHaveLength(2);
    expect(fixture.reviews()).toHaveLength(1);
  });
});

/** What a killed job leaves: a pending review. */
function probeOf(): string {
  return `Not sent.\n\n${probeMarker()}`;
}

describe("the findings of a model without a server", () => {
  it("are a review, too", async () => {
    const key = "sk-the-models-key-0123456789";
    const found = { ...inDiff, path: "sum.mjs", line: 1 };
    const wrong = { ...found, severity: "warning", title: "Sum is no sum", claim: "Nothing is summed." };
    const text = JSON.stringify({ summary: "One thing.", findings: [found, wrong] });
    // Another model looks at each finding.
    const validate: Step = ({ firstUserMessage }) => {
      const verdict = firstUserMessage.includes(wrong.claim) ? "not_confirmed" : "confirmed";
      return model.say(JSON.stringify({ verdict, reason: "By the code." }));
    };
    const script: Script = ({ model: asked }) =>
      asked === "second-model" ? [validate] : [model.say("No data."), model.say(text)];
    const server = await startModelServer({ script, apiKey: key });
    const fixture = await EmbeddedFixture.open({ "sum.mjs": "export const sum = 1;\n" });
    try {
      const { repository, codeHost } = fixture;
      const base = repository.git(["rev-parse", "refs/heads/main"]).trim();
      const head = repository.commit({
        files: { "sum.mjs": "export const sum = 2;\n" },
        parents: [base],
        day: 2,
      });
      repository.updateRef("refs/heads/topic", head);
      repository.updateRef("refs/heads/main", base);
      codeHost.rest.reviews.setFiles(7, filesOfDiff(repository.git(["diff", base, head])));
      const job = await fixture.job({ ...PULL, sha: head });
      fixture.checkOut(job);
      const step = await fixture.main(job, {
        env: { REVIEWER_MODEL: "second-model" },
        inputs: {
          findings: "review",
          model: "scripted-model",
          "model-base-url": server.baseUrl,
          "model-api-key": key,
        },
      });
      expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { findings: "1" } });
      expect(server.requests[0]?.system).toContain('"start_line"');
      expect(step.log).toContain('The validator did not confirm "Sum is no sum" at sum.mjs:1: By the code.');
      expect(codeHost.rest.commentsOf(7, "pulls")).toMatchObject([
        { path: "sum.mjs", line: 1, side: "RIGHT", user: ACTIONS_BOT },
      ]);
      expect(codeHost.rest.commentsOf(7)[0]?.body).toMatch(
        /^\*\*🔎 \[1 error\]\(.*\)\*\*\n\nOne thing\.\n\n### 1 finding: 1 error\n/,
      );
    } finally {
      await fixture.close();
      await server.close();
    }
  });
});
