// 10,000 typed outputs that a hostile service or model might send, drawn from a seed: none outside of the job's list, maximum or target
// reaches the code host.

import { afterAll, beforeAll, expect, it } from "vitest";
import { asRunEvent } from "../../../src/contract/runs/run-event.ts";
import { TYPED_OUTPUT_EVENT, type TypedOutputs } from "../../../src/contract/runs/typed-outputs.ts";
import type { OutputSubject } from "../../../src/job/outputs/applicable-outputs.ts";
import { RunReportFold } from "../../../src/report/fold-run.ts";
import { hostileOutput, numbersFrom } from "../../job/outputs/hostile-output.ts";
import { OutputsBench } from "./outputs-bench.ts";

const RUNS = 100;
const OUTPUTS_A_RUN = 100;

const declared: TypedOutputs = {
  labels: { allowed: ["bug", "docs", "question"], max: 2 },
  assign: { allowed: ["octocat"], max: 1 },
  reviewers: { allowed: ["hubot", "team/core"], max: 1 },
  close: { reasons: ["duplicate"] },
  issue: { max: 1, title_prefix: "[agent] " },
  discussion: { category: "Ideas", max: 1 },
  dispatch: { workflows: ["release.yml"], max: 1 },
};

let bench: OutputsBench;
beforeAll(async () => {
  bench = await OutputsBench.open();
  bench.host.rest.dispatches.workflows.add("release.yml").add("deploy.yml");
});
afterAll(async () => await bench.close());

it("10,000 hostile outputs write nothing outside of list, maximum and target", {
  timeout: 300_000,
}, async () => {
  const random = numbersFrom(27);
  const abouts: readonly OutputSubject[] = ["issue", "pull_request", "none", "discussion"];
  let sent = 0;
  let understood = 0;
  let calls = 0;
  const seen = new Set<string>();
  for (let run = 0; run < RUNS; run += 1) {
    const fold = new RunReportFold();
    for (let seq = 1; seq <= OUTPUTS_A_RUN; seq += 1) {
      const event = { type: "CUSTOM", name: TYPED_OUTPUT_EVENT, value: hostileOutput(random) };
      sent += 1;
      if (asRunEvent(event) !== null) understood += 1;
      fold.add({ seq, at: "2026-11-27T12:00:00.000Z", event: event as never });
    }
    const about = abouts[run % abouts.length] ?? "none";
    const user = { login: "outsider", id: 99 };
    bench.host.rest.addIssue({ number: 7, title: "It breaks", state: "open", user });
    bench.takeWrites();
    const asked = fold.report.typedOutputs;
    const { written } = await bench.write({ declared, asked, about, runKey: `run-${run}` });
    const writes = bench.takeWrites();
    calls += writes.length;
    const counts = new Map<string, number>();
    for (const { call, body } of writes) {
      counts.set(call, (counts.get(call) ?? 0) + 1);
      seen.add(call);
      expect(
        isWithin(call, body as Record<string, unknown>, about),
        `${about}: ${call} ${JSON.stringify(body)}`,
      ).toBe(true);
    }
    const labels = writes.filter(({ call }) => call.endsWith("/labels"));
    expect(labels.flatMap(({ body }) => (body as { labels: string[] }).labels).length).toBeLessThanOrEqual(2);
    for (const [call, count] of counts)
      if (!call.endsWith("/labels")) expect([call, count]).toEqual([call, 1]);
    expect(written.length).toBeGreaterThanOrEqual(writes.length);
  }
  expect(sent).toBe(10_000);
  // The test would show nothing where all were thrown away at the start.
  expect(understood).toBeGreaterThan(3_000);
  expect(calls).toBeGreaterThan(100);
  expect([...seen].sort()).toEqual([
    "PATCH /issues/7",
    "POST /actions/workflows/release.yml/dispatches",
    "POST /graphql",
    "POST /issues",
    "POST /issues/7/assignees",
    "POST /issues/7/labels",
    "POST /pulls/7/requested_reviewers",
  ]);
  expect(JSON.stringify(bench.host.requests.map(({ body }) => body))).not.toContain("ghp_16C7");
});

function isWithin(call: string, body: Record<string, unknown>, about: OutputSubject): boolean {
  const onSubject = about === "issue" || about === "pull_request";
  const only = (list: unknown, allowed: readonly string[]) =>
    Array.isArray(list) && list.length > 0 && list.every((one) => allowed.includes(one));
  switch (call) {
    case "POST /issues/7/labels":
      return onSubject && only(body.labels, ["bug", "docs", "question"]) && keysAre(body, "labels");
    case "POST /issues/7/assignees":
      return onSubject && only(body.assignees, ["octocat"]) && keysAre(body, "assignees");
    case "PATCH /issues/7":
      return (
        about === "issue" &&
        body.state === "closed" &&
        body.state_reason === "duplicate" &&
        keysAre(body, "state", "state_reason")
      );
    case "POST /pulls/7/requested_reviewers": {
      const all = [
        ...(body.reviewers as string[]),
        ...(body.team_reviewers as string[]).map((one) => `team/${one}`),
      ];
      return about === "pull_request" && all.length === 1 && only(all, ["hubot", "team/core"]);
    }
    case "POST /issues":
      return isText(body, "[agent] ") && keysAre(body, "title", "body");
    case "POST /graphql": {
      const { input } = body.variables as { input: Record<string, unknown> };
      return input.categoryId === "DIC_1" && isText(input, "");
    }
    case "POST /actions/workflows/release.yml/dispatches":
      return body.ref === "main" && keysAre(body, "ref");
    default:
      return false;
  }
}

function keysAre(body: object, ...names: readonly string[]): boolean {
  return Object.keys(body).sort().join() === names.toSorted().join();
}

/** One line with the prefix, and one marker, which is ours: at the end. */
function isText({ title, body }: Record<string, unknown>, prefix: string): boolean {
  const [words, text] = [String(title), String(body)];
  const hasMarker = (text.match(/<!-- agent-service:filed/g) ?? []).length === 1 && text.endsWith(" -->");
  return words.startsWith(prefix) && words.length <= 256 && !/[\n\u202e]/.test(words) && hasMarker;
}
