import fc from "fast-check";
import { expect, it } from "vitest";
import { compareBytes } from "../../src/base/byte-order.ts";

const text = fc.string({ unit: "binary", maxLength: 8 });

it("sorts as the bytes of UTF-8 do", () => {
  const unusual = fc.constantFrom("\u{10000}", "\uE000", "\uFFFD", "\uD7FF", "a", "/", ".", "\u{1F600}b");
  const mixed = fc.array(fc.oneof(unusual, text), { maxLength: 4 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(mixed, mixed, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
