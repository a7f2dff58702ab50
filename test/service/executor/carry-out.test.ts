import { describe, expect, it } from "vitest";
import { ok, refused } from "../../../src/base/result.ts";
import type { Workspace, WorkspaceProvider } from "../../../src/service/core/ports/workspace.ts";
import type { Backend } from "../../../src/service/executor/backend.ts";
import { makeAccount } from "../../support/service-account.ts";
import { CoreBed } from "../../support/service-core.ts";
import { expectValidStream } from "../../support/service-streams.ts";

const backend: Backend = {
  name: "reader",
  needsWorkspace: true,
  run: async (task) => {
    await task.emit({ type: "STEP_STARTED", stepName: "read" });
    await task.emit({ type: "STEP_FINISHED", stepName: "read" });
    task.meter.count({ role: "executor", tokens: 3, microUsd: 0 });
    return { stopReason: "end_turn" };
  },
};

/** A provider whose workspaces know whether they were closed. It opens one at once unless told. */
function makeProvider(open?: WorkspaceProvider["open"]) {
  const opened: { isClosed: boolean }[] = [];
  const workspace = () => {
    const state = { isClosed: false };
    opened.push(state);
    return {
      close: async () => {
        state.isClosed = true;
      },
    } as Partial<Workspace> as Workspace;
  };
  const provider: WorkspaceProvider = {
    open: open ?? (async () => ok(workspace())),
    openEmpty: async () => ok(workspace()),
    sweep: async () => {},
  };
  return { opened, workspace, provider };
}

