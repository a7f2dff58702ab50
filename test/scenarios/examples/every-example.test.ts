// What holds for every workflow under examples/. What actionlint finds, and expressions in scripts, are in workflows.test.ts.

import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { OUR_ACTION } from "../../../scripts/lint-workflows.ts";
import { readInputs } from "../../../src/action/inputs.ts";
import * as models from "../../../src/action/model-inputs.ts";
import { readExample } from "../../support/example-workflow.ts";

const files = readdirSync(new URL("../../../examples", import.meta.url)).filter((name) =>
  name.endsWith(".yml"),
);

describe("every example", () => {
  it("is looked at", () => {
    expect(files).toEqual(expect.arrayContaining(["commands.yml", "fix-failing-tests.yml"]));
  });

  it.each(files)("%s grants nothing to the whole workflow, and has an end for every job", (file) => {
    const { name, permissions, jobs } = readExample(file);
    expect(name).not.toBe("");
    expect(permissions).toEqual({});
    for (const job of Object.values(jobs)) {
      expect(job.timeoutMinutes).toBeGreaterThan(0);
      expect(Object.keys(job.permissions)).not.toEqual([]);
      expect(Object.values(job.permissions)).not.toContain("write-all");
    }
  });

  it.each(files)("%s gives our action inputs that it takes, and time to end before its job does", (file) => {
    const jobs = Object.values(readExample(file).jobs);
    const ours = jobs.flatMap(({ steps, timeoutMinutes }) =>
      steps.filter(({ uses }) => uses === OUR_ACTION).map((step) => ({ step, timeoutMinutes })),
    );
    const calls = jobs.flatMap(({ steps }) =>
      steps.filter(({ run }) => /agent-service eval|gh attestation verify/.test(run ?? "")),
    );
    expect([...ours, ...calls]).not.toEqual([]);
    for (const { step, timeoutMinutes } of ours) {
      // Of an expression only the runner knows the value.
      const given = (name: string) => step.with[name]?.replaceAll(/\$\{\{.*?\}\}/g, "x") ?? "";
      const inputs = readInputs({ read: given, names: Object.keys(step.with), models });
      if (inputs.mode === "doctor" || !inputs.wait) continue;
      expect(inputs.timeoutMinutes).toBeLessThan(timeoutMinutes);
    }
  });
});
