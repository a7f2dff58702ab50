import { afterEach, describe, expect, it } from "vitest";
import type { JobOptions } from "../../../fakes/code-host/job.ts";
import type { TypedOutput, TypedOutputs } from "../../../src/contract/runs/typed-outputs.ts";
import { OutputsBench } from "./outputs-bench.ts";

const declared: TypedOutputs = {
  labels: { allowed: ["bug", "docs"], max: 2 },
  assign: { allowed: ["octocat", "stranger"], max: 2 },
  reviewers: { allowed: ["team/core", "hubot"], max: 2 },
  close: { reasons: ["duplicate"] },
  issue: { max: 2, title_prefix: "[agent] ", close_older: true },
  discussion: { category: "Ideas", max: 1 },
  dispatch: { workflows: ["release.yml"], max: 1 },
};

describe("the job's writes of typed outputs", () => {
  let bench: OutputsBench;
  afterEach(async () => await bench.close());
  const open = async (options?: JobOptions) => {
    bench = await OutputsBench.open(options);
  };

  it("are labels, assignees and the end of its issue, and a second attempt writes nothing", async () => {
    await open();
    const asked: TypedOutput[] = [
      { type: "close", reason: "duplicate" },
      { type: "labels", labels: ["bug", "docs"] },
      { type: "assign", logins: ["octocat"] },
    ];
    expect(await bench.write({ declared, asked })).toEqual({
      written: [
        { type: "labels", text: "Added to #7: bug, docs.", url: null },
        { type: "assign", text: "Assigned to #7: octocat.", url: null },
        { type: "close", text: "Closed #7 as duplicate.", url: null },
      ],
      refused: [],
    });
    expect(bench.takeWrites()).toEqual([
      { call: "POST /issues/7/labels", body: { labels: ["bug", "docs"] } },
      { call: "POST /issues/7/assignees", body: { assignees: ["octocat"] } },
      { call: "PATCH /issues/7", body: { state: "closed", state_reason: "duplicate" } },
    ]);
    const again = await bench.write({ declared, asked, attempt: 2 });
    expect(again.refused).toEqual([]);
    expect(bench.takeWrites()).toEqual([]);
  });

  it("are the reviewers of its pull request, people and teams, each asked once", async () => {
    await open({ event: "pull_request" });
    const asked: TypedOutput[] = [{ type: "reviewers", reviewers: ["team/core", "hubot"] }];
    const about = "pull_request" as const;
    const { written, refused } = await bench.write({ declared, asked, about });
    expect({ written, refused }).toMatchObject({ written: [{ type: "reviewers" }], refused: [] });
    const call = "POST /pulls/7/requested_reviewers";
    expect(bench.takeWrites()).toEqual([{ call, body: { reviewers: ["hubot"], team_reviewers: ["core"] } }]);
    await bench.write({ declared, asked, about });
    expect(bench.takeWrites()).toEqual([]);
  });

  it("say of a team what token it needs", async () => {
    await open({ event: "pull_request" });
    bench.host.rest.issueWrites.mayRequestTeams = false;
    const asked: TypedOutput[] = [{ type: "reviewers", reviewers: ["team/core"] }];
    const { refused } = await bench.write({ declared, asked, about: "pull_request" });
    expect(refused[0]?.why).toContain('For a team, "github-token" has to be that of a GitHub App');
  });

  it("are new issues with a marker, filed once in all attempts, which close the older ones of the step", async () => {
    await open();
    const asked: TypedOutput[] = [{ type: "issue", title: "Weekly", body: "Hello @octocat <!-- hidden -->" }];
    const first = await bench.write({ declared, asked });
    expect(first).toMatchObject({ written: [{ type: "issue", text: "Filed #501." }], refused: [] });
    const { title, body } = bench.host.rest.at("/issues/501") ?? {};
    expect(title).toBe("[agent] Weekly");
    expect(body).not.toContain("hidden");
    expect(body).toContain("<code>@octocat</code>");
    expect(body).toMatch(/\n<!-- agent-service:filed [0-9a-f]{32} [0-9a-f]{32} -->$/);
    bench.takeWrites();
    const again = await bench.write({ declared, asked, attempt: 2 });
    expect(again.written).toMatchObject([{ text: "#501 was filed before." }]);
    expect(bench.takeWrites()).toEqual([]);

    // Somebody else's with a copied marker, and one of ours with another title, are left alone.
    bench.host.rest.addIssue({
      number: 400,
      title,
      body,
      state: "open",
      user: { login: "outsider", id: 99 },
    });
    const other = { ...bench.host.rest.at("/issues/501"), number: 401, title: "Renamed" };
    bench.host.rest.addIssue(other);
    const next = await bench.write({ declared, asked, runKey: "run-2" });
    expect(next.written).toMatchObject([{ text: "Filed #502. Closed #501." }]);
    expect(bench.takeWrites()).toEqual([
      {
        call: "POST /issues",
        body: { title: "[agent] Weekly", body: expect.stringContaining("It replaces #501.") },
      },
      { call: "PATCH /issues/501", body: { state: "closed", state_reason: "not_planned" } },
    ]);
    await bench.write({ declared, asked, runKey: "run-2" });
    expect(bench.takeWrites()).toEqual([]);
  });

  it("keep the issues of one run beside each other", async () => {
    await open();
    const asked: TypedOutput[] = ["One", "Two"].map((title) => ({ type: "issue", title, body: "Text." }));
    const { written } = await bench.write({ declared, asked });
    expect(written.map(({ text }) => text)).toEqual(["Filed #501.", "Filed #502."]);
    expect(bench.host.rest.at("/issues/501")).toMatchObject({ state: "open" });
  });

  it("keep the texts of two steps of one job apart, whose service inside the job gives them one key", async () => {
    await open();
    const issue: TypedOutput[] = [{ type: "issue", title: "Weekly", body: "Text." }];
    const idea: TypedOutput[] = [{ type: "discussion", title: "An idea", body: "Text." }];
    for (const asked of [issue, idea]) await bench.write({ declared, asked, step: "first" });
    const second = { declared, step: "second" };
    expect((await bench.write({ ...second, asked: issue })).written).toMatchObject([{ text: "Filed #502." }]);
    expect((await bench.write({ ...second, asked: idea })).written).toMatchObject([{ text: "Opened #902." }]);
  });

  it("are discussions of the category, opened once", async () => {
    await open();
    const asked: TypedOutput[] = [{ type: "discussion", title: "An idea", body: "Text." }];
    const first = await bench.write({ declared, asked });
    expect(first).toMatchObject({ written: [{ text: "Opened #901." }], refused: [] });
    expect((await bench.write({ declared, asked })).written).toMatchObject([
      { text: "#901 was opened before." },
    ]);
    expect(bench.host.rest.discussions.made).toHaveLength(1);
    const elsewhere = { discussion: { category: "Polls", max: 1 } };
    expect((await bench.write({ declared: elsewhere, asked, runKey: "run-2" })).refused).toEqual([
      { type: "discussion", why: 'The repository has no category of discussions "Polls". It has: Ideas.' },
    ]);
  });

  it("start a workflow on the job's own branch, and once", async () => {
    await open();
    bench.host.rest.dispatches.workflows.add("release.yml");
    const asked: TypedOutput[] = [{ type: "dispatch", workflow: "release.yml" }];
    expect((await bench.write({ declared, asked })).written).toMatchObject([
      { text: "Started release.yml on main." },
    ]);
    expect((await bench.write({ declared, asked, attempt: 2 })).written).toMatchObject([
      { text: "release.yml was started before." },
    ]);
    expect(bench.host.rest.dispatches.all).toMatchObject([{ workflow: "release.yml", ref: "main" }]);
  });

  it("start no workflow where the job is on a pull request's merge commit", async () => {
    await open({ event: "pull_request" });
    const asked: TypedOutput[] = [{ type: "dispatch", workflow: "release.yml" }];
    const { refused } = await bench.write({ declared, asked, about: "pull_request" });
    expect(refused[0]?.why).toMatch(/^This job runs on no branch and no tag/);
    expect(bench.takeWrites()).toEqual([]);
  });

  it("refuse what the service sent and the job has not declared, and what has no place", async () => {
    await open();
    const few: TypedOutputs = {
      labels: { allowed: ["bug"], max: 1 },
      reviewers: { allowed: ["hubot"], max: 1 },
    };
    const asked: TypedOutput[] = [
      { type: "labels", labels: ["admin"] },
      { type: "labels", labels: ["bug"] },
      { type: "close", reason: "completed" },
      { type: "reviewers", reviewers: ["hubot"] },
    ];
    const { written, refused } = await bench.write({ declared: few, asked });
    expect(written.map(({ type }) => type)).toEqual(["labels"]);
    expect(refused).toEqual([
      { type: "labels", why: '"admin" is no label that may be chosen. Allowed: "bug".' },
      { type: "close", why: 'The output "close" is not declared. Declared: labels, reviewers.' },
      { type: "reviewers", why: "This job is about nothing that it could be written to." },
    ]);
    expect(bench.takeWrites().map(({ call }) => call)).toEqual(["POST /issues/7/labels"]);
  });

  it.each<[TypedOutput, string]>([
    [{ type: "labels", labels: ["bug"] }, "issues"],
    [{ type: "issue", title: "x", body: "y" }, "issues"],
    [{ type: "discussion", title: "x", body: "y" }, "discussions"],
    [{ type: "dispatch", workflow: "release.yml" }, "actions"],
  ])("name the permission that is missing: %j", async (one, permission) => {
    await open({ permissions: { contents: "read", issues: "read", discussions: "read", actions: "read" } });
    bench.host.rest.dispatches.workflows.add("release.yml");
    const { written, refused } = await bench.write({ declared, asked: [one] });
    expect(written).toEqual([]);
    expect(refused[0]?.why).toContain(`Add "${permission}: write" to the "permissions:" of this job`);
  });

  it("say of people without access that GitHub assigns them nothing", async () => {
    await open();
    const { refused } = await bench.write({ declared, asked: [{ type: "assign", logins: ["stranger"] }] });
    expect(refused[0]?.why).toMatch(/^GitHub assigns nobody without access to the repository: stranger\./);
  });
});
