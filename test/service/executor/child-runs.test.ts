// Runs that hand work to others: how that ends, whoever ends first.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cancelRun } from "../../../src/service/core/runs/cancel-run.ts";
import {
  delegateRun,
  MAX_CHILDREN_IN_FLIGHT,
  MAX_GENERATIONS,
} from "../../../src/service/core/runs/delegate-run.ts";
import { takeRun } from "../../../src/service/core/runs/progress-run.ts";
import { recoverRuns } from "../../../src/service/core/runs/recover-runs.ts";
import type { BackendTask } from "../../../src/service/executor/backend.ts";
import type { ChildOutcome } from "../../../src/service/executor/child-runs.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../../support/scripted-backend.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { expectValidStream } from "../../support/service-streams.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";

const ROUNDS = 30;
const said = (content: string) => [{ role: "user" as const, content }];
const child = () => ({
  runId: randomUUID(),
  maxTurnTokens: 0,
  maxCostMicroUsd: null,
  timeLimitMs: 60_000,
});

onEveryStore((kind) => {
  describe("child runs", () => {
    let fixture: CoreFixture;
    let outcomes: ChildOutcome[];
    let order: string[];

    /** What a run of this message does. */
    const scripts: Record<string, (task: BackendTask) => Promise<void>> = {
      wait: untilStopped,
      answer: (task) => say(task, "forty-", "two"),
      fail: async () => {
        throw new Error("no");
      },
      ask: async (task) => {
        outcomes.push(await task.delegate({ message: "answer" }));
      },
      "ask one that fails": async (task) => {
        outcomes.push(await task.delegate({ message: "fail" }));
      },
      "ask one that waits": async (task) => {
        outcomes.push(await task.delegate({ message: "wait" }));
      },
      "ask and leave": async (task) => {
        task.delegate({ message: "wait" }).catch(() => {});
        await say(task, "I do not wait.");
      },
      deeper: async (task) => {
        outcomes.push(await task.delegate({ message: "deeper" }));
      },
      many: async (task) => {
        const asked = Array.from({ length: MAX_CHILDREN_IN_FLIGHT + 1 }, () =>
          task.delegate({ message: "wait" }).then(async (outcome) => {
            outcomes.push(outcome);
            await say(task, "One answered.");
          }),
        );
        await Promise.allSettled(asked);
      },
    };

    const start = async (slots: number) => {
      const backend = scriptedBackend(async (task) => {
        const message = String(task.messages[0]?.content);
        order.push(message);
        await scripts[message]?.(task);
      });
      fixture = await startFixture({ level: "core", store: kind, backend, slots });
    };

    beforeEach(() => {
      outcomes = [];
      order = [];
    });

    afterEach(async () => {
      for (const runId of await runIds()) await expectValidStream(await fixture.stream(runId));
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    const submit = async (message: string): Promise<string> => {
      const submitted = await fixture.trySubmit({ message });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    };

    const runIds = async () =>
      (await fixture.place.query("select id from runs order by id")).map(({ id }) => String(id));
    const childrenOf = async (parentId: string) => {
      const rows = await fixture.place.query(
        `select id from runs where parent_run_id = '${parentId}' order by id`,
      );
      return await Promise.all(rows.map(({ id }) => fixture.run(String(id))));
    };
    const cancel = async (runId: string) => {
      const caller = await fixture.caller();
      return await cancelRun(fixture.core, { caller, agentId: caller.capability.agentId, runId });
    };

    it("gives the child's last words to its parent, on a single worker", async () => {
      await start(1);
      fixture.executor.start();
      const parent = await fixture.ended(await submit("ask"));
      expect(parent.status).toBe("completed");
      const [child] = await childrenOf(parent.id);
      expect(outcomes).toEqual([{ status: "completed", runId: child?.id, reply: "forty-two", bound: null }]);
      expect(child).toMatchObject({
        origin: "agent",
        parentRunId: parent.id,
        billingAccount: parent.billingAccount,
        agentId: parent.agentId,
      });
      expect(child?.sessionId).not.toBe(parent.sessionId);
    });

    it("takes a child before what was queued earlier, and lends no more workers than wait", async () => {
      await start(1);
      const parents = [await submit("ask"), await submit("ask"), await submit("ask")];
      fixture.executor.start();
      for (const runId of parents) expect((await fixture.ended(runId)).status).toBe("completed");
      expect(order).toEqual(["ask", "answer", "ask", "answer", "ask", "answer"]);
    });

    it("works on a child outside of the context of the run that lends its worker", async () => {
      // What a trace is followed by.
      const within = new AsyncLocalStorage<string>();
      const seen: (string | undefined)[] = [];
      scripts.look = async () => void seen.push(within.getStore());
      scripts["ask from within"] = async (task) => {
        await within.run("the parent's", async () => {
          outcomes.push(await task.delegate({ message: "look" }));
          seen.push(within.getStore());
        });
      };
      await start(1);
      fixture.executor.start();
      expect((await fixture.ended(await submit("ask from within"))).status).toBe("completed");
      expect(seen).toEqual([undefined, "the parent's"]);
    });

    it("says why a child failed", async () => {
      await start(2);
      fixture.executor.start();
      const parent = await fixture.ended(await submit("ask one that fails"));
      const [child] = await childrenOf(parent.id);
      expect(outcomes).toEqual([{ status: "failed", runId: child?.id, why: "backend_error" }]);
    });

    it("ends a child that nobody waits for with its parent", async () => {
      await start(2);
      fixture.executor.start();
      const parent = await fixture.ended(await submit("ask and leave"));
      expect(parent.status).toBe("completed");
      for (const { id } of await childrenOf(parent.id)) {
        expect(await fixture.ended(id)).toMatchObject({ status: "cancelled", cause: "user_stop" });
      }
    });

    it("hands on no further than so many times, and to so many at once", async () => {
      await start(2);
      fixture.executor.start();
      const deep = await fixture.ended(await submit("deeper"));
      expect(deep.status).toBe("completed");
      expect(order.filter((message) => message === "deeper")).toHaveLength(MAX_GENERATIONS + 1);
      expect(outcomes[0]).toMatchObject({ status: "refused", why: expect.stringContaining("3 times") });

      outcomes = [];
      const wide = await submit("many");
      await fixture.until(wide, ({ lastSeq }) => lastSeq > 1);
      expect(outcomes).toEqual([{ status: "refused", why: expect.stringContaining("8 may be") }]);
      expect(await childrenOf(wide)).toHaveLength(MAX_CHILDREN_IN_FLIGHT);
      await cancel(wide);
      expect((await fixture.ended(wide)).status).toBe("cancelled");
      for (const { id } of await childrenOf(wide)) expect((await fixture.ended(id)).status).toBe("cancelled");
    });

    it("cancels children and grandchildren, those that wait for a worker too", async () => {
      await start(1);
      const runId = await submit("wait");
      const taken = await takeRun(fixture.core, runId);
      const parent = { runId, fence: taken?.run.fence ?? 0 };
      const delegated = await delegateRun(fixture.core, { parent, messages: said("wait"), ...child() });
      if (!delegated.ok) throw new Error(delegated.refusal.reason);
      expect((await cancel(runId)).ok).toBe(true);
      expect((await fixture.run(delegated.value.runId)).status).toBe("cancelled");
      expect(await delegateRun(fixture.core, { parent, messages: said("late"), ...child() })).toEqual({
        ok: false,
        refusal: { reason: "parent_ending" },
      });
      await recoverRuns(fixture.core);
      expect((await fixture.run(runId)).status).toBe("cancelled");
    });

    it(`leaves no child behind that is submitted while its parent is cancelled (${ROUNDS} rounds)`, async () => {
      await start(1);
      let refusedOnes = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const runId = await submit("wait");
        const taken = await takeRun(fixture.core, runId);
        const parent = { runId, fence: taken?.run.fence ?? 0 };
        const delegate = () => delegateRun(fixture.core, { parent, messages: said("wait"), ...child() });
        // One before, one after so many reads: somewhere among them the cancel takes the lock.
        const late = async () => {
          for (let read = 0; read < round % 6; read += 1) await fixture.run(runId);
          return await delegate();
        };
        const [first, cancelled, second] = await Promise.all([delegate(), cancel(runId), late()]);
        expect(cancelled.ok).toBe(true);
        for (const outcome of [first, second]) {
          if (!outcome.ok) refusedOnes += 1;
          else expect((await fixture.run(outcome.value.runId)).status).toBe("cancelled");
        }
      }
      await recoverRuns(fixture.core);
      expect(await fixture.core.store.committed.queue.listUnfinished()).toEqual([]);
      expect(refusedOnes).toBeGreaterThan(0);
    });

    it("ends the children of a run whose worker is gone", async () => {
      await start(2);
      const runId = await submit("wait");
      const taken = await takeRun(fixture.core, runId);
      const parent = { runId, fence: taken?.run.fence ?? 0 };
      await delegateRun(fixture.core, { parent, messages: said("wait"), ...child() });
      await recoverRuns(fixture.core);
      expect((await fixture.run(runId)).cause).toBe("interrupted");
      for (const child of await childrenOf(runId)) expect(child.status).toBe("cancelled");
    });

    it("remembers a session, oldest first, within a bound, without what failed to answer", async () => {
      const told: (readonly { role: string; content: string }[])[] = [];
      scripts.remember = async (task) => {
        told.push(await task.history(1_000));
        await say(task, `answer ${told.length}`);
      };
      await start(1);
      fixture.executor.start();
      const first = await fixture.trySubmit({ message: "remember" });
      if (!first.ok) throw new Error(first.refusal.reason);
      await fixture.ended(first.value.runId);
      for (let turn = 0; turn < 2; turn += 1) {
        const next = await fixture.trySubmit({ message: "remember", session_id: first.value.sessionId });
        if (!next.ok) throw new Error(next.refusal.reason);
        await fixture.ended(next.value.runId);
      }
      expect(told).toEqual([
        [],
        [
          { role: "user", content: "remember" },
          { role: "assistant", content: "answer 1" },
        ],
        [
          { role: "user", content: "remember" },
          { role: "assistant", content: "answer 1" },
          { role: "user", content: "remember" },
          { role: "assistant", content: "answer 2" },
        ],
      ]);
    });
  });
});
