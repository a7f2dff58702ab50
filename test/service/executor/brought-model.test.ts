// Runs that bring their own access to a model: what their backend gets, what they cost, and that the token ends with the run.

import { afterEach, describe, expect, it } from "vitest";
import { cancelRun } from "../../../src/service/core/runs/cancel-run.ts";
import { leaveRun } from "../../../src/service/core/runs/recover-runs.ts";
import { renewAccess } from "../../../src/service/core/runs/renew-access.ts";
import type { BackendTask } from "../../../src/service/executor/backend.ts";
import { CoreFixture, type CoreFixtureOptions } from "../../support/fixtures/core-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../../support/scripted-backend.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";

const FIRST = "sk-ant-oat01-the-first-token-of-the-run";
const NEWER = "sk-ant-oat01-the-newer-token-of-the-run";
const MINUTE = 60_000;

onEveryStore((store) => {
  describe("a run with access to a model", () => {
    let fixture: CoreFixture;
    afterEach(() => fixture.close());

    async function start(script: (task: BackendTask) => Promise<void>, options: CoreFixtureOptions = {}) {
      const policy = { takesModelAccess: true, baseUrl: "https://service.example" };
      fixture = await CoreFixture.start({ store, backend: scriptedBackend(script), policy, ...options });
      return fixture;
    }

    const at = (ms: number) => new Date(ms).toISOString();

    async function submit(lifeMs = 10 * MINUTE): Promise<string> {
      const submitted = await fixture.trySubmit({
        message: "go",
        model_access: {
          provider: "anthropic",
          model: "claude-x",
          access_token: FIRST,
          expires_at: at(fixture.clock.now() + lifeMs),
        },
      });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    }

    async function renew(runId: string, lifeMs: number) {
      const caller = await fixture.caller();
      const access = { access_token: NEWER, expires_at: at(fixture.clock.now() + lifeMs) };
      return await renewAccess(fixture.core, { caller, runId, access });
    }

    const held = (runId: string) => fixture.store.transact((tx) => tx.runSecrets.find(runId));
    const tokenOf = async ({ brought }: BackendTask) => (await brought?.access.token()) ?? "none";
    const errorOf = async (runId: string) =>
      (await fixture.stream(runId)).map(({ event }) => event).find(({ type }) => type === "RUN_ERROR");

    it("asks for the token that holds now, hides each that it had, and pays the fee alone", async () => {
      const tokens: string[] = [];
      await start(async (task) => {
        expect(task.model).toBe("claude-x");
        tokens.push(await tokenOf(task));
        await renew(task.runId, 20 * MINUTE);
        tokens.push(await tokenOf(task));
        await say(task, `first ${FIRST}, then ${NEWER.slice(0, 20)}`, NEWER.slice(20));
        task.meter.count({ role: "executor", tokens: 100, microUsd: 0 });
      });
      const runId = await submit();
      fixture.executor.start();
      const run = await fixture.ended(runId);
      expect(tokens).toEqual([FIRST, NEWER]);
      const text = JSON.stringify(await fixture.stream(runId));
      expect(text).toContain('"delta":"first ***, then "');
      expect(text).toContain('"delta":"***"');
      expect(text).not.toContain("sk-ant");
      expect(text).toContain('"model_billing":"repository"');
      expect(run).toMatchObject({ status: "completed", modelBilling: "repository", grossMicroUsd: 8_333 });
      expect(run.usage?.roles.executor).toMatchObject({ tokens: 100, calls: 1 });
      expect(await held(runId)).toBeNull();
      expect(fixture.logs.join("\n")).not.toContain("sk-ant");
      expect(await renew(runId, 30 * MINUTE)).toMatchObject({ refusal: { reason: "run_finished" } });
      expect(await held(runId)).toBeNull();
    });

    it("fails and says so when its token has ended and nobody renewed it", async () => {
      await start(async (task) => {
        await tokenOf(task);
        fixture.clock.advance(MINUTE);
        await tokenOf(task);
      });
      const runId = await submit(MINUTE);
      const end = at(fixture.clock.now() + MINUTE);
      fixture.executor.start();
      expect(await fixture.ended(runId)).toMatchObject({
        status: "failed",
        cause: "backend_error",
        retryable: true,
        refundedMicroUsd: 8_333,
      });
      expect(await errorOf(runId)).toMatchObject({
        message: `The access to the repository's model at Anthropic ended at ${end} and was not renewed. Keep the job running until the run has ended, or ask for less in one run.`,
      });
      expect(await held(runId)).toBeNull();
    });

    it("does not begin when its token has ended while it waited, unless it was renewed", async () => {
      await start(tokenOf as (task: BackendTask) => Promise<never>);
      const ended = await submit(MINUTE);
      const renewed = await submit(MINUTE);
      await renew(renewed, 5 * MINUTE);
      fixture.clock.advance(2 * MINUTE);
      fixture.executor.start();
      expect(await fixture.ended(ended)).toMatchObject({ status: "failed", cause: "spawn_failed" });
      expect(await errorOf(ended)).toMatchObject({
        message: expect.stringMatching(
          /^The access to the repository's model ended at .*, while this run waited/,
        ),
      });
      expect(await fixture.ended(renewed)).toMatchObject({ status: "completed" });
    });

    it("ends refunded where the token is gone with the process that had it", async () => {
      await start(tokenOf as (task: BackendTask) => Promise<never>);
      const runId = await submit();
      await fixture.store.transact((tx) => tx.runSecrets.delete(runId));
      fixture.executor.start();
      expect(await fixture.ended(runId)).toMatchObject({
        status: "failed",
        cause: "interrupted",
        retryable: true,
        refundReason: "interrupted",
        refundedMicroUsd: 8_333,
      });
      expect(await errorOf(runId)).toMatchObject({
        message: expect.stringMatching(
          /^The service was restarted while this run waited\. .* Run it again\.$/,
        ),
      });
    });

    it("names the key to its operator where a node has another one", async () => {
      await start(tokenOf as (task: BackendTask) => Promise<never>);
      const runId = await submit();
      const sealed = (await held(runId))?.sealed.replace(/^v1\.[0-9a-f]{8}/, "v1.0badc0de") ?? "";
      const expiresAt = fixture.clock.now() + 20 * MINUTE;
      await fixture.store.transact((tx) => tx.runSecrets.keep({ runId, sealed, expiresAt }));
      fixture.executor.start();
      expect(await fixture.ended(runId)).toMatchObject({ status: "failed", cause: "spawn_failed" });
      expect(await errorOf(runId)).toMatchObject({
        message: expect.stringContaining("RUN_SECRETS_PREVIOUS_KEY"),
      });
      expect(fixture.logs.join("\n")).toContain('"keyId":"0badc0de"');
    });

    it("forgets the token with every ending", async () => {
      await start(async (task) => {
        await tokenOf(task);
        if (task.messages[0]?.content !== "go") throw new Error("no");
        await untilStopped(task);
      });
      const agentId = (await fixture.caller()).capability.agentId;
      const cancel = async (runId: string) =>
        await cancelRun(fixture.core, { caller: await fixture.caller(), agentId, runId });
      const queued = await submit();
      expect(await held(queued)).not.toBeNull();
      await cancel(queued);
      expect(await held(queued)).toBeNull();
      fixture.executor.start();
      const running = await submit();
      await fixture.until(running, ({ status }) => status === "running");
      expect(await held(running)).not.toBeNull();
      await cancel(running);
      expect(await fixture.ended(running)).toMatchObject({ status: "cancelled" });
      expect(await held(running)).toBeNull();
      const crashed = await submit();
      await fixture.until(crashed, ({ status }) => status === "running");
      await leaveRun(fixture.core, crashed);
      expect(await fixture.run(crashed)).toMatchObject({ status: "failed", cause: "interrupted" });
      expect(await held(crashed)).toBeNull();
    });

    it("lends its access to the runs that it delegates to, until it ends itself", async () => {
      const tokens: string[] = [];
      await start(async (task) => {
        tokens.push(await tokenOf(task));
        if (task.messages[0]?.content === "go") {
          const outcome = await task.delegate({ message: "help" });
          expect(outcome.status).toBe("completed");
          tokens.push(await tokenOf(task));
        } else {
          expect(task.model).toBe("claude-x");
          await say(task, `I have ${FIRST}`);
        }
      });
      const runId = await submit();
      fixture.executor.start();
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed" });
      expect(tokens).toEqual([FIRST, FIRST, FIRST]);
      const { agentId } = await fixture.run(runId);
      const runs = await fixture.store.committed.runs.list({
        agentId,
        sessionId: null,
        before: null,
        limit: 10,
      });
      const child = runs.find(({ parentRunId }) => parentRunId === runId);
      expect(child?.modelBilling).toBe("repository");
      expect(JSON.stringify(await fixture.stream(child?.id ?? ""))).toContain("I have ***");
      expect(await renew(child?.id ?? "", 30 * MINUTE)).toMatchObject({
        refusal: { reason: "run_finished" },
      });
      expect(await held(runId)).toBeNull();
    });
  });
});
