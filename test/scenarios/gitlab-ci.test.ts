// `agent-service run` in a job of GitLab CI: tokens that the job was given, sections in its log, reports for its page.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ManualClock } from "../support/clocks/manual-clock.ts";
import { CiFixture } from "../support/fixtures/ci-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";

const RUN_ID = /^Run ([0-9a-f-]{36})$/m;
const CAPABILITY_MS = 15 * 60_000;

describe("a GitLab job", () => {
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
    fixture = await CiFixture.open({ provider: "gitlab", backend });
  });
  afterAll(async () => await fixture.close());

  it("runs an agent, and leaves its files and reports", async () => {
    const job = await fixture.run();
    expect(job).toMatchObject({ code: 0, stderr: "" });
    const [, id] = RUN_ID.exec(job.stdout) ?? [];
    const apiUrl = `${fixture.url}/v1/ci/runs/${id}`;
    const [, url = ""] = /Follow it at (\S+)\n/.exec(job.stdout) ?? [];
    expect(url).toContain(`/runs/${id}`);
    expect(job.stdout).toContain("│ All is well.");
    expect(job.stdout).toMatch(/\n✅ Answered, 1 credit, 0 tokens\n$/);
    expect(job.requests.map(({ route }) => route)).toEqual(
      expect.arrayContaining(["exchange", "submit", "poll", "revoke"]),
    );
    expect(job.files["reply.md"]).toBe("All is well.\n");
    expect(job.files["summary.md"]).toMatch(/^## ✅ Answered\n/);
    expect(job.files["events.ndjson"]?.trimEnd().split("\n").length).toBeGreaterThan(3);
    expect(JSON.parse(job.files["result.json"] ?? "")).toMatchObject({
      conclusion: "success",
      run_url: url,
      run_api_url: apiUrl,
    });
    expect(job.files["agent-service.env"]).toContain(`AGENT_SERVICE_RUN_URL=${url}\n`);
    expect(job.files["agent-service.env"]).toMatch(/^(AGENT_SERVICE_[A-Z_]+=[^\n]*\n){10}$/);
    expect(JSON.parse(job.files["annotations.json"] ?? "")).toEqual({
      "agent-service": [{ external_link: { label: "The run", url } }],
    });
  });

  it("names the lines to add when it has no token", async () => {
    const job = await fixture.run({ hasToken: false });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain("the variable AGENT_SERVICE_ID_TOKEN is not set. Add to this job:");
    expect(job.stderr).toContain(
      `\n  id_tokens:\n    AGENT_SERVICE_ID_TOKEN:\n      aud: ${fixture.audience}\n`,
    );
    expect(job.requests).toEqual([]);
    expect(JSON.parse(job.files["result.json"] ?? "")).toMatchObject({ reason: "id_token_unavailable" });
    expect(job.files["agent-service.env"]).toMatch(
      /^AGENT_SERVICE_TITLE=.+\nAGENT_SERVICE_CONCLUSION=failure\nAGENT_SERVICE_REASON=id_token_unavailable\n/,
    );
  });

  it("names the lines to change when its token is for another audience", async () => {
    const token = fixture.mint({}, "other.example");
    const job = await fixture.run({ env: { AGENT_SERVICE_ID_TOKEN: token } });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain(`is not made for "${fixture.audience}" alone. Change in this job:`);
    expect(job.stderr).not.toContain(token);
    expect(job.requests).toEqual([]);
  });

  it("speaks GitLab when the service expects another audience than the command", async () => {
    const token = fixture.mint({}, "other.example");
    const job = await fixture.run({
      env: { AGENT_SERVICE_ID_TOKEN: token },
      args: ["--audience", "other.example", "Look around"],
    });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain('The ID token was made for another audience, got "other.example".');
    expect(job.stderr).toContain(
      `Add --audience ${fixture.audience} to the command, and give the job a token for it:`,
    );
    expect(job.stderr).toContain(
      `  id_tokens:\n    AGENT_SERVICE_ID_TOKEN:\n      aud: ${fixture.audience}\n`,
    );
  });

  it("runs nothing for a fork's merge request, and is no failure", async () => {
    const env = { CI_PIPELINE_SOURCE: "merge_request_event", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "999" };
    const job = await fixture.run({ env });
    expect(job.code).toBe(0);
    expect(job.stderr).toMatch(/^Nothing ran: this is a fork's merge request/);
    expect(job.requests).toEqual([]);
    const asked = await fixture.run({ env, args: ["--fail-on", "skipped", "Look around"] });
    expect(asked.code).toBe(1);
  });

  it("is refused with the reason when only its token tells that it is a fork's", async () => {
    const job = await fixture.run({
      env: { CI_PIPELINE_SOURCE: "merge_request_event" },
      claims: { project_id: "999", pipeline_source: "merge_request_event" },
    });
    expect(job.code).toBe(1);
    expect(job.stderr).toMatch(/^The service refused \(event_refused\): Merge requests of forks are refused/);
  });

  it("cancels its run when it is cancelled", async () => {
    const job = await fixture.run({
      args: ["wait"],
      onLine: (line, kill) => {
        if (line.includes("At work.")) kill("SIGTERM");
      },
    });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain("The job was cancelled: cancelling the run.\n");
    expect(job.stderr).toContain("The run was cancelled (user_stop).\n");
    expect(job.stdout).toMatch(/\n🛑 The run was cancelled, \d+ credits?, 0 tokens\n$/);
    expect(job.requests.map(({ route }) => route)).toContain("cancel");
  });

  it("attaches to the run of the job that it retries, and starts another when that has ended", async () => {
    until = Promise.withResolvers();
    const env = { CI_JOB_ID: "303", CI_PIPELINE_ID: "575" };
    const detached = await fixture.run({
      env,
      args: ["--on-cancel", "detach", "wait"],
      onLine: (line, kill) => {
        if (line.includes("At work.")) kill("SIGTERM");
      },
    });
    expect(detached.code).toBe(0);
    const [, id] = RUN_ID.exec(detached.stdout) ?? [];
    expect(detached.stderr).toMatch(
      new RegExp(`the run goes on at ${fixture.url}/agent/[^/]+/runs/${id}[?]view=svc_rv_`),
    );

    const retried = await fixture.run({
      env: { ...env, CI_JOB_ID: "304" },
      args: ["wait"],
      onLine: (line) => {
        if (line.startsWith("Attached")) until.resolve();
      },
    });
    expect(retried).toMatchObject({ code: 0, stderr: "" });
    expect(retried.stdout).toContain(`Attached to run ${id} that was started earlier.\n`);

    const again = await fixture.run({ env: { ...env, CI_JOB_ID: "305" }, args: ["wait"] });
    expect(again.code).toBe(0);
    expect(RUN_ID.exec(again.stdout)?.[1]).not.toBe(id);
  });

  it("writes events alone to standard output with --json", async () => {
    const job = await fixture.run({ args: ["--json", "Look around"] });
    expect(job.code).toBe(0);
    const events = job.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).event.type);
    expect([events[0], events.at(-1)]).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
    expect(job.stdout).toBe(job.files["events.ndjson"]);
  });

  it("notes what it tries again", async () => {
    fixture.proxy.next("submit", { type: "status", status: 503 });
    const job = await fixture.run();
    expect(job.code).toBe(0);
    expect(job.stderr).toMatch(/^Attempt 1 failed: .*503.* Trying again in \d+\.\d s\.\n$/);
  });

  it("fails and says so when the service cannot be reached", async () => {
    const job = await fixture.run({ command: ["run", "--base-url", "http://127.0.0.1:9"], env: {} });
    expect(job.code).toBe(1);
    // The token is for the other address: nothing is asked of a service that it was not made for.
    expect(job.stderr).toContain('is not made for "127.0.0.1:9" alone');
  });
});

