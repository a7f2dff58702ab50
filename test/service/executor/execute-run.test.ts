import { describe, expect, it } from "vitest";
import { ok, refused } from "../../../src/base/result.ts";
import type { Checkout, CheckoutProvider } from "../../../src/service/core/checkouts/checkout.ts";
import type { Backend } from "../../../src/service/executor/backend.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { makeAccount } from "../../support/service-account.ts";
import { expectValidStream } from "../../support/service-streams.ts";

const backend: Backend = {
  name: "reader",
  needsCheckout: true,
  run: async (task) => {
    await task.emit({ type: "STEP_STARTED", stepName: "read" });
    await task.emit({ type: "STEP_FINISHED", stepName: "read" });
    task.meter.count({ role: "executor", tokens: 3, microUsd: 0 });
    return { stopReason: "end_turn" };
  },
};

/** A provider whose checkouts know whether they were closed. It opens one at once unless told. */
function makeProvider(open?: CheckoutProvider["open"]) {
  const opened: { isClosed: boolean }[] = [];
  const checkout = () => {
    const state = { isClosed: false };
    opened.push(state);
    return {
      close: async () => {
        state.isClosed = true;
      },
    } as Partial<Checkout> as Checkout;
  };
  const provider: CheckoutProvider = {
    open: open ?? (async () => ok(checkout())),
    openEmpty: async () => ok(checkout()),
    sweep: async () => {},
  };
  return { opened, checkout, provider };
}

/** A backend that never hears of a stop: each of its runs ends when the test says so. */
function deafBackend(more: { readonly stopsWithinMs?: number } = {}) {
  const forever = Promise.withResolvers<void>();
  let working = 0;
  let notice = () => {};
  const deaf: Backend = {
    name: "deaf",
    needsCheckout: true,
    ...more,
    run: async () => {
      working += 1;
      notice();
      await forever.promise;
      return { stopReason: "end_turn" };
    },
  };
  const whenWorking = async (count: number) => {
    while (working < count) {
      await new Promise<void>((resolve) => {
        notice = resolve;
      });
    }
  };
  return { backend: deaf, whenWorking, end: () => forever.resolve() };
}

async function cancel(fixture: CoreFixture, runId: string): Promise<void> {
  await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
  fixture.dispatch.nudge(runId);
}

async function withFixture(
  checkouts: CheckoutProvider,
  use: (fixture: CoreFixture) => Promise<void>,
  worker: Backend = backend,
): Promise<void> {
  const fixture = await startFixture({ level: "core", backend: worker, checkouts });
  fixture.executor.start();
  try {
    await use(fixture);
  } finally {
    await fixture.close();
  }
}

