import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findingsSchema } from "../../src/job/findings/findings-schema.ts";
import { MAX_FINDINGS, placeOf, readFindings, severityCounts } from "../../src/report/findings.ts";

const good = { path: "src/a.ts", line: 7, severity: "error", title: "Wrong", body: "Why." };
const read = (...findings: readonly unknown[]) =>
  readFindings({ value: JSON.parse(JSON.stringify({ findings })) });

describe("readFindings", () => {
  it.each([null, { value: null }, { value: [] }, { value: "findings" }, { value: { findings: "none" } }])(
    "finds no review in %j",
    (output) => {
      expect(readFindings(output)).toEqual({ findings: null, summary: null, dropped: 0, faults: [] });
    },
  );

  it("decodes replies of our own schema, and ignores further fields", () => {
    const full = { ...good, start_line: 5, suggestion: "x", category: "style" };
    const reply = readFindings({ value: { summary: "Fine.", findings: [full, good], score: 3 } });
    expect(reply).toEqual({
      summary: "Fine.",
      dropped: 0,
      faults: [],
      findings: [
        {
          path: "src/a.ts",
          startLine: 5,
          line: 7,
          severity: "error",
          title: "Wrong",
          body: "Why.",
          suggestion: "x",
        },
        {
          path: "src/a.ts",
          startLine: 7,
          line: 7,
          severity: "error",
          title: "Wrong",
          body: "Why.",
          suggestion: null,
        },
      ],
    });
    const properties = Object.keys(
      JSON.parse(JSON.stringify(findingsSchema)).properties.findings.items.properties,
    );
    // `claim` is for the validator alone.
    expect(properties.toSorted()).toEqual([
      "body",
      "claim",
      "line",
      "path",
      "severity",
      "start_line",
      "suggestion",
      "title",
    ]);
  });

  it("accepts the ends of a range in either order, and null for an absent field", () => {
    const { findings } = read(
      { ...good, line: 3, start_line: 9 },
      { ...good, start_line: null, suggestion: null },
    );
    expect(findings?.map(placeOf)).toEqual(["src/a.ts:3-9", "src/a.ts:7"]);
  });

  it.each([
    ["x", 'it must be an object, got "x"'],
    [{ ...good, path: undefined }, '"path" must be a path inside the repository, got nothing'],
    [{ ...good, path: "../a" }, '"path" must be a path inside the repository, got "../a"'],
    [{ ...good, path: "/etc/passwd" }, '"path" must be a path inside the repository, got "/etc/passwd"'],
    [{ ...good, path: "a\n::error::b" }, '"path" must be a path inside the repository, got "a\\n::error::b"'],
    [{ ...good, line: 0 }, '"line" must be an integer from 1, got 0'],
    [{ ...good, line: "7" }, '"line" must be an integer from 1, got "7"'],
    [{ ...good, start_line: 1.5 }, '"start_line" must be an integer from 1, got 1.5'],
    [{ ...good, severity: "high" }, '"severity" must be one of error, warning, notice, got "high"'],
    [{ ...good, title: " " }, '"title" must be a line of text, got " "'],
    [{ ...good, body: null }, '"body" must be a text, got null'],
    [{ ...good, suggestion: [] }, '"suggestion" must be a text, got []'],
  ])("leaves %j out and says why", (item, why) => {
    const reply = read(good, item);
    expect(reply.findings).toHaveLength(1);
    expect(reply).toMatchObject({ dropped: 1, faults: [`No. 2: ${why}`] });
  });

  it("keeps at most the maximum number of findings", () => {
    const reply = read(
      ...Array.from({ length: MAX_FINDINGS + 5 }, (_, index) => ({ ...good, line: index + 1 })),
    );
    expect(reply.findings).toHaveLength(MAX_FINDINGS);
    expect(reply).toMatchObject({ dropped: 5, faults: ["5 after the first 100, the most that are taken"] });
  });

  it("never throws, and keeps no finding without a place", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.jsonValue(), fc.record({ ...fields }, { requiredKeys: [] }))),
        (items) => {
          const { findings, dropped, faults } = read(...items);
          expect((findings?.length ?? 0) + dropped).toBe(items.length);
          expect(faults).toHaveLength(dropped);
          for (const { path, startLine, line } of findings ?? []) {
            expect(path).not.toMatch(/^\/|(^|\/)\.\.(\/|$)|\p{Cc}/u);
            expect(1 <= startLine && startLine <= line).toBe(true);
          }
        },
      ),
    );
  });

  it("drops duplicates", () => {
    expect(read(good, { ...good, line: 9 }, { ...good, more: 1 })).toMatchObject({
      findings: [{ line: 7 }, { line: 9 }],
      faults: ["No. 3: it is No. 1 again"],
    });
  });

  it("counts by severity", () => {
    const { findings } = read({ ...good, severity: "notice" }, good, { ...good, line: 1 });
    expect(severityCounts(findings ?? [])).toBe("2 errors, 1 notice");
  });
});

const fields = {
  path: fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("a/b", "./a", "a//b", "..", "a/../b")),
  line: fc.oneof(fc.integer(), fc.double()),
  start_line: fc.oneof(fc.integer(), fc.constant(null)),
  severity: fc.constantFrom("error", "warning", "notice", "fatal"),
  title: fc.string({ unit: "binary" }),
  body: fc.string({ unit: "binary" }),
  suggestion: fc.oneof(fc.string({ unit: "binary" }), fc.constant(null)),
};
