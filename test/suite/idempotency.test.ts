// Idempotency keys of submissions: one run for one key, through whatever node and however often.

import { expect, it } from "vitest";
import type { Answer } from "../support/service-client.ts";
import { expectProblem, onEveryDeployment } from "./every-deployment.ts";

const SAID = { role: "user", content: "a" };

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

  it.each<readonly [string, Record<string, unknown>, Record<string, unknown>]>([
    [
      "another second message",
      { messages: [SAID, { role: "user", content: "b" }] },
      { messages: [SAID, SAID] },
    ],
    ["a message less", { messages: [SAID, SAID] }, { messages: [SAID] }],
    ["another role", { messages: [SAID] }, { messages: [{ ...SAID, role: "system" }] }],
    ["another tool call", { messages: [SAID] }, { messages: [{ ...SAID, tool_call_id: "1" }] }],
    ["another part", { messages: [SAID] }, { messages: [{ ...SAID, parts: [{ type: "file", path: "a" }] }] }],
    ["a session key", { message: "a" }, { message: "a", session_key: "s" }],
    ["an output schema", { message: "a" }, { message: "a", output_schema: { type: "object" } }],
  ])("are refused for a request with %s", async (_name, json, other) => {
    const { ownerKey: bearer, agentId } = await service().accountWithAgent();
    const sender = { agentId, bearer, key: "k" };
    expect((await submit(sender, json)).status).toBe(202);
    expectProblem(await submit(sender, other), [422, "idempotency_key_reused"]);
    expect(isReplay(await submit(sender, json))).toBe("true");
  });

  it("hold for the same request in whatever order its JSON is", async () => {
    const { ownerKey: bearer, agentId } = await service().accountWithAgent();
    const sender = { agentId, bearer, key: "k" };
    const properties = { one: { type: "string", minLength: 1 }, other: { enum: ["a", "b"] } };
    const first = await submit(sender, { message: "a", output_schema: { type: "object", properties } });
    const again = await submit(sender, {
      output_schema: {
        properties: { other: { enum: ["a", "b"] }, one: { minLength: 1, type: "string" } },
        type: "object",
      },
      message: "a",
    });
    expect([again.status, again.body, isReplay(again)]).toEqual([202, first.body, "true"]);
    const reordered = { ...properties, other: { enum: ["b", "a"] } };
    const other = await submit(sender, {
      message: "a",
      output_schema: { type: "object", properties: reordered },
    });
    expectProblem(other, [422, "idempotency_key_reused"]);
  });

  it("give the first run also when the agent was retired since", async () => {
    const { ownerKey: bearer, owner, agentId } = await service().accountWithAgent();
    const sender = { agentId, bearer, key: "k" };
    const first = await submit(sender, { message: "a" });
    await owner.agents.retire({ agentId });
    const again = await submit(sender, { message: "a" });
    expect([again.status, again.body, isReplay(again)]).toEqual([202, first.body, "true"]);
    expectProblem(await submit({ ...sender, key: "l" }, { message: "a" }), [403, "forbidden"]);
  });

  it("are not held by who may not use the agent", async () => {
    const { ownerKey: bearer, agentId } = await service().accountWithAgent();
    const stranger = await service().account();
    for (let round = 0; round < 5; round += 1) {
      const key = `round-${round}`;
      const refused = Array.from({ length: 8 }, () =>
        submit({ agentId, bearer: stranger.ownerKey, key }, { message: "a" }),
      );
      const mine = await submit({ agentId, bearer, key }, { message: "a" });
      expect([mine.status, isReplay(mine)]).toEqual([202, null]);
      for (const answer of await Promise.all(refused)) expectProblem(answer, [403, "forbidden"]);
    }
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
