// The audience that a job's token is made for, and what a wrong one is answered with.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routesOf, type ScenarioFixture, sentTokens } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { briefingBackend } from "../support/scripted-backend.ts";

describe("the audience", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({
      level: "scenario",
      backend: briefingBackend,
      config: { audience: "agents.example.com" },
    });
  });
  afterAll(async () => await fixture.close());

  it("names the fix when the host of base-url is not what the service expects", async () => {
    const job = await fixture.job();
    const step = await fixture.main(job);
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "audience_mismatch" },
    });
    const host = new URL(fixture.url).host;
    const requestId = step.requests[0]?.answer?.headers["x-request-id"];
    const message =
      `The ID token was made for another audience, got "${host}". ` +
      `Set "audience: agents.example.com" on this step. (request ${requestId})`;
    expect(step.annotations).toEqual([{ level: "error", message, title: "The step failed" }]);
    expect(routesOf(step)).toEqual(["exchange"]);
    expect(step.requests[0]?.answer?.status).toBe(401);
    expect(fixture.logText()).toContain(String(requestId));
    expect(step.state).toEqual({ phase: "concluded" });
    expect(routesOf(await fixture.post(job, step))).toEqual([]);
  });

  it("names the fix when the input is wrong", async () => {
    const step = await fixture.main(await fixture.job(), { inputs: { audience: "other.example.com" } });
    expect(sentTokens(step)).toMatchObject([{ aud: "other.example.com" }]);
    expect(step.annotations[0]?.message).toMatch(
      /^The ID token was made for another audience, got "other\.example\.com"\. Set "audience: agents\.example\.com" on this step\. /,
    );
  });

  it("is the input's where it is given", async () => {
    const step = await fixture.main(await fixture.job(), { inputs: { audience: "agents.example.com" } });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(sentTokens(step)).toMatchObject([{ aud: "agents.example.com" }]);
  });
});
