// What a job on GitLab does with a token that can do less than its flags ask for: it says so in a line, and goes on.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LINES } from "../support/fixtures/changes-fixture.ts";
import { GitLabFixture } from "../support/fixtures/gitlab-fixture.ts";
import { BOT, TOKEN } from "../support/fixtures/gitlab-project.ts";

const ALL = ["--comment", "--changes", "commit", "--findings", "review", "--commit-status"];

let fixture: GitLabFixture;
beforeAll(async () => {
  fixture = await GitLabFixture.open();
});
afterAll(async () => await fixture.close());
beforeEach(async () => {
  await fixture.begin();
  const changes = fixture.changes({ "notes.txt": LINES });
  fixture.plan({ output: { summary: "Fine.", findings: [] }, changes });
});
afterEach(async () => await fixture.end());

describe("the token of a job", () => {
  it("writes the note alone where its role is Reporter", async () => {
    fixture.gitlab.addToken(TOKEN, { role: "reporter" });
    const job = await fixture.job(ALL);
    expect(job.code, job.stderr).toBe(0);
    const lines = job.stderr.split("\n");
    expect(lines).toContain(
      'Not written: the run\'s changes. It takes the scope "api" and at least the role Developer; the token in AGENT_SERVICE_GITLAB_TOKEN has the scopes "api" and the role Reporter. Make a new project access token and store it in that variable. The run goes on without.',
    );
    expect(lines.filter((line) => line.startsWith("Not written: the review."))).toHaveLength(1);
    expect(fixture.ownNotes()).toHaveLength(1);
    expect([fixture.project.pushes, fixture.project.statuses.length]).toEqual([0, 0]);
    expect(job.files["changes.patch"]).toContain("line 5");
  });

  it("writes nothing where its scope is too small, or it is no member", async () => {
    fixture.gitlab.addToken(TOKEN, { role: "developer", scopes: ["read_api"] });
    const small = await fixture.job(ALL);
    expect(small.code, small.stderr).toBe(0);
    expect(small.stderr).toContain('has the scopes "read_api" and the role Developer.');
    fixture.gitlab.addToken(TOKEN, { role: "none" });
    const stranger = await fixture.job(ALL);
    expect(stranger.code, stranger.stderr).toBe(0);
    expect(stranger.stderr).toContain('has the scopes "api" and no role in this project.');
    expect([fixture.writes(), fixture.project.pushes]).toEqual([[], 0]);
  });

  it("is warned of in its last fourteen days, and not before", async () => {
    const dayOf = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    fixture.gitlab.addToken(TOKEN, { role: "developer", expiresOn: dayOf(10) });
    const soon = await fixture.job(["--comment"]);
    expect(soon.stderr).toMatch(
      /The token in AGENT_SERVICE_GITLAB_TOKEN expires on \d{4}-\d\d-\d\d, in (9|10) days: rotate it/,
    );
    fixture.gitlab.addToken(TOKEN, { role: "developer", expiresOn: dayOf(40) });
    expect((await fixture.job(["--comment"])).stderr).toBe("");
  });

  it("that is revoked before the job writes nothing, and while the run goes on leaves the changes in the patch", async () => {
    fixture.gitlab.onCall = (call) => {
      if (call.startsWith("POST /merge_requests/9/notes")) fixture.gitlab.tokens.clear();
    };
    const changes = ["--comment", "--changes", "commit"];
    const middle = await fixture.job(changes);
    fixture.gitlab.onCall = null;
    expect(middle.code).toBe(1);
    expect(middle.stderr).toContain(
      "GitLab does not accept the token in AGENT_SERVICE_GITLAB_TOKEN, or not any more.",
    );
    expect(middle.stderr).toContain("Nothing is written on !9.");
    expect(middle.files["changes.patch"]).toContain("line 5");
    expect(fixture.project.tip("topic")).toBe(fixture.head);
    const before = await fixture.job(changes);
    expect(before.code, before.stderr).toBe(0);
    expect(before.stderr).toMatch(
      /Nothing is written on GitLab\. .*401 to GET \/user\..* is not valid, or not any more/,
    );
  });

  it("goes on where the job has none: a protected variable does not reach every branch", async () => {
    const job = await fixture.job(ALL, { env: { AGENT_SERVICE_GITLAB_TOKEN: undefined } });
    expect(job.code, job.stderr).toBe(0);
    expect(job.stderr).toBe(
      'Nothing is written on GitLab: AGENT_SERVICE_GITLAB_TOKEN is not set in this job. Store a project access token with the scope "api" and the role Developer as a masked CI/CD variable by that name; a protected one reaches jobs of protected branches and tags alone.\n',
    );
    expect(fixture.gitlab.requests).toEqual([]);
  });

  it("starts no run by its own push", async () => {
    const own = String(fixture.gitlab.idOf(BOT));
    const job = await fixture.job(ALL, { env: { GITLAB_USER_ID: own } });
    expect([job.code, job.requests]).toEqual([0, []]);
    expect(job.stderr).toContain(
      `Nothing ran: this pipeline is of a push by ${BOT}, the account of the token`,
    );
    const byHand = { GITLAB_USER_ID: own, CI_PIPELINE_SOURCE: "web" };
    expect((await fixture.job(["--comment"], { env: byHand })).requests).not.toEqual([]);
  });
});

describe("flags that write back", () => {
  it.each([
    [["--commit-status"], "--commit-status needs --findings review: add it, or remove it."],
    [
      ["--fail-on-severity", "error", "--paths", "src/**"],
      "--fail-on-severity, --paths needs --findings review",
    ],
    [
      ["--findings", "review", "--output-schema", "a.json"],
      "--output-schema and --findings review exclude each other",
    ],
    [
      ["--changes", "commit", "--issue", "7", "--outputs", "labels: { allowed: [a] }"],
      "--changes commit and --issue exclude each other",
    ],
    [["--changes", "push"], "--changes must be one of patch, commit, pull-request"],
    [["--branch-prefix", "../x"], "--branch-prefix must be up to 100 letters"],
  ])("%j are refused", async (flags, message) => {
    const job = await fixture.job(flags);
    expect([job.code, job.requests]).toEqual([2, []]);
    expect(job.stderr).toContain(message);
  });

  it("are refused without a whole and confidential address of the API", async () => {
    for (const [url, message] of [
      ["http://gitlab.example.com/api/v4", "CI_API_V4_URL is plain http"],
      ["https://gitlab.example.com/other", "CI_API_V4_URL must end with /api/v4"],
    ]) {
      const job = await fixture.job(["--comment"], { env: { CI_API_V4_URL: url } });
      expect([job.code, job.requests]).toEqual([2, []]);
      expect(job.stderr).toContain(message);
    }
  });
});
