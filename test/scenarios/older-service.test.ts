// A service that is older than the job's software: it refuses a field that it does not know, and the job says which setting
// sends it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CiFixture } from "../support/fixtures/ci-fixture.ts";
import type { ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

const backend = scriptedBackend(async (task) => await say(task, "All is well.\n"));
/** What this version knows beside a message. */
const OPTIONAL = [
  "session_id",
  "session_key",
  "new_session",
  "max_turn_tokens",
  "max_cost_usd",
  "time_limit_seconds",
  "output_schema",
  "setup",
  "egress",
  "mcp_servers",
  "outputs",
  "pull_request",
  "model_access",
  "may_park",
  "delivers",
  "about",
];

describe("the Action with an older service", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario", backend });
  });
  afterEach(() => fixture.proxy.heal());
  afterAll(async () => await fixture.close());

  it("sends no optional field that is not set", async () => {
    fixture.proxy.always("submit", { type: "older", unknown: OPTIONAL });
    const step = await fixture.main(await fixture.job(), { inputs: { prompt: "Hello" } });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
  });

  it.each([[["may_park"]], [["delivers"]], [["may_park", "delivers", "about"]]])(
    "asks again without what it can do without, and under the same key, where that is not known: %j",
    async (unknown) => {
      fixture.proxy.always("submit", { type: "older", unknown });
      const step = await fixture.main(await fixture.job(), { inputs: { prompt: "Hello" } });
      expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
      const submitted = step.requests.filter(({ route }) => route === "submit");
      const sent = submitted.map(({ body }) => Object.keys(JSON.parse(body)));
      expect(sent[0]).toEqual(expect.arrayContaining(["may_park", "delivers", "about"]));
      expect(sent[1]).toEqual(sent[0]?.filter((field) => !unknown.includes(field)));
      expect(sent).toHaveLength(2);
      expect(new Set(submitted.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
      for (const field of unknown) expect(step.log).not.toContain(field);
    },
  );

  it.each([
    [{ egress: "registries" }, "egress", 'Leave out the input "egress"'],
    [{ "timeout-minutes": "5" }, "time_limit_seconds", 'Leave out the input "timeout-minutes"'],
    [{ "max-cost": "1" }, "max_cost_usd", 'Leave out the input "max-cost"'],
    [{ outputs: "issue: { max: 1 }" }, "outputs", 'Leave out the input "outputs"'],
    [{ changes: "pull-request" }, "session_key", 'Set the input "session" to "new"'],
  ])("names the input that sends what it does not know: %j", async (inputs, field, advice) => {
    fixture.proxy.always("submit", { type: "older", unknown: [field] });
    const step = await fixture.main(await fixture.job(), { inputs: { prompt: "Hello", ...inputs } });
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "invalid_request", "run-id": "" },
    });
    const message = `The service is older than this version of the Action: it does not know "${field}". ${advice}, or let its operator update it. (request older)`;
    expect(step.annotations.at(-1)).toMatchObject({ level: "error", message });
    expect(step.summary).toContain("The service is older than this version of the Action");
  });

  it("knows nothing to leave out where the field follows from the event", async () => {
    fixture.proxy.always("submit", { type: "older", unknown: ["pull_request"] });
    const step = await fixture.main(await fixture.job({ event: "pull_request", pullRequest: {} }));
    expect(step.annotations.at(-1)?.message).toBe(
      'The service is older than this version of the Action: it does not know "pull_request". Let its operator update it. (request older)',
    );
  });
});

describe("the command with an older service", () => {
  let fixture: CiFixture;
  beforeAll(async () => {
    fixture = await CiFixture.open({ provider: "gitlab", backend });
  });
  afterAll(async () => await fixture.close());

  it("sends what is set, and names the flag", async () => {
    fixture.proxy.always("submit", { type: "older", unknown: OPTIONAL });
    expect(await fixture.run({ args: ["Hello"] })).toMatchObject({ code: 0, stderr: "" });
    const refused = await fixture.run({ args: ["--max-cost", "1", "--egress", "registries", "Hello"] });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'The service is older than this version of the command: it does not know "max_cost_usd", "egress". Leave out --max-cost and leave out --egress, or let its operator update it.',
    );
  });
});
