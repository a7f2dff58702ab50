// examples/doctor.yml: what is wrong with a job, without a run.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JobOptions } from "../../../fakes/code-host/job.ts";
import { actionOf, playExample } from "../../support/example-play.ts";
import type { ScenarioFixture } from "../../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";

describe("the doctor", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario" });
  });
  afterAll(async () => await fixture.close());

  const play = async (more: JobOptions = {}) => {
    const event: JobOptions = { event: "workflow_dispatch", ...more };
    const { doctor } = await playExample({ fixture, file: "doctor.yml", event });
    return { doctor, step: actionOf(doctor) };
  };

  it("finds nothing in a sound job, and starts no run", async () => {
    const { doctor, step } = await play();
    expect(doctor?.result).toBe("success");
    expect(step).toMatchObject({ outputs: { conclusion: "success", reason: "examined", "run-id": "" } });
    expect(step.summary).toMatch(/^## (✅|⚠️) Doctor: /);
    expect(await fixture.runs()).toEqual([]);
  });

  it("names what is wrong", async () => {
    const { doctor, step } = await play({ claims: { aud: "another.example" } });
    expect(doctor?.result).toBe("failure");
    expect(step.outputs).toMatchObject({ conclusion: "failure", reason: "faults_found" });
    expect(step.log).toContain("another.example");
  });
});
