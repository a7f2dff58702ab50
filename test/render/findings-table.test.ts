import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength } from "../../src/base/bounded-text.ts";
import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import { renderEnd } from "../../src/render/comment.ts";
import {
  findingsSection,
  findingsTable,
  MAX_TABLE_FINDINGS,
  readableReply,
} from "../../src/render/findings-table.ts";
import { renderSummary } from "../../src/render/summary.ts";
import { type PublishedFindings, readFindings } from "../../src/report/findings.ts";
import { expectGolden } from "./golden.ts";
import { hostileText, message, reportOf, started, stored, succeeded } from "./streams.ts";

type Json = Extract<RunEvent, { name: "output" }>["value"];

const finding = { path: "src/a.ts", line: 7, severity: "error", title: "Wrong sum", body: "It *subtracts*." };
const review = {
  summary: "The sum is **wrong**.",
  findings: [
    { ...finding, severity: "notice", title: "Spelling", body: "" },
    { ...finding, start_line: 5, suggestion: "return a + b;" },
    {
      ...finding,
      path: "a|b`--></details>@octo\u202E.ts",
      severity: "warning",
      title: "--></details> ::error::x @everyone <img src=x> ```\u202E",
      body: hostileText,
    },
  ],
};
const published: PublishedFindings = {
  fresh: readFindings({ value: review }).findings ?? [],
  annotated: 0,
  commented: 2,
  repeated: 1,
  dismissed: 0,
  late: [],
  minor: 0,
  open: [],
  closed: { fixed: 0, declined: 0, withdrawn: 0 },
  unresolved: 0,
  unread: null,
  check: null,
  reviewUrl: "https://github.com/octo/hello/pull/7#pullrequestreview-1",
  worst: "error",
};

function reportWith(value: Json, text = JSON.stringify(value)) {
  const output: RunEvent = { type: "CUSTOM", name: "output", value };
  return reportOf(stored([started, ...message("m1", text), output, succeeded]));
}

describe("the reply of a run with data", () => {
  it.each<[string, Json, string, string | null]>([
    ["a review's summary", { ...review, findings: [] }, "{}", "The sum is **wrong**."],
    ["nothing where a review has no words", { findings: [] }, '{"findings":[]}', null],
    [
      "what another schema's review says beside",
      { findings: [], risk: 3 },
      "{}",
      '```json\n{\n  "risk": 3\n}\n```',
    ],
    ["other data as a block", { ok: true }, '```json\n{"ok":true}\n```', '```json\n{\n  "ok": true\n}\n```'],
    ["a summary that is no review's as data", { summary: "x" }, "{}", '```json\n{\n  "summary": "x"\n}\n```'],
    ["words that are no JSON", { ok: true }, "All is well.", "All is well."],
  ])("is %s", (_what, value, text, reply) => {
    expect(readableReply(reportWith(value, text))).toBe(reply);
  });

  it("is the last message where there is no data", () => {
    expect(readableReply(reportOf(stored([started, ...message("m", "{}"), succeeded])))).toBe("{}");
    expect(readableReply(reportOf(stored([started, succeeded])))).toBeNull();
  });

  it("is in the summary and in the comment, with its findings", () => {
    const report = reportWith(review);
    const end = {
      conclusion: "success",
      reason: "completed",
      creditsCharged: 3,
      creditsRemaining: 97,
      tokens: 900,
      claimUrl: null,
      delivery: null,
    } as const;
    const summary = renderSummary(report, {
      ...end,
      repository: "octo/hello",
      sha: "8".repeat(40),
      maxBytes: 64_000,
    });
    const comment = renderEnd(report, {
      ...end,
      jobUrl: "https://github.com/octo/hello/actions/runs/42",
      runId: "run-1",
      findings: published,
    });
    expectGolden("findings.summary.md", summary);
    expectGolden("findings.comment.md", comment);
    for (const page of [summary, comment]) {
      expect(page).not.toMatch(/\u202E|<img|"findings"/);
      // Only our own fold is opened and closed.
      expect(page.match(/<details/g)?.length).toBe(page.match(/<\/details>/g)?.length);
    }
    expect(comment).not.toContain("<details");
  });
});

describe("findingsTable", () => {
  const many = (count: number): Json => ({
    findings: Array.from({ length: count }, (_, index) => ({ ...finding, line: index + 1 })),
  });

  it("is empty without findings", () => {
    expect(findingsTable(null, { maxBytes: 10_000 })).toBe("");
    expect(findingsTable({ value: { findings: [] } }, { maxBytes: 10_000 })).toBe("");
    expect(findingsSection({ output: null }, { published: null, maxBytes: 10_000 })).toBe("");
  });

  it("links each place to its lines at the head", () => {
    const links = {
      repositoryUrl: "https://github.com/octo/repo",
      headSha: "b".repeat(40),
      changedSha: null,
    };
    const table = findingsTable({ value: many(1) }, { maxBytes: 10_000, links });
    expect(table).toContain(`/octo/repo/blob/${links.headSha}/`);
    expect(table).toMatch(/\| \[<code>[^\]]+:1<\/code>\]\(https:\/\/github\.com\/\S+#L1\) \|$/m);
  });

  it("counts what it does not show", () => {
    const table = findingsTable({ value: many(MAX_TABLE_FINDINGS + 2) }, { maxBytes: 100_000 });
    expect(table.match(/^\| ❌ \|/gm)).toHaveLength(MAX_TABLE_FINDINGS);
    expect(table).toMatch(/and 2 more findings$/);
    expect(findingsTable({ value: many(3) }, { maxBytes: 150 })).toMatch(
      /^### 3 findings: 3 errors\n[\s\S]*\nand 2 more findings$/,
    );
  });

  it("stays within its bytes, with one row for each finding", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(hostileText, "|", "\n", "</details>"),
    );
    const item = fc.record({ title: text, body: text, path: text }).map((some) => ({ ...finding, ...some }));
    fc.assert(
      fc.property(fc.array(item), fc.nat(6_000), fc.boolean(), (findings, maxBytes, isPublished) => {
        const output = { value: { findings } };
        const table = findingsTable(output, { maxBytes });
        expect(byteLength(table)).toBeLessThanOrEqual(maxBytes);
        for (const row of table
          .split("\n")
          .filter((line) => line.startsWith("| ") && !line.startsWith("| |"))) {
          expect(row.match(/\|/g)).toHaveLength(4);
        }
        const fresh = readFindings(output).findings ?? [];
        const where = isPublished ? { ...published, fresh, late: fresh } : null;
        const section = findingsSection({ output }, { published: where, maxBytes });
        expect(byteLength(section)).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });
});
