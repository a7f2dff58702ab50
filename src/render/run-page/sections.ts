// The parts of a run's page that are drawn anew when they change. Each is a list of elements; empty: there is none. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import type { ChecksState } from "../../contract/runs/checks.ts";
import type { CommitOrigin, Run } from "../../contract/runs/run.ts";
import { elapsedMs, type RunReport } from "../../report/run-report.ts";
import { runWarnings } from "../../report/run-warnings.ts";
import { type Contents, type Element, el, outerLink, said } from "../html/element.ts";
import { countText, dollarsText, durationText, plural } from "../quantities.ts";
import { creditsText, modelCostText } from "../run-costs.ts";
import { attemptsSection } from "./attempts-section.ts";
import type { DrawChanges } from "./changes-section.ts";
import { deliverySection } from "./delivery-section.ts";
import { findingsSection } from "./findings-section.ts";
import { type ParkedPage, parkedOf, parkedSection } from "./parked-section.ts";
import { replySection } from "./reply-section.ts";

export type PageRun = ParkedPage & {
  /** The address of the files that it worked on, for `blobUrl`. Null: the code host's is not known. */
  readonly filesUrl: string | null;
  /** Draws the changes. Null in a script that has not needed it yet. */
  readonly drawChanges: DrawChanges | null;
};

/** By the ids of the elements that they are in, in the order of the page. */
export const sectionIds = [
  "failure",
  "parked",
  "delivery",
  "reply",
  "attempts",
  "findings",
  "changes",
  "plan",
  "approvals",
  "network",
  "cost",
] as const;
export type SectionId = (typeof sectionIds)[number];

const MAX_TEXT_CHARS = 300;
const MAX_HOSTS = 30;
const MAX_PLAN_STEPS = 50;

export const sections: Readonly<Record<SectionId, (page: PageRun) => readonly Contents[]>> = {
  failure: ({ report }) => [
    ...(report.state.status === "failed" ? [el("p", { class: "note bad" }, said(report.state.message))] : []),
    ...runWarnings(report).map((note) => el("p", { class: "note warn" }, said(note))),
  ],
  parked: parkedSection,
  delivery: ({ run }) => deliverySection(run.delivery),
  reply: replySection,
  attempts: ({ report }) => attemptsSection(report.attempts),
  findings: ({ run, report, filesUrl }) => (isOver(run) ? findingsSection(report, { filesUrl }) : []),
  changes: ({ report, base, filesUrl, drawChanges }) =>
    drawChanges?.(report.changes, { base, filesUrl }) ?? [],
  plan: ({ report }) => planOf(report),
  approvals: ({ report }) => approvalsOf(report),
  network: ({ report }) => networkOf(report),
  cost: ({ run }) => costOf(run),
};

export function isOver({ status }: Run): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** The state of a page that shows what comes: "" where nothing does. */
export function liveText(run: Run): string {
  if (isOver(run)) return "";
  return parkedOf(run) === null ? "Live" : "Parked. This page shows when it goes on";
}

/** The facts below the heading: how long, how much. */
export function factsOf({ run, report }: PageRun): string {
  const ms = elapsedMs(report);
  const failed = report.calls.filter(({ hasFailed }) => hasFailed).length;
  return [
    ...(ms === null ? [] : [durationText(ms)]),
    ...(report.calls.length === 0 || !isOver(run) ? [] : [plural(report.calls.length, "tool call")]),
    ...(failed === 0 || !isOver(run) ? [] : [`${countText(failed)} failed`]),
    ...("checks" in run && run.checks !== undefined ? [checksTexts[run.checks]] : []),
    ...("credits" in run && run.credits !== null && run.credits > 0 ? [plural(run.credits, "credit")] : []),
    ...(run.commit === undefined ? [] : [commitText(run.commit)]),
  ].join(" · ");
}

/** Which ones, and how, is below the heading. */
const checksTexts: Readonly<Record<ChecksState, string>> = {
  passed: "checks passed",
  failed: "checks failed",
  none: "not checked",
};

