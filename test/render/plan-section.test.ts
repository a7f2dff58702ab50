import { describe, expect, it } from "vitest";
import { renderProgress } from "../../src/render/comment.ts";
import { planSection } from "../../src/render/plan-section.ts";
import { emptyReport } from "../../src/report/run-report.ts";

describe("a plan in Markdown", () => {
  it("is a list of check boxes", () => {
    const plan = [
      { text: "Reproduce it", status: "completed" },
      { text: "Fix `parse`", status: "in_progress" },
      { text: "Test it", status: "pending" },
    ] as const;
    expect(planSection({ plan })).toBe(
      "**Plan**: 1 of 3 done\n\n- [x] Reproduce it\n- [ ] ⏳ Fix &#96;parse&#96;\n- [ ] Test it",
    );
    const report = { ...emptyReport(), plan, state: { status: "running", startedAtMs: 0 } } as const;
    expect(renderProgress(report, { jobUrl: "https://code.example/job", runId: null })).toContain(
      "- [x] Reproduce it",
    );
  });

  it("is nothing where there is no plan", () => {
    expect(planSection({ plan: [] })).toBe("");
  });

  it("mentions nobody, links nowhere, and is bounded", () => {
    const text = `@octocat [a](https://evil.example) <img src=x>\n- [x] ${"long ".repeat(100)}`;
    const plan = Array.from({ length: 50 }, () => ({ text, status: "pending" as const }));
    const section = planSection({ plan });
    expect(section).toContain("- and 30 more");
    expect(section).not.toMatch(/(^|[^>])@octocat|\]\(|<img/);
    expect(section.split("\n").length).toBe(23);
    expect(section.length).toBeLessThan(12_000);
  });
});
