// The job is cancelled: what becomes of the run, and what the post step does when the main step could do nothing.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  eventsOf,
  routesOf,
  type ScenarioFixture,
  type StepOptions,
} from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { expectValidStream } from "../support/service-streams.ts";

describe("when the job is cancelled", { tags: ["posix"] }, () => {
  let fixture: ScenarioFixture;
  let isFinished = Promise.withResolvers<void>();
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      await say(task, "At work.\n");
      await Promise.race([untilStopped(task), isFinished.promise]);
      task.signal.throwIfAborted();
      await say(task, "Done.\n");
    });
    fixture = await startFixture({ level: "scenario", backend });
  });
  afterEach(() => {
    fixture.proxy.heal();
    isFinished = Promise.withResolvers();
  });
  afterAll(async () => await fixture.close());

  /** Cancels the job once the agent is at work. */
  const cancelledAtWork = (options: StepOptions = {}): StepOptions => {
    const controller = new AbortController();
    return {
      ...options,
      signal: controller.signal,
      onLine: (line) => {
        if (line === "At work.") controller.abort();
      },
    };
  };

  it("cancels the run and sees it end", async () => {
    const job = await fixture.job();
    const step = await fixture.main(job, cancelledAtWork());
    expect(step).toMatchObject({
      exitCode: 0,
      exitSignal: null,
      outputs: { conclusion: "cancelled", reason: "user_stop", credits: "1" },
    });
    const message = "The run was cancelled (user_stop).";
    expect(step.annotations).toEqual([{ level: "warning", message, title: "The run was cancelled" }]);
    expect(step.log).toContain("\nThe job was cancelled: cancelling the run.\n");
    expect(step.log).toContain("\nRun cancelled.\n");
    expect(step.summary).toMatch(/^## 🛑 The run was cancelled\n/);
    expect(routesOf(step).filter((route) => route === "cancel")).toEqual(["cancel"]);

    expect(await fixture.run(step)).toMatchObject({ status: "cancelled", cause: "user_stop" });
    const events = await eventsOf(step);
    expect(events).toEqual(await fixture.storedEvents(step.outputs["run-id"] ?? ""));
    expect(events.at(-1)?.event).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
    await expectValidStream(events);

    expect(step.state.phase).toBe("concluded");
    const post = await fixture.post(job, step);
    expect(routesOf(post)).toEqual(["revoke"]);
    await expectSoundLedger(fixture.place);
  });

  it("fails where fail-on says cancelled", async () => {
    const step = await fixture.main(
      await fixture.job(),
      cancelledAtWork({ inputs: { "fail-on": "cancelled" } }),
    );
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "cancelled" } });
    expect(step.annotations).toMatchObject([{ level: "error" }]);
  });

  it("leaves the run alone with on-cancel: detach", async () => {
    const inputs = { "on-cancel": "detach" };
    const job = await fixture.job();
    const step = await fixture.main(job, cancelledAtWork({ inputs }));
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "detached", reason: "detached" } });
    const message = `The job was cancelled: the run goes on at ${step.outputs["run-url"]}.`;
    expect(step.annotations).toEqual([
      { level: "notice", message, title: "The run goes on without this job" },
    ]);
    expect(step.summary).toMatch(/^## ↗️ The run goes on without this job\n/);
    const post = await fixture.post(job, step, { inputs });
    expect(routesOf(post)).toEqual(["revoke"]);
    expect(await fixture.run(step)).toMatchObject({ status: "running" });

    isFinished.resolve();
    await expect.poll(() => fixture.run(step)).toMatchObject({ status: "completed" });
  });

  it("starts no run when it is cancelled before", async () => {
    fixture.proxy.next("exchange", { type: "hang" });
    const controller = new AbortController();
    fixture.proxy.arrival("exchange").then(() => controller.abort());
    const before = (await fixture.runs()).length;
    const step = await fixture.main(await fixture.job(), { signal: controller.signal });
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: "cancelled", reason: "user_stop", "run-id": "" },
    });
    const message = "The job was cancelled before a run was started.";
    expect(step.annotations).toEqual([{ level: "warning", message, title: "Cancelled" }]);
    expect(routesOf(step)).toEqual(["exchange"]);
    expect(await fixture.runs()).toHaveLength(before);
  });

  it("cancels a run that was being submitted when the cancel came", async () => {
    const answered = Promise.withResolvers<void>();
    fixture.proxy.next("submit", { type: "hold", until: answered.promise });
    const controller = new AbortController();
    fixture.proxy.arrival("submit").then(() => {
      controller.abort();
      answered.resolve();
    });
    const step = await fixture.main(await fixture.job(), { signal: controller.signal });
    expect(step.outputs).toMatchObject({ conclusion: "cancelled", reason: "user_stop" });
    expect(await fixture.run(step)).toMatchObject({ status: "cancelled" });
  });

  it("keeps the success of a run that ended before the cancel came", async () => {
    const heard = fixture.proxy.arrival("cancel");
    fixture.proxy.next("poll", { type: "hold", until: heard });
    isFinished.resolve();
    const controller = new AbortController();
    fixture.proxy
      .arrival("poll")
      .then(() => expect.poll(async () => (await fixture.runs()).at(-1)?.status).toBe("completed"))
      .then(() => controller.abort());
    const step = await fixture.main(await fixture.job(), { signal: controller.signal });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    const cancel = step.requests.find(({ route }) => route === "cancel");
    expect(cancel?.answer?.status).toBe(409);
    expect(step.log).not.toContain("could not be cancelled");
  });

  it("asks again in the post step when the service did not answer the cancel in time", async () => {
    fixture.proxy.always("cancel", { type: "hang" });
    const job = await fixture.job();
    const step = await fixture.main(job, cancelledAtWork());
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "cancelled", reason: "user_stop" } });
    expect(step.annotations).toMatchObject([
      { level: "warning", message: "The job was cancelled. The run was asked to stop." },
    ]);
    expect(step.state.phase).toBe("submitted");
    expect(step.summary).toContain("🛑");
    fixture.proxy.heal();

    const post = await fixture.post(job, step);
    expect(routesOf(post)).toEqual(["cancel", "revoke"]);
    expect(post.log).toContain(`Cancelled run ${step.outputs["run-id"]}.`);
    await expect.poll(() => fixture.run(step)).toMatchObject({ status: "cancelled" });
  });

  describe("and the main step is killed", () => {
    it("cancels the run in the post step", async () => {
      const job = await fixture.job();
      const killed = await fixture.main(job, { ...cancelledAtWork(), kill: "SIGKILL" });
      expect(killed).toMatchObject({ exitCode: null, exitSignal: "SIGKILL", state: { phase: "submitted" } });
      expect(killed.outputs["run-id"]).toMatch(/^[0-9a-f-]{36}$/);
      const post = await fixture.post(job, killed);
      expect(post).toMatchObject({ exitCode: 0, annotations: [] });
      expect(routesOf(post)).toEqual(["cancel", "revoke"]);
      expect(post.requests.map(({ answer }) => answer?.status)).toEqual([202, 204]);
      await expect.poll(() => fixture.run(killed)).toMatchObject({ status: "cancelled", cause: "user_stop" });
    });

    it("says nothing of a run that has ended meanwhile", async () => {
      const job = await fixture.job();
      const killed = await fixture.main(job, { ...cancelledAtWork(), kill: "SIGKILL" });
      isFinished.resolve();
      await expect.poll(() => fixture.run(killed)).toMatchObject({ status: "completed" });
      const post = await fixture.post(job, killed);
      expect(post).toMatchObject({ exitCode: 0, annotations: [], log: "" });
      expect(post.requests.map(({ answer }) => answer?.status)).toEqual([409, 204]);
    });

    it("lets the run go on with on-cancel: detach, and says where", async () => {
      const inputs = { "on-cancel": "detach" };
      const job = await fixture.job();
      const killed = await fixture.main(job, { ...cancelledAtWork({ inputs }), kill: "SIGKILL" });
      const post = await fixture.post(job, killed, { inputs });
      expect(routesOf(post)).toEqual(["revoke"]);
      expect(post.annotations).toMatchObject([
        { level: "notice", message: expect.stringContaining(`goes on at ${killed.outputs["run-url"]}`) },
      ]);
      expect(await fixture.run(killed)).toMatchObject({ status: "running" });
      isFinished.resolve();
    });

    it("revokes the capability when there was no run yet", async () => {
      fixture.proxy.next("submit", { type: "hang" });
      const controller = new AbortController();
      fixture.proxy.arrival("submit").then(() => controller.abort());
      const job = await fixture.job();
      const killed = await fixture.main(job, { signal: controller.signal, kill: "SIGKILL" });
      expect(killed.state.phase).toBe("granted");
      const post = await fixture.post(job, killed);
      expect(post).toMatchObject({ exitCode: 0, annotations: [] });
      expect(routesOf(post)).toEqual(["revoke"]);
    });

    it("does not fail the job when the service is down, and says that the run may go on", async () => {
      const job = await fixture.job();
      const killed = await fixture.main(job, { ...cancelledAtWork(), kill: "SIGKILL" });
      await fixture.stop();
      const post = await fixture.post(job, killed);
      expect(post).toMatchObject({ exitCode: 0, exitSignal: null });
      expect(post.annotations).toEqual([
        {
          level: "warning",
          message: expect.stringContaining(`Run ${killed.outputs["run-id"]} could not be cancelled`),
          title: undefined,
        },
      ]);
      expect(post.log).toContain("The capability was not revoked; it expires by itself.");
      await fixture.start();
    });
  });
});
