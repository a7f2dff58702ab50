// `agent-service run --comment --changes` in steps of Bitbucket Pipelines: the built command as a process, against the real service, a repository of
// Bitbucket under Bitbucket's own names, and real git.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { API_HOST, WEB_HOST } from "../../fakes/bitbucket/bitbucket.ts";
import { BitbucketFixture, PULL } from "../support/fixtures/bitbucket-fixture.ts";
import { LINES } from "../support/fixtures/changes-fixture.ts";

const PAGE = "https://bitbucket.org/acme/app";
const MARKER = /\n\[\/\/\]: # \(agent-service:comment [0-9a-f]{32}\)$/;

let fixture: BitbucketFixture;
beforeAll(async () => {
  fixture = await BitbucketFixture.open();
});
afterAll(async () => await fixture.close());
beforeEach(async () => await fixture.begin());
afterEach(() => fixture.end());

describe("the comment on the pull request", () => {
  it("is one, follows the run in Bitbucket's Markdown, and is edited by the step of the next push", async () => {
    fixture.plan({
      reply: "All of it is fine.\n\n<b>Bold</b>\n\n```html\n<sub>a</sub>\n```\n\nThanks, @octocat.",
    });
    const job = await fixture.job(["--comment"]);
    expect([job.code, job.stderr]).toEqual([0, ""]);
    const [comment, ...others] = fixture.own();
    expect(others).toEqual([]);
    expect(comment?.raw).toMatch(/^\*\*✅ Answered\*\*\n\nAll of it is fine\./);
    expect(comment?.raw).toContain(`[log](${PAGE}/pipelines/results/12)`);
    expect(comment?.raw).toMatch(MARKER);
    // Bitbucket escapes HTML, and would show it.
    expect(comment?.raw.replace("<sub>a</sub>", "")).not.toMatch(/<\/?[a-z!]/i);
    expect(comment?.raw).toContain("```html\n<sub>a</sub>\n```");
    expect(comment?.raw).toContain("Thanks, `@octocat`.");
    expect(fixture.writes()[0]).toBe(`POST /pullrequests/${PULL}/comments`);
    for (const { headers, host } of fixture.bitbucket.requests)
      expect([host, /^Bearer /.test(headers.authorization ?? "")]).toEqual([API_HOST, true]);

    fixture.push({ "notes.txt": LINES });
    fixture.plan({ reply: "Still fine." });
    await fixture.job(["--comment"]);
    expect(fixture.own()).toHaveLength(1);
    expect(fixture.own()[0]?.raw).toMatch(/^\*\*✅ Answered\*\*\n\nStill fine\./);
    expect(fixture.writes().filter((call) => call.startsWith("POST"))).toHaveLength(1);
  });

  it("is never another's with our marker, on whichever page it is, and each named step has one", async () => {
    await fixture.job(["--comment"]);
    const [own] = fixture.own();
    const raw = own?.raw ?? "";
    const other = fixture.bitbucket.addAccount("another token", { type: "app_user" });
    const forged = [fixture.say(fixture.octocat, raw), fixture.say(other, raw)];
    for (let at = 0; at < 60; at += 1) fixture.say(fixture.octocat, `Comment ${at}.`);
    const all = fixture.bitbucket.pulls.get(PULL)?.comments.all ?? [];
    all.push(...all.splice(0, 1));
    fixture.plan({ reply: "Another word." });
    const again = await fixture.job(["--comment"]);
    expect(again.code, again.stderr).toBe(0);
    expect(forged.map((one) => one.raw)).toEqual([raw, raw]);
    expect(own?.raw).toContain("Another word.");
    expect(fixture.own()).toHaveLength(1);
    const named = await fixture.job(["--comment"], { env: { AGENT_SERVICE_STEP_NAME: "docs" } });
    expect(named.code, named.stderr).toBe(0);
    expect(fixture.own()).toHaveLength(2);
  });

  it("is written once by a step that is killed after it and executed again", async () => {
    fixture.bitbucket.onCall = (call) => {
      if (call.startsWith("POST")) fixture.ci.kill();
    };
    const env = { BITBUCKET_PIPELINE_UUID: "{11111111-0000-4000-8000-000000000001}" };
    const killed = await fixture.job(["--comment"], { env, where: "process" });
    expect(killed.code).toBe(null);
    fixture.bitbucket.onCall = null;
    const again = await fixture.job(["--comment"], { env: { ...env, BITBUCKET_STEP_RUN_NUMBER: "2" } });
    expect(again.code, again.stderr).toBe(0);
    expect(fixture.own()).toHaveLength(1);
    expect(fixture.own()[0]?.raw).toContain("✅ Answered");
  });

  it("waits for a rate limit, and is written anew where it was deleted", async () => {
    fixture.bitbucket.fail(/^POST \/pullrequests\/9\/comments/, {
      status: 429,
      headers: { "retry-after": "0" },
    });
    const job = await fixture.job(["--comment"]);
    expect(job.code, job.stderr).toBe(0);
    const [first] = fixture.own();
    if (first !== undefined) first.deleted = true;
    await fixture.job(["--comment"]);
    expect(fixture.own()).toHaveLength(2);
  });
});

