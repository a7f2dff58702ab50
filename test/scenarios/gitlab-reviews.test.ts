// `agent-service run --findings review` in the pipelines of a merge request on GitLab: threads at the lines of the diff, one push after the
// other, against the real service.

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { LINES } from "../support/fixtures/changes-fixture.ts";
import { GitLabFixture } from "../support/fixtures/gitlab-fixture.ts";
import { BOT, IID } from "../support/fixtures/gitlab-project.ts";

const REVIEW = ["--findings", "review"];
const asProcess = { where: "process" } as const;
/** At a line that the merge request adds; its lines 2 to 8 are shown. */
const added = {
  path: "notes.txt",
  line: 5,
  severity: "error",
  title: "Five is a number",
  body: "Write it as the others.",
  suggestion: "line 5",
};
/** At lines of which it changes one. */
const several = {
  path: "notes.txt",
  start_line: 4,
  line: 6,
  severity: "warning",
  title: "Three lines",
  body: "All of them.\n/approve",
  suggestion: "line 4\nline 5\nline 6",
};
const unchanged = { path: "notes.txt", line: 7, severity: "notice", title: "Seven", body: "It is there." };
const outside = {
  path: "README.md",
  line: 1,
  severity: "notice",
  title: "Far away",
  body: "Not in the diff.",
};
const review = (...findings: readonly object[]) => ({ output: { summary: "Some things.", findings } });

let fixture: GitLabFixture;
beforeAll(async () => {
  fixture = await GitLabFixture.open();
});
afterAll(async () => await fixture.close());
beforeEach(async () => await fixture.begin());
afterEach(async () => await fixture.end());

const threads = () => fixture.reviews.discussions.filter(({ notes }) => notes[0]?.position != null);
const texts = () => fixture.ownNotes().filter(({ position }) => position === null);

