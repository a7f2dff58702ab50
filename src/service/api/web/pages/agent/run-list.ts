// Runs as a list, a line each: how it ended, what was asked, where and by whom, how long it took, what it cost, and when.

import { html } from "hono/html";
import { singleLine } from "../../../../../base/untrusted-text.ts";
import type { Run } from "../../../../../contract/runs/run.ts";
import { parkedTitle } from "../../../../../render/parked-titles.ts";
import { durationText, plural } from "../../../../../render/quantities.ts";
import { modelCostText } from "../../../../../render/run-costs.ts";
import { maskSecrets } from "../../../../../report/find-secrets.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { isKnown, tagBody } from "../../../http/entity-tag.ts";
import { toRun } from "../../../shared/run-view.ts";
import { agoText } from "../../time-text.ts";
import type { Html, WebContext } from "../../web-context.ts";

const MAX_TITLE_CHARS = 300;

type Shown = {
  /** Those whose names are shown: of a list of one agent's runs, none. */
  readonly agents: readonly Pick<Agent, "id" | "name">[];
  readonly now: number;
  /** Where a script asks for the list anew while a run on it is at work. Left out: it stays as it is. */
  readonly liveAt?: string;
};

/** Whether a script has something to do: a run waits for a worker, is at work or is being cancelled. */
export function isMoving(runs: readonly RunRecord[]): boolean {
  return runs.some((record) => stateOf(toRun(record)).tone === "live");
}

const origins: Readonly<Record<Run["origin"], string>> = {
  user: "",
  schedule: "by a schedule",
  background: "in the background",
  agent: "asked by a run",
  agent_result: "asked by a run",
};

export function runList(runs: readonly RunRecord[], { agents, now, liveAt }: Shown): Html {
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  const live = liveAt !== undefined && isMoving(runs) ? html` data-list="${liveAt}"` : "";
  return html`<ol class="runs"${live}>${runs.map((record) => {
    const run = toRun(record);
    const { mark, tone, words } = stateOf(run);
    const name = names.get(record.agentId);
    const shownName = name === run.about?.repository ? undefined : name;
    return html`<li>
<span class="state ${tone}" title="${words}"><span aria-hidden="true">${mark}</span><span class="unseen">${words}</span></span>
<div class="what"><a href="/agent/${record.agentId}/runs/${record.id}">${titleOf(run)}</a>
<p class="faint">${[shownName, ...placeOf(run), origins[run.origin], tone === "good" ? "" : words, deliveryOf(run)].filter((part) => part !== undefined && part !== "").join(" · ")}</p></div>
<span class="cost faint">${costOf(run)}</span>
<span class="when faint">${agoText(record.submittedAt, now)}</span></li>`;
  })}</ol>`;
}

/** The list alone, for the page's script; 304 where it has it. */
export function answerList(context: WebContext, list: Html): Response {
  const { body, etag } = tagBody(String(list));
  context.header("Content-Security-Policy", "default-src 'none'");
  context.header("Cache-Control", "private, no-store");
  context.header("ETag", etag);
  if (isKnown(context.req.header("if-none-match"), etag)) return context.body(null, 304);
  context.header("Content-Type", "text/html; charset=utf-8");
  return context.body(body);
}

function titleOf({ about }: Run): string {
  const request = about?.request ?? "";
  return request === "" ? "A run whose request is not kept" : maskSecrets(request);
}

function placeOf({ about }: Run): readonly string[] {
  const { repository = "", subject, actor = "", ref = "" } = about ?? {};
  const branch = subject === undefined ? ref.replace(/^refs\/(heads|tags)\//, "") : `#${subject.number}`;
  return [[repository, branch].filter((part) => part !== "").join(" "), actor];
}

/** The outcome in the words of its job, of a run that the job could deliver: of another one the state says it. */
function deliveryOf(run: Run): string {
  const reported = reportedOf(run);
  return reported === null ? "" : singleLine(maskSecrets(reported.title), MAX_TITLE_CHARS);
}

function reportedOf(run: Run): Extract<Run["delivery"], { state: "reported" }> | null {
  const isWhole = run.status === "completed" && run.stop_reason === "end_turn";
  return isWhole && run.delivery?.state === "reported" ? run.delivery : null;
}

function costOf(run: Run): string {
  if (!("ended_at" in run)) return "";
  const cost = modelCostText(run.budget);
  const took =
    run.started_at === undefined ? [] : [durationText(Date.parse(run.ended_at) - Date.parse(run.started_at))];
  const paid = run.credits === null || run.credits === 0 ? [] : [plural(run.credits, "credit")];
  return [...took, ...(cost === null ? paid : [cost])].join(" · ");
}

type State = {
  readonly mark: string;
  readonly tone: "good" | "warn" | "bad" | "live";
  readonly words: string;
};

/** Each state has a shape of its own beside its colour. */
export function stateOf(run: Run): State {
  switch (run.status) {
    case "queued":
      return { mark: "○", tone: "live", words: "waits for a worker" };
    case "running":
      return run.parked === undefined
        ? { mark: "▶", tone: "live", words: "running" }
        : { mark: "‖", tone: "warn", words: parkedTitle(run.parked.reason) };
    case "cancelling":
      return { mark: "■", tone: "live", words: "is being cancelled" };
    case "cancelled":
      return { mark: "■", tone: "warn", words: "cancelled" };
    case "failed":
      return {
        mark: "✗",
        tone: "bad",
        words: `failed: ${(run.stop_reason ?? run.cause).replaceAll("_", " ")}`,
      };
    case "completed":
      if (run.stop_reason === "question") return { mark: "?", tone: "warn", words: "has a question" };
      if (run.stop_reason !== "end_turn")
        return { mark: "!", tone: "warn", words: `cut: ${run.stop_reason.replaceAll("_", " ")}` };
      if (run.checks === "failed") return { mark: "!", tone: "warn", words: "completed, its checks failed" };
      return deliveredState(reportedOf(run)?.conclusion ?? "success");
  }
}

/** Of a run that completed, by the conclusion of its job. */
function deliveredState(conclusion: string): State {
  if (conclusion === "success") return { mark: "✓", tone: "good", words: "completed" };
  return conclusion === "failure"
    ? { mark: "✗", tone: "bad", words: "completed, its job failed" }
    : { mark: "!", tone: "warn", words: "completed, its job did not succeed" };
}
