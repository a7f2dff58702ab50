// Workers that are scaled by the runs: what deploy/keda.yaml asks the database, and what it scales. And that whoever stops a node waits
// until its runs are handed over.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { parkingOf } from "../support/parking.ts";
import { untilStopped } from "../support/scripted-backend.ts";
import { postgresStore } from "../support/stores/stores.ts";
import { kubernetesObjects, manifestNodes, scaling, scalingAccess } from "./manifest-settings.ts";

/** What a node takes beyond DRAIN_SECONDS at most, until it ends itself. */
const STOP_MARGIN_SECONDS = 10;

const secrets = {
  "database-url": "postgres://database/agents",
  "model-api-key": "key",
  "run-secrets-key": "key",
  "s3-access-key-id": "id",
  "s3-secret-access-key": "secret",
};
const podSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    template: z.object({ spec: z.object({ terminationGracePeriodSeconds: z.int() }) }),
  }),
});

describe("deploy/keda.yaml", () => {
  it("scales the workers by what each executes, with the database of all nodes", () => {
    const worker = manifestNodes(secrets).find(({ args }) => args[0] === "work");
    expect(scaling.spec.scaleTargetRef.name).toBe(worker?.name);
    const [{ metadata, authenticationRef }] = scaling.spec.triggers;
    expect(metadata.targetQueryValue).toBe(worker?.env.MAX_RUNNING_RUNS);
    expect(authenticationRef.name).toBe(scalingAccess.metadata.name);
    const [{ key }] = scalingAccess.spec.secretTargetRef;
    expect(worker?.env.DATABASE_URL).toBe(secrets["database-url"]);
    expect(key).toBe("database-url");
    expect(scaling.spec.minReplicaCount).toBeGreaterThan(0);
  });

  it("counts runs that wait, that were released and that a worker has, and none that is parked or has ended", {
    tags: ["postgres"],
  }, async () => {
    // The message is what a run does.
    const parking = await parkingOf(async (task) => {
      const [said] = task.messages;
      if (said?.content === "wait") await untilStopped(task);
      return { stopReason: said?.content === "park" ? "max_turns" : "end_turn" };
    });
    const fixture = await startFixture({ level: "core", store: postgresStore, ...parking, slots: 3 });
    const [{ metadata }] = scaling.spec.triggers;
    const counted = async () => {
      const rows = await fixture.place.query(metadata.query);
      expect(rows).toHaveLength(1);
      return Object.values(rows[0] ?? {}).map(Number);
    };
    const submit = async (message: string) => {
      const submitted = await fixture.trySubmit({ message, may_park: true });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    };
    try {
      expect(await counted()).toEqual([0]);
      const parked = await submit("park");
      const ended = await submit("end");
      const running = [await submit("wait"), await submit("wait"), await submit("wait")];
      await submit("wait");
      expect(await counted()).toEqual([6]);
      fixture.executor.start();
      await fixture.until(parked, (run) => run.parked !== undefined);
      await fixture.ended(ended);
      for (const runId of running) await fixture.until(runId, ({ status }) => status === "running");
      // Three at work, and one that waits for a place.
      expect(await counted()).toEqual([4]);
      const [released = ""] = running;
      await fixture.store.transact((tx) => tx.queue.release(released));
      expect(await fixture.store.committed.queue.listReleased()).toEqual([released]);
      expect(await counted()).toEqual([4]);
    } finally {
      await fixture.close();
      await parking.remove();
    }
  });
});

describe("whoever stops a node", () => {
  it("gives it more than the time in which it hands its runs over, on Kubernetes", () => {
    for (const { name, env } of manifestNodes(secrets)) {
      const pod = kubernetesObjects
        .flatMap((one) => podSchema.safeParse(one).data ?? [])
        .find(({ metadata }) => metadata.name === name);
      const graceSeconds = pod?.spec.template.spec.terminationGracePeriodSeconds ?? 0;
      expect(graceSeconds, name).toBeGreaterThan(Number(env.DRAIN_SECONDS) + STOP_MARGIN_SECONDS);
    }
  });

  it("does so by systemd, and signals the service alone", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/self-hosting/install.md"), "utf8");
    const unit = /```ini\n(# \S*agent-service\.service\n[\s\S]*?)```/.exec(page)?.[1] ?? "";
    const setting = (name: string) => new RegExp(`^${name}=(.+)$`, "m").exec(unit)?.[1];
    expect(setting("KillSignal")).toBe("SIGTERM");
    expect(setting("KillMode")).toBe("mixed");
    const drainSeconds = Number(setting("Environment=DRAIN_SECONDS"));
    expect(Number(setting("TimeoutStopSec"))).toBeGreaterThan(drainSeconds + STOP_MARGIN_SECONDS);
  });
});
