import * as core from "@actions/core";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { processLog } from "../../../fakes/runner/log-commands.ts";
import { annotate } from "../../../src/github/findings/annotations.ts";
import type { Finding } from "../../../src/report/findings.ts";
import { hostileText } from "../../render/streams.ts";

const finding: Finding = {
  path: "src/a.ts",
  startLine: 3,
  line: 4,
  severity: "error",
  title: "Wrong",
  body: "Why.",
  suggestion: null,
};

afterEach(() => vi.restoreAllMocks());

/** The output as a runner reads it. */
function printed(findings: readonly Finding[]) {
  let raw = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    raw += String(chunk);
    return true;
  });
  const annotated = annotate(findings, { error: core.error, warning: core.warning, notice: core.notice });
  write.mockRestore();
  return { annotated, raw, ...processLog(raw) };
}

describe("annotate", () => {
  it("puts a finding at its lines", () => {
    expect(printed([{ ...finding, suggestion: "a" }])).toMatchObject({
      annotated: 1,
      raw: expect.stringMatching(/^::error title=Wrong,file=src\/a\.ts,line=3,endLine=4::/),
      annotations: [
        {
          level: "error",
          title: "Wrong",
          file: "src/a.ts",
          line: "3",
          endLine: "4",
          message: "Why.\n\nSuggested:\na",
        },
      ],
    });
  });

  it("writes at most nine of each level, and counts the rest", () => {
    const findings = (["notice", "error"] as const).flatMap((severity) =>
      Array.from({ length: 12 }, () => ({ ...finding, severity })),
    );
    const { annotated, annotations } = printed(findings);
    expect(annotated).toBe(18);
    const counts = Object.groupBy(annotations, ({ level }) => level);
    expect([counts.error?.length, counts.notice?.length]).toEqual([9, 10]);
    expect(annotations.at(-1)?.message).toMatch(/^6 more findings have no annotation: /);
  });

  it("writes one command for each finding, whatever its text is", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        hostileText,
        "a::b",
        "a,file=b",
        "%0A::error::x",
        "\r::stop-commands::xxxx",
        "##[error]x",
        ",",
      ),
    );
    fc.assert(
      fc.property(text, text, text, fc.option(text), (path, title, body, suggestion) => {
        const { annotations, raw, groups, masks, injectedCommands } = printed([
          { ...finding, path, title, body, suggestion },
        ]);
        expect(annotations).toHaveLength(1);
        expect([groups, masks, injectedCommands]).toEqual([[], [], []]);
        expect(annotations[0]).toMatchObject({ level: "error", line: "3", endLine: "4" });
        expect(raw.trimEnd()).not.toMatch(/##\[|\u202E|[^\P{Cc}\t]/u);
        expect(raw.trimEnd().split(/\r\n|\r|\n|\u2028|\u0085/)).toHaveLength(1);
      }),
    );
  });
});
