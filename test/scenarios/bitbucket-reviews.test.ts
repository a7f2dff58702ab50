// `agent-service run --findings review` in the pipelines of a pull request on Bitbucket: comments at the lines of its diff, one push after the other,
// against the real service.

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { BitbucketFixture, PULL } from "../support/fixtures/bitbucket-fixture.ts";
import { LINES } from "../support/fixtures/changes-fixture.ts";

const PAGE = "https://bitbucket.org/acme/app";
const REVIEW = ["--findings", "review"];
/** At a line that the pull request adds; its lines 2 to 8 are shown. */
const added = {
  path: "notes.txt",
  line: 5,
  severity: "error",
  title: "Five is a number",
  body: "Write it as the others.",
  suggestion: "line 5",
};
const several = {
  path: "notes.txt",
  start_line: 4,
  line: 6,
  severity: "warning",
  title: "Three lines",
  body: "All of them.",
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

let fixture: BitbucketFixture;
beforeAll(async () => {
  fixture = await BitbucketFixture.open();
});
afterAll(async () => await fixture.close());
beforeEach(async () => await fixture.begin());
afterEach(() => fixture.end());

const threads = () => fixture.own("at lines");
const texts = () => fixture.own();

describe("the review of a pull request", () => {
  it("is comments at lines that the diff shows, and one with the rest; the agent is shown the diff", async () => {
    fixture.plan(review(added, several, unchanged, outside));
    const job = await fixture.job(REVIEW);
    expect([job.code, job.stderr]).toEqual([0, ""]);
    expect(threads().map(({ inline }) => inline)).toEqual([
      { path: "notes.txt", to: 5, from: null, start_to: null },
      { path: "notes.txt", to: 6, from: null, start_to: 4 },
      { path: "notes.txt", to: 7, from: null, start_to: null },
    ]);
    expect(threads()[0]?.raw).toMatch(
      /^\*\*❌ Error: Five is a number\*\*\n\nWrite it as the others\.\n\nSuggested:\n\n```\nline 5\n```\n\n\[\/\/\]: # \(agent-service:at [\w-]+\)\n\[\/\/\]: # \(agent-service:finding [0-9a-f]{32}\)$/,
    );
    const [text] = texts();
    expect(text?.raw).toMatch(/^\*\*4 findings\*\*: 1 error, 1 warning, 2 notices\./);
    expect(text?.raw).toContain(`[README.md:1](${PAGE}/src/${fixture.head}/README.md#lines-1)`);
    expect(fixture.prompts[0]).toContain(
      "the pull request's diff\n```diff\ndiff --git a/notes.txt b/notes.txt",
    );
    expect(fixture.prompts[0]).toContain("+line five");
    expect(job.files["summary.md"]).toContain("4 written in [the review]");
  });

  it("of the second push resolves what is fixed, repeats nothing, and knows what people answered", async () => {
    fixture.bitbucket.defaultReviewers.push(fixture.octocat);
    fixture.plan(review(added, several, unchanged, outside));
    await fixture.job(REVIEW);
    expect(threads()).toHaveLength(3);
    fixture.say(fixture.octocat, "By design.", threads()[2]);
    fixture.say(fixture.bitbucket.addAccount("stranger"), "Won't fix.", threads()[1]);

    fixture.push({ "notes.txt": LINES.replace("line 9\n", "line nine\n") });
    const fresh = { ...added, line: 9, title: "Nine is a number", suggestion: "line 9" };
    fixture.plan(review(unchanged, outside, fresh));
    const job = await fixture.job(REVIEW);
    expect(job.code, job.stderr).toBe(0);
    expect(fixture.prompts.at(-1)).toContain("This is review 2 of this pull request.");
    expect(fixture.prompts.at(-1)).toMatch(
      /reply to finding [0-9a-f]{12} by @octocat, with write access\nBy design\./,
    );
    const states = threads().map(({ inline, resolution }) => [inline?.to, resolution?.user.uuid ?? null]);
    // The lines of the first two have changed; what a default reviewer has declined is left to people.
    expect(states).toEqual([
      [5, fixture.bot.uuid],
      [6, fixture.bot.uuid],
      [7, null],
      [9, null],
    ]);
    expect(texts()).toHaveLength(2);

    fixture.push({ "more.txt": "More.\n" });
    fixture.plan(review(fresh, unchanged));
    const third = await fixture.job(REVIEW);
    expect(third.code, third.stderr).toBe(0);
    expect(threads()).toHaveLength(4);
    expect(texts()).toHaveLength(2);
    expect(texts()[1]?.raw).toContain(`[//]: # (agent-service:head ${fixture.head})`);
  });

  it("is not fooled by a marker that somebody else wrote, nor by a token of another's", async () => {
    fixture.plan(review(added));
    await fixture.job(REVIEW);
    const raw = threads()[0]?.raw ?? "";
    fixture.end();
    await fixture.begin();
    const other = fixture.bitbucket.addAccount("another token", { type: "app_user" });
    for (const account of [fixture.octocat, other]) fixture.say(account, raw);
    fixture.plan(review(added));
    await fixture.job(REVIEW);
    expect(threads()).toHaveLength(1);
    expect(fixture.comments.slice(0, 2).map((one) => one.raw)).toEqual([raw, raw]);
  });

  it.each([
    ["its first comment", 1],
    ["its second comment", 2],
    ["the rest", 3],
  ])("is published once by a step that is killed after %s and executed again", async (_, count) => {
    fixture.plan(review(added, unchanged, outside));
    const env = { BITBUCKET_PIPELINE_UUID: `{22222222-0000-4000-8000-00000000000${count}}` };
    let written = 0;
    fixture.bitbucket.onCall = (call) => {
      if (call !== `POST /pullrequests/${PULL}/comments`) return;
      written += 1;
      if (written === count) fixture.ci.kill();
    };
    const killed = await fixture.job(REVIEW, { env, where: "process" });
    expect(killed.code).toBe(null);
    fixture.bitbucket.onCall = null;
    const again = await fixture.job(REVIEW, { env: { ...env, BITBUCKET_STEP_RUN_NUMBER: "2" } });
    expect(again.code, again.stderr).toBe(0);
    expect(threads().map(({ inline }) => inline?.to)).toEqual([5, 7]);
    expect(texts().filter(({ raw }) => raw.includes("Far away"))).toHaveLength(1);
  });

  it("puts into the text what Bitbucket takes at no line, and asks again where an answer was lost", async () => {
    const bad = {
      status: 400,
      headers: { "content-type": "application/json" },
      body: '{"type":"error","error":{"message":"inline: The line is not in the diff."}}',
    };
    fixture.bitbucket.fail(/^POST \/pullrequests\/9\/comments$/, bad);
    fixture.bitbucket.fail(/^POST \/pullrequests\/9\/comments$/, { status: 502, isLate: true });
    fixture.plan(review(added, unchanged));
    const job = await fixture.job(REVIEW);
    expect(job.code, job.stderr).toBe(0);
    expect(threads().map(({ inline }) => inline?.to)).toEqual([7]);
    expect(texts()[0]?.raw).toContain(
      "### At lines that the diff does not show\n\n**❌ Error: Five is a number**",
    );
  });
});

describe("examples/ci/bitbucket", () => {
  const scriptOf = (name: string, steps: (pipelines: Record<string, Record<string, unknown>>) => unknown) => {
    const text = readFileSync(new URL(`../../examples/ci/bitbucket/${name}.yml`, import.meta.url), "utf8");
    const [{ step }] = steps(parse(text).pipelines) as [{ step: { script: string[] } }];
    const lines = step.script.join("\n").replace("https://agents.example.com", fixture.ci.url);
    return [
      `PATH="$PATH:${dirname(process.execPath)}"`,
      lines.replaceAll("agents.example.com", fixture.ci.audience),
    ].join("\n");
  };

  it("pull-request-review.yml does what it says", async () => {
    fixture.plan(review(added));
    const script = scriptOf("pull-request-review", (pipelines) => pipelines["pull-requests"]?.["**"]);
    const job = await fixture.job([], { script });
    expect([job.code, job.stderr.includes("Not written")]).toEqual([1, false]);
    expect([threads().length, texts().length, fixture.bitbucket.statuses.length]).toEqual([1, 2, 1]);
  });

  it("nightly-maintenance.yml does what it says", async () => {
    fixture.plan({
      changes: fixture.changes({ "notes.txt": LINES.replace("line 2\n", "line two\n") }, fixture.main),
    });
    const script = scriptOf("nightly-maintenance", (pipelines) => pipelines.custom?.["nightly-maintenance"]);
    const job = await fixture.job([], { on: "push", script });
    expect([job.code, job.stderr.includes("Not written")]).toEqual([0, false]);
    expect(fixture.bitbucket.pulls.get(501)?.title).toMatch(/^Fix one warning of the linter\./);
  });
});

describe("the gate", () => {
  const GATE = [...REVIEW, "--fail-on-severity", "error", "--commit-status"];

  it("fails the step and sets a build status, until the finding is fixed", async () => {
    fixture.plan(review(added));
    const shut = await fixture.job(GATE);
    expect(shut.code).toBe(1);
    expect(shut.stderr).toContain(
      'The review found an error. "fail-on-severity: error" makes that a failure.',
    );
    expect(fixture.bitbucket.statuses).toEqual([
      {
        sha: fixture.head,
        key: expect.stringMatching(/^[0-9a-f]{40}$/),
        state: "FAILED",
        name: "agent-service/agent",
        description: "1 finding: 1 error",
        url: `${PAGE}/pipelines/results/12`,
        refname: "topic",
      },
    ]);
    fixture.push({ "notes.txt": LINES });
    fixture.plan(review());
    fixture.bitbucket.fail(/^POST \/commit\/\w+\/statuses/, { status: 503, isLate: true });
    const open = await fixture.job(GATE);
    expect(open.code, open.stderr).toBe(0);
    expect(fixture.bitbucket.statuses[0]).toMatchObject({
      sha: fixture.head,
      state: "SUCCESSFUL",
      description: "0 open, 1 fixed",
    });
    expect(fixture.bitbucket.statuses).toHaveLength(2);
    expect(threads()[0]?.resolution).not.toBe(null);
  });

  it("is not judged without a token, nor by one that may not read what is open", async () => {
    const none = await fixture.job(GATE, { env: { AGENT_SERVICE_BITBUCKET_TOKEN: "" } });
    expect([none.code, none.requests]).toEqual([2, []]);
    expect(none.stderr).toContain(
      "--fail-on-severity error cannot be judged. AGENT_SERVICE_BITBUCKET_TOKEN is not set in this step.",
    );
    fixture.bitbucket.tokens.clear();
    const revoked = await fixture.job(GATE);
    expect([revoked.code, revoked.requests]).toEqual([1, []]);
    expect(revoked.stderr).toContain("--fail-on-severity error cannot be judged.");
    expect(revoked.stderr).toContain("is not valid, or not any more");
  });
});
