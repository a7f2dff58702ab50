// POST /v1/agents/{agentID}/runs/{runID}/cancel.

import { expect, it } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { expectProblem, onEveryDeployment, readToEnd, untilAtWork } from "./every-deployment.ts";

onEveryDeployment("cancel", (service) => {
  const cancel = (run: { agentId: string; runId: string; bearer: string }) =>
    service().call(`/v1/agents/${run.agentId}/runs/${run.runId}/cancel`, {
      method: "POST",
      bearer: run.bearer,
    });

  it("ends a run at work, on whatever node, and refuses once it has ended", async () => {
    const { owner, ownerKey: bearer, agentId } = await service().accountWithAgent();
    const { runId } = await owner.runs.submit({ agentId, body: { message: "wait" } });
    await untilAtWork(owner, runId);
    const answer = await cancel({ agentId, runId, bearer });
    expect([answer.status, answer.body]).toEqual([202, { runId, status: "cancelling" }]);
    await expectValidStream(await readToEnd(owner, runId));
    const run = await owner.runs.get({ agentId, runId });
    expect(run).toMatchObject({ status: "cancelled", cause: "user_stop" });
    expectProblem(await cancel({ agentId, runId, bearer }), [409, "run_finished"]);
    expect(await owner.runs.get({ agentId, runId })).toEqual(run);
  });

  it("may be asked for by an AI client, and by many at once", async () => {
    const { owner, aiKey: bearer, agentId } = await service().accountWithAgent();
    const { runId } = await owner.runs.submit({ agentId, body: { message: "wait" } });
    await untilAtWork(owner, runId);
    const answers = await Promise.all(Array.from({ length: 6 }, () => cancel({ agentId, runId, bearer })));
    for (const { status } of answers) expect([202, 409]).toContain(status);
    expect(answers.some(({ status }) => status === 202)).toBe(true);
    await expectValidStream(await readToEnd(owner, runId));
  });

  it("ends the runs that a run delegated to as well", async () => {
    const { owner, ownerKey: bearer, agentId } = await service().accountWithAgent();
    const { runId } = await owner.runs.submit({ agentId, body: { message: "delegate" } });
    const child = await childOf(owner, { agentId, runId });
    await untilAtWork(owner, child);
    expect((await cancel({ agentId, runId, bearer })).status).toBe(202);
    for (const id of [runId, child]) {
      await expectValidStream(await readToEnd(owner, id));
      expect((await owner.runs.get({ agentId, runId: id })).status).toBe("cancelled");
    }
    const ofChild = await owner.runs.get({ agentId, runId: child });
    expect(ofChild).toMatchObject({ origin: "agent", parent_run_id: runId });
  });

  it("refuses a run that has completed", async () => {
    const { owner, ownerKey: bearer, agentId } = await service().accountWithAgent();
    const { runId } = await owner.runs.submit({ agentId, body: { message: "hello" } });
    await readToEnd(owner, runId);
    expectProblem(await cancel({ agentId, runId, bearer }), [409, "run_finished"]);
    await expect(owner.runs.cancel({ agentId, runId })).rejects.toMatchObject({ code: "run_finished" });
    expect((await owner.runs.get({ agentId, runId })).status).toBe("completed");
  });
});

/** The run that a run delegates to, once it is there. */
async function childOf(client: Client, run: { agentId: string; runId: string }): Promise<string> {
  for (;;) {
    const runs = await client.runs.list({ agentId: run.agentId });
    const child = runs.find(({ parent_run_id }) => parent_run_id === run.runId);
    if (child !== undefined) return child.id;
  }
}
