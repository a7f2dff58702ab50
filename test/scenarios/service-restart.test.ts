// The service is stopped and started again while a job follows its run.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RUN_FEE_MICRO_USD } from "../../src/service/core/money/ledger.ts";
import { eventsOf, replyOf, routesOf, type ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { expectValidStream } from "../support/service-streams.ts";

describe("when the service restarts during a run", () => {
  let fixture: ScenarioFixture;
  let isSlow = true;
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      await say(task, "At work.\n");
      if (isSlow) await untilStopped(task);
    });
    fixture = await startFixture({ level: "scenario", backend });
  });
  afterAll(async () => await fixture.close());

  const restart = async (...config: Parameters<ScenarioFixture["start"]>) => {
    await fixture.stop();
    await fixture.start(...config);
  };

  it("follows the run to its end as interrupted, refunded, with the advice to run again", async () => {
    isSlow = true;
    const restarted = Promise.withResolvers<void>();
    const job = await fixture.job();
    const step = await fixture.main(job, {
      onLine: (line) => {
        if (line === "At work.") restart().then(restarted.resolve, restarted.reject);
      },
    });
    await restarted.promise;
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: "interrupted" } });
    expect(step.annotations).toEqual([
      {
        level: "error",
        message:
          "The run failed (interrupted): The service stopped while this run was at work. Nothing was charged. " +
          "Run it again. Re-run the job.",
        title: "The agent failed",
      },
    ]);
    expect(step.outputs.credits).toBe("0");
    expect(step.summary).toContain("## ❌ The agent failed");
    expect(step.summary).toContain("**Credits** 0 charged, 100 left");

    const run = await fixture.run(step);
    expect(run).toMatchObject({
      status: "failed",
      cause: "interrupted",
      refunded_micro_usd: RUN_FEE_MICRO_USD,
    });
    await expectSoundLedger(fixture.place);
    const events = await eventsOf(step);
    expect(events).toEqual(await fixture.storedEvents(run.id));
    await expectValidStream(events);
    expect(step.log.match(/^At work\.$/gm)).toHaveLength(1);
    expect(routesOf(step).filter((route) => route !== "poll")).toEqual([
      "exchange",
      "submit",
      "page",
      "report",
    ]);

    const post = await fixture.post(job, step);
    expect(routesOf(post)).toEqual(["revoke"]);
    expect(post.requests[0]?.answer?.status).toBe(204);
  });

  it("carries out after the restart a run that nobody had taken before", async () => {
    isSlow = false;
    await restart({ maxRunningRuns: 0 });
    const restarted = fixture.proxy.arrival("poll").then(() => restart());
    const step = await fixture.main(await fixture.job());
    await restarted;
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(await replyOf(step)).toBe("At work.\n");
    expect(await eventsOf(step)).toEqual(await fixture.storedEvents(step.outputs["run-id"] ?? ""));
    expect(await fixture.run(step)).toMatchObject({ status: "completed", refunded_micro_usd: 0 });
    expect(routesOf(step).filter((route) => route === "submit")).toHaveLength(1);
  });
});
