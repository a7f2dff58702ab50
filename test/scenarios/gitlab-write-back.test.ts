// `agent-service run --comment --changes --findings` in jobs of GitLab CI: against the real service, a project of GitLab on real sockets, and
// its repository over real git.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LINES } from "../support/fixtures/changes-fixture.ts";
import { GitLabFixture } from "../support/fixtures/gitlab-fixture.ts";
import { BOT, IID } from "../support/fixtures/gitlab-project.ts";

const COMMENT_MARKER = /<!-- agent-service:comment [0-9a-f]{32} -->$/;
const asProcess = { where: "process" } as const;

let fixture: GitLabFixture;
beforeAll(async () => {
  fixture = await GitLabFixture.open();
});
afterAll(async () => await fixture.close());
beforeEach(async () => await fixture.begin());
afterEach(async () => await fixture.end());

describe("the note on the merge request", () => {
  it("is one, follows the run, and is edited by the job of the next push", async () => {
    fixture.plan({ reply: "All of it is fine.\n\n/close\n/label ~admin\n\nThanks, @octocat." });
    const job = await fixture.job(["--comment"], asProcess);
    expect([job.code, job.stderr]).toEqual([0, ""]);
    const [note, ...others] = fixture.ownNotes();
    expect(others).toEqual([]);
    expect(note?.body).toMatch(/^\*\*✅ Answered\*\*\n\nAll of it is fine\./);
    expect(note?.body).toContain(`[log](${fixture.gitlab.url}/my-group/my-project/-/jobs/302)`);
    expect(note?.body).toMatch(COMMENT_MARKER);
    expect(note?.body).toContain("\\/close");
    // GitLab looks for no mention in code.
    expect(note?.body).toContain("Thanks, <code>@octocat</code>.");
    expect(fixture.reviews.executed).toEqual([]);
    expect(fixture.writes()[0]).toBe(`POST /merge_requests/${IID}/notes`);

    fixture.push({ "notes.txt": LINES });
    fixture.plan({ reply: "Still fine." });
    await fixture.job(["--comment"]);
    expect(fixture.ownNotes()).toHaveLength(1);
    expect(fixture.ownNotes()[0]?.body).toMatch(/^\*\*✅ Answered\*\*\n\nStill fine\./);
    expect(fixture.writes().filter((call) => call.startsWith("POST"))).toHaveLength(1);
  });

  it("is never another's with our marker, on whichever page it is", async () => {
    await fixture.job(["--comment"]);
    const [own] = fixture.ownNotes();
    const octocat = fixture.gitlab.account("octocat");
    const body = own?.body ?? "";
    const forged = fixture.reviews.say(octocat, body);
    fixture.reviews.discussions.unshift(...fixture.reviews.discussions.splice(1));
    for (let at = 0; at < 120; at += 1) fixture.reviews.say(octocat, `Comment ${at}.`);
    fixture.reviews.discussions.push(
      ...fixture.reviews.discussions.splice(
        fixture.reviews.discussions.findIndex(({ notes }) => notes[0] === own),
        1,
      ),
    );
    fixture.plan({ reply: "Another word." });
    await fixture.job(["--comment"]);
    expect(forged.body).toBe(body);
    expect(own?.body).toContain("Another word.");
    expect(fixture.ownNotes()).toHaveLength(1);
  });

  it("is written once by a job that is killed after it and executed again", async () => {
    const env = { CI_PIPELINE_ID: "700" };
    fixture.gitlab.onCall = (call) => {
      if (call.startsWith("POST")) fixture.ci.kill();
    };
    const killed = await fixture.job(["--comment"], { ...asProcess, env });
    expect(killed.code).toBe(null);
    fixture.gitlab.onCall = null;
    const again = await fixture.job(["--comment"], { env: { ...env, CI_JOB_ID: "303" } });
    expect(again.code, again.stderr).toBe(0);
    expect(fixture.ownNotes()).toHaveLength(1);
    expect(fixture.ownNotes()[0]?.body).toContain("✅ Answered");
  });

  it("waits for a rate limit, and is written anew where it was deleted", async () => {
    fixture.gitlab.fail(/^POST \/merge_requests\/9\/notes/, { status: 429, headers: { "retry-after": "0" } });
    const job = await fixture.job(["--comment"]);
    expect(job.code, job.stderr).toBe(0);
    expect(fixture.ownNotes()).toHaveLength(1);
    fixture.gitlab.fail(/^PUT \/merge_requests\/9\/notes/, {
      status: 404,
      headers: { "content-type": "application/json" },
      body: '{"message":"404 Not found"}',
    });
    await fixture.job(["--comment"]);
    expect(fixture.ownNotes()).toHaveLength(2);
  });
});

