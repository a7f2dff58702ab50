// examples/long-run.yml: a job starts the run and goes, another takes what came of it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changesOnto } from "../../support/example-changes.ts";
import { actionOf, playExample } from "../../support/example-play.ts";
import { npmProject } from "../../support/example-project.ts";
import { routesOf, type ScenarioFixture } from "../../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../support/scripted-backend.ts";

const PROMPT = 'Rewrite it; say "$(id)"';

describe("a long run", () => {
  let fixture: ScenarioFixture;
  const prompts: string[] = [];
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      prompts.push(task.messages.at(-1)?.content ?? "");
      const files = { "sum.mjs": "export const sum = (...all) => all.reduce((a, b) => a + b, 0);\n" };
      const value = changesOnto(fixture.repository, { base: "refs/heads/main", files });
      await task.emit({ type: "CUSTOM", name: "repository.changes", value });
      await say(task, "It is rewritten.");
    });
    fixture = await startFixture({ level: "scenario", backend });
    fixture.repository.commit({ files: npmProject({ isBroken: true }), day: 1 });
  });
  afterAll(async () => await fixture.close());

  it("is started by one job and taken by another, whatever the tests say meanwhile", async () => {
    const event = { event: "workflow_dispatch" } as const;
    const played = await playExample({ fixture, file: "long-run.yml", event, inputs: { prompt: PROMPT } });
    const { start, test, finish } = played;
    expect(start?.result).toBe("success");
    expect(actionOf(start).outputs).toMatchObject({ conclusion: "detached" });
    expect(test?.result).toBe("failure");
    expect(test?.steps.at(-1)?.log).toContain("2 and 3 make 5");
    expect(finish?.result).toBe("success");
    expect(prompts).toEqual([PROMPT]);

    const step = actionOf(finish);
    expect(step.outputs).toMatchObject({
      conclusion: "success",
      "run-id": start?.outputs["run-id"],
      reply: "It is rewritten.",
    });
    expect(routesOf(step)).not.toContain("submit");
    expect(fixture.codeHost.pulls.all).toMatchObject([{ base: "main", head: step.outputs.branch }]);
    expect(await fixture.runs()).toHaveLength(1);
  });

  it("is not waited for where it was not started", async () => {
    const played = await playExample({
      fixture,
      file: "long-run.yml",
      event: { event: "workflow_dispatch", claims: { aud: "another" } },
      inputs: { prompt: PROMPT },
    });
    expect(played.start?.result).toBe("failure");
    expect(played.finish).toMatchObject({ result: "skipped" });
  });
});
