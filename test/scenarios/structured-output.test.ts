// A reply as data: the schema reaches the service, the value the next step.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BackendTask } from "../../src/service/executor/backend.ts";
import type { ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

const SCHEMA = { type: "object", properties: { verdict: { type: "string" } }, required: ["verdict"] };

describe("a run with an output schema", () => {
  let fixture: ScenarioFixture;
  const seen: BackendTask["outputSchema"][] = [];

  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      seen.push(task.outputSchema);
      await say(task, '{"verdict":"fine\\nEOF"}');
      if (task.outputSchema !== null) {
        await task.emit({ type: "CUSTOM", name: "output", value: { verdict: "fine\nEOF" } });
      }
    });
    fixture = await startFixture({ level: "scenario", backend });
  });
  afterAll(async () => await fixture.close());

  it("gives the reply as JSON to the next step", async () => {
    const step = await fixture.main(await fixture.job(), {
      inputs: { "output-schema": JSON.stringify(SCHEMA) },
    });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(seen).toEqual([SCHEMA]);
    expect(JSON.parse(step.outputs["structured-output"] ?? "")).toEqual({ verdict: "fine\nEOF" });
  });

  it("has none where nobody asked for it", async () => {
    const step = await fixture.main(await fixture.job());
    expect(step.outputs["structured-output"]).toBe("");
    expect(step.outputs["patch-file"]).toBe("");
    expect(seen.at(-1)).toBeNull();
  });
});