describe("changes", () => {
  const edits = { "notes.txt": LINES.replace("line 2\n", "line two\n") };

  it("of a push become a merge request, which the next run of the job updates", async () => {
    fixture.plan({
      reply: "I changed it. Closes #4, and fixes !5.",
      changes: fixture.changes(edits, fixture.main),
    });
    const flags = ["--changes", "pull-request"];
    const job = await fixture.job(flags, { ...asProcess, on: "push" });
    expect([job.code, job.stderr]).toEqual([0, ""]);
    expect(job.stdout).toContain("✅ Opened merge request !501");
    const made = fixture.gitlab.mergeRequests.get(501);
    expect(made).toMatchObject({ title: "Look around.", targetBranch: "main", state: "opened" });
    expect(made?.sourceBranch).toMatch(/^agent\/agent-[0-9a-f]{8}$/);
    expect(made?.description).toContain("<!-- agent-service:begin -->\n");
    expect(made?.description).not.toMatch(/\b(closes?|fixes)\b:? +(?:issues? +)?#\d/i);
    const tip = fixture.project.tip(made?.sourceBranch ?? "") ?? "";
    expect(fixture.repository.git(["show", `${tip}:notes.txt`])).toContain("line two");
    const message = fixture.repository.git(["show", "-s", "--format=%an <%ae>%n%B", tip]);
    expect(message).toMatch(
      new RegExp(`^${BOT} <${BOT}@noreply\\.gitlab\\.example\\.com>\nLook around\\.\n\nMade by an agent`),
    );
    expect(message).toMatch(/\nAgent-Session: \S+\nAgent-Run: \S+$/);
    expect(job.files["summary.md"]).toContain("Opened [merge request !501]");
    expect(job.requests.some(({ body }) => body.includes("Opened merge request !501"))).toBe(true);

    const more = { ...edits, "new.txt": "New.\n" };
    fixture.plan({ changes: fixture.changes(more, fixture.main) });
    const next = await fixture.job(flags, { on: "push" });
    expect(next.stdout).toContain("✅ Updated merge request !501");
    expect([...fixture.gitlab.mergeRequests.keys()]).toEqual([IID, 501]);
    expect(fixture.repository.git(["show", `${made?.sourceBranch}:new.txt`])).toBe("New.");
  });

  it("of a merge request's own pipeline are pushed to its branch, on top of what came meanwhile", async () => {
    fixture.plan({ changes: fixture.changes(edits) });
    fixture.project.beforePush = () => {
      fixture.project.beforePush = null;
      const newer = fixture.push({ "other.txt": "By a person.\n" });
      expect(fixture.project.tip("topic")).toBe(newer);
    };
    const job = await fixture.job(["--changes", "commit", "--comment"]);
    expect(job.code, job.stderr).toBe(0);
    const tip = fixture.project.tip("topic") ?? "";
    expect(fixture.repository.git(["show", `${tip}:notes.txt`])).toContain("line two");
    expect(fixture.repository.git(["show", `${tip}:other.txt`])).toBe("By a person.");
    expect(job.stdout).toContain(`✅ Pushed ${tip.slice(0, 7)} to topic`);
    expect(fixture.ownNotes()[0]?.body).toContain(
      `Pushed [${tip.slice(0, 7)}](${fixture.gitlab.url}/my-group/my-project/-/commit/${tip})`,
    );
  });

  it("are pushed once by a job that is killed after the push and executed again", async () => {
    fixture.plan({ changes: fixture.changes(edits, fixture.main) });
    const env = { CI_PIPELINE_ID: "701" };
    const flags = ["--changes", "pull-request"];
    fixture.gitlab.onCall = (call) => {
      if (call.startsWith("POST /merge_requests")) fixture.ci.kill();
    };
    const killed = await fixture.job(flags, { ...asProcess, on: "push", env });
    expect(killed.code).toBe(null);
    fixture.gitlab.onCall = null;
    const again = await fixture.job(flags, { on: "push", env: { ...env, CI_JOB_ID: "303" } });
    expect(again.code, again.stderr).toBe(0);
    expect([...fixture.gitlab.mergeRequests.keys()]).toEqual([IID, 501]);
    const branch = fixture.gitlab.mergeRequests.get(501)?.sourceBranch ?? "";
    expect(fixture.repository.git(["rev-list", "--count", `main..${branch}`])).toBe("1");
  });

  it("stay in the patch where they act, hold a secret, or a branch is protected", async () => {
    const flags = ["--changes", "commit"];
    fixture.plan({ changes: fixture.changes({ ".gitlab-ci.yml": "evil: { script: [id] }\n" }) });
    const acting = await fixture.job(flags);
    expect(acting.code).toBe(1);
    expect(acting.stderr).toContain(
      'The changes were not pushed: the patch changes ".gitlab-ci.yml", which only people may change.',
    );
    expect(acting.stderr).toContain("The file changes.patch in the output folder has all of them.");
    const secret = "glpat-9zY7xW5vU3tS1rQ9pO7n";
    fixture.plan({ changes: fixture.changes({ "notes.txt": `token = "${secret}"\n` }) });
    const leaking = await fixture.job(flags);
    expect([leaking.code, fixture.project.pushes]).toEqual([1, 0]);
    expect(leaking.stderr).toContain("they would publish ");
    expect(leaking.stderr).not.toContain(secret);
    fixture.plan({ changes: fixture.changes(edits) });
    fixture.project.protectedBranches.add("topic");
    const refused = await fixture.job(flags);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "the branch is protected. GitLab says: GitLab: You are not allowed to push code to protected",
    );
    expect(refused.stderr).toContain(
      "Use --changes pull-request, or allow the account of the token to push there.",
    );
    expect(fixture.project.tip("topic")).toBe(fixture.head);
  });

  it("of a pipeline that others may steer stay in the patch, and nothing is written for a fork", async () => {
    fixture.plan({ changes: fixture.changes(edits, fixture.main) });
    const env = { CI_PIPELINE_SOURCE: "trigger", CI_COMMIT_BRANCH: "main" };
    const triggered = await fixture.job(["--changes", "pull-request"], { on: "push", env });
    expect(triggered.code, triggered.stderr).toBe(0);
    expect(triggered.stderr).toContain('what a pipeline of the source "trigger" does');
    expect(triggered.files["changes.patch"]).toContain("line two");
    const fork = { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "999" };
    const forked = await fixture.job(["--comment", "--changes", "commit"], { env: fork });
    expect([forked.code, forked.requests]).toEqual([0, []]);
    // Variables of a pipeline can be set: GitLab itself is asked whose branch it is.
    const item = fixture.gitlab.mergeRequests.get(IID);
    if (item !== undefined) item.sourceProjectId = 999;
    const hidden = await fixture.job(["--comment", "--changes", "commit"]);
    expect(hidden.stderr).toContain("This is a fork's merge request: nothing is written for its run.");
    expect(fixture.writes()).toEqual([]);
    expect(fixture.project.pushes).toBe(0);
  });
});
