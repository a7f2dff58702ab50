import { describe, expect, it } from "vitest";
import { SocketApi } from "../../../../src/service/api/socket/socket-api.ts";
import type { Store } from "../../../../src/service/core/ports/store.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { makeAccount } from "../../../support/service-account.ts";
import { openHttpApi } from "../../../support/service-api.ts";
import { call } from "../../../support/service-client.ts";
import { SocketClient } from "../../api/socket/socket-client.ts";

/** A core whose store can keep the outcome of one transaction to itself. */
async function startHeldFixture() {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  let isNextHeld = false;
  const wrapStore = (store: Store): Store => ({
    ...store,
    transact: async (work, options) => {
      const value = await store.transact(work, options);
      if (isNextHeld) {
        isNextHeld = false;
        entered.resolve();
        await gate.promise;
      }
      return value;
    },
  });
  const fixture = await startFixture({ level: "core", wrapStore });
  /** Starts it, and goes on once its transaction is done and not answered. */
  const begin = async <Value>(start: () => Promise<Value>): Promise<{ finish(): Promise<Value> }> => {
    isNextHeld = true;
    const held = start();
    await entered.promise;
    const finish = async () => {
      gate.resolve();
      return await held;
    };
    return { finish };
  };
  return { fixture, begin };
}

describe("a key in flight", () => {
  it("is refused until its first request is answered, then gives that one's run", async () => {
    const { fixture, begin } = await startHeldFixture();
    await fixture.caller();
    const send = (key: string) => fixture.trySubmit({ message: "x", idempotency_key: key });
    const first = await begin(() => send("k"));
    expect(await send("k")).toEqual({ ok: false, refusal: { reason: "key_in_flight", key: "k" } });
    expect((await send("other")).ok).toBe(true);
    const made = await first.finish();
    expect(made).toMatchObject({ ok: true, value: { isReplay: false } });
    expect(await send("k")).toMatchObject({
      ok: true,
      value: { runId: made.ok ? made.value.runId : "", isReplay: true },
    });
    await fixture.close();
  });

  it("is found by every API: what HTTP has not answered, the socket refuses", async () => {
    const { fixture, begin } = await startHeldFixture();
    const { owner: bearer, agent } = await makeAccount(fixture);
    const http = await openHttpApi(fixture);
    const sockets = new SocketApi(fixture.core, fixture.submitter, {
      trustedProxyHops: 0,
      corsOrigins: [],
      maxSockets: 1,
    });
    http.server.on("upgrade", sockets.onUpgrade);
    const socket = await SocketClient.open(http.url, { bearer });
    await socket.when("ready");
    const body = { message: "x", idempotency_key: "k" };
    const runs = `${http.url}/v1/agents/${agent.id}/runs`;
    const first = await begin(() => call(runs, { method: "POST", bearer, json: body }));
    socket.send({ type: "submit", id: "s", agent_id: agent.id, ...body });
    expect(await socket.when("error")).toMatchObject({ id: "s", code: "idempotency_key_in_flight" });
    expect((await first.finish()).status).toBe(202);
    await socket.close();
    await sockets.close();
    await http.close();
  });

  it("is not that of a caller who may not use the agent", async () => {
    const { fixture, begin } = await startHeldFixture();
    const { agentId } = (await fixture.caller()).capability;
    const stranger = await makeAccount(fixture);
    const caller = {
      kind: "account",
      accountId: stranger.id,
      callerClass: "owner",
      personId: null,
      role: "owner",
    } as const;
    const submission = { caller, agentId, body: { message: "x" }, idempotencyKey: "k" };
    const refused = await begin(() => fixture.submitter.submit(submission));
    expect(await fixture.trySubmit({ message: "x", idempotency_key: "k" })).toMatchObject({ ok: true });
    expect(await refused.finish()).toMatchObject({ ok: false, refusal: { reason: "agent_of_another" } });
    await fixture.close();
  });

  it("is free again when its first request failed", async () => {
    let failures = 0;
    const wrapStore = (store: Store): Store => ({
      ...store,
      transact: (work) =>
        store.transact(async (tx) => {
          const value = await work(tx);
          if (failures === 0) return value;
          failures -= 1;
          throw new Error("The disk is full.");
        }),
    });
    const fixture = await startFixture({ level: "core", wrapStore });
    await fixture.caller();
    failures = 1;
    const send = () => fixture.trySubmit({ message: "x", idempotency_key: "k" });
    await expect(send()).rejects.toThrow("The disk is full.");
    expect(await send()).toMatchObject({ ok: true, value: { isReplay: false } });
    await fixture.close();
  });
});
