// The owner allows one workflow file on one branch: what a job of an edited copy is told, and that the allowed one runs.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestKey, operateOn, type TestKey } from "../support/account-key.ts";
import type { JobOptions } from "../support/forge-job.ts";
import { routesOf, Scene, sentTokens } from "../support/scenario.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";
import { call } from "../support/service-client.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { runCommand } from "../support/service-process.ts";

const ALLOWED = ".github/workflows/agent.yml@refs/heads/main";
const EDITED: JobOptions = { event: "workflow_dispatch", ref: "refs/heads/topic" };

describe("an owner's policy on CI jobs", () => {
  let scene: Scene;
  let key: TestKey;
  let agentId: string;
  const policy = (...flags: string[]) => {
    const env = { AGENT_SERVICE_URL: scene.serviceUrl, AGENT_SERVICE_KEY: key.secret };
    return runCommand(["agents", "policy", agentId, ...flags], env);
  };

  beforeAll(async () => {
    const backend = scriptedBackend((task) => say(task, "Done."));
    scene = await Scene.open({ backend, visibility: "private" });
    scene.repository.git(["update-ref", "refs/heads/topic", "refs/heads/main"]);
    await scene.stop();
    key = await makeTestKey(scene.place);
    await operateOn(scene.place, ({ grant }) => grant({ accountId: key.accountId, credits: 1_000 }));
    await scene.start();
    const asking = await scene.main(await scene.job());
    const claim = (asking.outputs["claim-url"] ?? "").split("/").at(-1);
    const claimed = await call(`${scene.serviceUrl}/v1/ci/claim`, {
      method: "POST",
      bearer: key.secret,
      json: { claim },
    });
    agentId = (claimed.body as { agent_id: string }).agent_id;
    const accepting = await scene.main(await scene.job(), { inputs: { account: key.accountId } });
    expect(accepting).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
  });
  afterAll(async () => {
    await expectSoundLedger(scene.place);
    await scene.close();
  });

  it("lets every job run until it is set", async () => {
    const step = await scene.main(await scene.job(EDITED));
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
  });

  describe("once it is set", () => {
    beforeAll(async () => {
      expect((await policy("--allow-workflow", ALLOWED)).code).toBe(0);
    });

    it("fails the job of an edited workflow on a branch, and says who changes that", async () => {
      const before = await scene.runs();
      const job = await scene.job(EDITED);
      const step = await scene.main(job);
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
      expect(await scene.runs()).toEqual(before);
      expect(scene.logText()).toContain('"reason":"policy_refused"');
      expect((await scene.post(job, step)).requests).toEqual([]);
    });

    it("is not weakened by the job's own account, fail-on or workflow name", async () => {
      const job = await scene.job({ ...EDITED, workflow: ALLOWED });
      const inputs = { account: key.accountId, "fail-on": "none" };
      const step = await scene.main(job, { inputs });
      expect(step).toMatchObject({
        exitCode: 0,
        outputs: { conclusion: "failure", reason: "policy_refused" },
      });
      expect(routesOf(step)).toEqual(["exchange"]);
    });

    it("lets the job of the workflow on main run", async () => {
      const step = await scene.main(await scene.job());
      expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
      expect(routesOf(step).slice(0, 2)).toEqual(["exchange", "submit"]);
      expect(await scene.run(step)).toMatchObject({ status: "completed" });
    });
  });
});