/** A run of a job works on the job's commit, which its readers know. */
function commitText({ sha, ref = "", from }: NonNullable<Run["commit"]>): string {
  const branch = ref.replace(/^refs\/heads\//, "");
  const place = branch === "" ? "" : ` of ${singleLine(branch, MAX_TEXT_CHARS)}`;
  return `on ${sha.slice(0, 7)}${place}, ${originTexts[from]}`;
}

const originTexts: Readonly<Record<CommitOrigin, string>> = {
  session: "as its session before",
  default_branch: "the newest that a job has sent",
  code_host: "the newest at the code host",
};

function planOf({ plan }: RunReport): readonly Contents[] {
  if (plan.length === 0) return [];
  const done = plan.filter(({ status }) => status === "completed").length;
  const marks = { completed: "☑ ", in_progress: "⏳ ", pending: "☐ " } as const;
  return [
    el("h2", {}, `Plan: ${done} of ${plan.length} done`),
    el(
      "ul",
      { class: "plan" },
      ...plan
        .slice(0, MAX_PLAN_STEPS)
        .map(({ text, status }) =>
          el("li", { class: status }, marks[status], singleLine(text, MAX_TEXT_CHARS)),
        ),
    ),
  ];
}

function approvalsOf({ approvals }: RunReport): readonly Contents[] {
  return approvals.map(({ server, tool, approve_url: url }) =>
    el(
      "p",
      { class: "note warn" },
      `Not allowed: ${singleLine(tool, MAX_TEXT_CHARS)} of the MCP server ${singleLine(server, MAX_TEXT_CHARS)} may change something. `,
      url === null
        ? "The agent has no owner who could allow it."
        : [outerLink(url, ["Allow it"]), " as the agent's owner."],
    ),
  );
}

function networkOf({ egress }: RunReport): readonly Contents[] {
  if (egress === null) return [];
  const { withheld, allowed, blocked } = egress;
  if (withheld.length + allowed.length + blocked.length === 0) return [];
  const hosts = (title: string, items: readonly Contents[]) =>
    items.length === 0
      ? []
      : [el("dt", {}, title), el("dd", {}, ...items.slice(0, MAX_HOSTS).map((item) => el("div", {}, item)))];
  const host = (name: string) => el("code", {}, singleLine(name, MAX_TEXT_CHARS));
  return [
    el("h2", {}, "Network"),
    el(
      "dl",
      {},
      hosts(
        "Blocked",
        blocked.map((one) => [
          host(one.host),
          ` ${plural(one.times, "time")}, ${singleLine(one.reason, MAX_TEXT_CHARS)}`,
        ]),
      ),
      hosts("Not granted", withheld.map(host)),
      hosts(
        "Reached",
        allowed.map((one) => [
          host(one.host),
          ` ${plural(one.connections, "connection")}, ${bytesText(one.bytes)}`,
        ]),
      ),
    ),
  ];
}

function bytesText(bytes: number): string {
  return bytes < 10_000 ? `${countText(bytes)} bytes` : `${countText(Math.round(bytes / 1000))} kB`;
}

export function costOf(run: Run): readonly Contents[] {
  if (run.status === "queued" || run.status === "running" || run.status === "cancelling") return [];
  const roles = Object.entries(run.usage_by_role ?? {});
  const refunded = run.refunded_micro_usd ?? 0;
  const cost = modelCostText(run.budget);
  const used = [
    ...(run.credits === null ? [] : [`${plural(run.credits, "credit")} charged`]),
    ...(run.tokens === null ? [] : [plural(run.tokens, "token")]),
    ...(cost === null ? [] : [`models ${cost}`]),
  ];
  const facts: Contents[] = [
    ...(refunded === 0
      ? []
      : [
          el(
            "p",
            {},
            `${dollarsText(refunded)} of ${dollarsText(run.gross_micro_usd ?? refunded)} were refunded: ${singleLine(run.refund_reason ?? "", MAX_TEXT_CHARS)}.`,
          ),
        ]),
    ...(run.refund_withheld_reason === undefined
      ? []
      : [el("p", {}, `Not refunded: ${singleLine(run.refund_withheld_reason, MAX_TEXT_CHARS)}.`)]),
    ...(run.model_billing === "repository"
      ? [el("p", {}, "The repository pays for the tokens of its model itself.")]
      : []),
  ];
  if (roles.length === 0 && facts.length === 0) return [];
  return [
    el("h2", {}, "Cost"),
    used.length === 0 ? null : el("p", {}, used.join(" · ")),
    roles.length === 0 ? null : rolesTable(roles),
    ...facts,
  ];
}

type RoleUsage = { readonly tokens: number; readonly calls: number; readonly credits: number };

/** By role: the fee of the run is the executor's. */
function rolesTable(roles: readonly [string, RoleUsage][]): Element {
  const number = (text: string) => el("td", { class: "number" }, text);
  const head = ["Tokens", "Calls", "Credits"].map((name) => el("th", { class: "number" }, name));
  return el(
    "div",
    { class: "scroll", tabindex: 0 },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, el("th", {}, "Role"), ...head)),
      el(
        "tbody",
        {},
        ...roles.map(([role, { tokens, calls, credits }]) =>
          el(
            "tr",
            {},
            el("td", {}, role),
            number(countText(tokens)),
            number(countText(calls)),
            number(creditsText(credits)),
          ),
        ),
      ),
    ),
  );
}
