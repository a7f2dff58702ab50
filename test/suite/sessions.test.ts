// Sessions: a run starts one, or goes on in one that is there.

import { expect, it } from "vitest";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { expectProblem, onEveryDeployment, readToEnd, replyOf, UNKNOWN } from "./every-deployment.ts";

onEveryDeployment("sessions", (service) => {
  it("are begun by a run that names none, and gone on in by one that does", async () => {
    const { owner, agentId } = await service().accountWithAgent();
    const first = await owner.runs.submit({ agentId, body: { message: "hello" } });
    await readToEnd(owner, first.runId);
    const body = { message: "recall", session_id: first.sessionId };
    const second = await owner.runs.submit({ agentId, body });
    expect(second.sessionId).toBe(first.sessionId);
    expect(replyOf(await readToEnd(owner, second.runId))).toBe("hello | You said: hello");
    const other = await owner.runs.submit({ agentId, body: { message: "recall" } });
    expect(other.sessionId).not.toBe(first.sessionId);
    expect(replyOf(await readToEnd(owner, other.runId))).toBe("");
    const threads = (await owner.runs.list({ agentId })).map(({ thread_id }) => thread_id);
    expect(threads).toEqual([other.sessionId, first.sessionId, first.sessionId]);
  });

  it("go by a key of the caller's own, which its first use gives to a new one", async () => {
    const { owner, ai, agentId } = await service().accountWithAgent();
    const say = (message: string, session_key: string) =>
      owner.runs.submit({ agentId, body: { message, session_key } });
    const first = await say("hello", "thread-7");
    await readToEnd(owner, first.runId);
    const second = await ai.runs.submit({ agentId, body: { message: "recall", session_key: "thread-7" } });
    expect(second.sessionId).toBe(first.sessionId);
    expect(replyOf(await readToEnd(owner, second.runId))).toBe("hello | You said: hello");
    const byId = await owner.runs.submit({ agentId, body: { message: "x", session_id: first.sessionId } });
    expect(byId.sessionId).toBe(first.sessionId);
    expect((await say("recall", "thread-8")).sessionId).not.toBe(first.sessionId);
    const { id: otherId } = await owner.agents.create({ body: { name: "other" } });
    const elsewhere = await owner.runs.submit({
      agentId: otherId,
      body: { message: "recall", session_key: "thread-7" },
    });
    expect(elsewhere.sessionId).not.toBe(first.sessionId);
    expect(replyOf(await readToEnd(owner, elsewhere.runId))).toBe("");
  });

  it("go by one key for all jobs of a repository, and for no other's", async () => {
    const repository = service().freshRepository();
    const [job, later, stranger] = [
      await service().job(repository),
      await service().job(repository),
      await service().job(),
    ];
    const sessionOf = async (who: typeof job) => {
      const answer = await who.submit({ message: "hello", session_key: "thread-7" });
      return submitRunResponseSchema.parse(answer.body).session_id;
    };
    const sessionId = await sessionOf(job);
    expect(await sessionOf(later)).toBe(sessionId);
    expect(await sessionOf(stranger)).not.toBe(sessionId);
  });

  it("are one when the first runs with a key come at once, to whatever node", async () => {
    const { owner, agentId } = await service().accountWithAgent();
    for (let round = 0; round < 5; round += 1) {
      const session_key = `thread-${round}`;
      const submitted = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          owner.runs.submit({ agentId, body: { message: `hello ${index}`, session_key } }),
        ),
      );
      expect(new Set(submitted.map(({ runId }) => runId)).size).toBe(8);
      expect(new Set(submitted.map(({ sessionId }) => sessionId)).size).toBe(1);
    }
  });

  it("begin anew under the same key where that is asked for, and the next goes on there", async () => {
    const { owner, agentId } = await service().accountWithAgent();
    const say = (new_session?: boolean) =>
      owner.runs.submit({
        agentId,
        body: {
          message: "hello",
          session_key: "thread-9",
          ...(new_session === undefined ? {} : { new_session }),
        },
      });
    const [first, second] = [await say(), await say(false)];
    expect(second.sessionId).toBe(first.sessionId);
    const third = await say(true);
    expect(third.sessionId).not.toBe(first.sessionId);
    expect((await say()).sessionId).toBe(third.sessionId);
    expect((await owner.runs.list({ agentId, query: { session_key: "thread-9" } })).length).toBe(2);
    const many = await Promise.all(Array.from({ length: 5 }, () => say(true)));
    expect(new Set(many.map(({ sessionId }) => sessionId)).size).toBe(5);
    expect(many.map(({ sessionId }) => sessionId)).toContain((await say()).sessionId);
  });

  it("are named once: by an id or by a key", async () => {
    const { owner, ownerKey: bearer, agentId } = await service().accountWithAgent();
    const { sessionId: session_id } = await owner.runs.submit({ agentId, body: { message: "hello" } });
    const path = `/v1/agents/${agentId}/runs`;
    const submit = (json: unknown, key = "none") =>
      service().call(path, { method: "POST", bearer, json, headers: { "idempotency-key": key } });
    const both = await submit({ message: "x", session_id, session_key: "k" });
    expectProblem(both, [400, "invalid_request"]);
    expect(both.text).toContain('\\"session_id\\" and \\"session_key\\" both name a session');
    for (const session_key of ["", "k".repeat(256), "a\0b", 7]) {
      expectProblem(await submit({ message: "x", session_key }), [400, "invalid_request"]);
    }
    expect((await submit({ message: "x", session_key: "k" }, "again")).status).toBe(202);
    expectProblem(await submit({ message: "x", session_key: "l" }, "again"), [422, "idempotency_key_reused"]);
    expectProblem(await submit({ message: "x" }, "again"), [422, "idempotency_key_reused"]);
  });

  it("are of one agent: no other finds them", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const { sessionId } = await owner.runs.submit({ agentId, body: { message: "hello" } });
    const { id: otherId } = await owner.agents.create({ body: { name: "other" } });
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
