import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenBuckets } from "../../../../src/service/api/shared/token-buckets.ts";

describe("TokenBuckets", () => {
  it("lets a full bucket go at once, then one each time it is due", () => {
    const limits = new TokenBuckets();
    const take = (now: number) => limits.take({ key: "a", perMinute: 60, now });
    for (let count = 0; count < 60; count += 1) expect(take(0)).toBe(0);
    expect(take(0)).toBe(1_000);
    expect(take(400)).toBe(600);
    expect(take(1_000)).toBe(0);
    expect(take(1_000)).toBe(1_000);
  });

  it("keeps each key apart, and never fills a bucket beyond its size", () => {
    const limits = new TokenBuckets();
    const take = (key: string, now: number) => limits.take({ key, perMinute: 1, now });
    expect([take("a", 0), take("b", 0)]).toEqual([0, 0]);
    expect(take("a", 3_600_000)).toBe(0);
    expect(take("a", 3_600_000)).toBe(60_000);
  });

  it("says when to come back so that it is let then", () => {
    const gaps = fc.array(fc.nat({ max: 2_000 }), { maxLength: 50 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), gaps, (perMinute, waits) => {
        const limits = new TokenBuckets();
        let now = 0;
        for (const wait of waits) {
          now += wait;
          const retryAfterMs = limits.take({ key: "a", perMinute, now });
          if (retryAfterMs === 0) continue;
          now += retryAfterMs + 1;
          expect(limits.take({ key: "a", perMinute, now })).toBe(0);
        }
      }),
    );
  });

  it("takes back what was not used, and no more than the bucket holds", () => {
    const limits = new TokenBuckets();
    const take = () => limits.take({ key: "a", perMinute: 2, now: 0 });
    limits.giveBack("a");
    expect([take(), take()]).toEqual([0, 0]);
    limits.giveBack("a");
    expect([take(), take()]).toEqual([0, 30_000]);
    for (let index = 0; index < 10; index += 1) limits.giveBack("a");
    expect([take(), take(), take()]).toEqual([0, 0, 30_000]);
  });

  it("remembers which credentials were good, the latest ones", () => {
    const limits = new TokenBuckets();
    limits.rememberCredential("first", "a");
    limits.rememberCredential("second", "b");
    limits.rememberCredential("first", "a");
    for (let index = 0; index < 49_999; index += 1) limits.rememberCredential(`other ${index}`, "c");
    expect([limits.bucketOfCredential("first"), limits.bucketOfCredential("second")]).toEqual([
      "a",
      undefined,
    ]);
    limits.forgetCredential("first");
    expect(limits.bucketOfCredential("first")).toBeUndefined();
  });

  it("forgets the key that was not asked for longest, when there are too many", () => {
    const limits = new TokenBuckets();
    const take = (key: string) => limits.take({ key, perMinute: 1, now: 0 });
    take("first");
    take("second");
    expect(take("first")).toBeGreaterThan(0);
    for (let index = 0; index < 49_999; index += 1) take(`other ${index}`);
    expect(take("first")).toBeGreaterThan(0);
    expect(take("second")).toBe(0);
  });
});
