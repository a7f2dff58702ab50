import { describe, expect, it } from "vitest";
import { ok, refused } from "../../../src/base/result.ts";
import type { Workspace, WorkspaceProvider } from "../../../src/service/core/ports/workspace.ts";
import type { Backend } from "../../../src/service/executor/backend.ts";
import { CoreBed } from "../../support/service-core.ts";
import { expectValidStream } from "../../support/service-streams.ts";

const backend: Backend = {
  name: "reader",
  needsWorkspace: true,
  run: async (task) => {
    await task.emit({ type: "STEP_STARTED", stepName: "read" });
    await task.emit({ type: "STEP_FINISHED", stepName: "read" });
    return { stopReason: "end_turn", usage: { tokens: 3, calls: 1 } };
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
    sweep: async () => {},
  };
  return { opened, workspace, provider };
}

async function withBed(workspaces: WorkspaceProvider, use: (bed: CoreBed) => Promise<void>): Promise<void> {
  const bed = await CoreBed.start({ backend, workspaces });
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
      expect(run).toMatchObject({ status: "completed", tokens: 3, modelCalls: 1 });
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
});
