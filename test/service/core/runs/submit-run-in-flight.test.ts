import { describe, expect, it } from "vitest";
import type { Store } from "../../../../src/service/core/ports/store.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";

describe("a key in flight", () => {
  it("is refused until its first request is answered, then gives that one's run", async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    let isGated = false;
    const wrapStore = (store: Store): Store => ({
      ...store,
      transact: async (work) => {
        if (isGated) {
          entered.resolve();
          await gate.promise;
        }
        return await store.transact(work);
      },
    });
    const fixture = await startFixture({ level: "core", wrapStore });
    await fixture.caller();
    isGated = true;
    const send = (key: string) => fixture.trySubmit({ message: "x", idempotency_key: key });
    const first = send("k");
    await entered.promise;
    expect(await send("k")).toEqual({ ok: false, refusal: { reason: "key_in_flight", key: "k" } });
    const other = send("other");
    gate.resolve();
    const made = await first;
    expect(made).toMatchObject({ ok: true, value: { isReplay: false } });
    expect(await send("k")).toMatchObject({
      ok: true,
      value: { runId: made.ok ? made.value.runId : "", isReplay: true },
    });
    expect((await other).ok).toBe(true);
    await fixture.close();
  });

  it("is free again when its first request failed", async () => {
    let failures = 0;
    const wrapStore = (store: Store): Store => ({
      ...store,
      transact: async (work) => {
        if (failures > 0) {
          failures -= 1;
          throw new Error("The disk is full.");
        }
        return await store.transact(work);
      },
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
