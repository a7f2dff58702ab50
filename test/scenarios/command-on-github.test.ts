// `agent-service run` in a job of GitHub, without the Action: the same identity, the same summary.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import type { ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { runCommand } from "../support/run/run-command.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

describe("the command in a job of GitHub", () => {
  let fixture: ScenarioFixture;
  let folder: string;
  beforeAll(async () => {
    fixture = await startFixture({
      level: "scenario",
      backend: scriptedBackend((task) => say(task, "::error::All is well.\n")),
    });
    folder = await mkdtemp(join(tmpdir(), "command-on-github-"));
  });
  afterAll(async () => {
    await fixture.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(job: CodeHostJob) {
    const summary = join(folder, "summary");
    await writeFile(summary, "");
    const ran = await runCommand(
      ["run", "--base-url", fixture.url, "Look around"],
      { ...job.env, GITHUB_STEP_SUMMARY: summary },
      { folder },
    );
    return { ...ran, summary: await readFile(summary, "utf8") };
  }

  it("runs an agent, fences what it says, and writes the job's summary", async () => {
    const { code, stdout, stderr, summary } = await run(await fixture.job());
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/::stop-commands::([\w-]+)\n::error::All is well\.\n::\1::\n/);
    expect(summary).toMatch(/^## ✅ Answered\n/);
    expect(stdout).not.toMatch(/svc_ci_|eyJ/);
  });

  it("names the permission that is missing", async () => {
    const { code, stderr } = await run(await fixture.job({ idToken: false }));
    expect(code).toBe(1);
    expect(stderr).toBe('No ID token available. Add "permissions: id-token: write" to this job.\n');
  });
});
