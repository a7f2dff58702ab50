// The sections that a summary and a comment share: the ending of the run, its reply, its cost. Pure.

import { byteLength, fitText } from "../base/bounded-text.ts";
import type { ModelUsage, RunBudget } from "../contract/runs/run.ts";
import { elapsedMs, type RunReport } from "../report/run-report.ts";
import { runWarnings } from "../report/run-warnings.ts";
import type { FileLinks } from "./blob-url.ts";
import { readableReply } from "./findings-table.ts";
import { inertMarkdown } from "./inert-markdown.ts";
import { escapeMarkdown, inlineCode, link } from "./markdown.ts";
import type { OutcomeFacts } from "./outcome-title.ts";
import { countText, dollarsText, durationText } from "./quantities.ts";
import { modelCostText } from "./run-costs.ts";

const MAX_MESSAGE_BYTES = 600;
const MAX_REASON_BYTES = 240;
const REPLY_CUT = "*The reply is cut here. The whole of it is in the reply file.*";

/** The facts of an end that the run's events do not have. */
export type EndContext = OutcomeFacts & {
  /** One sentence for people: what happened and what to do. */
  readonly message?: string | undefined;
  /** Why the agent could not see the change that it was asked about. */
  readonly unseen?: string | undefined;
  readonly creditsCharged: number | null;
  readonly creditsRemaining: number | null;
  readonly tokens: number | null;
  /** Null or left out where it is not known. */
  readonly budget?: RunBudget | null | undefined;
  /** Usage of each model. Shown where there are several. */
  readonly models?: readonly ModelUsage[] | undefined;
  readonly claimUrl: string | null;
  /** Addresses of files; null or left out where nobody knows. */
  readonly links?: FileLinks | null | undefined;
};

/** The message, and the reason where the message does not name it. A success needs no reason. */
export function whySection(report: RunReport, context: EndContext): string {
  const said = context.message ?? (report.state.status === "failed" ? report.state.message : "");
  const message = fitText(said, MAX_MESSAGE_BYTES, (head) => escapeMarkdown(head)) ?? "";
  if (context.conclusion === "success") return message;
  const reason = fitText(context.reason, MAX_REASON_BYTES, inlineCode) ?? "";
  if (said.includes(`(${context.reason})`)) return message;
  return message === "" ? `Reason: ${reason}` : `${message} (${reason})`;
}

/** The first line: a verdict on a change that nobody saw is none. */
export function unseenSection({ unseen = "" }: EndContext): string {
  const text = fitText(unseen, MAX_MESSAGE_BYTES, (head) => escapeMarkdown(head)) ?? "";
  return text === "" ? "" : `> ⚠️ ${text}`;
}

/** What readers are warned of, a line each. */
export function warningsSection(report: RunReport): string {
  return runWarnings(report)
    .map((note) => `> ⚠️ ${fitText(note, MAX_MESSAGE_BYTES, (head) => escapeMarkdown(head)) ?? ""}`)
    .join("\n>\n");
}

/** The reply, made inert, in at most `maxBytes`. */
export function replySection(report: RunReport, maxBytes: number): string {
  const reply = readableReply(report);
  if (reply === null) return "";
  const inert = inertMarkdown(reply, Math.max(0, maxBytes - byteLength(REPLY_CUT) - 2));
  return [inert.text, inert.wasCut ? REPLY_CUT : ""].filter((text) => text !== "").join("\n\n");
}

export function costsSection(report: RunReport, context: EndContext): string {
  const charged = context.creditsCharged;
  const left = context.creditsRemaining ?? report.quota?.credits_remaining ?? null;
  const credits = [
    ...(charged === null ? [] : [`${countText(charged)} charged`]),
    ...(left === null ? [] : [`${countText(left)} left`]),
  ];
  const tookMs = elapsedMs(report);
  const cost = modelCostText(context.budget);
  return [
    ...(credits.length === 0 ? [] : [`**Credits** ${credits.join(", ")}`]),
    ...(context.tokens === null
      ? []
      : [`**Tokens** ${countText(context.tokens)}${cachedText(context.budget)}${payerText(report)}`]),
    ...(cost === null ? [] : [`**Cost** ${cost}`]),
    ...modelsText(context.models ?? []),
    ...(tookMs === null ? [] : [`**Time** ${durationText(tookMs)}`]),
  ].join(" · ");
}

function cachedText(budget: EndContext["budget"]): string {
  if (!budget || budget.cached_input_tokens === 0 || budget.input_tokens === 0) return "";
  const percent = Math.round((100 * budget.cached_input_tokens) / budget.input_tokens);
  return ` (${percent} % of the input from a cache)`;
}

const MAX_SHOWN_MODELS = 5;
const MAX_MODEL_BYTES = 100;

/** The usage of each model, where it was not one alone: a fallback, an advisor, a reviewer. */
function modelsText(models: readonly ModelUsage[]): string[] {
  if (models.length < 2) return [];
  const shown = models.slice(0, MAX_SHOWN_MODELS).map((used) => {
    const { model, input_tokens: input, output_tokens: output, cost_micro_usd: cost = 0 } = used;
    const name = model === "" ? "others" : (fitText(model, MAX_MODEL_BYTES, inlineCode) ?? "");
    return `${name} ${countText(input + output)}${cost === 0 ? "" : ` for ${dollarsText(cost)}`}`;
  });
  const left = models.length - shown.length;
  return [`**Models** ${[...shown, ...(left === 0 ? [] : [`${left} more`])].join(", ")}`];
}

/** Who paid for the tokens, where their price is no part of the credits. */
function payerText({ quota }: RunReport): string {
  return quota?.model_billing === "repository" ? ", paid by the repository's own model account" : "";
}

export function claimSection(report: RunReport, context: EndContext): string {
  const url = context.claimUrl ?? report.quota?.claim_url ?? null;
  return url === null ? "" : `${link("Claim this agent", url)} to give it an account and credits of its own.`;
}
