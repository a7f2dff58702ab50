import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ForeignEvent } from "../../src/contract/runs/run-event.ts";
import { ndjsonLine } from "../../src/render/ndjson.ts";

/** An event of a type that only a newer service has. */
const foreign = (event: { type: string; delta?: string }) => event as unknown as ForeignEvent;

describe("ndjsonLine", () => {
  it("keeps any event on one line that reads back as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (delta) => {
        const stored = { seq: 1, at: "2026-01-01T00:00:00.000Z", event: foreign({ type: "X", delta }) };
        const line = ndjsonLine(stored);
        expect(line.slice(0, -1)).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(line.endsWith("\n")).toBe(true);
        expect(JSON.parse(line)).toEqual(stored);
      }),
    );
  });

  it("escapes the separators that JSON allows", () => {
    const line = ndjsonLine({ seq: 1, at: "x", event: foreign({ type: "\u2028\u2029" }) });
    expect(line).toBe('{"seq":1,"at":"x","event":{"type":"\\u2028\\u2029"}}\n');
  });
});
