// Sessions: a run starts one, or goes on in one that is there.

import { expect, it } from "vitest";
import { expectProblem, onEveryDeployment, readToEnd, replyOf, UNKNOWN } from "./every-deployment.ts";

onEveryDeployment("sessions", (service) => {
  it("are begun by a run that names none, and gone on in by one that does", async () => {
    const { owner, agentId } = await service().accountWithAgent();
    const first = await owner.submitRun({ agentId, body: { message: "hello" } });
    await readToEnd(owner, first.runId);
    const body = { message: "recall", session_id: first.sessionId };
    const second = await owner.submitRun({ agentId, body });
    expect(second.sessionId).toBe(first.sessionId);
    expect(replyOf(await readToEnd(owner, second.runId))).toBe("hello | You said: hello");
    const other = await owner.submitRun({ agentId, body: { message: "recall" } });
    expect(other.sessionId).not.toBe(first.sessionId);
    expect(replyOf(await readToEnd(owner, other.runId))).toBe("");
    const threads = (await owner.listRuns({ agentId })).map(({ thread_id }) => thread_id);
    expect(threads).toEqual([other.sessionId, first.sessionId, first.sessionId]);
  });

  it("are of one agent: no other finds them", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const { sessionId } = await owner.submitRun({ agentId, body: { message: "hello" } });
    const { id: otherId } = await owner.createAgent({ body: { name: "other" } });
    for (const [agent, session_id] of [
      [otherId, sessionId],
      [agentId, UNKNOWN],
      [agentId, "x"],
    ]) {
      const answer = await service().call(`/v1/agents/${agent}/runs`, {
        method: "POST",
        bearer: ownerKey,
        json: { message: "x", session_id },
      });
      expectProblem(answer, [404, "not_found"]);
    }
  });
});
