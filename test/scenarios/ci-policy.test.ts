// The owner allows one workflow file on one branch: what a job of an edited copy is told, and that the allowed one runs.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { makeTestKey, operateOn, type TestKey } from "../support/account-key.ts";
import { routesOf, type ScenarioFixture, sentTokens } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { runCommand } from "../support/run/run-command.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";
import { call } from "../support/service-client.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";

const ALLOWED = ".github/workflows/agent.yml@refs/heads/main";
const EDITED: JobOptions = { event: "workflow_dispatch", ref: "refs/heads/topic" };

describe("an owner's policy on CI jobs", () => {
  let fixture: ScenarioFixture;
  let key: TestKey;
  let agentId: string;
  const policy = (...flags: string[]) => {
    const env = { AGENT_SERVICE_URL: fixture.serviceUrl, AGENT_SERVICE_KEY: key.secret };
    return runCommand(["agents", "policy", agentId, ...flags], env);
  };

  beforeAll(async () => {
    const backend = scriptedBackend((task) => say(task, "Done."));
    fixture = await startFixture({ level: "scenario", backend, visibility: "private" });
    fixture.repository.git(["update-ref", "refs/heads/topic", "refs/heads/main"]);
    await fixture.stop();
    key = await makeTestKey(fixture.place);
    await operateOn(fixture.place, ({ grant }) => grant({ accountId: key.accountId, credits: 1_000 }));
    await fixture.start();
    const asking = await fixture.main(await fixture.job());
    const claim = (asking.outputs["claim-url"] ?? "").split("/").at(-1);
    const claimed = await call(`${fixture.serviceUrl}/v1/ci/claim`, {
      method: "POST",
      bearer: key.secret,
      json: { claim },
    });
    agentId = (claimed.body as { agent_id: string }).agent_id;
    const accepting = await fixture.main(await fixture.job(), { inputs: { account: key.accountId } });
    expect(accepting).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
  });
  afterAll(async () => {
    await expectSoundLedger(fixture.place);
    await fixture.close();
  });

  it("lets every job run until it is set", async () => {
    const step = await fixture.main(await fixture.job(EDITED));
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
  });

  describe("once it is set", () => {
    beforeAll(async () => {
      expect((await policy("--allow-workflow", ALLOWED)).code).toBe(0);
    });

    it("fails the job of an edited workflow on a branch, and says who changes that", async () => {
      const before = await fixture.runs();
      const job = await fixture.job(EDITED);
      const step = await fixture.main(job);
      expect(step).toMatchObject({
        exitCode: 1,
        outputs: { conclusion: "failure", reason: "policy_refused", "run-id": "", reply: "" },
      });
      expect(sentTokens(step)).toMatchObject([{ ref: "refs/heads/topic", event_name: "workflow_dispatch" }]);
      expect(routesOf(step)).toEqual(["exchange"]);
      const message = `The repository's owner allows only workflow ${ALLOWED}; this job has workflow .github/workflows/agent.yml@refs/heads/topic. The owner changes that with "agent-service agents policy".`;
      expect(step.annotations).toMatchObject([{ level: "error" }]);
      expect(step.annotations[0]?.message).toMatch(/ \(request [\w-]+\)$/);
      expect(step.annotations[0]?.message).toContain(message);
      expect(step.log).toContain(message);
      expect(step.summary).toContain("this job has workflow");
      expect(await fixture.runs()).toEqual(before);
      expect(fixture.logText()).toContain('"reason":"policy_refused"');
      expect((await fixture.post(job, step)).requests).toEqual([]);
    });

    it("is not weakened by the job's own account, fail-on or workflow name", async () => {
      const job = await fixture.job({ ...EDITED, workflow: ALLOWED });
      const inputs = { account: key.accountId, "fail-on": "none" };
      const step = await fixture.main(job, { inputs });
      expect(step).toMatchObject({
        exitCode: 0,
        outputs: { conclusion: "failure", reason: "policy_refused" },
      });
      expect(routesOf(step)).toEqual(["exchange"]);
    });

    it("lets the job of the workflow on main run", async () => {
      const step = await fixture.main(await fixture.job());
      expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
      expect(routesOf(step)).toContain("submit");
      expect(await fixture.run(step)).toMatchObject({ status: "completed" });
    });
  });
});
