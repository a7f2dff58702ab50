// Deltas of objects, read as git reads them.

import fc from "fast-check";
import { expect, it } from "vitest";
import { deltaOf } from "../../../../src/service/checkouts/kept/object-delta.ts";
import "../../../support/run/fixed-seed.ts";

/** By gitformat-pack(5). */
function patched(base: Buffer, delta: Buffer): Buffer {
  let at = 0;
  const next = () => delta[at++] ?? 0;
  const size = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = next();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  expect(size()).toBe(base.length);
  const length = size();
  const parts: Buffer[] = [];
  while (at < delta.length) {
    const instruction = next();
    if (instruction < 0x80) {
      parts.push(delta.subarray(at, at + instruction));
      at += instruction;
      continue;
    }
    const [from = 0, copied = 0] = [
      [0, 4],
      [4, 3],
    ].map(([first = 0, count = 0]) => {
      let value = 0;
      for (let bit = 0; bit < count; bit += 1) {
        if ((instruction & (1 << (first + bit))) !== 0) value += next() << (8 * bit);
      }
      return value;
    });
    expect(from + copied).toBeLessThanOrEqual(base.length);
    parts.push(base.subarray(from, from + copied));
  }
  const target = Buffer.concat(parts);
  expect(target.length).toBe(length);
  return target;
}

const line = fc.constantFrom("a", "ab", "the same line", "another line", "a third one, which is longer", "");
const text = fc.array(line, { maxLength: 12 }).map((lines) => Buffer.from(lines.join("\n")));

it("makes the target of the base, whatever both have in common", () => {
  fc.assert(
    fc.property(text, text, (base, target) => {
      expect(patched(base, deltaOf(base, target)).equals(target)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

it("says little of long texts that differ in few lines, and copies more than one instruction may", () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `${at} ${(at * 2_654_435_761) % 4_294_967_291}`);
  const base = Buffer.from(lines.join("\n"));
  const edited = [...lines];
  edited.splice(5_000, 3, "one");
  edited.splice(15_000, 0, "two", "three");
  const target = Buffer.from(edited.join("\n"));
  const delta = deltaOf(base, target);
  expect(delta.length).toBeLessThan(120);
  expect(patched(base, delta).equals(target)).toBe(true);
});
