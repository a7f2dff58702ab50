import { describe, expect, it } from "vitest";
import { type ScheduleStatus, scheduleStatuses } from "../../../../src/contract/schedules/schedule.ts";
import {
  cancelled,
  confirmed,
  firing,
  isDue,
  notDispatched,
  type ScheduleRecord,
} from "../../../../src/service/core/schedules/schedule-machine.ts";
import { makeSchedule } from "../../../support/schedules.ts";

const NOW = 1_000_000;
const inState = (status: ScheduleStatus, overrides: Partial<ScheduleRecord> = {}) =>
  makeSchedule({ status, fireAt: NOW, dueAt: NOW, ...overrides });

describe("a schedule", () => {
  it("is due from its time on, in the two states that wait to be fired", () => {
    const due = scheduleStatuses.filter((status) => isDue(inState(status), NOW));
    expect(due).toEqual(["pending", "firing"]);
    expect(isDue(inState("pending"), NOW - 1)).toBe(false);
  });

  it("can be cancelled before it is fired", () => {
    const cancellable = scheduleStatuses.filter((status) => cancelled(inState(status)) !== null);
    expect(cancellable).toEqual(["awaiting_confirmation", "pending"]);
  });

  it("can be confirmed while it waits for that and its time has not passed", () => {
    const confirmable = scheduleStatuses.filter((status) => confirmed(inState(status), NOW) !== null);
    expect(confirmable).toEqual(["awaiting_confirmation"]);
    expect(confirmed(inState("awaiting_confirmation"), NOW + 1)).toBeNull();
  });

  it("counts its tries, and moves only from the try that was read", () => {
    const move = firing(inState("firing", { attempts: 2 }), NOW);
    expect(move).toMatchObject({ from: { status: "firing", attempts: 2 }, change: { attempts: 3 } });
    expect(move.change.dueAt).toBeGreaterThan(NOW);
  });

  it("is tried again later after a refusal that may pass, five times in all", () => {
    const refuse = (attempts: number, isPassing = true) =>
      notDispatched(inState("firing", { attempts }), { error: "no", isPassing, now: NOW, random: 0.5 });
    const delays = [1, 2, 3, 4].map((attempts) => {
      const { change } = refuse(attempts);
      expect(change).toMatchObject({ status: "pending", lastError: "no" });
      return (change.dueAt ?? 0) - NOW;
    });
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    expect(delays[0]).toBeGreaterThan(10_000);
    expect(refuse(5).change).toEqual({ status: "failed", lastError: "no" });
    expect(refuse(1, false).change).toEqual({ status: "failed", lastError: "no" });
  });
});
