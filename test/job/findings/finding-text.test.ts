import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength } from "../../../src/base/bounded-text.ts";
import { commentText, MAX_REVIEW_BYTES, reviewText } from "../../../src/job/findings/finding-text.ts";
import {
  anchorMarker,
  anchorsOf,
  headMarker,
  type MarkedFinding,
  markersOf,
  markFindings,
  reviewMarker,
} from "../../../src/job/findings/marker.ts";
import type { Finding } from "../../../src/report/findings.ts";
import { hostileText } from "../../render/streams.ts";

const finding: Finding = {
  path: "src/a b.ts",
  startLine: 3,
  line: 4,
  severity: "warning",
  title: "Wrong *sum*",
  body: "It subtracts.",
  suggestion: null,
};
const findingMarker = (one: Finding) => markFindings([one])[0]?.marker ?? "";
const mark = (one: Finding): MarkedFinding => ({ ...one, marker: findingMarker(one) });
const headSha = "c".repeat(40);
const options = {
  runId: "run-1",
  headSha,
  inside: [],
  repeated: 0,
  closed: [],
  filesUrl: "https://github.com/o/r/blob/abc",
};

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    hostileText,
    "```",
    "````suggestion",
    "~~~suggestion",
    "<!--",
    "-->",
    findingMarker(finding),
  ),
  fc
    .array(fc.constantFrom("```", "suggestion", "\n", "- ", "> ", "x", "</details>", "@octo", "::error::"))
    .map((parts) => parts.join("")),
);

describe("a comment at a line", () => {
  it("has severity, title, text, suggestion and marker", () => {
    expect(commentText(mark({ ...finding, suggestion: "a + b;\n" }), headSha)).toBe(
      `**⚠️ Warning: Wrong &#42;sum&#42;**\n\nIt subtracts.\n\n\`\`\`suggestion\na + b;\n\`\`\`\n\n${anchorMarker(finding, headSha)}\n${findingMarker(finding)}`,
    );
  });

  it.each([
    ["", "```suggestion\n```"],
    ["\n", "```suggestion\n\n```"],
    ["a\r\nb\r\n", "```suggestion\na\nb\n```"],
    ["```\n`````", "``````suggestion\n```\n`````\n``````"],
    ["👩‍💻 ❤️", "```suggestion\n👩‍💻 ❤️\n```"],
    [
      "if (a) { // \u202E }",
      "```\nif (a) { // ‹U+202E› }\n```\n\n*The suggestion holds invisible characters",
    ],
    ["x".repeat(20_000), "*The suggestion is too long for a comment."],
  ])("suggests %j as it is, or not at all", (suggestion, block) => {
    expect(commentText(mark({ ...finding, suggestion }), headSha)).toContain(`It subtracts.\n\n${block}`);
  });

  it("has one suggestion, no active markup and one marker, whatever the finding's text is", () => {
    fc.assert(
      fc.property(text, text, fc.option(text), (title, body, suggestion) => {
        const hostile = { ...finding, title, body, suggestion };
        const comment = commentText(mark(hostile), headSha);
        expect(anchorsOf(markersOf(comment))).toEqual([
          {
            marker: findingMarker(hostile),
            anchor: expect.objectContaining({ path: finding.path, severity: finding.severity, sha: headSha }),
          },
        ]);
        expect(comment.match(/^[^`\n]*`{3,}suggestion$/gm)?.length ?? 0).toBeLessThanOrEqual(
          suggestion === null ? 0 : 1 + linesOf(suggestion),
        );
        const [outside] = comment.split(/^[ >-]*`{3,}/m, 1);
        expect(outside).not.toMatch(/<(img|details|\/details|script)|!\[/);
        expect(comment).not.toMatch(/[\u202E\u200B]/);
        expect(comment.length).toBeLessThan(65_536);
      }),
    );
  });
});

/** A suggestion may hold such a line itself, within its longer fence. */
const linesOf = (suggestion: string) => suggestion.match(/`{3,}suggestion/g)?.length ?? 0;

describe("a review's own text", () => {
  it("counts findings, and lists those outside the diff", () => {
    const outside = mark({ ...finding, suggestion: "a" });
    expect(
      reviewText({ ...options, inside: [finding], outside: [outside], repeated: 2, closed: [] }),
    ).toEqual({
      left: [],
      text: [
        "**2 findings**: 2 warnings. Published before, and not repeated: 2.",
        "### At lines that the diff does not show",
        "**⚠️ Warning: Wrong &#42;sum&#42;** · [src/a b.ts:3-4](https://github.com/o/r/blob/abc/src/a%20b.ts#L3-L4)",
        "It subtracts.",
        "Suggested:",
        "```\na\n```",
        `${anchorMarker(outside, headSha)}\n${findingMarker(outside)}\n${headMarker(headSha)}\n${reviewMarker("run-1")}`,
      ].join("\n\n"),
    });
  });

  it("returns the findings that do not fit, and loses none", () => {
    const nine = Array.from({ length: 9 }, (_, index) => ({
      ...finding,
      title: `No. ${index}`,
      body: "x".repeat(index === 4 ? 20 : 15_000),
    }));
    const outside = markFindings(nine);
    const { text: whole, left } = reviewText({ ...options, outside });
    expect(byteLength(whole)).toBeLessThanOrEqual(MAX_REVIEW_BYTES);
    const told = outside.filter((some) => markersOf(whole).includes(findingMarker(some)));
    expect(told).toHaveLength(4);
    expect([...told, ...left].toSorted((a, b) => a.title.localeCompare(b.title))).toEqual(outside);
  });

  it("keeps its size limit, and has only its own markers", () => {
    const some = fc.record({ title: text, body: text }).map((words) => ({ ...finding, ...words }));
    fc.assert(
      fc.property(fc.array(some, { maxLength: 5 }), (found) => {
        const outside = markFindings(found);
        const { text: whole, left } = reviewText({ ...options, outside });
        expect(byteLength(whole)).toBeLessThanOrEqual(MAX_REVIEW_BYTES);
        const told = outside.filter((one) => !left.includes(one));
        expect(markersOf(whole)).toEqual([
          ...told.flatMap((one) => [anchorMarker(one, headSha), one.marker]),
          headMarker(headSha),
          reviewMarker("run-1"),
        ]);
      }),
    );
  });
});

describe("a finding's marker", () => {
  it("is the same for the same text, whatever the lines are", () => {
    const moved = { ...finding, startLine: 30, line: 31, title: "wrong  *Sum*", body: " It\nsubtracts. " };
    expect(findingMarker(moved)).toBe(findingMarker(finding));
    expect(findingMarker({ ...finding, path: "b.ts" })).not.toBe(findingMarker(finding));
    expect(findingMarker({ ...finding, body: "It adds." })).not.toBe(findingMarker(finding));
  });

  it("numbers the same text at several places, in order", () => {
    const twice = [finding, { ...finding, line: 9 }];
    const moved = twice.map((one) => ({ ...one, startLine: one.startLine + 40, line: one.line + 40 }));
    const markers = markFindings(twice).map(({ marker }) => marker);
    expect(new Set(markers).size).toBe(2);
    expect(markFindings(moved).map(({ marker }) => marker)).toEqual(markers);
  });

  it("counts only at the end of a text", () => {
    const marker = findingMarker(finding);
    expect(markersOf(`a\r\n\r\n${marker}\r\n`)).toEqual([marker]);
    expect(markersOf(`a\n${marker}\nb`)).toEqual([]);
    expect(markersOf(`a ${marker}`)).toEqual([]);
  });
});
