// Idempotency keys of submissions: one run for one key, through whatever node and however often.

import { expect, it } from "vitest";
import type { Answer } from "../support/service-client.ts";
import { expectProblem, onEveryDeployment } from "./every-deployment.ts";

onEveryDeployment("idempotency keys", (service) => {
  type Sender = { agentId: string; bearer: string; key?: string };
  const submit = ({ agentId, bearer, key }: Sender, json: unknown): Promise<Answer> =>
    service().call(`/v1/agents/${agentId}/runs`, {
      method: "POST",
      bearer,
      json,
      headers: key === undefined ? {} : { "idempotency-key": key },
    });
  const isReplay = ({ headers }: Answer) => headers.get("x-svc-idempotent-replay");

  it("give the first run again, and say so", async () => {
    const { ownerKey: bearer, owner, agentId } = await service().accountWithAgent();
    const sender = { agentId, bearer, key: "nightly" };
    const first = await submit(sender, { message: "hello" });
    expect([first.status, isReplay(first)]).toEqual([202, null]);
    for (let times = 0; times < 3; times += 1) {
      const again = await submit(sender, { message: "hello" });
      expect([again.status, again.body, isReplay(again)]).toEqual([202, first.body, "true"]);
      expect(again.headers.get("x-svc-run-id")).toBe(first.headers.get("x-svc-run-id"));
    }
    expect(await owner.runs.list({ agentId })).toHaveLength(1);
  });

  it("are taken from the header before the body", async () => {
    const { ownerKey: bearer, owner, agentId } = await service().accountWithAgent();
    const json = { message: "hello", idempotency_key: "in-body" };
    const first = await submit({ agentId, bearer }, json);
    expect(isReplay(await submit({ agentId, bearer }, json))).toBe("true");
    expect(isReplay(await submit({ agentId, bearer, key: "in-header" }, json))).toBeNull();
    expect(isReplay(await submit({ agentId, bearer, key: "in-body" }, { message: "hello" }))).toBe("true");
    expect(first.status).toBe(202);
    expect(await owner.runs.list({ agentId })).toHaveLength(2);
  });

  it("are refused for another request, and free for another agent", async () => {
    const { ownerKey: bearer, owner, agentId } = await service().accountWithAgent();
    const sender = { agentId, bearer, key: "k" };
    expect((await submit(sender, { message: "hello" })).status).toBe(202);
    for (const json of [{ message: "other" }, { message: "hello", max_turn_tokens: 1 }]) {
      expectProblem(await submit(sender, json), [422, "idempotency_key_reused"]);
    }
    const { id } = await owner.agents.create({ body: { name: "other" } });
    const elsewhere = await submit({ ...sender, agentId: id }, { message: "other" });
    expect([elsewhere.status, isReplay(elsewhere)]).toEqual([202, null]);
  });

  it("are refused when they are too long or empty", async () => {
    const { ownerKey: bearer, agentId } = await service().accountWithAgent();
    for (const key of ["", "k".repeat(256)]) {
      expectProblem(await submit({ agentId, bearer, key }, { message: "x" }), [400, "invalid_request"]);
      const json = { message: "x", idempotency_key: key };
      expectProblem(await submit({ agentId, bearer }, json), [400, "invalid_request"]);
    }
    expect((await submit({ agentId, bearer, key: "k".repeat(255) }, { message: "x" })).status).toBe(202);
  });

  it("make one run of requests at once: the others get it, or are told that it is in flight", async () => {
    const { ownerKey: bearer, owner, agentId } = await service().accountWithAgent();
    let rounds = 0;
    for (let inFlight = 0; inFlight === 0; ) {
      rounds += 1;
      const sender = { agentId, bearer, key: `round-${rounds}` };
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => submit(sender, { message: "hello" })),
      );
      const taken = answers.filter(({ status }) => status === 202);
      expect(taken.filter((answer) => isReplay(answer) === null)).toHaveLength(1);
      expect(new Set(taken.map(({ text }) => text)).size).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 202)) {
        expectProblem(answer, [409, "idempotency_key_in_flight"]);
        expect(answer.headers.get("retry-after")).toBe("2");
        inFlight += 1;
      }
    }
    expect(await owner.runs.list({ agentId })).toHaveLength(rounds);
  });
});
