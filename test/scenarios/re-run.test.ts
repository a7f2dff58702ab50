// However often a job is sent or started again: one run for one question, and a new one only when the old has ended.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import { problemFault } from "../support/fault-proxy.ts";
import {
  eventsOf,
  replyOf,
  routesOf,
  type ScenarioFixture,
  type StepResult,
} from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

describe("a job that is run again", () => {
  let fixture: ScenarioFixture;
  let isFinished = Promise.withResolvers<void>();
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      await say(task, "At work.\n");
      await isFinished.promise;
      await say(task, "Done.\n");
    });
    fixture = await startFixture({ level: "scenario", backend });
  });
  afterEach(() => {
    isFinished.resolve();
    isFinished = Promise.withResolvers();
    fixture.proxy.heal();
  });
  afterAll(async () => await fixture.close());

  const attempt = async (job: CodeHostJob, runAttempt: number): Promise<CodeHostJob> =>
    await fixture.job({ runId: String(job.claims.run_id), runAttempt: String(runAttempt) });
  const keysOf = (step: StepResult) =>
    step.requests.flatMap(({ route, headers }) =>
      route === "submit" ? String(headers["idempotency-key"]) : [],
    );
  const leave = { inputs: { wait: "false" } };

  it("attaches to the run in flight, shows all of it, and starts a new one after its end", async () => {
    const job = await fixture.job();
    const first = await fixture.main(job, leave);
    const runId = first.outputs["run-id"];
    const before = (await fixture.runs()).length;

    const second = await fixture.main(await attempt(job, 2), {
      onLine: (line) => {
        if (line === "At work.") isFinished.resolve();
      },
    });
    expect(second).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(second.outputs["run-id"]).toBe(runId);
    expect(second.outputs["session-id"]).toBe(first.outputs["session-id"]);
    expect(second.log).toContain(`Attached to run ${runId} that was started earlier.`);
    expect(await replyOf(second)).toBe("Done.\n");
    expect(await eventsOf(second)).toEqual(await fixture.storedEvents(runId ?? ""));
    expect(keysOf(second)).toEqual(keysOf(first));
    const replay = second.requests.find(({ route }) => route === "submit")?.answer?.headers;
    expect(replay?.["x-svc-idempotent-replay"]).toBe("true");
    expect(await fixture.runs()).toHaveLength(before);

    const third = await fixture.main(await attempt(job, 2), leave);
    expect(third.outputs["run-id"]).not.toBe(runId);
    expect(third.log).toContain(`Run ${third.outputs["run-id"]}\n`);
    expect(third.log).not.toContain("Attached");
    expect(keysOf(third)[0]).toBe(keysOf(first)[0]);
    expect(keysOf(third)[1]).toBe(`${keysOf(first)[0]}-2`);
    expect(await fixture.runs()).toHaveLength(before + 1);
  });

  it("starts a new run after one that was cancelled", { tags: ["posix"] }, async () => {
    const job = await fixture.job();
    const controller = new AbortController();
    const first = await fixture.main(job, {
      signal: controller.signal,
      onLine: (line) => {
        if (line === "At work.") controller.abort();
      },
    });
    expect(first.outputs.conclusion).toBe("cancelled");
    const second = await fixture.main(await attempt(job, 2), leave);
    expect(second.outputs["run-id"]).not.toBe(first.outputs["run-id"]);
    expect(second.log).not.toContain("Attached");
  });

  it("starts a new run when it asks for something else", async () => {
    const job = await fixture.job();
    const first = await fixture.main(job, { inputs: { ...leave.inputs, prompt: "This." } });
    const second = await fixture.main(await attempt(job, 2), {
      inputs: { ...leave.inputs, prompt: "That." },
    });
    expect(second).toMatchObject({ exitCode: 0, outputs: { conclusion: "detached" } });
    expect(second.outputs["run-id"]).not.toBe(first.outputs["run-id"]);
  });

  it("starts one run for each leg of a matrix, each job and each step", async () => {
    const runId = "1296270000";
    const steps = [
      await fixture.main(await fixture.job({ runId }), {
        inputs: { ...leave.inputs, matrix: '{"os":"linux"}' },
      }),
      await fixture.main(await fixture.job({ runId }), {
        inputs: { ...leave.inputs, matrix: '{"os":"windows"}' },
      }),
      await fixture.main(await fixture.job({ runId, job: "other" }), leave),
      await fixture.main(await fixture.job({ runId, step: "other" }), leave),
    ];
    expect(new Set(steps.map(({ outputs }) => outputs["run-id"])).size).toBe(4);
    expect(new Set(steps.flatMap(keysOf)).size).toBe(4);
  });

  it("waits for the answer to its own submission that is still being made", async () => {
    const headers = { "retry-after": "0" };
    const code = "idempotency_key_in_flight";
    fixture.proxy.next("submit", problemFault(409, { code, requestId: "r-1", headers }), 2);
    const step = await fixture.main(await fixture.job(), leave);
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "detached" } });
    expect(keysOf(step)).toHaveLength(3);
    expect(new Set(keysOf(step)).size).toBe(1);
  });

  it.each(["lost", "halved", "twice"] as const)(
    "starts one run when the answer to its submission was %s",
    async (type) => {
      fixture.proxy.next("submit", { type });
      const before = (await fixture.runs()).length;
      const step = await fixture.main(await fixture.job(), leave);
      expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "detached" } });
      expect(step.log).not.toContain("Attached");
      expect(await fixture.runs()).toHaveLength(before + 1);
      expect((await fixture.runs()).at(-1)?.id).toBe(step.outputs["run-id"]);
      expect(new Set(keysOf(step)).size).toBe(1);
      expect(routesOf(step).filter((route) => route === "submit")).toHaveLength(type === "twice" ? 1 : 2);
    },
  );
});
