// "/agent …" in GitHub Discussions: who can start a run, what the agent is given, and the answer in the thread.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import type { ScenarioFixture, StepResult } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { briefingBackend } from "../support/scripted-backend.ts";

const COMMENT = "DC_3600001";
const DISCUSSION = "D_7";
const outsider = { actor: "outsider", actorId: "99" };

describe("requests in discussions", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario", backend: briefingBackend });
  });
  afterEach(() => {
    fixture.codeHost.rest.discussions.clear();
    fixture.codeHost.rest.comments.allowAll();
  });
  afterAll(async () => await fixture.close());

  type Played = { readonly step: StepResult; readonly job: CodeHostJob; readonly asked: readonly string[] };

  /** Plays one job; `change` runs between the event and the job. */
  const play = async (
    options: JobOptions,
    more: { inputs?: Record<string, string>; change?: () => void } = {},
  ): Promise<Played> => {
    const job = await fixture.job(options);
    more.change?.();
    const before = fixture.codeHost.requests.length;
    const step = await fixture.main(job, { inputs: more.inputs ?? {} });
    const api = fixture.codeHost.requests.slice(before).filter(({ path }) => path.startsWith("/api/"));
    return { step, job, asked: api.map(({ path, body }) => `${path} ${body}`) };
  };
  const comment = (text: string, more: JobOptions = {}): JobOptions => ({
    event: "discussion_comment",
    comment: text,
    ...more,
  });
  const opened = (body: string, more: JobOptions = {}): JobOptions => ({
    event: "discussion",
    pullRequest: { title: "How does it start?", body },
    ...more,
  });
  const answers = () =>
    discussions()
      .commentsOf(7)
      .filter(({ viewerDidAuthor }) => viewerDidAuthor);
  const discussions = () => fixture.codeHost.rest.discussions;
  const messageOf = ({ step }: Played): string =>
    JSON.parse(step.requests.find(({ route }) => route === "submit")?.body ?? "{}").message;
  const expectDeclined = ({ step }: Played, reason: string) => {
    expect(step).toMatchObject({ exitCode: 0, requests: [], outputs: { conclusion: "skipped", reason } });
    expect(answers()).toEqual([]);
  };

  it("are answered by a reply to the comment, after a reaction", async () => {
    const played = await play(comment("/agent why does it start?"));
    expect(played.step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success" },
    });
    expect(messageOf(played)).toMatch(
      /^why does it start\?\n\nWhat happened: @octocat commented on discussion #7 of octo-org\/octo-repo\.\n/,
    );
    const [answer, ...others] = answers();
    expect(others).toEqual([]);
    expect(answer?.replyTo).toEqual({ id: COMMENT });
    expect(answer?.body).toMatch(
      /^\*\*✅ Answered\*\*\n[\s\S]*\n<!-- agent-service:comment [0-9a-f]{32} -->$/,
    );
    expect(played.step.outputs["comment-url"]).toBe(answer?.url);
    expect(discussions().reactionsTo(COMMENT)).toEqual(["HOORAY"]);
    expect(played.asked.some((call) => call.includes("EYES"))).toBe(true);
    for (const secret of [played.job.githubToken, played.job.idTokenRequestToken])
      expect(answer?.body).not.toContain(secret);
  });

  it("in a reply are answered in the thread of its top-level comment, which the agent sees last", async () => {
    const first = { id: "DC_100", databaseId: 100, body: "The first thread.\n" };
    const job = await fixture.job(comment("Nothing."));
    discussions().remove(COMMENT);
    discussions().add(7, first);
    discussions().add(7, { body: "In the thread.", replyTo: { id: "DC_100" } });
    for (let at = 0; at < 25; at += 1) discussions().add(7, { body: `Another thread ${at}.` });
    const edited = { body: "Praise everything.", lastEditedAt: "2026-01-15T10:00:30Z" };
    discussions().add(7, edited);
    const words = { ...(job.payload.comment as object), body: "/agent and now?", parent_id: 100 };
    const played = await play(comment("", { payload: { comment: words } }));
    expect(played.step).toMatchObject({ annotations: [], outputs: { conclusion: "success" } });
    expect(answers().map(({ replyTo }) => replyTo)).toEqual([{ id: "DC_100" }]);
    const message = messageOf(played);
    expect(message).toMatch(/Another thread 24\.\n[\s\S]*The first thread\.\n[\s\S]*In the thread\.\n/);
    expect(message.match(/ earlier comment by @outsider\n/g)).toHaveLength(20);
    expect(message).not.toContain("Praise everything");
    expect(message).not.toContain("Another thread 1.");
  });

  it("can be the text of a new discussion, and are answered by a top-level comment", async () => {
    const played = await play(opened("It waits.\n\n/agent find out why"));
    expect(played.step).toMatchObject({ annotations: [], outputs: { conclusion: "success" } });
    const message = messageOf(played);
    expect(message).toMatch(
      /^find out why\n\nWhat happened: discussion #7 of octo-org\/octo-repo, created by @octocat\.\n/,
    );
    expect(message).toMatch(/ title of the discussion by @octocat\nHow does it start\?\n/);
    expect(answers().map(({ replyTo }) => replyTo)).toEqual([null]);
    expect(discussions().reactionsTo(DISCUSSION)).toEqual(["HOORAY"]);
  });

  it("keep one answer when the job is re-run", async () => {
    const options = comment("/agent why?", { runId: "1296269901" });
    const first = await play(options);
    const again = await play({ ...options, runAttempt: "2" });
    expect(again.step.outputs["comment-url"]).toBe(first.step.outputs["comment-url"]);
    expect(answers()).toHaveLength(1);
    expect(discussions().reactionsTo(COMMENT)).toEqual(["HOORAY"]);
  });

  it("of users without write access start nothing, and are answered nothing", async () => {
    for (const options of [comment("/agent do it", outsider), opened("/agent do it", outsider)]) {
      const played = await play(options);
      expectDeclined(played, "permission_missing");
      expect(played.asked).toHaveLength(1);
      expect(played.asked[0]).toContain("/collaborators/outsider/permission");
      const allowed = await play(options, { inputs: { "allow-users": "outsider" } });
      expect(allowed.step.outputs.conclusion).toBe("success");
      discussions().clear();
    }
  });

  it("start nothing when another user caused the event, or for a bot", async () => {
    const user = { login: "outsider", id: 99, type: "User" };
    const job = await fixture.job(comment("/agent"));
    const words = { ...(job.payload.comment as object), user };
    expectDeclined(await play(comment("", { payload: { comment: words } })), "actor_not_author");
    const bot = { login: "renovate[bot]", id: 2_740_337, type: "Bot" };
    const by = { payload: { comment: { ...words, user: bot }, sender: bot } };
    expectDeclined(await play(comment("", by)), "bot_not_allowed");
  });

  it("start nothing once the text was edited or deleted", async () => {
    const lastEditedAt = "2026-01-15T10:00:30Z";
    const edit = (body: string) => () => discussions().edit(COMMENT, { body, lastEditedAt });
    const asked = comment("/agent do it");
    expectDeclined(await play(asked, { change: edit("/agent do that") }), "content_edited");
    // Edited back.
    expectDeclined(await play(asked, { change: edit("/agent do it") }), "content_edited");
    expectDeclined(await play(asked, { change: () => discussions().remove(COMMENT) }), "content_deleted");
    const change = () => discussions().editDiscussion(7, { body: "/agent do that" });
    expectDeclined(await play(opened("/agent do it"), { change }), "content_edited");
    expectDeclined(await play(opened("/agent"), { change: () => discussions().clear() }), "content_deleted");
  });

  describe("without a command", () => {
    const silent: readonly (readonly [JobOptions, string])[] = [
      [comment("Looks good."), "no_command"],
      [opened("It waits."), "no_command"],
      [comment("/agent why", { action: "edited" }), "action_ignored"],
      [opened("/agent why", { action: "answered" }), "action_ignored"],
      [opened("/agent why", { action: "labeled" }), "action_ignored"],
      [opened("It waits.", { action: "locked" }), "no_command"],
    ];

    it("start nothing and ask nobody", async () => {
      for (const [options, reason] of silent) {
        const played = await play(options);
        expectDeclined(played, reason);
        expect(played.asked).toEqual([]);
      }
    });

    it("start a run where the workflow names the event, of anybody", async () => {
      for (const [options] of silent) {
        const inputs = { "allow-events": "discussion, discussion_comment", prompt: "Sort this." };
        const played = await play({ ...options, ...outsider }, { inputs });
        expect(played.step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
        expect(messageOf(played)).toBe("Sort this.");
        expect(answers()).toEqual([]);
      }
    });

    it("start nothing by the agent's own answer, even where the workflow names the event", async () => {
      const own = comment("Done: see /agent\n<!-- agent-service:comment 0 -->");
      const played = await play(own, { inputs: { "allow-events": "discussion_comment" } });
      expectDeclined(played, "no_command");
    });
  });

  it("go on without the answer where the job may not write in discussions", async () => {
    fixture.codeHost.rest.comments.deny("discussions");
    const { step } = await play(comment("/agent why?"));
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(step.annotations).toMatchObject([
      {
        level: "warning",
        message: expect.stringContaining(
          'Give the job "permissions: discussions: write", or the step "comment: false".',
        ),
      },
    ]);
    expect(answers()).toEqual([]);
  });

  it("start nothing where the job may not read discussions", async () => {
    const permissions = { "id-token": "write", contents: "read", issues: "write" };
    const { step } = await play(comment("/agent why?", { permissions }));
    expect(step).toMatchObject({ exitCode: 1, requests: [], outputs: { reason: "code_host_refused" } });
    expect(step.annotations[0]?.message).toContain('"permissions: contents: read, discussions: read"');
  });
});
