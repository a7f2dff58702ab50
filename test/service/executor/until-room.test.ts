import { describe, expect, it } from "vitest";
import { StorageFullError } from "../../../src/service/core/ports/storage-full.ts";
import { untilRoom } from "../../../src/service/executor/until-room.ts";

const full = new StorageFullError(new Error("no room"));
const MINUTE_MS = 60_000;

/** Sleeps take no time, and are counted. */
function clockOf(signal?: AbortController) {
  let ms = 0;
  return {
    now: () => ms,
    monotonic: () => ms,
    sleep: async (by: number) => {
      ms += by;
      if (ms > 5 * MINUTE_MS) signal?.abort(new Error("stopped"));
      signal?.signal.throwIfAborted();
    },
  };
}

describe("untilRoom", () => {
  it("repeats the work until there is room, and says once that it waits", async () => {
    const { signal } = new AbortController();
    let tries = 0;
    const told: unknown[] = [];
    const work = async () => {
      tries += 1;
      if (tries < 30) throw full;
      return "done";
    };
    const onFull = (cause: unknown) => told.push(cause);
    expect(await untilRoom(work, { clock: clockOf(), signal, onFull })).toBe("done");
    expect(told).toEqual([full]);
  });

  it("gives up after ten minutes", async () => {
    const clock = clockOf();
    const { signal } = new AbortController();
    await expect(untilRoom(() => Promise.reject(full), { clock, signal })).rejects.toBe(full);
    expect(clock.monotonic()).toBe(10 * MINUTE_MS);
  });

  it("does not repeat what fails for another reason, and ends when it is stopped", async () => {
    const clock = clockOf();
    const stopped = new AbortController();
    const other = new Error("other");
    const failing = untilRoom(() => Promise.reject(other), { clock, signal: stopped.signal });
    await expect(failing).rejects.toBe(other);
    expect(clock.monotonic()).toBe(0);
    const waiting = untilRoom(() => Promise.reject(full), {
      clock: clockOf(stopped),
      signal: stopped.signal,
    });
    await expect(waiting).rejects.toThrow("stopped");
  });
});
