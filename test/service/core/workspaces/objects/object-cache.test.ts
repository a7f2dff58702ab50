import { describe, expect, it } from "vitest";
import { ObjectCache } from "../../../../../src/service/core/workspaces/objects/object-cache.ts";

/** Each weighs 1,000 bytes: its contents, its name and what the cache adds. */
const CONTENT_BYTES = 1_000 - 200 - "name-00".length;
const nameOf = (index: number) => `name-${String(index).padStart(2, "0")}`;

function cacheOf(count: number): ObjectCache {
  const cache = new ObjectCache(10_000);
  for (let index = 0; index < count; index += 1) cache.set(nameOf(index), index, CONTENT_BYTES);
  return cache;
}

describe("a cache of objects", () => {
  const heldOf = (cache: ObjectCache, count: number) =>
    Array.from({ length: count }, (_, index) => nameOf(index)).filter(
      (name) => cache.get(name) !== undefined,
    );

  it("has what fits into it, however often it is used", () => {
    const cache = cacheOf(10);
    for (let round = 0; round < 3; round += 1) expect(heldOf(cache, 10)).toHaveLength(10);
  });

  it("never has more than fits into it, and forgets what was written first", () => {
    const cache = cacheOf(13);
    expect(heldOf(cache, 13)).toEqual(Array.from({ length: 10 }, (_, index) => nameOf(index + 3)));
  });

  it("keeps what was used of late, for another round", () => {
    const cache = cacheOf(10);
    for (const used of [0, 2]) cache.get(nameOf(used));
    for (let index = 10; index < 12; index += 1) cache.set(nameOf(index), index, CONTENT_BYTES);
    expect(heldOf(cache, 4)).toEqual([nameOf(0), nameOf(2)]);
  });

  it("goes on when everything was used", () => {
    const cache = cacheOf(10);
    heldOf(cache, 10);
    for (let index = 10; index < 40; index += 1) cache.set(nameOf(index), index, CONTENT_BYTES);
    expect(heldOf(cache, 40)).toHaveLength(10);
  });

  it("takes nothing that is larger than a quarter of it", () => {
    const cache = new ObjectCache(10_000);
    cache.set("large", 1, 2_600);
    expect(cache.get("large")).toBeUndefined();
  });

  it("forgets what is deleted", () => {
    const cache = cacheOf(8);
    for (const index of [0, 7]) cache.delete(nameOf(index));
    expect([0, 1, 6, 7].map((index) => cache.get(nameOf(index)))).toEqual([undefined, 1, 6, undefined]);
  });
});