describe("the review of a merge request", () => {
  it("is threads at lines that the diff shows, published together, and a note with the rest", async () => {
    fixture.plan(review(added, several, unchanged, outside));
    const job = await fixture.job(REVIEW, asProcess);
    expect([job.code, job.stderr]).toEqual([0, ""]);
    const base = { base_sha: fixture.main, start_sha: fixture.main, head_sha: fixture.head };
    const at = { position_type: "text", ...base, old_path: "notes.txt", new_path: "notes.txt" };
    expect(threads().map(({ notes: [note] }) => note?.position)).toEqual([
      { ...at, new_line: 5 },
      {
        ...at,
        new_line: 6,
        old_line: 6,
        line_range: {
          start: expect.objectContaining({ type: "old", new_line: 4, old_line: 4 }),
          end: expect.objectContaining({ type: "old", new_line: 6, old_line: 6 }),
        },
      },
      { ...at, new_line: 7, old_line: 7 },
    ]);
    const [first, second] = threads().map(({ notes }) => notes[0]?.body ?? "");
    expect(first).toMatch(
      /^\*\*❌ Error: Five is a number\*\*\n\nWrite it as the others\.\n\n```suggestion:-0\+0\nline 5\n```\n\n</,
    );
    expect(second).toContain("```suggestion:-2+0\nline 4\nline 5\nline 6\n```");
    expect(second).toContain("\n\\/approve\n");
    expect(fixture.reviews.executed).toEqual([]);
    const [text] = texts();
    expect(text?.body).toMatch(/^\*\*4 findings\*\*: 1 error, 1 warning, 2 notices\./);
    expect(text?.body).toContain(
      `[README.md:1](${fixture.gitlab.url}/my-group/my-project/-/blob/${fixture.head}/README.md#L1)`,
    );
    expect(text?.resolvable).toBe(true);
    expect(fixture.writes().slice(-2)).toEqual([
      `POST /merge_requests/${IID}/draft_notes/bulk_publish`,
      `POST /merge_requests/${IID}/discussions`,
    ]);
    expect(fixture.reviews.drafts).toEqual([]);
    expect(job.files["summary.md"]).toContain("4 written in [the review]");
  });

  it("of the second push resolves what is fixed, repeats nothing, and knows what people answered", async () => {
    fixture.plan(review(added, several, unchanged, outside));
    await fixture.job(REVIEW);
    expect(threads()).toHaveLength(3);
    const octocat = fixture.gitlab.account("octocat");
    const declined = threads()[2];
    fixture.reviews.say(octocat, "By design.", ...(declined === undefined ? [] : [{ replyTo: declined }]));
    fixture.reviews.say(fixture.gitlab.addAccount("stranger", { hasAccess: false }), "Won't fix.", {
      ...(threads()[1] === undefined ? {} : { replyTo: threads()[1] }),
    });

    fixture.push({ "notes.txt": LINES.replace("line 9\n", "line nine\n") });
    const fresh = { ...added, line: 9, title: "Nine is a number", suggestion: "line 9" };
    fixture.plan(review(unchanged, outside, fresh));
    const job = await fixture.job(REVIEW);
    expect(job.code, job.stderr).toBe(0);
    expect(fixture.prompts.at(-1)).toContain("This is review 2 of this merge request.");
    expect(fixture.prompts.at(-1)).toMatch(
      /reply to finding [0-9a-f]{12} by @octocat, with write access\nBy design\./,
    );
    const states = threads().map(({ notes: [note] }) => [
      note?.position?.new_line,
      note?.resolved,
      note?.resolved_by?.username,
    ]);
    // The lines of the first two have changed; what a person has declined is left to people.
    expect(states).toEqual([
      [5, true, BOT],
      [6, true, BOT],
      [7, false, undefined],
      [9, false, undefined],
    ]);
    expect(texts()).toHaveLength(2);
    expect(texts()[1]?.body).toMatch(/^\*\*1 finding\*\*: 1 error\./);

    fixture.push({ "more.txt": "More.\n" });
    fixture.plan(review(fresh, unchanged));
    const third = await fixture.job(REVIEW);
    expect(third.code, third.stderr).toBe(0);
    expect(threads()).toHaveLength(4);
    expect(texts()).toHaveLength(2);
    expect(texts()[1]?.body).toContain(`<!-- agent-service:head ${fixture.head} -->`);
  });

  it("is not fooled by a marker that somebody else wrote", async () => {
    fixture.plan(review(added));
    await fixture.job(REVIEW);
    const body = threads()[0]?.notes[0]?.body ?? "";
    await fixture.end();
    await fixture.begin();
    fixture.reviews.say(fixture.gitlab.account("octocat"), body);
    fixture.plan(review(added));
    await fixture.job(REVIEW);
    expect(threads()).toHaveLength(1);
  });

  it("is published once by a job that is killed between its writes and executed again", async () => {
    for (const [at, pipeline, findsNoLines] of [
      ["/draft_notes", "801", false],
      ["/bulk_publish", "802", false],
      ["/discussions", "803", false],
      ["/draft_notes", "804", true],
      ["/discussions", "805", true],
    ] as const) {
      await fixture.end();
      await fixture.begin();
      fixture.reviews.findsNoLines = findsNoLines;
      fixture.plan(review(added, unchanged, outside));
      const env = { CI_PIPELINE_ID: pipeline };
      fixture.gitlab.onCall = (call) => {
        if (call.startsWith("POST") && call.endsWith(at)) fixture.ci.kill();
      };
      const killed = await fixture.job(REVIEW, { ...asProcess, env });
      expect([at, killed.code]).toEqual([at, null]);
      fixture.gitlab.onCall = null;
      const again = await fixture.job(REVIEW, { env: { ...env, CI_JOB_ID: "303" } });
      expect(again.code, again.stderr).toBe(0);
      expect([at, threads().length, fixture.reviews.drafts.length]).toEqual([at, 2, 0]);
      const said = texts().filter(({ body }) => body.includes("Far away"));
      expect([at, said.length]).toEqual([at, 1]);
    }
  });

  it("puts into the note what GitLab takes at no line, and waits for a rate limit", async () => {
    const bad = {
      status: 400,
      headers: { "content-type": "application/json" },
      body: '{"message":"400 Bad request - Note {:line_code=>[\\"must be a valid line code\\"]}"}',
    };
    fixture.gitlab.fail(/^POST \/merge_requests\/9\/draft_notes$/, bad);
    fixture.gitlab.fail(/^POST \/merge_requests\/9\/draft_notes$/, {
      status: 429,
      headers: { "retry-after": "0" },
    });
    fixture.plan(review(added, unchanged));
    const job = await fixture.job(REVIEW);
    expect(job.code, job.stderr).toBe(0);
    expect(threads().map(({ notes: [note] }) => note?.position?.new_line)).toEqual([7]);
    expect(texts()[0]?.body).toContain(
      "### At lines that the diff does not show\n\n**❌ Error: Five is a number**",
    );
  });

  it("makes a thread at once of what GitLab finds no line for in a draft, and leaves no draft", async () => {
    fixture.reviews.findsNoLines = true;
    const bad = { status: 400, headers: { "content-type": "application/json" }, body: '{"message":"400"}' };
    fixture.gitlab.fail(/^POST \/merge_requests\/9\/discussions$/, bad);
    fixture.plan(review(added, unchanged));
    const job = await fixture.job(REVIEW);
    expect(job.code, job.stderr).toBe(0);
    expect(threads().map(({ notes: [note] }) => note?.position?.new_line)).toEqual([7]);
    expect(texts()[0]?.body).toContain(
      "### At lines that the diff does not show\n\n**❌ Error: Five is a number**",
    );
    expect(fixture.reviews.drafts).toEqual([]);
    fixture.plan(review(added, unchanged));
    await fixture.job(REVIEW);
    expect([threads().length, texts().length]).toEqual([1, 1]);
  });
});