describe("changes", () => {
  const edits = { "notes.txt": LINES.replace("line 2\n", "line two\n") };

  it("of a push become a pull request, which the next run of the step updates", async () => {
    fixture.plan({
      reply: "I changed it.\nDEV-7 #close #comment done",
      changes: fixture.changes(edits, fixture.main),
    });
    const flags = ["--changes", "pull-request"];
    const job = await fixture.job(flags, { on: "push" });
    expect([job.code, job.stderr]).toEqual([0, ""]);
    expect(job.stdout).toContain("✅ Opened pull request #501");
    const made = fixture.bitbucket.pulls.get(501);
    expect(made).toMatchObject({ title: "Look around.", destination: "main", state: "OPEN" });
    expect(made?.source).toMatch(/^agent\/agent-[0-9a-f]{8}$/);
    expect(made?.description).toMatch(
      /^\[\/\/\]: # \(agent-service:begin\)\n\nI changed it\.\nDEV-7 close comment done/,
    );
    expect(made?.description).not.toMatch(/<\/?[a-z!]/i);
    const tip = fixture.bitbucket.repository.tip(made?.source ?? "") ?? "";
    expect(made?.description).toContain(`${PAGE}/src/${tip}/notes.txt#lines-2`);
    expect(fixture.git.git(["show", `${tip}:notes.txt`])).toContain("line two");
    const message = fixture.git.git(["show", "-s", "--format=%an <%ae>%n%B", tip]);
    expect(message).toMatch(
      /^bitbucket-pipelines <commits-noreply@bitbucket\.org>\nLook around\.\n\nMade by an agent/,
    );
    expect(message).toMatch(/\nAgent-Session: \S+\nAgent-Run: \S+$/);
    const git = fixture.bitbucket.requests.filter(({ host }) => host === WEB_HOST);
    expect(git.some(({ path }) => path.endsWith("git-receive-pack"))).toBe(true);

    const reviewer = fixture.bitbucket.addAccount("reviewer");
    if (made !== undefined) Object.assign(made, { title: "By a person", reviewers: [reviewer] });
    const more = { ...edits, "new.txt": "New.\n" };
    fixture.plan({ changes: fixture.changes(more, fixture.main) });
    const next = await fixture.job(flags, { on: "push" });
    expect(next.stdout, next.stderr).toContain("✅ Updated pull request #501");
    expect([...fixture.bitbucket.pulls.keys()]).toEqual([PULL, 501]);
    expect(made).toMatchObject({ title: "By a person", reviewers: [reviewer] });
    expect(fixture.git.git(["show", `${made?.source}:new.txt`])).toBe("New.");
  });

  it("of a pull request's own pipeline are pushed to its branch, on top of what came meanwhile", async () => {
    fixture.plan({ changes: fixture.changes(edits) });
    fixture.bitbucket.repository.beforePush = () => {
      fixture.bitbucket.repository.beforePush = null;
      fixture.push({ "other.txt": "By a person.\n" });
    };
    const job = await fixture.job(["--changes", "commit", "--comment"]);
    expect(job.code, job.stderr).toBe(0);
    const tip = fixture.bitbucket.repository.tip("topic") ?? "";
    expect(fixture.git.git(["show", `${tip}:notes.txt`])).toContain("line two");
    expect(fixture.git.git(["show", `${tip}:other.txt`])).toBe("By a person.");
    expect(fixture.own()[0]?.raw).toContain(`Pushed [${tip.slice(0, 7)}](${PAGE}/commits/${tip})`);
  });

  it("are pushed once by a step that is killed after the push and executed again", async () => {
    fixture.plan({ changes: fixture.changes(edits, fixture.main) });
    const env = { BITBUCKET_PIPELINE_UUID: "{11111111-0000-4000-8000-000000000002}" };
    const flags = ["--changes", "pull-request"];
    fixture.bitbucket.onCall = (call) => {
      if (call === "POST /pullrequests") fixture.ci.kill();
    };
    const killed = await fixture.job(flags, { on: "push", env, where: "process" });
    expect(killed.code).toBe(null);
    fixture.bitbucket.onCall = null;
    const again = await fixture.job(flags, { on: "push", env: { ...env, BITBUCKET_STEP_RUN_NUMBER: "2" } });
    expect(again.code, again.stderr).toBe(0);
    expect([...fixture.bitbucket.pulls.keys()]).toEqual([PULL, 501]);
    const branch = fixture.bitbucket.pulls.get(501)?.source ?? "";
    expect(fixture.git.git(["rev-list", "--count", `main..${branch}`])).toBe("1");
  });

  it("stay in the patch where they act, hold a secret, or a branch is restricted", async () => {
    const flags = ["--changes", "commit"];
    fixture.plan({ changes: fixture.changes({ "bitbucket-pipelines.yml": "pipelines: {}\n" }) });
    const acting = await fixture.job(flags);
    expect(acting.code).toBe(1);
    expect(acting.stderr).toContain(
      'The changes were not pushed: the patch changes "bitbucket-pipelines.yml", which only people may change.',
    );
    const secret = `ATCTT3xFfGN0${"zY9-xW8_".repeat(20)}=9F8E7D6C`;
    fixture.plan({ changes: fixture.changes({ "notes.txt": `token = "${secret}"\n` }) });
    const leaking = await fixture.job(flags);
    expect([leaking.code, fixture.bitbucket.repository.pushes]).toEqual([1, 0]);
    expect(leaking.stderr).toContain("they would publish a Bitbucket token");
    expect(leaking.stderr).not.toContain(secret);
    fixture.plan({ changes: fixture.changes(edits) });
    fixture.bitbucket.repository.protectedBranches.add("topic");
    const refused = await fixture.job(flags);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "the branch is protected. Bitbucket says: Permission denied to update branch topic.",
    );
    expect(fixture.bitbucket.repository.tip("topic")).toBe(fixture.head);
  });

  it("are written for one of two pull requests alone, and nothing for a fork's", async () => {
    fixture.bitbucket.addPull({ id: 10, title: "Another", author: fixture.octocat, source: "topic" });
    await fixture.job(["--comment"]);
    const other = await fixture.job(["--comment"], { env: { BITBUCKET_PR_ID: "10" } });
    expect(other.code, other.stderr).toBe(0);
    const counts = [PULL, 10].map((id) => fixture.bitbucket.pulls.get(id)?.comments.all.length);
    expect(counts).toEqual([1, 1]);
    const pull = fixture.bitbucket.pulls.get(PULL);
    for (const source of ["{00000000-0000-4000-8000-00000000f04c}", null]) {
      if (pull !== undefined) pull.sourceRepository = source;
      const before = fixture.writes().length;
      fixture.plan({ changes: fixture.changes(edits) });
      const fork = await fixture.job(["--comment", "--changes", "commit", "--findings", "review"]);
      expect(fork.code, fork.stderr).toBe(0);
      expect(fork.stderr).toContain("This is a fork's pull request: nothing is written for its run.");
      expect([fixture.writes().length, fixture.bitbucket.repository.pushes]).toEqual([before, 0]);
    }
  });
});
