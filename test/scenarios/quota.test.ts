// Nobody pays for the run: the conclusion is `quota`, with the place where somebody can take it on.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routesOf, Scene, type StepResult } from "../support/scenario.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";

const backend = scriptedBackend((task) => say(task, "Done."));

/** Claim links are made anew for every answer: any of them is as good. */
async function expectClaimUrl(scene: Scene, step: StepResult): Promise<void> {
  const claimUrl = step.outputs["claim-url"] ?? "";
  expect(claimUrl.startsWith(`${scene.url}/claim/svc_claim_`)).toBe(true);
  const shown = await fetch(claimUrl);
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining("octo-org/octo-repo")]);
  expect(step.log).toContain(claimUrl);
  expect(step.summary).toContain(`[Claim this agent](${claimUrl})`);
}

describe("when the free credits are used up", () => {
  const MESSAGE = "The free credits of this repository's owner are used up. Claim its agent to go on.";
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ backend, config: { freeCredits: 1 } });
  });
  afterAll(async () => await scene.close());

  it("lets the last run succeed, and says where to go on", async () => {
    const step = await scene.main(await scene.job());
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(step.summary).toContain("**Credits** 1 charged, 0 left");
    await expectClaimUrl(scene, step);
  });

  it("fails the step", async () => {
    const job = await scene.job();
    const step = await scene.main(job);
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "quota", reason: "credits_ended" } });
    await expectClaimUrl(scene, step);
    const message = `${MESSAGE} ${step.outputs["claim-url"]}`;
    expect(step.annotations).toEqual([{ level: "error", message, title: undefined }]);
    expect(step.summary).toMatch(/^## 💳 Out of credits\n/);
    expect(step.summary).toContain("**Credits** 0 left");
    expect(step.outputs).toMatchObject({ "run-id": "", "run-url": "", reply: "", credits: "", tokens: "" });
    expect(routesOf(step)).toEqual(["exchange", "submit"]);
    expect(await scene.runs()).toHaveLength(1);
    expect(routesOf(await scene.post(job, step))).toEqual(["revoke"]);
    await expectSoundLedger(scene.place);
  });

  it.each(["none", "failure"])("warns with fail-on: %s", async (failOn) => {
    const step = await scene.main(await scene.job(), { inputs: { "fail-on": failOn } });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "quota", reason: "credits_ended" } });
    await expectClaimUrl(scene, step);
    const message = `${MESSAGE} ${step.outputs["claim-url"]}`;
    expect(step.annotations).toEqual([{ level: "warning", message, title: undefined }]);
  });
});

describe("when the repository is private", () => {
  const MESSAGE = "Free credits are for public repositories. Claim this repository's agent to run it here.";
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ backend, visibility: "private" });
  });
  afterAll(async () => await scene.close());

  it("fails the step", async () => {
    const step = await scene.main(await scene.job());
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "quota", reason: "repository_private" },
    });
    await expectClaimUrl(scene, step);
    const message = `${MESSAGE} ${step.outputs["claim-url"]}`;
    expect(step.annotations).toEqual([{ level: "error", message, title: undefined }]);
    expect(step.summary).toMatch(/^## 💳 This repository needs a payer\n/);
    expect(routesOf(step)).toEqual(["exchange", "submit"]);
    expect(await scene.runs()).toEqual([]);
    expect(scene.forge.requests.filter(({ path }) => path.includes(".git/"))).toEqual([]);
  });

  it("warns with fail-on: none", async () => {
    const step = await scene.main(await scene.job(), { inputs: { "fail-on": "none" } });
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "quota", reason: "repository_private" },
    });
    expect(step.annotations).toMatchObject([{ level: "warning" }]);
    await expectClaimUrl(scene, step);
  });
});
