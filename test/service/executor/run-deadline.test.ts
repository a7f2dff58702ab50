import { describe, expect, it } from "vitest";
import { deadlineOf } from "../../../src/service/executor/run-deadline.ts";
import { ManualClock } from "../../support/clocks/manual-clock.ts";

const MINUTE_MS = 60_000;

function startedAfter(waitedMs: number, askedMs?: number) {
  const clock = new ManualClock();
  const submittedAt = clock.now();
  clock.advance(waitedMs);
  const deadline = deadlineOf({
    core: { clock },
    taken: {
      run: { submittedAt, startedAt: clock.now() },
      input: askedMs === undefined ? {} : { timeLimitMs: askedMs },
    },
    timeLimitMs: 60 * MINUTE_MS,
    earlierMs: 0,
  });
  return { clock, deadline };
}

describe("the deadline of a run", () => {
  it("is the service's limit from its start, or the asked one from its submission, whichever is first", () => {
    expect(startedAfter(5 * MINUTE_MS).deadline.leftMs()).toBe(60 * MINUTE_MS);
    expect(startedAfter(5 * MINUTE_MS, 20 * MINUTE_MS).deadline.leftMs()).toBe(15 * MINUTE_MS);
    expect(startedAfter(5 * MINUTE_MS, 90 * MINUTE_MS).deadline.leftMs()).toBe(60 * MINUTE_MS);
  });

  it.each([
    ["forward", 30 * MINUTE_MS],
    ["back", -30 * MINUTE_MS],
  ])("is as far away as before when the clock is set %s", (_way, byMs) => {
    const { clock, deadline } = startedAfter(5 * MINUTE_MS, 20 * MINUTE_MS);
    clock.setWall(byMs);
    expect(deadline.leftMs()).toBe(15 * MINUTE_MS);
    clock.advance(MINUTE_MS);
    expect(deadline.leftMs()).toBe(14 * MINUTE_MS);
  });
});
