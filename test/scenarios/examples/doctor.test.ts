// examples/doctor.yml: what is wrong with a job, without a run.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actionOf, playExample } from "../../support/example-play.ts";
import type { JobOptions } from "../../support/forge-job.ts";
import { Scene } from "../../support/scenario.ts";

describe("the doctor", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open();
  });
  afterAll(async () => await scene.close());

  const play = async (more: JobOptions = {}) => {
    const event: JobOptions = { event: "workflow_dispatch", ...more };
    const { doctor } = await playExample({ scene, file: "doctor.yml", event });
    return { doctor, step: actionOf(doctor) };
  };

  it("finds nothing in a sound job, and starts no run", async () => {
    const { doctor, step } = await play();
    expect(doctor?.result).toBe("success");
    expect(step).toMatchObject({ outputs: { conclusion: "success", reason: "examined", "run-id": "" } });
    expect(step.summary).toMatch(/^## (✅|⚠️) Doctor: /);
    expect(await scene.runs()).toEqual([]);
  });

  it("names what is wrong", async () => {
    const { doctor, step } = await play({ claims: { aud: "another.example" } });
    expect(doctor?.result).toBe("failure");
    expect(step.outputs).toMatchObject({ conclusion: "failure", reason: "faults_found" });
    expect(step.log).toContain("another.example");
  });
});
