import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlainLog } from "../../src/render/plain-log.ts";

describe("PlainLog", () => {
  it("indents a group that spans several calls", () => {
    const log = new PlainLog();
    expect(log.lines([{ kind: "open", title: "run make" }])).toEqual(["▸ run make"]);
    expect(log.lines([{ kind: "text", text: "a\n\nb", trust: "theirs" }])).toEqual(["  │ a", "  │", "  │ b"]);
    expect(log.lines([{ kind: "text", text: "(cut)", trust: "ours" }, { kind: "close" }])).toEqual([
      "  (cut)",
    ]);
    expect(log.lines([{ kind: "text", text: "done", trust: "ours" }])).toEqual(["done"]);
  });

  it("begins no line with untrusted text and prints no control character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const line of new PlainLog().lines([{ kind: "text", text, trust: "theirs" }])) {
          expect(line.startsWith("│")).toBe(true);
          expect(line).not.toMatch(/[\p{Cc}--\t]|\p{Cs}/v);
        }
      }),
    );
  });
});
