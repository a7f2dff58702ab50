// 10,000 typed outputs that a hostile service or model might send, drawn from a seed: none outside of the job's list, maximum or target
// reaches GitLab, and no text that it would execute.

import { afterAll, beforeAll, expect, it } from "vitest";
import { asRunEvent } from "../../src/contract/runs/run-event.ts";
import { TYPED_OUTPUT_EVENT, type TypedOutputs } from "../../src/contract/runs/typed-outputs.ts";
import type { OutputSubject } from "../../src/job/outputs/applicable-outputs.ts";
import { RunReportFold } from "../../src/report/fold-run.ts";
import { hostileOutput, numbersFrom } from "../job/outputs/hostile-output.ts";
import { GitLabBench } from "./gitlab-bench.ts";

const RUNS = 100;
const OUTPUTS_A_RUN = 100;

const declared: TypedOutputs = {
  labels: { allowed: ["bug", "docs", "question"], max: 2 },
  assign: { allowed: ["octocat"], max: 1 },
  reviewers: { allowed: ["hubot"], max: 1 },
  close: { reasons: ["duplicate"] },
  issue: { max: 1, title_prefix: "[agent] " },
};

let bench: GitLabBench;
beforeAll(async () => {
  bench = await GitLabBench.open();
});
afterAll(async () => await bench.close());

it("10,000 hostile outputs write nothing outside of list, maximum and target", {
  timeout: 300_000,
}, async () => {
  const random = numbersFrom(26);
  const abouts: readonly OutputSubject[] = ["issue", "pull_request", "none", "discussion"];
  const ids = new Map(["octocat", "hubot"].map((name) => [name, bench.gitlab.idOf(name)]));
  let understood = 0;
  let calls = 0;
  const seen = new Set<string>();
  for (let run = 0; run < RUNS; run += 1) {
    const fold = new RunReportFold();
    for (let seq = 1; seq <= OUTPUTS_A_RUN; seq += 1) {
      const event = { type: "CUSTOM", name: TYPED_OUTPUT_EVENT, value: hostileOutput(random) };
      if (asRunEvent(event) !== null) understood += 1;
      fold.add({ seq, at: "2026-11-28T12:00:00.000Z", event: event as never });
    }
    const about = abouts[run % abouts.length] ?? "none";
    bench.gitlab.addIssue({ iid: 7 });
    bench.gitlab.addMergeRequest({ iid: 7 });
    bench.takeWrites();
    await bench.write({ declared, asked: fold.report.typedOutputs, about, runKey: `run-${run}` });
    const writes = bench.takeWrites();
    calls += writes.length;
    const kinds = writes.map(({ call, body }) => `${call} ${Object.keys(body as object).join()}`);
    const added = writes.flatMap(({ body }) =>
      String((body as { add_labels?: string }).add_labels ?? "").split(","),
    );
    expect(added.filter((label) => label !== "").length).toBeLessThanOrEqual(2);
    const others = kinds.filter((kind) => !kind.endsWith(" add_labels"));
    expect(new Set(others).size, others.join("; ")).toBe(others.length);
    for (const { call, body } of writes) {
      seen.add(call);
      expect(
        isWithin(call, body as Record<string, unknown>, { about, ids }),
        `${about}: ${call} ${JSON.stringify(body)}`,
      ).toBe(true);
    }
  }
  // The test would show nothing where all were thrown away at the start.
  expect(understood).toBeGreaterThan(3_000);
  expect(calls).toBeGreaterThan(100);
  expect([...seen].sort()).toEqual(["POST /issues", "PUT /issues/7", "PUT /merge_requests/7"]);
  expect(bench.gitlab.executed).toEqual([]);
  expect(JSON.stringify(bench.gitlab.requests.map(({ body }) => body))).not.toContain("ghp_16C7");
});

function isWithin(
  call: string,
  body: Record<string, unknown>,
  { about, ids }: { about: OutputSubject; ids: ReadonlyMap<string, number | undefined> },
): boolean {
  if (call === "POST /issues") return isText(body);
  const place = about === "issue" ? "PUT /issues/7" : "PUT /merge_requests/7";
  if (call !== place || (about !== "issue" && about !== "pull_request")) return false;
  const [[name, value] = [], ...more] = Object.entries(body);
  if (more.length > 0) return false;
  switch (name) {
    case "add_labels":
      return String(value)
        .split(",")
        .every((label) => declared.labels?.allowed.includes(label));
    case "assignee_ids":
      return JSON.stringify(value) === JSON.stringify([ids.get("octocat")]);
    case "reviewer_ids":
      return about === "pull_request" && JSON.stringify(value) === JSON.stringify([ids.get("hubot")]);
    case "state_event":
      return about === "issue" && value === "close";
    default:
      return false;
  }
}

/** One line with the prefix; one marker, which is ours: at the end; and no line that begins with a slash. */
function isText({ title, description, ...others }: Record<string, unknown>): boolean {
  const [words, text] = [String(title), String(description)];
  const hasMarker = (text.match(/<!-- agent-service:filed/g) ?? []).length === 1 && text.endsWith(" -->");
  const isOneLine = words.startsWith("[agent] ") && words.length <= 255 && !/[\n\u202e]/.test(words);
  return isOneLine && hasMarker && !/^\//m.test(text) && Object.keys(others).length === 0;
}
