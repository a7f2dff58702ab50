// A job that does not wait, and one that wants no summary.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routesOf, type ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

describe("a job", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({
      level: "scenario",
      backend: scriptedBackend((task) => say(task, "Done.\n")),
    });
  });
  afterAll(async () => await fixture.close());

  it("submits and goes on its way with wait: false, and says so", async () => {
    const inputs = { wait: "false" };
    const job = await fixture.job();
    const step = await fixture.main(job, { inputs });
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "detached", reason: "detached", reply: "", "reply-file": "", "events-file": "" },
    });
    expect(step.outputs["run-api-url"]).toBe(`${fixture.url}/v1/ci/runs/${step.outputs["run-id"]}`);
    const message = `Not waiting, as "wait: false" asks: the run goes on at ${step.outputs["run-url"]}.`;
    expect(step.annotations).toEqual([
      { level: "notice", message, title: "The run goes on without this job" },
    ]);
    expect(step.summary).toMatch(/^## ↗️ The run goes on without this job\n/);
    expect(routesOf(step)).toEqual(["exchange", "submit", "page"]);
    expect(routesOf(await fixture.post(job, step, { inputs }))).toEqual(["revoke"]);
    await expect.poll(() => fixture.run(step)).toMatchObject({ status: "completed" });
  });

  it("fails where fail-on says detached", async () => {
    const step = await fixture.main(await fixture.job(), {
      inputs: { wait: "false", "fail-on": "detached" },
    });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "detached" } });
    expect(step.annotations).toMatchObject([{ level: "error" }]);
  });

  it("writes no summary with summary: false", async () => {
    const step = await fixture.main(await fixture.job(), { inputs: { summary: "false" } });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], summary: "", outputs: { reply: "Done.\n" } });
  });

  it("continues a session, with the budget that it was given", async () => {
    const first = await fixture.main(await fixture.job());
    const session = first.outputs["session-id"] ?? "";
    const step = await fixture.main(await fixture.job(), { inputs: { session, "max-turn-tokens": "1000" } });
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    expect(step.outputs["session-id"]).toBe(session);
    const submit = step.requests.find(({ route }) => route === "submit");
    expect(JSON.parse(submit?.body ?? "")).toMatchObject({ session_id: session, max_turn_tokens: 1000 });
  });

  it("names the setup script that it was given, or none", async () => {
    for (const [setup, sent] of [
      ["ci/agent.sh", "ci/agent.sh"],
      ["none", null],
    ]) {
      const step = await fixture.main(await fixture.job(), { inputs: { setup: `${setup}` } });
      expect(step).toMatchObject({ exitCode: 0, annotations: [] });
      const submit = step.requests.find(({ route }) => route === "submit");
      expect(JSON.parse(submit?.body ?? "")).toMatchObject({ setup: sent });
    }
    const step = await fixture.main(await fixture.job());
    const submit = step.requests.find(({ route }) => route === "submit");
    expect(JSON.parse(submit?.body ?? "")).not.toHaveProperty("setup");
  });

  it("names the account that is to pay, and says that it has made no claim", async () => {
    const step = await fixture.main(await fixture.job(), { inputs: { account: "acme" } });
    const warning = { level: "warning", message: expect.stringContaining("has made no claim") };
    expect(step).toMatchObject({ exitCode: 0, annotations: [warning] });
    const exchange = step.requests.find(({ route }) => route === "exchange");
    expect(JSON.parse(exchange?.body ?? "")).toMatchObject({ account: "acme" });
  });

  it("says that there is no such session", async () => {
    const step = await fixture.main(await fixture.job(), { inputs: { session: "long-gone" } });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: "not_found" } });
    expect(step.annotations[0]?.message).toContain('no session "long-gone"');
  });
});
