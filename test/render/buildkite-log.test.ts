import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BuildkiteLog } from "../../src/render/buildkite-log.ts";

const HEADER = /^(---|\+\+\+|~~~|\^\^\^)/;

describe("BuildkiteLog", () => {
  it("opens a group for each of ours, and an unfolded one for the lines after it", () => {
    const log = new BuildkiteLog();
    expect(log.lines([{ kind: "text", text: "Run 1 started.", trust: "ours" }])).toEqual(["Run 1 started."]);
    expect(log.lines([{ kind: "open", title: "run make" }])).toEqual(["--- run make"]);
    expect(log.lines([{ kind: "text", text: "a\n\nb", trust: "theirs" }])).toEqual(["│ a", "│", "│ b"]);
    expect(log.lines([{ kind: "close" }])).toEqual([]);
    expect(log.lines([{ kind: "text", text: "done", trust: "ours" }])).toEqual(["+++ Agent", "done"]);
    expect(
      log.lines([{ kind: "open", title: "a" }, { kind: "close" }, { kind: "open", title: "b" }]),
    ).toEqual(["--- a", "--- b"]);
  });

  it.each(["--- x", "+++ x", "~~~ x", "^^^ +++", "---"])(
    "never prints an untrusted %j at the beginning of a line",
    (text) => {
      const lines = new BuildkiteLog().lines([
        { kind: "text", text: `${text}\n${text}\r${text}`, trust: "theirs" },
        { kind: "text", text, trust: "ours" },
      ]);
      for (const line of lines) expect(line).not.toMatch(HEADER);
      expect(new BuildkiteLog().lines([{ kind: "open", title: `a\n${text}` }])).toHaveLength(1);
    },
  );

  it("begins no line with untrusted text and prints no control character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const line of new BuildkiteLog().lines([{ kind: "text", text, trust: "theirs" }])) {
          expect(line.startsWith("│")).toBe(true);
          expect(line).not.toMatch(/[\p{Cc}--\t]|\p{Cs}/v);
        }
      }),
    );
  });
});
