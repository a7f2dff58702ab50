// The predicate of a commit's statement, from what the job knows of its run. Pure but for the file of events.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { AgentRun } from "../../contract/attestations/agent-run.ts";
import type { RequestSubject } from "../trigger/agent-request.ts";
import type { AttestOptions } from "./attest-options.ts";

/** As the schema has them, which is not to load here. */
const MAX_ITEMS = 200;
const MAX_TEXT_CHARS = 2_000;

export async function agentRunOf(options: AttestOptions): Promise<AgentRun> {
  const { commit, prompt, subject, report, egress, mcpServers } = options;
  return {
    asker: askerOf(options),
    subject: subject === null ? null : { type: subjectType(subject), number: subject.number },
    prompt: prompt === null ? null : { sha256: sha256(prompt) },
    instructions: {
      commit: commit.instructions.commit,
      files: commit.instructions.files.map(({ path, ...file }) => ({ path: bounded(path), ...file })),
      more: commit.instructions.more,
    },
    agent: { ...options.agent, action: actionOf(options) },
    models: modelsOf(options),
    policy: {
      egress: egress === null ? null : egress.map(bounded),
      reached: (report.egress?.allowed ?? []).slice(0, MAX_ITEMS).map(({ host }) => bounded(host)),
      mcpServers: mcpServers.map(bounded),
      writesWithheld: report.approvals
        .slice(0, MAX_ITEMS)
        .map(({ server, tool }) => ({ server: bounded(server), tool: bounded(tool) })),
    },
    run: runOf(options),
    events: await eventsOf(options.eventsPath),
    checks: checksOf(options),
    cost: costOf(options),
    change: { base: report.changes?.base_sha ?? "", patchId: commit.patchId },
  };
}

/** Of a command its author, whoever sent the event. A schedule names an account, too, which has asked for nothing. */
function askerOf({ subject, env, job }: AttestOptions): AgentRun["asker"] {
  const { GITHUB_ACTOR: login = "", GITHUB_ACTOR_ID: id = "" } = env;
  const asker = subject?.asker ?? null;
  const actor = id === "" || job.event === "schedule" ? null : { id, login };
  const comment = subject?.comment ?? null;
  return {
    event: job.event,
    actor: asker === null ? actor : { id: String(asker.id), login: asker.login },
    comment: comment === null ? null : { type: comment.type, id: comment.id },
  };
}

function subjectType({
  isPullRequest,
  discussionId,
}: RequestSubject): "pull_request" | "issue" | "discussion" {
  if (isPullRequest) return "pull_request";
  return discussionId === undefined ? "issue" : "discussion";
}

function actionOf({ env }: AttestOptions): AgentRun["agent"]["action"] {
  const { GITHUB_ACTION_REPOSITORY: repository = "", GITHUB_ACTION_REF: ref = "" } = env;
  return repository === "" ? null : { repository, ref };
}

function modelsOf({ ended }: AttestOptions): AgentRun["models"] {
  const used = "usage_by_model" in ended ? (ended.usage_by_model ?? []) : [];
  return used.slice(0, MAX_ITEMS).map(({ model, calls, input_tokens, output_tokens }) => ({
    name: bounded(model),
    calls,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
  }));
}

function runOf({ run, report: { state } }: AttestOptions): AgentRun["run"] {
  return {
    id: bounded(run.id),
    sessionId: bounded(run.sessionId),
    service: run.serviceUrl ?? "embedded",
    startedAt: state.status === "unknown" ? null : new Date(state.startedAtMs).toISOString(),
    endedAt: "endedAtMs" in state ? new Date(state.endedAtMs).toISOString() : null,
  };
}

async function eventsOf(path: string): Promise<AgentRun["events"]> {
  const contents = await readFile(path);
  let count = 0;
  for (const byte of contents) if (byte === LINE_FEED) count += 1;
  return { sha256: sha256(contents), count };
}

const LINE_FEED = 0x0a;

function checksOf({ report: { checks } }: AttestOptions): AgentRun["checks"] {
  if (checks === null) return null;
  const results = checks.results.map(({ command, kind, exit_code: exitCode }) => ({
    command: bounded(command),
    kind,
    exitCode,
  }));
  return { state: checks.state, results };
}

/** A service inside the job charges nobody. */
function costOf({ ended, run }: AttestOptions): AgentRun["cost"] {
  const budget = "budget" in ended ? ended.budget : undefined;
  return {
    tokens: ended.tokens,
    credits: run.serviceUrl === null ? null : ended.credits,
    microUsd: budget?.cost_micro_usd ?? null,
  };
}

function sha256(contents: string | Buffer): string {
  return createHash("sha256").update(contents).digest("hex");
}

function bounded(text: string): string {
  return text.slice(0, MAX_TEXT_CHARS).toWellFormed();
}
