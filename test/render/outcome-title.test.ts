// What came of a step in a few words, and the summary and the comment that begin with them.

import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import { renderEnd } from "../../src/render/comment.ts";
import type { EndContext } from "../../src/render/end-sections.ts";
import { type OutcomeFacts, outcomeTitle, titleLine, titleMarkdown } from "../../src/render/outcome-title.ts";
import { renderSummary } from "../../src/render/summary.ts";
import { failableConclusions } from "../../src/report/conclusion.ts";
import type { Delivery } from "../../src/report/delivery.ts";
import { emptyReport, type RunReport } from "../../src/report/run-report.ts";
import { expectGolden } from "./golden.ts";
import { message, reportOf, started, stored, succeeded } from "./streams.ts";

const SHA = "c203a97000000000000000000000000000000000";
const site = "https://github.com/octo/hello";

const pushed: Delivery = { type: "commit", branch: "topic", sha: SHA, url: `${site}/commit/${SHA}` };
const opened: Delivery = {
  type: "pull_request",
  branch: "agent/issue-3",
  sha: SHA,
  number: 12,
  url: `${site}/pull/12`,
  isNew: true,
};
const kept: Delivery = { type: "kept", reason: "branch_protected", message: "The branch is protected." };

const changes: RunEvent = {
  type: "CUSTOM",
  name: "repository.changes",
  value: {
    base_sha: "0".repeat(40),
    files: [{ path: "src/sum.ts", status: "modified", additions: 1, deletions: 1 }],
    patch: "diff --git a/src/sum.ts b/src/sum.ts\n",
  },
};
const finding = (severity: string, line: number) => ({
  path: "src/sum.ts",
  line,
  severity,
  title: `Line ${line}`,
  body: "",
});
const found = (...severities: string[]): RunEvent => ({
  type: "CUSTOM",
  name: "output",
  value: { findings: severities.map((severity, at) => finding(severity, at + 1)) },
});

const done = (...events: readonly RunEvent[]) => reportOf(stored([started, ...events, succeeded]));
const answered = done(...message("m", "It adds now."));
const changed = done(...message("m", "It adds now."), changes);
const success = { conclusion: "success", reason: "completed" } as const;
const incomplete = (reason: string): OutcomeFacts => ({ conclusion: "incomplete", reason });

const outcomes: readonly (readonly [string, RunReport, OutcomeFacts])[] = [
  ["✅ Pushed c203a97 to topic", changed, { ...success, delivery: pushed }],
  ["✅ Opened pull request #12", changed, { ...success, delivery: opened }],
  ["✅ Updated pull request #12", changed, { ...success, delivery: { ...opened, isNew: false } }],
  ["🔎 3 findings, 1 error", done(found("notice", "error", "warning")), success],
  ["🔎 2 warnings", done(found("warning", "warning")), success],
  ["🔎 1 error", done(found("error")), success],
  ["✅ No findings", done(found()), success],
  ["✅ No changes needed", answered, { ...success, delivery: { type: "none" } }],
  ["✅ Changed 1 file", changed, success],
  ["✅ Answered", answered, success],
  ["✅ Finished without an answer", done(), success],
  ["✅ Cancelled what was in flight", emptyReport(), { ...success, reason: "run_cancelled" }],
  ["✅ Nothing to cancel", emptyReport(), { ...success, reason: "nothing_to_cancel" }],
  ["⚠️ Stopped at the token limit", changed, incomplete("max_tokens")],
  ["⚠️ Stopped at the turn limit", changed, incomplete("max_turns")],
  ["⚠️ Stopped while it repeated itself", answered, incomplete("repeated_calls")],
  ["⚠️ Stopped at the length limit of an answer", answered, incomplete("length")],
  ["⚠️ Stopped by a content filter", answered, incomplete("content_filter")],
  ["⚠️ Stopped when the credits ended", answered, incomplete("credits")],
  ["⚠️ Stopped at the time limit", answered, incomplete("time_limit")],
  ["⚠️ Stopped at the time limit", answered, incomplete("timeout")],
  ["⚠️ Stopped after a long silence", answered, incomplete("idle_timeout")],
  ["⚠️ Stopped after five lost workers", changed, incomplete("poison")],
  ["⚠️ Stopped before it was done", answered, incomplete("a_later_reason")],
  ["❌ The changes were not pushed", changed, { conclusion: "failure", reason: kept.reason, delivery: kept }],
  [
    "❌ 3 findings, 1 error",
    done(found("notice", "error", "warning")),
    { conclusion: "failure", reason: "findings_found" },
  ],
  ["❌ The agent failed", answered, { conclusion: "failure", reason: "backend_error" }],
  ["❌ The step failed", emptyReport(), { conclusion: "failure", reason: "not_found" }],
  ["❌ Wrong inputs", emptyReport(), { conclusion: "failure", reason: "invalid_input" }],
  ["❌ The service is unavailable", emptyReport(), { conclusion: "failure", reason: "service_unavailable" }],
  ["🛑 The run was cancelled", answered, { conclusion: "cancelled", reason: "user_stop" }],
  ["🛑 Cancelled", emptyReport(), { conclusion: "cancelled", reason: "user_stop" }],
  ["↗️ The run goes on without this job", answered, { conclusion: "detached", reason: "detached" }],
  ["💳 Out of credits", emptyReport(), { conclusion: "quota", reason: "credits_ended" }],
  [
    "💳 This repository needs a billing account",
    emptyReport(),
    { conclusion: "quota", reason: "repository_private" },
  ],
  ["⏭️ No model configured", answered, { conclusion: "skipped", reason: "no_model" }],
  ["⏭️ Skipped: no agent ran", emptyReport(), { conclusion: "skipped", reason: "dependabot" }],
];

