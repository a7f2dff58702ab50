// A workflow that `agent-service init` writes, played with exactly the permissions that it grants.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OUR_ACTION } from "../../../scripts/lint-workflows.ts";
import { initWorkflow } from "../../../src/cli/init-workflow.ts";
import { changesOnto } from "../../support/example-changes.ts";
import { actionOf, playExample } from "../../support/example-play.ts";
import type { ScenarioFixture } from "../../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../support/scripted-backend.ts";

describe("a workflow of agent-service init", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      await say(task, "I fixed the title.");
      const files = { "README.md": "# Octo\n" };
      const value = changesOnto(fixture.repository, { base: "refs/heads/main", files });
      await task.emit({ type: "CUSTOM", name: "repository.changes", value });
    });
    fixture = await startFixture({ level: "scenario", backend });
  });
  afterAll(async () => await fixture.close());

  it("opens a pull request every night", async () => {
    const place = { type: "service", url: "https://agents.example.com" } as const;
    const text = initWorkflow({ start: "nightly", changes: "pull-request", place, action: OUR_ACTION });
    const { agent } = await playExample({ fixture, file: "agent.yml", text, event: { event: "schedule" } });
    expect(agent?.result).toBe("success");
    expect(actionOf(agent).outputs).toMatchObject({ conclusion: "success", reason: "completed" });
    expect(fixture.codeHost.pulls.all).toHaveLength(1);
  });
});