describe("a run's checkout", () => {
  it("is removed when the backend is done", async () => {
    const { provider, opened } = makeProvider();
    await withFixture(provider, async (fixture) => {
      const run = await fixture.ended(await fixture.submit());
      expect(run).toMatchObject({
        status: "completed",
        usage: { roles: { executor: { tokens: 3, calls: 1 } } },
      });
      expect(opened).toEqual([{ isClosed: true }]);
    });
  });

  it("is removed when it was ready only after the run was cancelled", async () => {
    const asked = Promise.withResolvers<void>();
    const { provider, opened, checkout } = makeProvider(async (_source, signal) => {
      asked.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return ok(checkout());
    });
    await withFixture(provider, async (fixture) => {
      const runId = await fixture.submit();
      await asked.promise;
      await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
      fixture.dispatch.nudge(runId);
      expect((await fixture.ended(runId)).status).toBe("cancelled");
      expect(opened).toEqual([{ isClosed: true }]);
    });
  });

  it("stays until a backend that is deaf has ended, and neither the run nor its worker waits for that", async () => {
    const { provider, opened } = makeProvider();
    const deaf = deafBackend();
    const fixture = await startFixture({
      level: "core",
      backend: deaf.backend,
      checkouts: provider,
      slots: 1,
    });
    fixture.executor.start();
    for (const count of [1, 2]) {
      const runId = await fixture.submit();
      await deaf.whenWorking(count);
      await cancel(fixture, runId);
      expect((await fixture.ended(runId)).status).toBe("cancelled");
    }
    expect(opened).toEqual([{ isClosed: false }, { isClosed: false }]);
    const drained = fixture.executor.drain(0);
    deaf.end();
    await drained;
    expect(opened).toEqual([{ isClosed: true }, { isClosed: true }]);
    expect(fixture.logs.filter((line) => /^(warn|error)/.test(line))).toEqual([]);
    await fixture.close();
  });

  it("is removed under a backend that takes longer to end than it may", async () => {
    const { provider, opened } = makeProvider();
    const deaf = deafBackend({ stopsWithinMs: 7_000 });
    await withFixture(
      provider,
      async (fixture) => {
        const runId = await fixture.submit();
        await deaf.whenWorking(1);
        await cancel(fixture, runId);
        await fixture.ended(runId);
        fixture.clock.advance(6_999);
        expect(opened).toEqual([{ isClosed: false }]);
        fixture.clock.advance(1);
        await fixture.executor.drain(0);
        expect(opened).toEqual([{ isClosed: true }]);
        expect(fixture.logs.join("\n")).toContain("has not ended in time");
      },
      deaf.backend,
    );
  });

  it("is removed under a backend that is deaf when the service ends", async () => {
    const { provider, opened } = makeProvider();
    const deaf = deafBackend();
    await withFixture(
      provider,
      async (fixture) => {
        const runId = await fixture.submit();
        await deaf.whenWorking(1);
        await cancel(fixture, runId);
        await fixture.ended(runId);
        // Its patience, and the grace of the service's end.
        const drained = fixture.executor.drain(0);
        await fixture.clock.whenSleeping(2);
        fixture.clock.advance(2_000);
        await drained;
        expect(opened).toEqual([{ isClosed: true }]);
      },
      deaf.backend,
    );
  });

  it("that cannot be removed does not change how the run ended", async () => {
    const { provider, checkout } = makeProvider(async () =>
      ok({
        ...checkout(),
        close: async () => {
          throw new Error("The disk is busy.");
        },
      }),
    );
    await withFixture(provider, async (fixture) => {
      expect((await fixture.ended(await fixture.submit())).status).toBe("completed");
      expect(fixture.logs.join("\n")).toContain("checkout could not be removed");
    });
  });

  it.each([
    ["clone_failed", false],
    ["clone_refused", false],
    ["clone_too_large", false],
    ["clone_timed_out", true],
  ] as const)(
    "that could not be made (%s) ends the run as our fault, and says why",
    async (reason, retryable) => {
      const detail = "octo/hello could not be cloned.";
      const { provider } = makeProvider(async () => refused({ reason, detail }));
      await withFixture(provider, async (fixture) => {
        const runId = await fixture.submit();
        expect(await fixture.ended(runId)).toMatchObject({
          status: "failed",
          cause: "spawn_failed",
          retryable,
          refundReason: "spawn_failed",
        });
        expect((await expectValidStream(await fixture.stream(runId))).at(-1)).toEqual({
          type: "RUN_ERROR",
          code: "spawn_failed",
          message: detail,
        });
      });
    },
  );

  it("is one without files where the agent has no repository", async () => {
    const { provider, opened } = makeProvider(async () => {
      throw new Error("There is nothing to clone.");
    });
    await withFixture(provider, async (fixture) => {
      const { id: accountId, agent } = await makeAccount(fixture);
      const caller = {
        kind: "account",
        accountId,
        callerClass: "owner",
        personId: null,
        role: "owner",
      } as const;
      const submission = { caller, agentId: agent.id, body: { message: "go" }, idempotencyKey: null };
      const submitted = await fixture.submitter.submit(submission);
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      expect(await fixture.ended(submitted.value.runId)).toMatchObject({ status: "completed" });
      expect(opened).toEqual([{ isClosed: true }]);
    });
  });

  it("of an earlier version is not begun without a commit of the agent's repository", async () => {
    const { provider, opened } = makeProvider();
    await withFixture(provider, async (fixture) => {
      const { id: accountId } = await makeAccount(fixture);
      const { agentId } = (await fixture.caller()).capability;
      await fixture.store.transact((tx) => tx.agents.update(agentId, { accountId }));
      const caller = {
        kind: "account",
        accountId,
        callerClass: "owner",
        personId: null,
        role: "owner",
      } as const;
      const submission = { caller, agentId, body: { message: "go" }, idempotencyKey: null };
      const submitted = await fixture.submitter.submit(submission);
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const { runId } = submitted.value;
      expect(await fixture.ended(runId)).toMatchObject({
        cause: "spawn_failed",
        refundReason: "spawn_failed",
      });
      expect((await fixture.stream(runId)).at(-1)?.event).toMatchObject({
        message: expect.stringContaining("It is not known which commit of octo/hello"),
      });
      expect(opened).toEqual([]);
    });
  });
});
