// Loaded by `node --import` into a service: its wall clock is as many milliseconds ahead as the file CLOCK_AHEAD says, as if an operator
// or NTP had set it. Timers and the monotonic clock are as they are.

import { readFileSync } from "node:fs";

const { CLOCK_AHEAD: path } = process.env;
/** How long what was read counts. */
const READ_EVERY_MS = 20;

if (path !== undefined) moveBy(path);

function moveBy(file: string): void {
  const RealDate = Date;
  let aheadMs = 0;
  let readAt = Number.NEGATIVE_INFINITY;
  const now = (): number => {
    if (performance.now() - readAt > READ_EVERY_MS) {
      readAt = performance.now();
      aheadMs = Number(readFileSync(file, "utf8"));
    }
    return RealDate.now() + aheadMs;
  };
  class MovedDate extends RealDate {
    static override now(): number {
      return now();
    }

    constructor(...given: ConstructorParameters<typeof RealDate> | []) {
      if (given.length === 0) super(now());
      else super(...given);
    }
  }
  globalThis.Date = MovedDate as DateConstructor;
}
