// Runs of one session that change files take turns, however many workers there are, on both stores.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cancelRun } from "../../../src/service/core/runs/cancel-run.ts";
import type { Backend } from "../../../src/service/executor/backend.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import { CheckoutFixture } from "../checkouts/checkout-fixture.ts";

onEveryStore((kind) => {
  describe("runs of one session at once", () => {
    let git: CheckoutFixture;
    let fixture: CoreFixture;
    /** What is at work, in order, and when it was let go. */
    let log: string[];
    let gates: Map<string, PromiseWithResolvers<void>>;

    const gate = (name: string) => {
      const there = gates.get(name) ?? Promise.withResolvers<void>();
      gates.set(name, there);
      return there;
    };

    const backend: Backend = {
      name: "writer",
      needsCheckout: true,
      changesCheckout: true,
      run: async (task, checkout) => {
        const name = task.messages.at(-1)?.content ?? "";
        log.push(`${name} begins`);
        gate(`${name} began`).resolve();
        const stopped = new Promise<never>((_, reject) => {
          task.signal.addEventListener("abort", () => reject(task.signal.reason), { once: true });
        });
        await Promise.race([gate(name).promise, stopped]);
        const file = join(checkout.root, "a.txt");
        await writeFile(file, `${await readFile(file, "utf8")}${name}\n`);
        log.push(`${name} ends`);
        return { stopReason: "end_turn" };
      },
    };

    beforeEach(async () => {
      log = [];
      gates = new Map();
      git = await CheckoutFixture.make();
      const sha = git.repository.commit({ files: { "a.txt": "" } });
      const provider = git.provider();
      fixture = await startFixture({
        level: "core",
        store: kind,
        backend,
        slots: 2,
        checkouts: {
          ...provider,
          open: ({ runId }, signal) => provider.open(git.source(sha, { runId }), signal),
        },
      });
    });

    afterEach(async () => {
      await fixture.close();
      await git.close();
    });

    const submit = async (message: string, session_key: string) => {
      const submitted = await fixture.trySubmit({ message, session_key });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    };
    const patchOf = async (runId: string) => {
      const events = (await fixture.stream(runId)).map(({ event }) => event);
      const changes = events.find((event) => event.type === "CUSTOM" && event.name === "repository.changes");
      return changes?.type === "CUSTOM" ? JSON.stringify(changes.value) : "";
    };

    it("take turns in the order in which they came, and lose nothing of each other", async () => {
      const first = await submit("one", "thread-7");
      const second = await submit("two", "thread-7");
      const third = await submit("three", "thread-7");
      for (const name of ["two", "three"]) gate(name).resolve();
      fixture.executor.start();
      await fixture.until(third, ({ status }) => status === "running");
      await gate("one began").promise;
      gate("one").resolve();
      for (const runId of [first, second, third]) {
        expect((await fixture.ended(runId)).status).toBe("completed");
      }
      const names = ["one", "two", "three"];
      expect(log).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
      expect(await patchOf(third)).toContain("+one\\n+two\\n+three\\n");
    });

    it("keep no other session waiting, though they wait on every worker", async () => {
      await submit("one", "thread-7");
      for (const name of ["two", "three", "four"]) await submit(name, "thread-7");
      const other = await submit("other", "thread-8");
      gate("other").resolve();
      fixture.executor.start();
      expect((await fixture.ended(other)).status).toBe("completed");
      await gate("one began").promise;
      expect(log).toEqual(expect.arrayContaining(["one begins", "other begins", "other ends"]));
      expect(log).toHaveLength(3);
    });

    it("go on when the one before was cancelled, and can be cancelled while they wait", async () => {
      const first = await submit("one", "thread-7");
      const second = await submit("two", "thread-7");
      const third = await submit("three", "thread-7");
      gate("three").resolve();
      fixture.executor.start();
      await gate("one began").promise;
      const caller = await fixture.caller();
      const cancel = (runId: string) =>
        cancelRun(fixture.core, { caller, agentId: caller.capability.agentId, runId });
      await fixture.until(second, ({ status }) => status === "running");
      expect((await cancel(second)).ok).toBe(true);
      expect((await fixture.ended(second)).status).toBe("cancelled");
      expect((await cancel(first)).ok).toBe(true);
      expect((await fixture.ended(third)).status).toBe("completed");
      expect(log).toEqual(["one begins", "three begins", "three ends"]);
    });
  });
});
