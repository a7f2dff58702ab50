// What a step on Bitbucket does with a token that can do less than its flags ask for: it says so in a line, and goes on.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BitbucketFixture, SCOPES, TOKEN } from "../support/fixtures/bitbucket-fixture.ts";
import { commitEdits, LINES } from "../support/fixtures/changes-fixture.ts";

const ALL = ["--comment", "--changes", "commit", "--findings", "review", "--commit-status"];

let fixture: BitbucketFixture;
beforeAll(async () => {
  fixture = await BitbucketFixture.open();
});
afterAll(async () => await fixture.close());
beforeEach(async () => {
  await fixture.begin();
  const changes = fixture.changes({ "notes.txt": LINES });
  fixture.plan({ output: { summary: "Fine.", findings: [] }, changes });
});
afterEach(() => fixture.end());

describe("the token of a step", () => {
  it("writes no changes where it may only read the repository and comment", async () => {
    fixture.bitbucket.addToken(TOKEN, ["pullrequest"], fixture.bot);
    const job = await fixture.job(ALL);
    expect(job.code, job.stderr).toBe(0);
    expect(job.stderr).toBe(
      'Not written: the run\'s changes. It takes the scope "repository:write"; the token in AGENT_SERVICE_BITBUCKET_TOKEN has "pullrequest". Make a new repository access token with "pullrequest:write" and "repository:write", and store it in that variable. The run goes on without.\n',
    );
    const written = fixture.own().map(({ raw }) => raw.split("\n")[0]);
    expect(written.toSorted()).toEqual(["**No findings.**", "**✅ No findings**"]);
    expect([fixture.bitbucket.repository.pushes, fixture.bitbucket.statuses.length]).toEqual([0, 1]);
    expect(job.files["changes.patch"]).toContain("line 5");
  });

  it("writes nothing where it has other scopes, or none of this repository", async () => {
    fixture.bitbucket.addToken(TOKEN, ["webhook"], fixture.bot);
    const small = await fixture.job(ALL);
    expect(small.code, small.stderr).toBe(0);
    expect(small.stderr).toContain(
      'Not written: the comment on the pull request. It takes the scope "pullrequest"; the token',
    );
    expect(small.stderr).toContain('has "webhook".');
    fixture.bitbucket.addToken(TOKEN, SCOPES, fixture.bot);
    const stranger = await fixture.job(ALL, { env: { BITBUCKET_REPO_FULL_NAME: "acme/other" } });
    expect(stranger.code, stranger.stderr).toBe(0);
    expect(stranger.stderr).toContain("Nothing is written on Bitbucket. Bitbucket's API answered 404");
    expect([fixture.writes(), fixture.bitbucket.repository.pushes]).toEqual([[], 0]);
  });

  it("that is revoked before the step writes nothing, and while the run goes on leaves the changes in the patch", async () => {
    fixture.bitbucket.onCall = (call) => {
      if (call.startsWith("POST /pullrequests/9/comments")) fixture.bitbucket.tokens.clear();
    };
    const changes = ["--comment", "--changes", "commit"];
    const middle = await fixture.job(changes);
    fixture.bitbucket.onCall = null;
    expect(middle.code).toBe(1);
    expect(middle.stderr).toContain("Bitbucket does not accept the token in AGENT_SERVICE_BITBUCKET_TOKEN");
    expect(middle.stderr).toContain("Nothing is written on pull request #9.");
    expect(middle.files["changes.patch"]).toContain("line 5");
    expect(fixture.bitbucket.repository.tip("topic")).toBe(fixture.head);
    const before = await fixture.job(changes);
    expect(before.code, before.stderr).toBe(0);
    expect(before.stderr).toMatch(
      /Nothing is written on Bitbucket\. .*answered 401 .* is not valid, or not any more/,
    );
  });

  it("goes on where the step has none, and is refused where it is none or the step's name is", async () => {
    const job = await fixture.job(ALL, { env: { AGENT_SERVICE_BITBUCKET_TOKEN: undefined } });
    expect(job.code, job.stderr).toBe(0);
    expect(job.stderr).toBe(
      'Nothing is written on Bitbucket: AGENT_SERVICE_BITBUCKET_TOKEN is not set in this step. Store a repository access token with the scopes "pullrequest:write" and "repository:write" as a secured variable by that name, of the repository or its workspace.\n',
    );
    for (const [env, message] of [
      [{ AGENT_SERVICE_BITBUCKET_TOKEN: "two words" }, "must be one token, on one line and without blanks"],
      [
        { AGENT_SERVICE_STEP_NAME: "a b" },
        'AGENT_SERVICE_STEP_NAME must be up to 60 letters, digits, dots, hyphens and underscores, got "a b".',
      ],
    ] as const) {
      const refused = await fixture.job(["--comment"], { env });
      expect([refused.code, refused.requests]).toEqual([2, []]);
      expect(refused.stderr).toContain(message);
    }
    expect(fixture.bitbucket.requests).toEqual([]);
  });

  it("starts no run by its own push, and one by a person's or another machine's", async () => {
    const pushed = await fixture.job(["--changes", "commit"]);
    expect(pushed.code, pushed.stderr).toBe(0);
    const tip = fixture.bitbucket.repository.tip("topic") ?? "";
    expect(tip).not.toBe(fixture.head);
    const own = { BITBUCKET_COMMIT: tip, BITBUCKET_STEP_TRIGGERER_UUID: fixture.bot.uuid };
    const skipped = await fixture.job(ALL, { env: own });
    expect([skipped.code, skipped.requests]).toEqual([0, []]);
    expect(skipped.stderr).toContain("Nothing ran: this pipeline is of a push by a run of an agent.");
    const byHand = await fixture.job(["--comment"], { env: { BITBUCKET_COMMIT: tip } });
    expect(byHand.requests, byHand.stderr).not.toEqual([]);
    const others = commitEdits(fixture.git, tip, { "deps.txt": "1\n" });
    fixture.git.updateRef("refs/heads/topic", others);
    const machine = fixture.bitbucket.addAccount("updates", { type: "app_user" });
    const update = { BITBUCKET_COMMIT: others, BITBUCKET_STEP_TRIGGERER_UUID: machine.uuid };
    const reviewed = await fixture.job(["--comment"], { env: update });
    expect(reviewed.requests, reviewed.stderr).not.toEqual([]);
  });

  it("refuses typed outputs, with the reason", async () => {
    const job = await fixture.job(["--outputs", "labels: { allowed: [bug] }"]);
    expect([job.code, job.requests]).toEqual([2, []]);
    expect(job.stderr).toContain(
      "pull requests of Bitbucket have no labels and no assignees, and Atlassian has removed its issues",
    );
  });
});
