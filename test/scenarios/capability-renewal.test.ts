// A capability that ends before the run does: the job proves itself anew and goes on.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ManualClock } from "../support/clocks/manual-clock.ts";
import {
  eventsOf,
  routesOf,
  type ScenarioFixture,
  type StepResult,
  sentTokens,
} from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";

const CAPABILITY_MS = 15 * 60_000;

describe("when the capability ends during a run", () => {
  const clock = new ManualClock();
  let fixture: ScenarioFixture;
  let isSlow = false;
  let isRenewed = Promise.withResolvers<void>();
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      await say(task, "Before.\n");
      if (isSlow) return await untilStopped(task);
      await isRenewed.promise;
      await say(task, "After.\n");
    });
    fixture = await startFixture({ level: "scenario", backend, clock });
  });
  afterAll(async () => await fixture.close());

  const whenSaid = (text: string, act: () => void) => (line: string) => {
    if (line === text) act();
  };
  const bearers = (step: StepResult) =>
    step.requests.flatMap(({ headers }) => headers.authorization?.replace("Bearer ", "") ?? []);

  it("is given a new one for a fresh token, and goes on from where it was", async () => {
    isRenewed = Promise.withResolvers();
    const job = await fixture.job();
    const step = await fixture.main(job, {
      onLine: whenSaid("Before.", () => {
        fixture.proxy.arrival("exchange").then(isRenewed.resolve);
        clock.advance(CAPABILITY_MS + 1);
      }),
    });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    const [first, second, ...more] = sentTokens(step);
    expect(more).toEqual([]);
    expect(second?.jti).not.toBe(first?.jti);
    expect(new Set(bearers(step)).size).toBe(2);
    expect(step.state.capability).toBe(bearers(step).at(-1));

    const refused = step.requests.findIndex(({ answer }) => answer?.status === 401);
    const repeated = step.requests.findIndex(({ route }, index) => route === "poll" && index > refused);
    expect(step.requests[repeated]?.path).toBe(step.requests[refused]?.path);
    expect(step.requests[refused]?.path).not.toContain("after=0");
    expect(await eventsOf(step)).toEqual(await fixture.storedEvents(step.outputs["run-id"] ?? ""));
    expect(step.log.match(/^(Before|After)\.$/gm)).toEqual(["Before.", "After."]);
    expect(routesOf(step).filter((route) => route === "submit")).toHaveLength(1);

    const post = await fixture.post(job, step);
    expect(routesOf(post)).toEqual(["revoke"]);
    expect(post.requests[0]?.answer?.status).toBe(204);
  });

  it("fails with the reason when the job cannot prove itself any more", async () => {
    isRenewed = Promise.withResolvers();
    const job = await fixture.job();
    const step = await fixture.main(job, {
      onLine: whenSaid("Before.", () => {
        fixture.codeHost.faults.idToken.next({ type: "status", status: 403 });
        clock.advance(CAPABILITY_MS + 1);
      }),
    });
    isRenewed.resolve();
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "id_token_refused" },
    });
    expect(step.annotations[0]?.message).toBe(
      'GitHub refused an ID token (403). Check "permissions: id-token: write" and the audience.',
    );
    expect(step.outputs["run-id"]).not.toBe("");
    // The capability has ended by itself: that it cannot be revoked is nobody's trouble.
    const post = await fixture.post(job, step);
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(routesOf(post)).toEqual(["revoke"]);
  });

  it("can still cancel the run", { tags: ["posix"] }, async () => {
    isSlow = true;
    const controller = new AbortController();
    const step = await fixture.main(await fixture.job(), {
      signal: controller.signal,
      onLine: whenSaid("Before.", () => {
        clock.advance(CAPABILITY_MS + 1);
        controller.abort();
      }),
    });
    expect(step.outputs).toMatchObject({ conclusion: "cancelled", reason: "user_stop" });
    expect(await fixture.run(step)).toMatchObject({ status: "cancelled" });
    // One renewal serves the cancel and the polls after it.
    expect(sentTokens(step)).toHaveLength(2);
  });

  it("can still cancel it in the post step", { tags: ["posix"] }, async () => {
    isSlow = true;
    const controller = new AbortController();
    const job = await fixture.job();
    const killed = await fixture.main(job, {
      signal: controller.signal,
      kill: "SIGKILL",
      onLine: whenSaid("Before.", () => controller.abort()),
    });
    clock.advance(CAPABILITY_MS + 1);
    const post = await fixture.post(job, killed);
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(routesOf(post)).toEqual(["cancel", "exchange", "cancel", "revoke"]);
    expect(post.requests.at(-1)?.answer?.status).toBe(204);
    expect(await fixture.run(killed)).toMatchObject({ status: expect.stringMatching(/^cancel(ling|led)$/) });
  });
});
