import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength } from "../../src/base/bounded-text.ts";
import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import {
  DEFAULT_SUMMARY_BYTES,
  MIN_SUMMARY_BYTES,
  renderSummary,
  type SummaryContext,
} from "../../src/render/summary.ts";
import { emptyReport } from "../../src/report/run-report.ts";
import {
  briefing,
  call,
  hostileText,
  message,
  notice,
  quota,
  quotaOfRepository,
  reportOf,
  resumed,
  started,
  stored,
  succeeded,
  takenUp,
} from "./streams.ts";

const context: SummaryContext = {
  conclusion: "success",
  reason: "completed",
  repository: "octo/hello",
  sha: "89abcdef0123456789abcdef0123456789abcdef",
  creditsCharged: null,
  creditsRemaining: null,
  tokens: null,
  claimUrl: null,
  maxBytes: DEFAULT_SUMMARY_BYTES,
};

function summaryOf(events: readonly RunEvent[], changed: Partial<SummaryContext> = {}): string {
  return renderSummary(reportOf(stored([started, ...events, succeeded])), { ...context, ...changed });
}

describe("renderSummary", () => {
  it("renders a job in which no agent ran", () => {
    const summary = renderSummary(emptyReport(), {
      ...context,
      conclusion: "skipped",
      reason: "fork",
      message: "A fork's pull request gets no token. A maintainer may comment /agent.",
    });
    expect(summary).toBe(
      "## ⏭️ Skipped: no agent ran\n\nA fork's pull request gets no token. A maintainer may comment /agent. " +
        "(<code>fork</code>)\n\n<code>octo/hello</code> at <code>89abcde</code>\n",
    );
  });

  it("begins with a setup that failed, and with none that did not", () => {
    const args = { script: ".github/agent/setup.sh" };
    const failed = summaryOf([...call("c1", "setup", { args, result: "E404\n[exit code 1]" })]);
    expect(failed.split("\n")[2]).toBe(
      "> ⚠️ The setup script failed: the agent worked without what it installs.",
    );
    expect(summaryOf([...call("c1", "setup", { args, result: "ok\n[exit code 0]" })])).not.toContain("⚠️");
    expect(summaryOf([...call("c1", "run_command", { args, result: "[exit code 1]" })])).not.toContain("⚠️");
  });

  it("numbers calls as its chart does, marks failed ones, and says how each message begins", () => {
    const summary = summaryOf([
      ...message("m1", "I look at the *code* first."),
      ...call("c1", "read_file", { args: { path: "a" }, result: "error: there is no file a" }),
      ...message("m2", "Then I run it."),
      ...call("c2", "run_command", { args: { command: "make" }, result: "[exit code 2]" }),
      ...call("c3", "run_command", { args: { command: "ls" }, result: "a\n[exit code 0]" }),
      ...message("m3", "Done."),
    ]);
    const bars = [...summary.matchAll(/^ {4}(\d+ .+) :(crit, )?\d/gm)].map(([, bar, tag]) => [
      bar,
      tag !== undefined,
    ]);
    expect(bars).toEqual([
      ["1 read_file a", true],
      ["2 make", true],
      ["3 ls", false],
    ]);
    expect([...summary.matchAll(/<summary>(?!Timeline)(.*)<\/summary>/g)].map(([, title]) => title)).toEqual([
      "Message: I look at the &#42;code&#42; first.",
      "❌ 1. <code>read&#95;file a</code> · 1.0 s, failed",
      "Message: Then I run it.",
      "❌ 2. <code>&#36; make</code> · 1.0 s, failed",
      "3. <code>&#36; ls</code> · 1.0 s",
    ]);
  });

  it("shows what the service said of the work where it was said, as text", () => {
    const summary = summaryOf([
      ...message("m1", "I look."),
      notice("The API is *overloaded*: waits 70 s."),
      ...message("m2", "Done."),
    ]);
    expect(summary).toContain("1 notice");
    expect(summary).toMatch(/I look[\s\S]*The API is &#42;overloaded&#42;: waits 70 s\./);
  });

  it("has one line for all times that a run was taken up again, as text", () => {
    const [line, ...others] = renderSummary(reportOf(takenUp), context).match(/^Taken up.*$/gm) ?? [];
    expect(line).toBe(
      "Taken up again 2 times, last at turn 8: its worker was stopped. Calls whose result is not known, and which are not repeated: run&#95;command.",
    );
    expect(others).toEqual([]);
    const once = summaryOf([
      ...message("m1", "Hm"),
      resumed(3, "lost_worker", "<b>*x*"),
      ...message("m2", "Done."),
    ]);
    expect(once).toContain("Taken up again at turn 3: its worker was lost. Calls whose result");
    expect(once).not.toContain("<b>");
    expect(once).not.toContain("*x*");
  });

  it("says of a call whose worker was lost that it has no result", () => {
    expect(renderSummary(reportOf(takenUp), context)).toContain(
      "1. <code>&#36; make deploy</code> · no result",
    );
  });

  it("shows the message below the title, as text", () => {
    const summary = summaryOf([], {
      conclusion: "skipped",
      reason: "no_model",
      message: "No model is configured: set `model`, not <b>this</b>.",
    });
    expect(summary).toMatch(/^## ⏭️ No model configured\n\nNo model is configured: set /);
    expect(summary).not.toContain("<b>");
  });

  it("prefers the service's credits to those of the events", () => {
    const summary = summaryOf([quota(7, "https://a.example/event")], {
      creditsRemaining: 5,
      creditsCharged: 1_234,
      claimUrl: "https://a.example/context",
    });
    expect(summary).toContain("**Credits** 1,234 charged, 5 left");
    expect(summary).toContain("(https://a.example/context)");
    expect(summary).not.toContain("event)");
  });

  it("says who paid for the tokens where it was not the service", () => {
    const costs = { creditsCharged: 1, tokens: 12_345 };
    expect(summaryOf([quotaOfRepository], costs)).toContain(
      "**Credits** 1 charged, 7 left · **Tokens** 12,345, paid by the repository's own model account",
    );
    expect(summaryOf([quota(7, null)], costs)).not.toContain("paid by");
  });

  it("says what the models cost, beside their limit, and by model where there are several", () => {
    const budget = { counted_tokens: 900, input_tokens: 800, cached_input_tokens: 0 };
    const costOf = (changes: object) =>
      /\*\*Cost\*\* \S+(?: of \S+)?/.exec(
        summaryOf([], { tokens: 900, budget: { ...budget, ...changes } }),
      )?.[0];
    expect(costOf({ cost_micro_usd: 420_000, max_cost_micro_usd: 2_000_000 })).toBe(
      "**Cost** $0.42 of $2.00",
    );
    expect(costOf({ cost_micro_usd: 3_100 })).toBe("**Cost** $0.0031");
    expect(costOf({ cost_micro_usd: 0, max_cost_micro_usd: 2_000_000 })).toBeUndefined();
    expect(costOf({})).toBeUndefined();
    const used = { calls: 1, input_tokens: 1_000, cached_input_tokens: 0, output_tokens: 234 };
    const one = { model: "a", ...used, cost_micro_usd: 420_000 };
    const modelsOf = (models: SummaryContext["models"]) =>
      /\*\*Models\*\* [^·]*(?= ·)/.exec(summaryOf([], { tokens: 900, models }))?.[0];
    expect(modelsOf([one])).toBeUndefined();
    expect(modelsOf([one, { model: "b</code>\n## c", ...used }])).toBe(
      "**Models** <code>a</code> 1,234 for $0.42, <code>b&lt;/code&gt; ## c</code> 1,234",
    );
    expect(modelsOf(Array.from({ length: 20 }, () => one))).toMatch(/, 15 more$/);
  });

  it("links http and https addresses only", () => {
    const delivery = { type: "commit", branch: "b", sha: "c", url: "javascript:alert(1)" } as const;
    const summary = summaryOf([], { delivery, runUrl: "javascript:alert(2)" });
    expect(summary).not.toMatch(/\]\(javascript/);
  });

  it("leaves out the oldest details first, then the end of the reply", () => {
    const calls = Array.from({ length: 20 }, (_, index) =>
      call(`c${index}`, `tool-${index}`, { args: {}, result: `result ${index}\n`.repeat(20) }),
    ).flat();
    const reply = `${"A line of the reply.\n".repeat(40)}THE END`;
    const roomy = summaryOf([...calls, ...message("m", reply)], { maxBytes: 6_000 });
    expect(roomy).toContain("THE END");
    expect(roomy).toContain("<code>tool-19</code>");
    expect(roomy).not.toContain("<code>tool-0</code>");
    expect(roomy).toMatch(/\d+ earlier parts left out: the events file has them all\./);
    const narrow = summaryOf([...calls, ...message("m", reply.repeat(3))], { maxBytes: 2_100 });
    expect(narrow).not.toContain("tool-19");
    expect(narrow).toContain("*The reply is cut here. The whole of it is in the reply file.*");
  });

  it("closes what a cut left open", () => {
    const reply = `\`\`\`js\n${"code();\n".repeat(10_000)}`;
    const summary = summaryOf(message("m", reply), { maxBytes: 4_000 });
    expect(summary).toMatch(/code\(\);\n```\n\n\*The reply is cut here/);
  });

  it("renders five megabytes of every kind of event", () => {
    const text = hostileText.repeat(5_000);
    const summary = summaryOf([...call("c", text, { args: { text }, result: text }), ...message("m", text)], {
      message: text,
      reason: text,
      repository: text,
      sha: text,
      runUrl: `https://a.example/${text}`,
      claimUrl: text,
    });
    expect(byteLength(summary)).toBeLessThanOrEqual(DEFAULT_SUMMARY_BYTES);
    expect(byteLength(summary)).toBeGreaterThan(DEFAULT_SUMMARY_BYTES * 0.9);
  });

  it("stays within its bytes and is well-formed, for random runs and bounds", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 5_000 }),
      fc.array(fc.constantFrom("`", "```\n", "\n", "|", "<!--", "😀", "@a", "x".repeat(500)), {
        maxLength: 400,
      }),
    );
    const joined = text.map((value) => (typeof value === "string" ? value : value.join("")));
    fc.assert(
      fc.property(
        fc.record({ reply: joined, result: joined, label: joined, url: fc.oneof(fc.webUrl(), joined) }),
        fc.integer({ min: MIN_SUMMARY_BYTES, max: 20_000 }),
        ({ reply, result, label, url }, maxBytes) => {
          const files = [{ path: label, status: "added" as const, additions: 1, deletions: 0 }];
          const summary = summaryOf(
            [
              ...call("c", label, { args: { label }, result }),
              ...message("m1", result),
              ...message("m2", reply),
              {
                type: "CUSTOM",
                name: "repository.changes",
                value: { base_sha: label, files, patch: result },
              },
            ],
            {
              maxBytes,
              conclusion: "failure",
              message: label,
              reason: label,
              repository: label,
              sha: label,
              agentId: label,
              runId: label,
              sessionId: label,
              runUrl: url,
              delivery: { type: "pull_request", branch: label, sha: label, number: 1, url, isNew: true },
              commentUrl: url,
              claimUrl: url,
              creditsCharged: 1,
              creditsRemaining: 1,
              tokens: 1,
            },
          );
          expect(byteLength(summary)).toBeLessThanOrEqual(maxBytes);
          expect(summary.isWellFormed()).toBe(true);
          expect(summary.startsWith("## ❌ The agent failed\n")).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("refuses a bound that is too small for any summary", () => {
    expect(() => renderSummary(emptyReport(), { ...context, maxBytes: 2_047 })).toThrow(RangeError);
  });

  it("closes every <details> that it opens", () => {
    const summary = renderSummary(reportOf(briefing), context);
    expect(summary.match(/^<details>$/gm)?.length).toBe(summary.match(/^<\/details>$/gm)?.length);
  });
});
