// Nobody pays for the run: the conclusion is `quota`, with the place where somebody can take it on.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routesOf, type ScenarioFixture, type StepResult } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";

const backend = scriptedBackend((task) => say(task, "Done."));

/** Claim links are made anew for every answer: any of them is as good. */
async function expectClaimUrl(fixture: ScenarioFixture, step: StepResult): Promise<void> {
  const claimUrl = step.outputs["claim-url"] ?? "";
  expect(claimUrl.startsWith(`${fixture.url}/claim/svc_claim_`)).toBe(true);
  const shown = await fetch(claimUrl);
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining("octo-org/octo-repo")]);
  expect(step.log).toContain(claimUrl);
  expect(step.summary).toContain(`[Claim this agent](${claimUrl})`);
}

describe("when the free credits are used up", () => {
  const MESSAGE = "The free credits of this repository's owner are used up. Claim its agent to go on.";
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario", backend, config: { freeCredits: 1 } });
  });
  afterAll(async () => await fixture.close());

  it("lets the last run succeed, and says where to go on", async () => {
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(step.summary).toContain("**Credits** 1 charged, 0 left");
    await expectClaimUrl(fixture, step);
  });

  it("fails the step", async () => {
    const job = await fixture.job();
    const step = await fixture.main(job);
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "quota", reason: "credits_ended" } });
    await expectClaimUrl(fixture, step);
    const message = `${MESSAGE} ${step.outputs["claim-url"]}`;
    expect(step.annotations).toEqual([{ level: "error", message, title: "Out of credits" }]);
    expect(step.summary).toMatch(/^## 💳 Out of credits\n/);
    expect(step.summary).toContain("**Credits** 0 left");
    expect(step.outputs).toMatchObject({
      "run-id": "",
      "run-url": "",
      "run-api-url": "",
      reply: "",
      credits: "",
      tokens: "",
    });
    expect(routesOf(step)).toEqual(["exchange", "submit"]);
    expect(await fixture.runs()).toHaveLength(1);
    expect(routesOf(await fixture.post(job, step))).toEqual(["revoke"]);
    await expectSoundLedger(fixture.place);
  });

  it.each(["none", "failure"])("warns with fail-on: %s", async (failOn) => {
    const step = await fixture.main(await fixture.job(), { inputs: { "fail-on": failOn } });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "quota", reason: "credits_ended" } });
    await expectClaimUrl(fixture, step);
    const message = `${MESSAGE} ${step.outputs["claim-url"]}`;
    expect(step.annotations).toEqual([{ level: "warning", message, title: "Out of credits" }]);
  });
});

describe("when the repository is private", () => {
  const MESSAGE = "Free credits are for public repositories. Claim this repository's agent to run it here.";
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario", backend, visibility: "private" });
  });
  afterAll(async () => await fixture.close());

  it("fails the step", async () => {
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "quota", reason: "repository_private" },
    });
    await expectClaimUrl(fixture, step);
    const message = `${MESSAGE} ${step.outputs["claim-url"]}`;
    expect(step.annotations).toEqual([
      { level: "error", message, title: "This repository needs a billing account" },
    ]);
    expect(step.summary).toMatch(/^## 💳 This repository needs a billing account\n/);
    expect(routesOf(step).slice(0, 2)).toEqual(["exchange", "find-commit"]);
    expect(routesOf(step)).not.toContain("send-commit");
    expect(await fixture.runs()).toEqual([]);
    expect(fixture.codeHost.requests.filter(({ path }) => path.includes(".git/"))).toEqual([]);
  });

  it("warns with fail-on: none", async () => {
    const step = await fixture.main(await fixture.job(), { inputs: { "fail-on": "none" } });
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "quota", reason: "repository_private" },
    });
    expect(step.annotations).toMatchObject([{ level: "warning" }]);
    await expectClaimUrl(fixture, step);
  });
});
