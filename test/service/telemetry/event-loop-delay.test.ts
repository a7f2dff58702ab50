import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { watchEventLoopDelay } from "../../../src/service/telemetry/event-loop-delay.ts";

const BLOCKED_MS = 400;

it("sees how long whatever was ready had to wait", async () => {
  const delay = watchEventLoopDelay();
  onTestFinished(() => delay.stop());
  await blockOnce();
  expect(delay.maxMs).toBeGreaterThan(BLOCKED_MS / 2);
});

it("forgets a delay after ten seconds", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const delay = watchEventLoopDelay();
  onTestFinished(() => delay.stop());
  await blockOnce();
  vi.advanceTimersByTime(5_000);
  expect(delay.maxMs).toBeGreaterThan(BLOCKED_MS / 2);
  vi.advanceTimersByTime(5_000);
  expect(delay.maxMs).toBeLessThan(BLOCKED_MS / 2);
});

it("looks no more once it is stopped", async () => {
  const delay = watchEventLoopDelay();
  delay.stop();
  await blockOnce();
  expect(delay.maxMs).toBe(0);
});

/** Between two turns of the event loop: a delay is seen at the turn after it. */
async function blockOnce(): Promise<void> {
  await sleep(100);
  const end = performance.now() + BLOCKED_MS;
  while (performance.now() < end);
  await sleep(100);
}
