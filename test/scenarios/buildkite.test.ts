// `agent-service run` in a job of Buildkite: its agent mints, and shows the summary on the build's page.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CiFixture } from "../support/fixtures/ci-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";

describe("a Buildkite job", () => {
  let fixture: CiFixture;
  let until = Promise.withResolvers<void>();
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      await say(task, "At work.\n--- a header of theirs\n");
      if (task.messages.at(-1)?.content === "wait") {
        await Promise.race([untilStopped(task), until.promise]);
        task.signal.throwIfAborted();
      }
      await say(task, "All is well.\n");
    });
    fixture = await CiFixture.open({ provider: "buildkite", backend });
  });
  afterAll(async () => await fixture.close());

  it("runs an agent, and annotates the build with its summary", async () => {
    const before = fixture.annotations.length;
    const job = await fixture.run();
    expect(job).toMatchObject({ code: 0, stderr: "" });
    expect(job.stdout).toContain("│ --- a header of theirs");
    expect(job.stdout).not.toMatch(/^--- a header/m);
    const [annotation, ...more] = fixture.annotations.slice(before);
    expect(more).toEqual([]);
    expect(annotation?.args.slice(0, 4)).toEqual(["annotate", "--style", "success", "--context"]);
    expect(annotation?.args[4]).toMatch(/^agent-service-/);
    expect(annotation?.body).toBe(job.files["summary.md"]);
    expect(annotation?.body).toMatch(/^## ✅ Answered\n/);
  });

  it("says how a container gets the agent's command", async () => {
    const job = await fixture.run({ hasToken: false });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain("mount-buildkite-agent: true");
    expect(job.stderr).toContain(
      'The page of this CI could not be written: there is no command "buildkite-agent" in this job',
    );
  });

  it("names the flag when it asks for another audience, in the annotation too", async () => {
    const job = await fixture.run({ args: ["--audience", "other.example", "Look around"] });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain(`Add --audience ${fixture.audience} to the command.`);
    expect(fixture.annotations.at(-1)?.args).toEqual(expect.arrayContaining(["--style", "error"]));
  });

  it("attaches to the run of the attempt before", async () => {
    until = Promise.withResolvers();
    const build = { BUILDKITE_BUILD_ID: "0184990a-0001-42b5-afc1-16715b10b1a0" };
    const detached = await fixture.run({
      env: { ...build, BUILDKITE_RETRY_COUNT: "0" },
      args: ["--on-cancel", "detach", "wait"],
      onLine: (line, kill) => {
        if (line.includes("At work.")) kill("SIGTERM");
      },
    });
    expect(detached.code).toBe(0);
    const retried = await fixture.run({
      env: { ...build, BUILDKITE_RETRY_COUNT: "1" },
      args: ["wait"],
      onLine: (line) => {
        if (line.startsWith("Attached")) until.resolve();
      },
    });
    expect(retried).toMatchObject({ code: 0, stderr: "" });
    expect(retried.stdout).toContain("that was started earlier.");
  });

  it("names the claim link when its credits have ended", async () => {
    const backend = scriptedBackend((task) => say(task, "Done."));
    const poor = await CiFixture.open({ provider: "buildkite", backend, config: { freeCredits: 1 } });
    const last = await poor.run();
    expect(last.code).toBe(0);
    expect(last.stderr).toContain(
      `Claim this repository's agent, for credits of its own: ${poor.url}/claim/`,
    );
    const refused = await poor.run({ env: { BUILDKITE_BUILD_ID: "0184990a-0002-42b5-afc1-16715b10b1a0" } });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("The free credits of this repository's owner are used up.");
    expect(refused.stderr).toContain(`${poor.url}/claim/svc_claim_`);
    await poor.close();
  });
});