/** A backend that never hears of a stop: each of its runs ends when the test says so. */
function deafBackend(more: { readonly stopsWithinMs?: number } = {}) {
  const forever = Promise.withResolvers<void>();
  let working = 0;
  let notice = () => {};
  const deaf: Backend = {
    name: "deaf",
    needsWorkspace: true,
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

async function cancel(bed: CoreBed, runId: string): Promise<void> {
  await bed.store.transact((tx) => tx.updateRun(runId, { status: "cancelling" }));
  bed.dispatch.nudge(runId);
}

async function withBed(
  workspaces: WorkspaceProvider,
  use: (bed: CoreBed) => Promise<void>,
  worker: Backend = backend,
): Promise<void> {
  const bed = await CoreBed.start({ backend: worker, workspaces });
  bed.executor.start();
  try {
    await use(bed);
  } finally {
    await bed.close();
  }
}

describe("a run's workspace", () => {
  it("is removed when the backend is done", async () => {
    const { provider, opened } = makeProvider();
    await withBed(provider, async (bed) => {
      const run = await bed.ended(await bed.submit());
      expect(run).toMatchObject({
        status: "completed",
        usage: { roles: { executor: { tokens: 3, calls: 1 } } },
      });
      expect(opened).toEqual([{ isClosed: true }]);
    });
  });

  it("is removed when it was ready only after the run was cancelled", async () => {
    const asked = Promise.withResolvers<void>();
    const { provider, opened, workspace } = makeProvider(async (_source, signal) => {
      asked.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return ok(workspace());
    });
    await withBed(provider, async (bed) => {
      const runId = await bed.submit();
      await asked.promise;
      await bed.store.transact((tx) => tx.updateRun(runId, { status: "cancelling" }));
      bed.dispatch.nudge(runId);
      expect((await bed.ended(runId)).status).toBe("cancelled");
      expect(opened).toEqual([{ isClosed: true }]);
    });
  });

  it("stays until a backend that is deaf has ended, and neither the run nor its worker waits for that", async () => {
    const { provider, opened } = makeProvider();
    const deaf = deafBackend();
    const bed = await CoreBed.start({ backend: deaf.backend, workspaces: provider, slots: 1 });
    bed.executor.start();
    for (const count of [1, 2]) {
      const runId = await bed.submit();
      await deaf.whenWorking(count);
      await cancel(bed, runId);
      expect((await bed.ended(runId)).status).toBe("cancelled");
    }
    expect(opened).toEqual([{ isClosed: false }, { isClosed: false }]);
    const drained = bed.executor.drain(0);
    deaf.end();
    await drained;
    expect(opened).toEqual([{ isClosed: true }, { isClosed: true }]);
    expect(bed.logs.filter((line) => /^(warn|error)/.test(line))).toEqual([]);
    await bed.close();
  });

  it("is removed under a backend that takes longer to end than it may", async () => {
    const { provider, opened } = makeProvider();
    const deaf = deafBackend({ stopsWithinMs: 7_000 });
    await withBed(
      provider,
      async (bed) => {
        const runId = await bed.submit();
        await deaf.whenWorking(1);
        await cancel(bed, runId);
        await bed.ended(runId);
        bed.clock.advance(6_999);
        expect(opened).toEqual([{ isClosed: false }]);
        bed.clock.advance(1);
        await bed.executor.drain(0);
        expect(opened).toEqual([{ isClosed: true }]);
        expect(bed.logs.join("\n")).toContain("has not ended in time");
      },
      deaf.backend,
    );
  });

  it("is removed under a backend that is deaf when the service ends", async () => {
    const { provider, opened } = makeProvider();
    const deaf = deafBackend();
    await withBed(
      provider,
      async (bed) => {
        const runId = await bed.submit();
        await deaf.whenWorking(1);
        await cancel(bed, runId);
        await bed.ended(runId);
        // Its patience, and the grace of the service's end.
        const drained = bed.executor.drain(0);
        await bed.clock.whenSleeping(2);
        bed.clock.advance(2_000);
        await drained;
        expect(opened).toEqual([{ isClosed: true }]);
      },
      deaf.backend,
    );
  });

  it("that cannot be removed does not change how the run ended", async () => {
    const { provider, workspace } = makeProvider(async () =>
      ok({
        ...workspace(),
        close: async () => {
          throw new Error("The disk is busy.");
        },
      }),
    );
    await withBed(provider, async (bed) => {
      expect((await bed.ended(await bed.submit())).status).toBe("completed");
      expect(bed.logs.join("\n")).toContain("workspace could not be removed");
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
      await withBed(provider, async (bed) => {
        const runId = await bed.submit();
        expect(await bed.ended(runId)).toMatchObject({
          status: "failed",
          cause: "spawn_failed",
          retryable,
          refundReason: "spawn_failed",
        });
        expect((await expectValidStream(await bed.stream(runId))).at(-1)).toEqual({
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
    await withBed(provider, async (bed) => {
      const { id: accountId, agent } = await makeAccount(bed);
      const caller = { kind: "account", accountId, callerClass: "owner" } as const;
      const submission = { caller, agentId: agent.id, body: { message: "go" }, idempotencyKey: null };
      const submitted = await bed.submitter.submit(submission);
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      expect(await bed.ended(submitted.value.runId)).toMatchObject({ status: "completed" });
      expect(opened).toEqual([{ isClosed: true }]);
    });
  });

  it("needs a job to say which commit of the agent's repository it is of", async () => {
    const { provider, opened } = makeProvider();
    await withBed(provider, async (bed) => {
      const { id: accountId } = await makeAccount(bed);
      const { agentId } = (await bed.caller()).capability;
      await bed.store.transact((tx) => tx.updateAgent(agentId, { accountId }));
      const caller = { kind: "account", accountId, callerClass: "owner" } as const;
      const submission = { caller, agentId, body: { message: "go" }, idempotencyKey: null };
      const submitted = await bed.submitter.submit(submission);
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      const { runId } = submitted.value;
      expect(await bed.ended(runId)).toMatchObject({ cause: "spawn_failed", refundReason: "spawn_failed" });
      expect((await bed.stream(runId)).at(-1)?.event).toMatchObject({
        message: expect.stringContaining("Only a job of octo/hello says which commit"),
      });
      expect(opened).toEqual([]);
    });
  });
});
