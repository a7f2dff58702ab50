import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GitLabRole } from "../../fakes/gitlab/records.ts";
import type { TypedOutput, TypedOutputs } from "../../src/contract/runs/typed-outputs.ts";
import { GitLabBench, TOKEN } from "./gitlab-bench.ts";

const declared: TypedOutputs = {
  labels: { allowed: ["bug", "docs", "Bug"], max: 2 },
  assign: { allowed: ["octocat", "eileen.lowe", "stranger", "nobody"], max: 2 },
  reviewers: { allowed: ["hubot", "octocat"], max: 2 },
  close: { reasons: ["duplicate"] },
  issue: { max: 2, title_prefix: "[agent] ", close_older: true },
};
const labels = (...given: string[]): TypedOutput => ({ type: "labels", labels: given });
const assign = (...logins: string[]): TypedOutput => ({ type: "assign", logins });
const issue = (title: string, body = "Text."): TypedOutput => ({ type: "issue", title, body });

let bench: GitLabBench;
beforeEach(async () => {
  bench = await GitLabBench.open();
});
afterEach(async () => await bench.close());

describe("typed outputs on GitLab", () => {
  it("are labels, assignees and the end of an issue, and a retried job writes nothing", async () => {
    const asked: TypedOutput[] = [
      { type: "close", reason: "duplicate" },
      labels("bug", "docs"),
      assign("Eileen.Lowe"),
    ];
    const open = { ...declared, assign: { allowed: ["Eileen.Lowe"], max: 1 } };
    expect(await bench.write({ declared: open, asked })).toEqual({
      written: [
        { type: "labels", text: "Added to #7: bug, docs.", url: null },
        { type: "assign", text: "Assigned to #7: Eileen.Lowe.", url: null },
        { type: "close", text: "Closed #7 as duplicate.", url: null },
      ],
      refused: [],
    });
    const id = bench.gitlab.issues.get(7)?.assignees[0]?.id;
    expect(bench.takeWrites()).toEqual([
      { call: "PUT /issues/7", body: { add_labels: "bug,docs" } },
      { call: "PUT /issues/7", body: { assignee_ids: [id] } },
      { call: "PUT /issues/7", body: { state_event: "close" } },
    ]);
    expect((await bench.write({ declared: open, asked })).refused).toEqual([]);
    expect(bench.takeWrites()).toEqual([]);
    for (const { headers } of bench.gitlab.requests) expect(headers["private-token"]).toBe(TOKEN);
  });

  it("tell labels apart by their case, as GitLab does, and make those that it does not have", async () => {
    bench.gitlab.addIssue({ iid: 7, labels: ["bug"] });
    await bench.write({ declared, asked: [labels("Bug")] });
    expect(bench.takeWrites()).toEqual([{ call: "PUT /issues/7", body: { add_labels: "Bug" } }]);
    expect([...bench.gitlab.labels]).toEqual(["Bug"]);
  });

  it("leave those who are there", async () => {
    bench.gitlab.hasPremium = true;
    const hubot = bench.gitlab.addAccount("carol");
    bench.gitlab.addIssue({ iid: 7, assignees: [hubot] });
    await bench.write({ declared, asked: [assign("octocat")] });
    expect(bench.gitlab.issues.get(7)?.assignees.map(({ username }) => username)).toEqual([
      "carol",
      "octocat",
    ]);
  });

  it("are labels, assignees and reviewers of a merge request, and no end of it", async () => {
    const asked: TypedOutput[] = [
      labels("bug"),
      assign("octocat"),
      { type: "reviewers", reviewers: ["hubot"] },
      { type: "close", reason: "duplicate" },
    ];
    const { written, refused } = await bench.write({ declared, asked, about: "pull_request" });
    expect(written.map(({ text }) => text)).toEqual([
      "Added to !7: bug.",
      "Assigned to !7: octocat.",
      "Review of !7 requested: hubot.",
    ]);
    expect(refused).toMatchObject([{ type: "close" }]);
    expect(bench.takeWrites().map(({ call }) => call)).toEqual(Array(3).fill("PUT /merge_requests/7"));
    expect(bench.gitlab.mergeRequests.get(7)).toMatchObject({ labels: ["bug"], state: "opened" });
    await bench.write({ declared, asked, about: "pull_request" });
    expect(bench.takeWrites()).toEqual([]);
  });

  it("are new issues with a marker, filed once in all attempts, which close the older ones of the job", async () => {
    const first = await bench.write({ declared, asked: [issue("Weekly", "Hello @octocat <!-- hidden -->")] });
    expect(first).toMatchObject({ written: [{ text: "Filed #501." }], refused: [] });
    const { title, description } = bench.gitlab.issues.get(501) ?? {};
    expect(title).toBe("[agent] Weekly");
    expect(description).not.toContain("hidden");
    expect(description).toContain("<code>@octocat</code>");
    expect(description).toMatch(/\n<!-- agent-service:filed [0-9a-f]{32} [0-9a-f]{32} -->$/);
    bench.takeWrites();
    expect((await bench.write({ declared, asked: [issue("Weekly")] })).written).toMatchObject([
      { text: "#501 was filed before." },
    ]);
    expect(bench.takeWrites()).toEqual([]);

    // Somebody else's with a copied marker, and one of another job, are left alone.
    bench.gitlab.addIssue({ iid: 400, title: String(title), description: String(description) });
    await bench.write({ declared, asked: [issue("Weekly")], job: "other" });
    bench.takeWrites();
    const next = await bench.write({ declared, asked: [issue("Weekly")], runKey: "575" });
    expect(next.written).toMatchObject([{ text: "Filed #503. Closed #501." }]);
    expect(bench.takeWrites()).toEqual([
      {
        call: "POST /issues",
        body: { title: "[agent] Weekly", description: expect.stringContaining("It replaces #501.") },
      },
      { call: "PUT /issues/501", body: { state_event: "close" } },
    ]);
    expect([400, 502].map((iid) => bench.gitlab.issues.get(iid)?.state)).toEqual(["opened", "opened"]);
  });

  it("find the issue of an attempt whose answer was lost", async () => {
    bench.gitlab.fail(/^POST \/issues/, { status: 502, isLate: true });
    const lost = await bench.write({ declared, asked: [issue("Weekly")] });
    expect(lost.refused[0]?.why).toBe("GitLab's API answered 502 to POST /issues. Re-run the job.");
    expect((await bench.write({ declared, asked: [issue("Weekly")] })).written).toMatchObject([
      { text: "#501 was filed before." },
    ]);
    expect(bench.takeWrites()).toHaveLength(1);
  });

  it.each([
    "/label ~admin",
    "Text.\n/assign @root\nMore.",
    "  /close",
    "````\n/close\n````",
    "```\nx\n/label ~admin\n```\n/close",
    "~~~\n/close\n~~~",
    "> quoted\n/label ~admin",
    "- item\n\n/confidential",
    "```\n/close",
    "a `x`\n/label ~admin\n`y`",
    "<details>\n/close\n</details>",
    "\\\n/close",
    "\u200b/close",
    "`` ` ``\n````md\n```\n/close\n```\n````\n/label ~admin",
  ])("file no text of which GitLab executes a line: %j", async (body) => {
    await bench.write({ declared, asked: [issue("Weekly", body)] });
    expect(bench.gitlab.executed).toEqual([]);
    const [sent] = bench.takeWrites();
    expect((sent?.body as { description: string } | undefined)?.description).not.toMatch(/^\//m);
  });

  it("show a path at the beginning of a line as it is", async () => {
    await bench.write({ declared, asked: [issue("Weekly", "/etc/hosts is read.\n\n```\n/usr/bin\n```")] });
    expect(bench.gitlab.issues.get(501)?.description).toContain(
      "\\/etc/hosts is read.\n\n```\n /usr/bin\n```",
    );
  });

  it.each<[TypedOutput, string]>([
    [assign("stranger"), "GitLab has not assigned stranger: it takes nobody without access to the project"],
    [assign("octocat", "eileen.lowe"), "GitLab has not assigned eileen.lowe: it takes nobody"],
    [assign("nobody"), 'GitLab knows no user nobody. Correct the name in "outputs"'],
  ])("say of people whom GitLab leaves out why: %j", async (one, why) => {
    const { refused } = await bench.write({ declared, asked: [one] });
    expect(refused).toMatchObject([{ type: "assign", why: expect.stringContaining(why) }]);
  });

  it.each<[GitLabRole, string[], TypedOutput, "issue" | "pull_request", RegExp]>([
    [
      "guest",
      ["api"],
      labels("bug"),
      "issue",
      /answered 403 to PUT \/issues\/7\. 403 Forbidden\. .* needs the role Planner or Reporter/,
    ],
    [
      "reporter",
      ["api"],
      labels("bug"),
      "pull_request",
      /answered 403 to PUT \/merge_requests\/7\. .* needs the role Developer/,
    ],
    [
      "developer",
      ["read_api"],
      labels("bug"),
      "issue",
      /answered 403 .*higher privileges.* needs the scope "api": make a new one/,
    ],
    [
      "none",
      ["api"],
      labels("bug"),
      "issue",
      /^GitLab shows no #7 to the token\. .* needs the role Planner or Reporter in this project/,
    ],
    ["none", ["api"], issue("Weekly"), "issue", /answered 404 to GET \/issues\. .* needs the role Planner/],
  ])("name the role or the scope that is missing: %s %j %j", async (role, scopes, one, about, why) => {
    bench.gitlab.addToken(TOKEN, { role, scopes });
    const { written, refused } = await bench.write({ declared, asked: [one], about });
    expect(written).toEqual([]);
    expect(refused[0]?.why).toMatch(why);
  });

  it("say that labels were left out, which GitLab does without a word", async () => {
    bench.gitlab.addToken(TOKEN, { role: "guest" });
    const author = bench.gitlab.addAccount("project_20_bot");
    bench.gitlab.addIssue({ iid: 7, author });
    const { refused } = await bench.write({ declared, asked: [labels("bug")] });
    expect(refused[0]?.why).toMatch(/^GitLab did not add bug\. .* needs the role Planner or Reporter/);
  });

  it.each([
    [
      409,
      { status: 409, body: '{"message":"409 Conflict"}' },
      /answered 409 to PUT \/issues\/7\. 409 Conflict\. Write it by hand\./,
    ],
    [400, { status: 400, body: '{"message":{"title":["is too long"]}}' }, /answered 400 .*is too long/],
    [302, { status: 302, headers: { location: "https://elsewhere.example.com/" }, body: "" }, /answered 302/],
  ])("leave to people what GitLab refuses with %i", async (_status, fault, why) => {
    bench.gitlab.fail(/^PUT/, { headers: { "content-type": "application/json" }, ...fault });
    const { refused } = await bench.write({ declared, asked: [labels("bug")] });
    expect(refused[0]?.why).toMatch(why);
    expect(bench.takeWrites()).toHaveLength(1);
  });

  it("go on where the account of the token cannot be read, which issues alone need", async () => {
    for (let at = 0; at < 10; at += 1) bench.gitlab.fail(/^GET \/user/, { status: 503 });
    const { written, refused } = await bench.write({ declared, asked: [issue("Weekly"), labels("bug")] });
    expect(written).toMatchObject([{ type: "labels" }]);
    expect(refused).toEqual([
      { type: "issue", why: "GitLab's API answered 503 to GET /user. Re-run the job." },
    ]);
    expect(bench.takeWrites().map(({ call }) => call)).toEqual(["PUT /issues/7"]);
  });

  it("refuse what the service sent and the job has not declared", async () => {
    const few: TypedOutputs = { labels: { allowed: ["bug"], max: 1 } };
    const asked: TypedOutput[] = [
      labels("admin"),
      { type: "close", reason: "completed" },
      { type: "discussion", title: "An idea", body: "Text." },
      { type: "dispatch", workflow: "release.yml" },
    ];
    const { written, refused } = await bench.write({ declared: few, asked });
    expect(written).toEqual([]);
    expect(refused.map(({ type }) => type)).toEqual(["labels", "close", "discussion", "dispatch"]);
    expect(bench.takeWrites()).toEqual([]);
  });
});

describe("the client of GitLab's API", () => {
  const asked = [labels("bug")];

  it.each([
    ["429 with a time", { status: 429, headers: { "retry-after": "7" } }, [7_000, 7_700]],
    ["429 without one", { status: 429 }, [500, 1_000]],
    ["502", { status: 502 }, [500, 1_000]],
    [
      "a page in the place of an answer",
      { status: 200, headers: { "content-type": "text/html" }, body: "<html>" },
      [500, 1_000],
    ],
  ] as const)("tries a read again after %s", async (_name, fault, [least, most]) => {
    bench.gitlab.fail(/^GET \/issues\/7/, fault);
    expect((await bench.write({ declared, asked })).written).toHaveLength(1);
    const [slept = 0] = bench.clock.sleeps;
    expect(slept).toBeGreaterThanOrEqual(least);
    expect(slept).toBeLessThanOrEqual(most);
  });

  it("creates an issue again after a limit, which counts before anything is done, and after nothing else", async () => {
    bench.gitlab.fail(/^POST/, { status: 429 });
    expect((await bench.write({ declared, asked: [issue("One")] })).written).toMatchObject([
      { text: "Filed #501." },
    ]);
    bench.gitlab.fail(/^POST/, { status: 500 });
    const { refused } = await bench.write({ declared, asked: [issue("Two")], runKey: "575" });
    expect(refused).toMatchObject([{ type: "issue" }]);
    expect(bench.takeWrites().filter(({ call }) => call === "POST /issues")).toHaveLength(3);
  });

  it("gives up after some attempts, and says so", async () => {
    for (let at = 0; at < 10; at += 1) bench.gitlab.fail(/^PUT/, { status: 429 });
    const { refused } = await bench.write({ declared, asked });
    expect(refused[0]?.why).toBe("GitLab's API answered 429 to PUT /issues/7. Re-run the job.");
    expect(bench.takeWrites()).toHaveLength(6);
  });

  it("waits for no limit of ten minutes", async () => {
    bench.gitlab.fail(/^PUT/, { status: 429, headers: { "retry-after": "600" } });
    expect((await bench.write({ declared, asked })).refused).toHaveLength(1);
    expect(bench.takeWrites()).toHaveLength(1);
  });

  it("reads no answer without an end", async () => {
    const body = JSON.stringify({ state: "opened", labels: ["x".repeat(33 * 1024 * 1024)] });
    bench.gitlab.fail(/^GET \/issues\/7/, {
      status: 200,
      headers: { "content-type": "application/json" },
      body,
    });
    const { refused } = await bench.write({ declared, asked });
    expect(refused[0]?.why).toMatch(/^GitLab's API (gave no answer|answered 200) to GET \/issues\/7\./);
    expect(bench.takeWrites()).toEqual([]);
  });

  it("takes no answer of another shape", async () => {
    bench.gitlab.fail(/^GET \/issues\/7/, {
      status: 200,
      headers: { "content-type": "application/json" },
      body: '{"labels":7}',
    });
    const { refused } = await bench.write({ declared, asked });
    expect(refused[0]?.why).toContain("does not have the shape that GitLab publishes");
  });

  it("ends with the signal's reason", async () => {
    const stop = new AbortController();
    stop.abort(new Error("stopped"));
    await expect(bench.api(stop.signal).readGlobal("/user", {} as never)).rejects.toThrow("stopped");
  });
});
