// When runs at work are said to live, on a store that takes its time.

import { afterEach, describe, expect, it } from "vitest";
import type { Store } from "../../../src/service/core/ports/store.ts";
import type { Backend } from "../../../src/service/executor/backend.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { withWrites } from "../../support/wrapped-store.ts";

const HEARTBEAT_MS = 5_000;

const endless: Backend = {
  name: "endless",
  needsCheckout: false,
  run: (task) =>
    new Promise((_, reject) => {
      task.signal.addEventListener("abort", () => reject(task.signal.reason), { once: true });
    }),
};

/** Holds each beat until the test lets it go on. */
class SlowBeats {
  readonly begun: number[] = [];
  #held = Promise.withResolvers<void>();
  #heard = Promise.withResolvers<void>();

  wrap(store: Store, now: () => number): Store {
    return withWrites(store, (tx) => ({
      queue: {
        beat: async (batch) => {
          this.begun.push(now());
          this.#heard.resolve();
          await this.#held.promise;
          return await tx.queue.beat(batch);
        },
      },
    }));
  }

  /** Resolves at the next beat, or at once where one is held. */
  async next(): Promise<void> {
    await this.#heard.promise;
    this.#heard = Promise.withResolvers();
  }

  letGo(): void {
    this.#held.resolve();
    this.#held = Promise.withResolvers();
  }
}

describe("heartbeats on a slow store", () => {
  let fixture: CoreFixture;
  let beats: SlowBeats;
  afterEach(async () => {
    beats.letGo();
    await fixture.close();
  });

  /** A run at work, and when it began. */
  const begin = async (): Promise<number> => {
    beats = new SlowBeats();
    fixture = await startFixture({
      level: "core",
      backend: endless,
      wrapStore: (store) => beats.wrap(store, () => fixture.clock.now()),
    });
    fixture.executor.start();
    await fixture.submit();
    // The heartbeat and the run's time limit.
    await fixture.clock.whenSleeping(2);
    return fixture.clock.now();
  };

  it("come at their times, however long a write takes", async () => {
    const startedAt = await begin();
    fixture.clock.advance(HEARTBEAT_MS);
    await beats.next();
    fixture.clock.advance(3_000);
    beats.letGo();
    await fixture.clock.whenSleeping(2);
    fixture.clock.advance(HEARTBEAT_MS - 3_000);
    await beats.next();
    expect(beats.begun.map((at) => at - startedAt)).toEqual([HEARTBEAT_MS, 2 * HEARTBEAT_MS]);
  });

  it("come at once after a write that took longer than the time between two", async () => {
    const startedAt = await begin();
    fixture.clock.advance(HEARTBEAT_MS);
    await beats.next();
    fixture.clock.advance(7_000);
    beats.letGo();
    await beats.next();
    expect(beats.begun.map((at) => at - startedAt)).toEqual([HEARTBEAT_MS, HEARTBEAT_MS + 7_000]);
  });
});
