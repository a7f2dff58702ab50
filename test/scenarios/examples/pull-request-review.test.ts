// examples/pull-request-review.yml: comments on the lines of a pull request and a verdict, by the token of the file.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ACTIONS_BOT } from "../../../fakes/code-host/comments.ts";
import type { JobOptions } from "../../../fakes/code-host/job.ts";
import { actionOf, playExample } from "../../support/example-play.ts";
import type { ScenarioFixture } from "../../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../support/scripted-backend.ts";

const REPLY = {
  summary: "One thing is wrong.",
  findings: [
    {
      path: "src/index.ts",
      line: 1,
      severity: "error",
      title: "The greeting is lost",
      body: "Callers expect a text.",
    },
  ],
};
const PATCH = "@@ -1,1 +1,1 @@\n-export const greet = 0;\n+export const greet = 1;";

describe("a review of every pull request", () => {
  let fixture: ScenarioFixture;
  const asked: { prompt: string; schema: unknown }[] = [];
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      asked.push({ prompt: task.messages.at(-1)?.content ?? "", schema: task.outputSchema });
      await say(task, JSON.stringify(REPLY));
      await task.emit({ type: "CUSTOM", name: "output", value: REPLY });
    });
    fixture = await startFixture({ level: "scenario", backend });
    fixture.repository.git(["update-ref", "refs/heads/topic", "refs/heads/main"]);
    fixture.codeHost.rest.reviews.setFiles(7, [
      { filename: "src/index.ts", status: "modified", patch: PATCH },
    ]);
  });
  afterEach(() => {
    fixture.codeHost.rest.clearComments(7);
    fixture.codeHost.rest.clearReviews(7);
  });
  afterAll(async () => await fixture.close());

  const play = async (more: JobOptions = {}) => {
    const event: JobOptions = { event: "pull_request", ...more };
    return (await playExample({ fixture, file: "pull-request-review.yml", event })).review;
  };
  const answers = () => fixture.codeHost.rest.commentsOf(7).filter(({ user }) => user === ACTIONS_BOT);

  it("comments on the line that is wrong, and says what it thinks of the whole", async () => {
    const played = await play();
    expect(played?.result).toBe("success");
    const { annotations, outputs } = actionOf(played);
    expect(annotations).toEqual([]);
    expect(outputs).toMatchObject({ conclusion: "success", findings: "1" });
    expect(asked.at(-1)?.prompt).toMatch(/^Review what this pull request changes/);
    expect(asked.at(-1)?.schema).toMatchObject({ required: ["summary", "findings"] });
    expect(fixture.codeHost.rest.reviewsOf(7)).toMatchObject([{ state: "COMMENTED", user: ACTIONS_BOT }]);
    const comments = fixture.codeHost.rest.commentsOf(7, "pulls");
    expect(comments).toMatchObject([{ path: "src/index.ts", line: 1 }]);
    expect(comments[0]?.body).toContain("The greeting is lost");
    expect(answers()).toHaveLength(1);
    expect(answers()[0]?.html_url).toBe(outputs["comment-url"]);
  });

  it("says it once, and goes on in one comment, however often is pushed", async () => {
    await play();
    await play({ action: "synchronize" });
    expect(fixture.codeHost.rest.commentsOf(7, "pulls")).toHaveLength(1);
    expect(answers()).toHaveLength(1);
  });

  it("gives way to the next push to the same pull request, and to no other", async () => {
    const concurrency = { group: "review-7", "cancel-in-progress": "true" };
    expect((await play())?.concurrency).toEqual(concurrency);
    const other = await play({ pullRequest: { number: 8 } });
    expect(other?.concurrency).toEqual({ ...concurrency, group: "review-8" });
  });

  it("leaves drafts alone", async () => {
    const { payload } = await fixture.codeHost.job({ event: "pull_request" });
    const draft = { ...(payload.pull_request as object), draft: true };
    expect(await play({ payload: { pull_request: draft } })).toMatchObject({ result: "skipped" });
  });

  it("is green and says why on a fork's pull request, which has no identity", async () => {
    const played = await play({ pullRequest: { origin: "fork" } });
    expect(played?.result).toBe("success");
    const { annotations, outputs, requests } = actionOf(played);
    expect(outputs).toMatchObject({ conclusion: "skipped", reason: "fork_pull_request" });
    expect(annotations).toMatchObject([{ level: "notice" }]);
    expect(requests).toEqual([]);
    expect(fixture.codeHost.rest.reviewsOf(7)).toEqual([]);
  });
});
