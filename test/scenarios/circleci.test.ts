// `agent-service run` in a job of CircleCI: its tool mints, its tokens claim nothing.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CIRCLECI } from "../../fakes/issuer/provider-claims.ts";
import { CiFixture } from "../support/fixtures/ci-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";

describe("a CircleCI job", () => {
  let fixture: CiFixture;
  let until = Promise.withResolvers<void>();
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      await say(task, "At work.\n");
      if (task.messages.at(-1)?.content === "wait") {
        await Promise.race([untilStopped(task), until.promise]);
        task.signal.throwIfAborted();
      }
      await say(task, "All is well.\n");
    });
    fixture = await CiFixture.open({ provider: "circleci", backend });
  });
  afterAll(async () => await fixture.close());

  it("runs an agent on the commit that the job names", async () => {
    const job = await fixture.run();
    expect(job).toMatchObject({ code: 0, stderr: "" });
    expect(job.stdout).toMatch(/\n✅ Answered, 1 credit, 0 tokens\n$/);
    const exchange = job.requests.find(({ route }) => route === "exchange");
    expect(JSON.parse(exchange?.body ?? "").sha).toBe("a".repeat(40));
    expect(Object.keys(job.files).sort()).toEqual([
      ".gitignore",
      "events.ndjson",
      "reply.md",
      "result.json",
      "summary.md",
    ]);
  });

  it("says what is missing where its tool is not there", async () => {
    const job = await fixture.run({ hasToken: false });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain('there is no command "circleci" in this job');
  });

  it("is skipped where CircleCI gives a fork no identity", async () => {
    const fork = { CIRCLE_PR_NUMBER: "7", CIRCLE_BRANCH: "pull/7" };
    const job = await fixture.run({ isTokenGiven: false, env: fork });
    expect(job).toMatchObject({ code: 0, requests: [] });
    expect(job.stderr).toMatch(/^Nothing ran: CircleCI gives no identity to a job of a fork's pull request/);
  });

  it("is refused after a re-run with SSH", async () => {
    const job = await fixture.run({ claims: { [`${CIRCLECI}ssh-rerun`]: true } });
    expect(job.code).toBe(1);
    expect(job.stderr).toMatch(
      /^The service refused \(event_refused\): A job that was re-run with SSH is refused/,
    );
  });

  it("names the flag when it asks for another audience", async () => {
    const job = await fixture.run({ args: ["--audience", "other.example", "Look around"] });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain(`Add --audience ${fixture.audience} to the command.`);
  });

  it("attaches to the run of a workflow that was re-run", async () => {
    until = Promise.withResolvers();
    const env = { CIRCLE_PIPELINE_ID: "4f0d7c33-5a55-4a0e-8a41-4c7d0d7c1b24" };
    const detached = await fixture.run({
      env,
      args: ["--on-cancel", "detach", "wait"],
      onLine: (line, kill) => {
        if (line.includes("At work.")) kill("SIGINT");
      },
    });
    expect(detached.code).toBe(0);
    const retried = await fixture.run({
      env: { ...env, CIRCLE_WORKFLOW_ID: "9e1d7c33-5a55-4a0e-8a41-4c7d0d7c1b23" },
      args: ["wait"],
      onLine: (line) => {
        if (line.startsWith("Attached")) until.resolve();
      },
    });
    expect(retried).toMatchObject({ code: 0, stderr: "" });
    expect(retried.stdout).toContain("that was started earlier.");
  });
});

describe("a CircleCI job without credits", () => {
  const backend = scriptedBackend((task) => say(task, "Done."));

  it("prints no claim link, and says why", async () => {
    const fixture = await CiFixture.open({ provider: "circleci", backend, config: { freeCredits: 1 } });
    const last = await fixture.run();
    expect(last.code).toBe(0);
    expect(last.stderr).toMatch(
      /^The free credits of .* are used up\. A repository of CircleCI cannot be claimed/,
    );
    const refused = await fixture.run();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^The free credits of .* are used up\. A repository of CircleCI cannot/);
    for (const { stdout, stderr, files } of [last, refused]) {
      expect(stdout + stderr + JSON.stringify(files)).not.toMatch(/svc_claim_|\/claim\//);
    }
    await fixture.close();
  });

  it("says so of a repository that may be private", async () => {
    const entry = { visibility: "private" as const };
    const fixture = await CiFixture.open({ provider: "circleci", backend, entry });
    const job = await fixture.run();
    expect(job.code).toBe(1);
    expect(job.stderr).toMatch(/^Free credits are for public repositories\. A repository of CircleCI cannot/);
    expect(job.stdout + job.stderr + JSON.stringify(job.files)).not.toContain("svc_claim_");
    await fixture.close();
  });
});
