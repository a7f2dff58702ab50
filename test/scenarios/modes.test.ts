// Steps that start no run: one that attaches to an earlier step's, one that cancels, a comment that cancels or asks for
// help, and one that examines the job.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ACTIONS_BOT } from "../../fakes/code-host/comments.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { eventsOf, routesOf, type ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";

describe("a step that starts no run", () => {
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
    fixture.repository.git(["update-ref", "refs/pull/7/head", "refs/heads/main"]);
    fixture.repository.git(["update-ref", "refs/heads/topic", "refs/heads/main"]);
  });
  afterEach(() => {
    isFinished = Promise.withResolvers();
    fixture.codeHost.rest.clearComments(7);
  });
  afterAll(async () => await fixture.close());

  const comment = (text: string): JobOptions => ({ event: "issue_comment", comment: text });
  const answers = () => fixture.codeHost.rest.commentsOf(7).filter(({ user }) => user === ACTIONS_BOT);

  /** A step that submits and goes on its way. */
  const leave = async (options: JobOptions = {}) => {
    const inputs = { wait: "false", comment: "false" };
    const job = await fixture.job(options);
    const step = await fixture.main(job, { inputs });
    await fixture.post(job, step, { inputs });
    expect(step.outputs.conclusion).toBe("detached");
    return step;
  };

  describe("attaches", () => {
    it("to a run that is at work, from another job, and concludes as one of its own", async () => {
      const left = await leave();
      const runId = left.outputs["run-id"] ?? "";
      const job = await fixture.job();
      const inputs = { mode: "attach", "run-id": runId };
      const step = await fixture.main(job, {
        inputs,
        onLine: (line) => {
          if (line === "At work.") isFinished.resolve();
        },
      });
      expect(step).toMatchObject({
        exitCode: 0,
        annotations: [],
        outputs: {
          conclusion: "success",
          "run-id": runId,
          "session-id": left.outputs["session-id"],
          reply: "Done.\n",
        },
      });
      expect(step.log).toContain(`Attached to run ${runId} that was started earlier.`);
      expect(routesOf(step)).not.toContain("submit");
      expect(await eventsOf(step)).toEqual(await fixture.storedEvents(runId));
      expect(step.summary).toMatch(/^## ✅ Answered\n/);
      expect(routesOf(await fixture.post(job, step, { inputs }))).toEqual(["revoke"]);
    });

    it("to a run that has ended", async () => {
      isFinished.resolve();
      const left = await leave();
      await expect.poll(() => fixture.run(left)).toMatchObject({ status: "completed" });
      const step = await fixture.main(await fixture.job(), {
        inputs: { mode: "attach", "run-id": left.outputs["run-id"] ?? "" },
      });
      expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reply: "Done.\n" } });
    });

    it.each(["help", "cancel", "continue"])(
      "where the comment asks for %s: the mode says more",
      async (verb) => {
        isFinished.resolve();
        const left = await leave();
        const job = await fixture.job(comment(`/agent ${verb}`));
        const inputs = { mode: "attach", "run-id": left.outputs["run-id"] ?? "" };
        expect(await fixture.main(job, { inputs })).toMatchObject({
          exitCode: 0,
          outputs: { conclusion: "success", reply: "Done.\n" },
        });
      },
    );

    it("and cancels the run with its job", async () => {
      const left = await leave();
      const controller = new AbortController();
      const step = await fixture.main(await fixture.job(), {
        inputs: { mode: "attach", "run-id": left.outputs["run-id"] ?? "" },
        signal: controller.signal,
        onLine: (line) => {
          if (line === "At work.") controller.abort();
        },
      });
      expect(step.outputs).toMatchObject({ conclusion: "cancelled", reason: "user_stop" });
      expect(await fixture.run(left)).toMatchObject({ status: "cancelled" });
    });

    it("to no run that is not there", async () => {
      const step = await fixture.main(await fixture.job(), {
        inputs: { mode: "attach", "run-id": "long-gone" },
      });
      expect(step).toMatchObject({
        exitCode: 1,
        outputs: { conclusion: "failure", reason: "run_not_found" },
      });
      expect(step.annotations[0]?.message).toBe(
        'This repository has no run "long-gone" at the service. Give "run-id" the output of the step that started it.',
      );
    });

    it.each([
      [{ mode: "attach" }, 'Input "mode: attach" needs "run-id"'],
      [{ mode: "attach", "run-id": "r", wait: "false" }, "attaching is waiting"],
      [{ "run-id": "r" }, 'Input "run-id" is for "mode: attach"'],
      [{ wait: "false", changes: "commit" }, 'Input "changes: commit" needs the end of the run'],
      [{ mode: "attach", "run-id": "r", "base-url": "embedded" }, "needs a service that outlives the job"],
    ])("to nothing with %j", async (inputs, message) => {
      const step = await fixture.main(await fixture.job(), { inputs });
      expect(step).toMatchObject({ exitCode: 1, requests: [], outputs: { reason: "invalid_input" } });
      expect(step.annotations[0]?.message).toContain(message);
    });
  });

  describe("cancels", () => {
    it("a run by its id, and sees it end", async () => {
      const left = await leave();
      const runId = left.outputs["run-id"] ?? "";
      const job = await fixture.job();
      const inputs = { mode: "cancel", "run-id": runId };
      const step = await fixture.main(job, { inputs });
      expect(step).toMatchObject({
        exitCode: 0,
        annotations: [],
        outputs: { conclusion: "success", reason: "run_cancelled", "run-id": "" },
      });
      expect(step.log).toContain(`Cancelled: ${runId}.`);
      expect(await fixture.run(left)).toMatchObject({ status: "cancelled" });
      expect(routesOf(await fixture.post(job, step, { inputs }))).toEqual(["revoke"]);
      const again = await fixture.main(await fixture.job(), { inputs });
      expect(again).toMatchObject({ exitCode: 0, outputs: { reason: "nothing_to_cancel" } });
    });

    it("the runs of a thread, for a comment that asks, and answers there", async () => {
      const [former, first] = [await leave(comment("/agent review")), await leave(comment("/agent new"))];
      const elsewhere = await leave();
      const step = await fixture.main(await fixture.job(comment("/agent cancel")));
      const runId = first.outputs["run-id"] ?? "";
      expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { reason: "run_cancelled" } });
      expect(await fixture.run(first)).toMatchObject({ status: "cancelled" });
      // The conversation before the new one is another.
      expect(await fixture.run(former)).toMatchObject({ status: "running" });
      expect(await fixture.run(elsewhere)).toMatchObject({ status: "running" });
      expect(answers()).toHaveLength(1);
      expect(answers()[0]?.body).toContain(`Cancelled: ${runId}.`);
      isFinished.resolve();
    });

    it("nothing where nothing is in flight, nor for a stranger", async () => {
      const step = await fixture.main(await fixture.job(comment("/agent cancel")));
      expect(step.outputs).toMatchObject({ conclusion: "success", reason: "nothing_to_cancel" });
      const stranger = { ...comment("/agent cancel"), actor: "outsider", actorId: "99" };
      const refused = await fixture.main(await fixture.job(stranger));
      expect(refused).toMatchObject({ requests: [], outputs: { reason: "permission_missing" } });
      expect(answers()).toHaveLength(1);
    });

    it("nothing that it cannot name", async () => {
      const step = await fixture.main(await fixture.job(), { inputs: { mode: "cancel" } });
      expect(step).toMatchObject({ exitCode: 1, requests: [], outputs: { reason: "run_id_missing" } });
      const inside = await fixture.main(await fixture.job(comment("/agent cancel")), {
        inputs: { "base-url": "embedded" },
      });
      expect(inside).toMatchObject({
        exitCode: 0,
        outputs: { conclusion: "skipped", reason: "cancel_elsewhere" },
      });
      expect(answers()[0]?.body).toContain("Cancel that one on the Actions page.");
    });
  });

  it("tells who asks what a comment may ask for", async () => {
    const step = await fixture.main(await fixture.job(comment("/agent help")));
    expect(step).toMatchObject({
      exitCode: 0,
      requests: [],
      outputs: { conclusion: "skipped", reason: "help" },
    });
    expect(step.annotations[0]?.message).toMatch(/^Begin a line with "\/agent" and say what you want/);
    expect(answers()[0]?.body).toContain("and say what you want");
    const stranger = { ...comment("/agent help"), actor: "outsider", actorId: "99" };
    await fixture.main(await fixture.job(stranger));
    expect(answers()).toHaveLength(1);
  });

  it("examines the job, and says what is wrong with it", async () => {
    const before = (await fixture.runs()).length;
    const sound = await fixture.main(await fixture.job(), { inputs: { mode: "doctor" } });
    expect(sound).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reason: "examined" } });
    expect(sound).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reason: "examined" } });
    expect(sound.summary).toMatch(/^## (✅|⚠️) Doctor: /);
    const inputs = { mode: "doctor", audience: "another.example" };
    const wrong = await fixture.main(await fixture.job(), { inputs });
    expect(wrong).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure", reason: "faults_found" } });
    expect(wrong.log).toContain("another.example");
    const none = await fixture.main(await fixture.job({ idToken: false }), { inputs: { mode: "doctor" } });
    expect(none.log).toContain("id-token: write");
    expect(none.exitCode).toBe(1);
    expect(await fixture.runs()).toHaveLength(before);
  });
});