describe("outcomeTitle", () => {
  it.each(outcomes)("is %s", (title, report, facts) => {
    expect(titleLine(outcomeTitle(report, facts))).toBe(title);
  });

  it("has every conclusion", () => {
    const shown = new Set(outcomes.map(([, , { conclusion }]) => conclusion));
    expect([...shown].toSorted()).toEqual(["success", ...failableConclusions].toSorted());
  });

  it("links what it names, and reads no Markdown in a branch's name", () => {
    const title = outcomeTitle(changed, { ...success, delivery: { ...pushed, branch: "a`](b)<i>@octo" } });
    expect(titleMarkdown(title)).toBe(
      `✅ Pushed [c203a97](${site}/commit/${SHA}) to <code>a&#96;&#93;(b)&lt;i&gt;@octo</code>`,
    );
    const pull = titleMarkdown(outcomeTitle(changed, { ...success, delivery: opened }));
    expect(pull).toBe(`✅ Opened [pull request &#35;12](${site}/pull/12)`);
  });

  it("stays short with a long name", () => {
    const title = outcomeTitle(changed, { ...success, delivery: { ...pushed, branch: "&".repeat(5_000) } });
    expect(Buffer.byteLength(titleMarkdown(title))).toBeLessThan(1_000);
  });
});

it("begins the summary and the comment of every outcome", () => {
  const pages = outcomes.map(([title, report, facts]) => {
    const end: EndContext = {
      ...facts,
      message: facts.conclusion === "success" ? undefined : "What happened, and what to do.",
      creditsCharged: null,
      creditsRemaining: null,
      tokens: null,
      claimUrl: facts.conclusion === "quota" ? "https://agents.example.com/claim/1" : null,
    };
    const summary = renderSummary(report, {
      ...end,
      repository: "octo/hello",
      sha: "8".repeat(40),
      maxBytes: 64_000,
    });
    const comment = renderEnd(report, { ...end, jobUrl: `${site}/actions/runs/42`, runId: "run-1" });
    expect(summary.startsWith("## ")).toBe(true);
    return `<!-- ${title} -->\n\n${summary}\n---\n\n${comment}`;
  });
  expectGolden("outcomes.md", pages.join("\n"));
});

it.each(failableConclusions)(
  "takes any word for a reason of %s, and shows a title in words",
  (conclusion) => {
    for (const reason of ["toString", "constructor", "__proto__", "valueOf"]) {
      expect(outcomeTitle(emptyReport(), { conclusion, reason }).text).toMatch(/^[A-Z][a-z ]+/);
    }
  },
);
