// Jobs that cannot prove who they are: each is told why, and the service hears of none.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import type { ScenarioFixture, StepResult } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { briefingBackend } from "../support/scripted-backend.ts";

describe("a job without an identity", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario" });
  });
  afterAll(async () => await fixture.close());

  /** Runs both steps; neither may reach the service. */
  const play = async (
    options: JobOptions,
    inputs: Readonly<Record<string, string>> = {},
  ): Promise<StepResult> => {
    const job = await fixture.job(options);
    const main = await fixture.main(job, { inputs });
    const post = await fixture.post(job, main, { inputs });
    expect(post).toMatchObject({ exitCode: 0, annotations: [], log: "" });
    expect([...main.requests, ...post.requests]).toEqual([]);
    expect(main.state).toEqual({ phase: "concluded" });
    expect(main.outputs).toMatchObject({
      "run-id": "",
      "run-url": "",
      "run-api-url": "",
      reply: "",
      "claim-url": "",
    });
    return main;
  };

  it("lacks a permission", async () => {
    const step = await play({ idToken: false });
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "id_token_unavailable" },
    });
    const message = 'No ID token available. Add "permissions: id-token: write" to this job.';
    expect(step.annotations).toEqual([{ level: "error", message, title: "The step failed" }]);
    expect(step.summary).toMatch(/^## ❌ The step failed\n/);
    expect(step.summary).toContain("permissions: id-token: write");
  });

  const FORK =
    "Nothing ran: this pull request comes from a fork. Somebody with write access can ask for a run in a comment on it, " +
    'where a workflow listens to "issue_comment", or run it from a branch of this repository.';

  it("is a fork's pull request: skipped, with a notice", async () => {
    const step = await play({ event: "pull_request", pullRequest: { origin: "fork" } });
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "skipped", reason: "fork_pull_request" },
    });
    expect(step.annotations).toEqual([{ level: "notice", message: FORK, title: "Skipped: no agent ran" }]);
    expect(step.summary).toMatch(/^## ⏭️ Skipped: no agent ran\n/);
  });

  it("is a fork's pull request, and fails where fail-on says skipped", async () => {
    const step = await play(
      { event: "pull_request", pullRequest: { origin: "fork" } },
      { "fail-on": "failure,skipped" },
    );
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "skipped", reason: "fork_pull_request" },
    });
    expect(step.annotations).toEqual([{ level: "error", message: FORK, title: "Skipped: no agent ran" }]);
  });

  it("is the pull request of a fork that is gone", async () => {
    const end = { ref: "topic", sha: "a".repeat(40) };
    const ends = { base: { ...end, repo: { id: 74 } }, head: { ...end, repo: null } };
    const pull_request = { number: 7, title: "Change something", body: null, user: null, ...ends };
    const step = await play({
      event: "pull_request",
      pullRequest: { origin: "fork" },
      payload: { pull_request },
    });
    expect(step.outputs).toMatchObject({ conclusion: "skipped", reason: "fork_pull_request" });
  });

  it("is a fork's pull request that is let in, and has no identity all the same", async () => {
    const step = await play(
      { event: "pull_request", pullRequest: { origin: "fork" } },
      { "allow-forks": "true" },
    );
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "skipped", reason: "fork_pull_request" },
    });
    expect(step.annotations).toMatchObject([
      { level: "notice", message: expect.stringMatching(/^Nothing ran: GitHub gives no identity /) },
    ]);
  });

  it("is Dependabot's: skipped, with a notice that names the fix", async () => {
    const step = await play({ event: "pull_request", pullRequest: { origin: "dependabot" } });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "skipped", reason: "dependabot" } });
    const message =
      "Nothing ran: Dependabot started this workflow, and its jobs get no ID token by default. " +
      'Add "permissions: id-token: write" to this job, or run it by workflow_dispatch.';
    expect(step.annotations).toEqual([{ level: "notice", message, title: "Skipped: no agent ran" }]);
  });

  it("is refused a token", async () => {
    fixture.codeHost.faults.idToken.next({ type: "status", status: 403 });
    const step = await play({});
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "id_token_refused" },
    });
    const message =
      'GitHub refused an ID token (403). Check "permissions: id-token: write" and the audience.';
    expect(step.annotations).toEqual([{ level: "error", message, title: "The step failed" }]);
  });
});

describe("a job whose token endpoint stumbles", () => {
  it("asks it again", async () => {
    const fixture = await startFixture({ level: "scenario", backend: briefingBackend });
    try {
      fixture.codeHost.faults.idToken.next({ type: "status", status: 503 });
      fixture.codeHost.faults.idToken.next({ type: "reset" });
      const step = await fixture.main(await fixture.job());
      expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
      expect(step.log.match(/^Attempt \d failed: .* Trying again in \d\.\d s\.$/gm)).toHaveLength(2);
    } finally {
      await fixture.close();
    }
  });
});