describe("examples/ci/gitlab", () => {
  it.each(["merge-request-review", "nightly-maintenance"])("%s.yml does what it says", async (name) => {
    const text = readFileSync(new URL(`../../examples/ci/gitlab/${name}.yml`, import.meta.url), "utf8");
    const { [name]: example } = parse(text);
    const script = [`PATH="$PATH:${dirname(process.execPath)}"`, ...example.script].join("\n");
    const env = { AGENT_SERVICE_URL: fixture.ci.url };
    const isReview = name === "merge-request-review";
    fixture.plan(
      isReview
        ? review(added)
        : {
            changes: fixture.changes({ "notes.txt": LINES.replace("line 2\n", "line two\n") }, fixture.main),
          },
    );
    const source = isReview ? {} : { CI_PIPELINE_SOURCE: "schedule" };
    const job = await fixture.job([], {
      on: isReview ? "merge_request" : "push",
      script,
      env: { ...env, ...source },
    });
    expect([job.code, job.stderr.includes("Not written")]).toEqual([isReview ? 1 : 0, false]);
    if (!isReview)
      expect(fixture.gitlab.mergeRequests.get(501)?.title).toMatch(/^Fix one warning of the linter\./);
    else
      expect([threads().length, fixture.ownNotes().length, fixture.project.statuses.length]).toEqual([
        1, 3, 1,
      ]);
  });
});

describe("the gate", () => {
  const GATE = [...REVIEW, "--fail-on-severity", "error", "--commit-status"];

  it("fails the job and sets a status of the commit, until the finding is fixed", async () => {
    fixture.plan(review(added));
    const shut = await fixture.job(GATE);
    expect(shut.code).toBe(1);
    expect(shut.stderr).toContain(
      'The review found an error. "fail-on-severity: error" makes that a failure.',
    );
    const first = { name: "agent-service/agent", sha: fixture.head, status: "failed" };
    expect(fixture.project.statuses).toEqual([
      expect.objectContaining({
        ...first,
        description: "1 finding: 1 error",
        pipeline_id: expect.any(Number),
      }),
    ]);
    fixture.push({ "notes.txt": LINES });
    fixture.plan(review());
    fixture.project.refusesSameState = true;
    const open = await fixture.job(GATE);
    expect(open.code, open.stderr).toBe(0);
    expect(fixture.project.statuses[0]).toMatchObject({
      sha: fixture.head,
      status: "success",
      description: "0 open, 1 fixed",
    });
    expect(threads()[0]?.notes[0]?.resolved).toBe(true);
    // The same job again: an older GitLab refuses the state that is there.
    const again = await fixture.job(GATE);
    expect([again.code, again.stderr]).toEqual([0, ""]);
  });

  it("is not judged without a token, nor by one that may not read what is open", async () => {
    const none = await fixture.job(GATE, { env: { AGENT_SERVICE_GITLAB_TOKEN: "" } });
    expect([none.code, none.requests]).toEqual([2, []]);
    expect(none.stderr).toContain(
      "--fail-on-severity error cannot be judged. AGENT_SERVICE_GITLAB_TOKEN is not set in this job.",
    );
    fixture.gitlab.tokens.clear();
    const revoked = await fixture.job(GATE);
    expect([revoked.code, revoked.requests]).toEqual([1, []]);
    expect(revoked.stderr).toContain("--fail-on-severity error cannot be judged.");
    expect(revoked.stderr).toContain("is not valid, or not any more");
  });
});
