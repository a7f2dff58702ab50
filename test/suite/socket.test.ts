// GET /v1/ws: subscribe, submit and cancel over sockets to different nodes, every event once and in order.

import { expect, it } from "vitest";
import type { StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import { type EventFrame, refusedUpgrade, SocketClient } from "../service/api/socket/socket-client.ts";
import { onEveryDeployment, readToEnd, UNKNOWN } from "./every-deployment.ts";

onEveryDeployment("the socket", (service) => {
  const open = (bearer?: string) =>
    SocketClient.open(service().url(), bearer === undefined ? {} : { bearer });
  const stored = (frames: readonly EventFrame[]): StoredRunEvent[] =>
    frames.map(({ seq, at, event }) => ({ seq, at, event }));

  it("tells every event of a run once and in order, on every node, then the run as it ended", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const sockets = await Promise.all(Array.from({ length: 4 }, () => open(ownerKey)));
    const { runId } = await owner.runs.submit({ agentId, body: { message: "load" } });
    for (const socket of sockets) socket.send({ type: "subscribe", id: "s", run_id: runId });
    const events = await readToEnd(owner, runId);
    const run = await owner.runs.get({ agentId, runId });
    for (const socket of sockets) {
      const end = await socket.when("unsubscribed");
      expect(end).toMatchObject({ reason: "ended", resume_after: events.length });
      expect(stored(socket.events("s"))).toEqual(events);
      expect(socket.ofType("run").at(-1)?.run).toEqual(run);
      await socket.close();
    }
  });

  it("goes on from every cursor", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const { runId } = await owner.runs.submit({ agentId, body: { message: "hello" } });
    const events = await readToEnd(owner, runId);
    const socket = await open(ownerKey);
    for (let after = 0; after <= events.length; after += 1) {
      socket.send({ type: "subscribe", id: `s-${after}`, run_id: runId, after });
      await socket.when("unsubscribed", ({ subscription }) => subscription === `s-${after}`);
      expect(stored(socket.events(`s-${after}`))).toEqual(events.slice(after));
    }
    await socket.close();
  });

  it("goes on through another node where one socket was lost in the middle of a run", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const { runId } = await owner.runs.submit({ agentId, body: { message: "load" } });
    const first = await open(ownerKey);
    first.send({ type: "subscribe", id: "s", run_id: runId });
    await first.when("event", ({ event }) => event.type === "TEXT_MESSAGE_CONTENT");
    await first.close();
    const seen = first.events("s");
    const second = await open(ownerKey);
    second.send({ type: "subscribe", id: "s", run_id: runId, after: seen.at(-1)?.seq ?? 0 });
    await second.when("unsubscribed");
    expect(stored([...seen, ...second.events("s")])).toEqual(await readToEnd(owner, runId));
    await second.close();
  });

  it("submits and cancels, with the ids and codes of the routes", async () => {
    const { owner, ownerKey, aiKey, agentId } = await service().accountWithAgent();
    const [one, other] = [await open(ownerKey), await open(aiKey)];
    const submit = { type: "submit", agent_id: agentId, message: "wait", idempotency_key: "k" };
    one.send({ ...submit, id: "a" });
    const { run_id, session_id } = await one.when("submitted");
    other.send({ ...submit, id: "b" });
    expect(await other.when("submitted")).toMatchObject({ run_id, session_id, replayed: true });
    other.send({ ...submit, id: "c", message: "else" });
    expect((await other.when("error")).code).toBe("idempotency_key_reused");
    one.send({ type: "subscribe", id: "s", run_id });
    await one.when("event", ({ event }) => event.type === "TEXT_MESSAGE_START");
    other.send({ type: "cancel", id: "d", agent_id: agentId, run_id });
    expect(await other.when("cancelling")).toMatchObject({ id: "d", run_id });
    await one.when("unsubscribed");
    expect((await owner.runs.get({ agentId, runId: run_id })).status).toBe("cancelled");
    other.send({ type: "cancel", id: "e", agent_id: agentId, run_id });
    expect((await other.when("error", ({ id }) => id === "e")).code).toBe("run_finished");
    await Promise.all([one.close(), other.close()]);
  });

  it("follows a session's runs one after the other, whichever node they were sent to", async () => {
    const { owner, ownerKey, agentId } = await service().accountWithAgent();
    const first = await owner.runs.submit({ agentId, body: { message: "hello" } });
    const socket = await open(ownerKey);
    socket.send({ type: "subscribe", id: "s", session_id: first.sessionId });
    const runIds = [first.runId];
    for (let count = 0; count < 3; count += 1) {
      await readToEnd(owner, runIds.at(-1) ?? "");
      const body = { message: "hello", session_id: first.sessionId };
      runIds.push((await owner.runs.submit({ agentId, body })).runId);
    }
    const last = await readToEnd(owner, runIds.at(-1) ?? "");
    await socket.when("event", ({ run_id, seq }) => run_id === runIds.at(-1) && seq === last.length);
    const told = socket.events("s").map(({ run_id, seq }) => `${run_id} ${seq}`);
    const expected = runIds.flatMap((id) => last.map(({ seq }) => `${id} ${seq}`));
    expect(told).toEqual(expected);
    await socket.close();
  });

  it("is opened with a credential alone, and shows nobody else's runs", async () => {
    const [mine, theirs] = [await service().accountWithAgent(), await service().accountWithAgent()];
    expect(await refusedUpgrade(service().url(), { bearer: "svc_sk_wrong" })).toMatchObject({
      status: 401,
      body: { code: "unauthorized" },
    });
    const { runId } = await theirs.owner.runs.submit({ agentId: theirs.agentId, body: { message: "hello" } });
    const socket = await open();
    socket.send({ type: "auth", token: mine.ownerKey });
    await socket.when("ready");
    for (const [id, run_id, code] of [
      ["a", runId, "forbidden"],
      ["b", UNKNOWN, "not_found"],
    ] as const) {
      socket.send({ type: "subscribe", id, run_id });
      expect((await socket.when("error", (frame) => frame.id === id)).code).toBe(code);
    }
    socket.send({ type: "submit", id: "c", agent_id: theirs.agentId, message: "x" });
    expect((await socket.when("error", ({ id }) => id === "c")).code).toBe("forbidden");
    expect(socket.ofType("event")).toEqual([]);
    await socket.close();
  });
});