describe("a GitLab job whose capability ends", () => {
  const clock = new ManualClock();
  let fixture: CiFixture;
  let isRenewed = Promise.withResolvers<void>();
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      await say(task, "Before.\n");
      await isRenewed.promise;
      await say(task, "After.\n");
    });
    fixture = await CiFixture.open({ provider: "gitlab", backend, clock });
  });
  afterAll(async () => await fixture.close());

  it("goes on with its second token", async () => {
    isRenewed = Promise.withResolvers();
    const job = await fixture.run({
      env: { AGENT_SERVICE_ID_TOKEN_2: fixture.mint({ exp: clock.now() / 1000 + 3_600 }) },
      claims: { exp: clock.now() / 1000 + 3_600 },
      onLine: (line) => {
        if (!line.includes("Before.")) return;
        fixture.proxy.arrival("exchange").then(isRenewed.resolve);
        clock.advance(CAPABILITY_MS + 1);
      },
    });
    expect(job).toMatchObject({ code: 0, stderr: "" });
    expect(job.stdout.match(/(Before|After)\./g)).toEqual(["Before.", "After."]);
    expect(job.requests.filter(({ route }) => route === "exchange")).toHaveLength(2);
  });

  it("says that it has no more, and where the run goes on", async () => {
    isRenewed = Promise.withResolvers();
    const job = await fixture.run({
      env: { CI_PIPELINE_ID: "576" },
      claims: { exp: clock.now() / 1000 + 3_600 },
      onLine: (line) => {
        if (line.includes("Before.")) clock.advance(CAPABILITY_MS + 1);
      },
    });
    isRenewed.resolve();
    expect(job.code).toBe(1);
    expect(job.stderr).toContain("its one ID token is used up, and the run goes on without it.");
    expect(job.stderr).toContain("AGENT_SERVICE_ID_TOKEN_2");
    expect(JSON.parse(job.files["result.json"] ?? "")).toMatchObject({ reason: "id_tokens_used_up" });
    expect(job.requests.filter(({ route }) => route === "exchange")).toHaveLength(1);
  });
});
