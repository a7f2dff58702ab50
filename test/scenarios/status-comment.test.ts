// The status comment on an issue or pull request: a reaction to the request, then one comment that becomes the answer.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CodeHostJob, CodeHostRequest } from "../../fakes/code-host/code-host.ts";
import { ACTIONS_BOT } from "../../fakes/code-host/comments.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import type { ScenarioFixture, StepResult } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { briefingBackend } from "../support/scripted-backend.ts";

const COMMENTS = "/issues/7/comments";
const MARKER = /\n<!-- agent-service:comment [0-9a-f]{32} -->$/;
const REPOSITORY_API = "/api/v3/repos/octo-org/octo-repo";

describe("the status comment", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario", backend: briefingBackend });
    const { repository } = fixture;
    const base = repository.git(["rev-parse", "refs/heads/main"]).trim();
    const head = repository.commit({ files: { "README.md": "# Changed\n" }, parents: [base], day: 2 });
    repository.updateRef("refs/heads/topic", head);
    repository.updateRef("refs/pull/7/head", head);
    repository.updateRef("refs/heads/main", base);
  });
  afterEach(() => {
    fixture.codeHost.rest.clearComments(7);
    fixture.codeHost.rest.comments.allowAll();
    fixture.codeHost.rest.comments.clearReactions();
    fixture.codeHost.faults.api.clear();
  });
  afterAll(async () => await fixture.close());

  type Played = { readonly step: StepResult; readonly job: CodeHostJob; readonly written: readonly string[] };

  const play = async (options: JobOptions, inputs: Record<string, string> = {}): Promise<Played> => {
    const job = await fixture.job(options);
    const before = fixture.codeHost.requests.length;
    const step = await fixture.main(job, { inputs });
    const requests = fixture.codeHost.requests.slice(before).filter(({ path }) => path.startsWith("/api/"));
    for (const { headers } of requests) expect(headers.authorization).toBe(`Bearer ${job.githubToken}`);
    return { step, job, written: requests.filter(isWrite).map(callOf) };
  };
  const isWrite = ({ method, path }: CodeHostRequest) => method !== "GET" && !path.endsWith("/graphql");
  const callOf = ({ method, path }: CodeHostRequest) => `${method} ${path.replace(REPOSITORY_API, "")}`;

  const answers = (kind: "issues" | "pulls" = "issues") =>
    fixture.codeHost.rest.commentsOf(7, kind).filter(({ user }) => user === ACTIONS_BOT);
  const comment = (text: string, more: JobOptions = {}): JobOptions => ({
    event: "issue_comment",
    comment: text,
    ...more,
  });

  it("becomes the answer to a request, after a reaction", async () => {
    const { step, job, written } = await play(comment("/agent review"));
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(written[0]).toBe("POST /issues/comments/3000001/reactions");
    expect(written.find((call) => call.startsWith("PATCH"))).toMatch(/^PATCH \/issues\/comments\/7\d+$/);
    expect(written.filter((call) => call.startsWith("POST") && !call.endsWith("/reactions"))).toHaveLength(1);
    expect(answers()).toHaveLength(1);
    const url = answers()[0]?.html_url;
    const body = answers()[0]?.body ?? "";
    expect(step.outputs["comment-url"]).toBe(url);
    expect(step.summary).toContain(`[the comment](${String(url)})`);
    expect(body).toMatch(/^\*\*✅ Answered\*\*\n\n> \*\*No model took part in this run\*\*/);
    expect(body).toMatch(/\n<sub>@octocat · \*\*Credits\*\* 1 charged, 99 left · /);
    expect(body).toContain(`/actions/runs/${job.env.GITHUB_RUN_ID})`);
    expect(body).toMatch(MARKER);
    for (const secret of [job.githubToken, job.idTokenRequestToken]) expect(body).not.toContain(secret);
  });

  const asked = "/issues/comments/3000001";
  const reactions = () => fixture.codeHost.rest.comments.reactionsTo(asked);
  /** GitHub reads none in code. */
  const mentions = (text: string) =>
    [...text.replace(/<code>.*?<\/code>|```.*?```/gs, "").matchAll(/@[\w-]+/g)].map(([mention]) => mention);
  const bodies = (from: number) =>
    fixture.codeHost.requests
      .slice(from)
      .filter(({ method, path }) => /^(POST|PATCH)$/.test(method) && path.includes("/issues/"))
      .flatMap(({ body }) => (JSON.parse(body) as { body?: string }).body ?? []);

  it("mentions who asked once it is done, and only then; the reaction says how it ended", async () => {
    const before = fixture.codeHost.requests.length;
    await play(comment("/agent review"));
    const written = bodies(before);
    expect(written.length).toBeGreaterThan(1);
    for (const progress of written.slice(0, -1)) expect(mentions(progress)).toEqual([]);
    expect(mentions(written.at(-1) ?? "")).toEqual(["@octocat"]);
    expect(reactions()).toEqual(["hooray"]);
  });

  it("replaces the reaction of a failure by that of the next attempt", async () => {
    const job = comment("/agent review", { runId: "1296269955" });
    await play(job, { audience: "another.example" });
    expect(reactions()).toEqual(["-1"]);
    expect(mentions(answers()[0]?.body ?? "")).toEqual(["@octocat"]);
    await play({ ...job, runAttempt: "2" });
    expect(reactions()).toEqual(["hooray"]);
  });

  it("mentions nobody where nobody asked, and no bot", async () => {
    await play({ event: "pull_request" });
    expect(mentions(answers()[0]?.body ?? "")).toEqual([]);
    fixture.codeHost.rest.clearComments(7);
    const bot = { login: "renovate[bot]", id: 2_740_337, type: "Bot" };
    const job = await fixture.job(comment("/agent review"));
    const words = { ...(job.payload.comment as object), user: bot };
    const asks = { payload: { comment: words, sender: bot }, actor: bot.login, actorId: String(bot.id) };
    const { step } = await play(comment("/agent review", asks), { "allow-bots": "renovate[bot]" });
    expect(step.outputs.conclusion).toBe("success");
    expect(answers()[0]?.body).toContain("✅ Answered");
    expect(mentions(answers()[0]?.body ?? "")).toEqual([]);
  });

  it("says by its reaction that a command without an agent was done, too", async () => {
    await play(comment("/agent cancel"));
    expect(reactions()).toEqual(["hooray"]);
    fixture.codeHost.rest.comments.clearReactions();
    await play(comment("/agent help"));
    expect(reactions()).toEqual(["hooray"]);
  });

  it("is a new one for each request, and the same one when the job is re-run", async () => {
    const job = comment("/agent review");
    const first = await play({ ...job, runId: "1296269901" });
    const again = await play({ ...job, runId: "1296269901", runAttempt: "2" });
    expect(again.step.outputs["comment-url"]).toBe(first.step.outputs["comment-url"]);
    expect(answers()).toHaveLength(1);
    const words = { ...(first.job.payload.comment as object), id: 3_000_002 };
    const second = await play({ ...job, payload: { comment: words } });
    expect(second.step.outputs["comment-url"]).not.toBe(first.step.outputs["comment-url"]);
    expect(answers()).toHaveLength(2);
  });

  it("is found on any page, and only under the account that wrote it", async () => {
    const event: JobOptions = { event: "pull_request" };
    const first = await play(event);
    const [made] = answers();
    if (made === undefined) throw new Error("There is no comment.");
    const answer = { ...made };
    expect(first.step.outputs["comment-url"]).toBe(answer.html_url);
    // Another account copies the marker onto the first page.
    fixture.codeHost.rest.clearComments(7);
    const user = { login: "outsider", id: 99, type: "User" };
    fixture.codeHost.rest.addComment(7, {
      id: 1,
      body: answer.body ?? "",
      user,
      html_url: "https://code-host.example/1",
    });
    for (let id = 2; id <= 120; id += 1) {
      fixture.codeHost.rest.addComment(7, {
        id,
        body: `Remark ${id}.`,
        html_url: `https://code-host.example/${id}`,
      });
    }
    fixture.codeHost.rest.addComment(7, answer);
    const second = await play(event);
    expect(second.step.outputs["comment-url"]).toBe(answer.html_url);
    expect(second.written.every((call) => call === `PATCH /issues/comments/${answer.id}`)).toBe(true);
    expect(fixture.codeHost.rest.commentsOf(7).find(({ id }) => id === 1)?.body).toBe(answer.body);
  });

  it("is under the line of the request", async () => {
    const { step, written } = await play({ event: "pull_request_review_comment", comment: "/agent why 1?" });
    expect(written).toContain("POST /pulls/comments/3500001/reactions");
    expect(written).toContain("POST /pulls/7/comments/3500001/replies");
    expect(written.filter((call) => call.includes("/issues/"))).toEqual([]);
    expect(step.outputs["comment-url"]).toBe(answers("pulls")[0]?.html_url);
  });

  it("answers a new issue and a review", async () => {
    const issue = await play({ event: "issues", pullRequest: { body: "/agent find out why" } });
    expect(issue.written[0]).toBe("POST /issues/7/reactions");
    expect(issue.written).toContain(`POST ${COMMENTS}`);
    const review = await play({ event: "pull_request_review", comment: "/agent fix" });
    expect(review.written.some((call) => call.includes("reactions"))).toBe(false);
    expect(review.step.outputs["comment-url"]).not.toBe("");
  });

  it("is not written for users without write access, nor without a request", async () => {
    const outsider = { actor: "outsider", actorId: "99" };
    expect((await play(comment("/agent do it", outsider))).written).toEqual([]);
    expect((await play(comment("Looks good."))).written).toEqual([]);
    expect((await play({ event: "push" })).written).toEqual([]);
  });

  it('is not written with "comment: false"', async () => {
    const { step, written } = await play(comment("/agent review"), { comment: "false" });
    expect(written).toEqual([]);
    expect(step.outputs).toMatchObject({ conclusion: "success", "comment-url": "" });
  });

  it("does not fail the run where the job may not write", async () => {
    fixture.codeHost.rest.comments.deny("issues");
    fixture.codeHost.rest.comments.deny("pull-requests");
    const { step } = await play(comment("/agent review"));
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", "comment-url": "" } });
    expect(step.annotations).toHaveLength(1);
    expect(step.annotations[0]).toMatchObject({ level: "warning" });
    expect(step.annotations[0]?.message).toMatch(
      /^Nothing is written on #7\. GitHub's API answered 403 to POST .* Resource not accessible by integration Give the job "permissions: pull-requests: write", or the step "comment: false"\.$/,
    );
  });

  it("is created once, whatever errors the code host answers", async () => {
    // The permission, the comment, the pull request and the earlier comments are read first.
    const { api } = fixture.codeHost.faults;
    const job = await fixture.job(comment("/agent review"));
    let isArmed = false;
    const step = await fixture.main(job, {
      onLine: (line) => {
        if (isArmed || !line.startsWith("Run ")) return;
        isArmed = true;
        api.next({ type: "status", status: 502 }, 2);
      },
    });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(answers()).toHaveLength(1);
  });

  it("names the failure, and the fix", async () => {
    const { step } = await play(comment("/agent review"), { audience: "another.example" });
    expect(step.outputs.conclusion).toBe("failure");
    expect(answers()[0]?.body).toMatch(
      /^\*\*❌ The step failed\*\*\n\nThe ID token was made for another audience/,
    );
  });
});
