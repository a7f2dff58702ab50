// What a job reports of a run's results, on every store: once an attempt, of a run that is over or parked, by its repository alone.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DeliveryReport, reportDeliveryRequestSchema } from "../../../../src/contract/runs/delivery.ts";
import type { SubmitRunRequest } from "../../../../src/contract/runs/run-requests.ts";
import { maskedRun } from "../../../../src/service/api/shared/masked-events.ts";
import { toRun } from "../../../../src/service/api/shared/run-view.ts";
import { givenBy, resumeRun } from "../../../../src/service/core/runs/continue-run.ts";
import { RunExpiry } from "../../../../src/service/core/runs/expire-runs.ts";
import { reportDelivery } from "../../../../src/service/core/runs/report-delivery.ts";
import { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { askPeople, type Parking, parkingOf } from "../../../support/parking.ts";
import { say } from "../../../support/scripted-backend.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const pushed: DeliveryReport = {
  conclusion: "success",
  title: "Pushed 42c63fe to topic",
  pushed: { branch: "topic", sha: "4".repeat(40), url: "https://code-host.example/commit/4" },
  comment_url: "https://code-host.example/issues/7#comment",
};
const failed: DeliveryReport = { conclusion: "failure", title: "The changes were not pushed" };

describe("a report", () => {
  const parse = (report: object) => reportDeliveryRequestSchema.safeParse(report).success;

  it("is bounded, and links to addresses of the web that are encrypted", () => {
    expect(parse(pushed)).toBe(true);
    const url = (address: string) => parse({ ...pushed, comment_url: address });
    expect(url("https://host.example/x")).toBe(true);
    for (const address of [
      "http://host.example/",
      "javascript:alert(1)",
      "https://host.example/ x",
      `https://host.example/${"x".repeat(2_000)}`,
    ])
      expect(url(address), address).toBe(false);
    expect(parse({ ...pushed, title: "x".repeat(301) })).toBe(false);
    expect(parse({ ...pushed, pushed: { branch: "topic", sha: "42c63fe" } })).toBe(false);
    expect(parse({ ...pushed, verified: true })).toBe(false);
  });
});

onEveryStore((store) => {
  describe("the delivery of a run", () => {
    let parking: Parking;
    let fixture: CoreFixture;

    beforeEach(async () => {
      parking = await parkingOf(async (task, { continued }) => {
        const asks = (task.messages.at(-1)?.content ?? "") === "ask";
        if (continued === 0 && asks) return await askPeople(task, "Which one?");
        await say(task, "Done.");
        return { stopReason: "end_turn" };
      });
      fixture = await CoreFixture.start({ ...parking, store });
    });
    afterEach(async () => {
      await fixture.close();
      await parking.remove();
    });

    const submit = async (body: Partial<SubmitRunRequest> = {}) => {
      const submitted = await fixture.trySubmit({ message: "go", may_park: true, ...body });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    };
    /** `attempt`: of the same CI run. */
    const report = async (runId: string, said: DeliveryReport, attempt = "1") => {
      const caller = await fixture.caller();
      const { capability } = caller;
      const job = { ...capability.job, runAttempt: attempt };
      const by = { ...caller, capability: { ...capability, job } };
      const reported = await reportDelivery(fixture.core, { caller: by, runId, report: said });
      return reported.ok ? reported.value.report.title : reported.refusal.reason;
    };
    const deliveryOf = async (runId: string) => toRun(await fixture.run(runId)).delivery;

    it("is expected where the job says so, and then what it reports, once", async () => {
      const runId = await submit({ delivers: true });
      expect(await deliveryOf(runId)).toEqual({ state: "expected" });
      expect(await report(runId, pushed)).toBe("run_unfinished");
      fixture.executor.start();
      await fixture.ended(runId);
      expect(await deliveryOf(runId)).toEqual({ state: "expected" });
      expect(await report(runId, pushed)).toBe(pushed.title);
      const first = await deliveryOf(runId);
      expect(first).toMatchObject({ state: "reported", ...pushed });
      expect(await report(runId, structuredClone(pushed))).toBe(pushed.title);
      expect(await report(runId, failed)).toBe("delivery_reported");
      expect(await deliveryOf(runId)).toEqual(first);
    });

    it("is absent where no job speaks of it, and taken all the same", async () => {
      fixture.executor.start();
      const runId = await submit();
      await fixture.ended(runId);
      expect(await deliveryOf(runId)).toBeUndefined();
      expect(await report(runId, pushed)).toBe(pushed.title);
      expect(await deliveryOf(runId)).toMatchObject({ state: "reported" });
    });

    it("is not taken any more once the run's events are not kept", async () => {
      fixture.executor.start();
      const runId = await submit();
      await fixture.ended(runId);
      const runExpiry = new RunExpiry(fixture.core, { keptMs: 1_000 });
      fixture.clock.advance(1_001);
      expect(await runExpiry.sweep()).toBe(1);
      expect(await report(runId, pushed)).toBe("events_expired");
    });

    it("is that of the latest attempt that found the run", async () => {
      fixture.executor.start();
      const runId = await submit({ delivers: true });
      await fixture.ended(runId);
      expect(await report(runId, failed)).toBe(failed.title);
      expect(await report(runId, pushed, "2")).toBe(pushed.title);
      expect(await deliveryOf(runId)).toMatchObject(pushed);
      expect(await report(runId, failed, "2")).toBe("delivery_reported");
    });

    it("of a parked run is told, and begins anew when the run goes on", async () => {
      fixture.executor.start();
      const runId = await submit({ message: "ask", delivers: true, session_key: "thread-7" });
      await fixture.until(runId, (run) => run.parked !== undefined);
      expect(await report(runId, { conclusion: "success", title: "The agent has a question" })).toBe(
        "The agent has a question",
      );
      expect(await submit({ message: "This one.", delivers: true, session_key: "thread-7" })).toBe(runId);
      await fixture.ended(runId);
      expect(await deliveryOf(runId)).toEqual({ state: "expected" });
      // The same attempt may have another step.
      expect(await report(runId, pushed)).toBe(pushed.title);
      expect(await deliveryOf(runId)).toMatchObject(pushed);
    });

    it("is nobody's once somebody continues the run without a job", async () => {
      fixture.executor.start();
      const runId = await submit({ message: "ask", delivers: true });
      await fixture.until(runId, (run) => run.parked !== undefined);
      const caller = await fixture.caller();
      const { agentId } = caller.capability;
      const given = givenBy({ message: "This one." });
      expect(await resumeRun(fixture.core, { caller, agentId, runId, given })).toMatchObject({ ok: true });
      await fixture.ended(runId);
      expect(await deliveryOf(runId)).toBeUndefined();
    });

    it("is not for jobs of another repository, and shows readers by link nothing that looks like a secret", async () => {
      fixture.executor.start();
      const runId = await submit({ delivers: true });
      await fixture.ended(runId);
      const caller = await fixture.caller();
      const capability = { ...caller.capability, agentId: "another" };
      const request = { caller: { ...caller, capability }, runId, report: pushed };
      expect(await reportDelivery(fixture.core, request)).toMatchObject({
        ok: false,
        refusal: { reason: "run_of_another" },
      });
      const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
      await report(runId, { ...pushed, title: `Pushed ${secret} to topic` });
      expect(await deliveryOf(runId)).toMatchObject({ title: `Pushed ${secret} to topic` });
      const masked = JSON.stringify(toRun(maskedRun(await fixture.run(runId))));
      expect(masked).toContain("to topic");
      expect(masked).not.toContain(secret);
    });
  });
});
