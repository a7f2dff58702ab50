// What a run that completed leaves on the code host: its findings and its changes.

import * as core from "@actions/core";
import { systemClock } from "../base/clock.ts";
import { createGitHubProvider } from "../ci/github.ts";
import type { CiJob, Environment } from "../ci/provider.ts";
import type { Verdict } from "../report/conclusion.ts";
import type { Delivery } from "../report/delivery.ts";
import type { ConcludeOptions } from "./conclude.ts";
import type { Progress } from "./progress.ts";
import { asksForReview, conversationKey } from "./run-request.ts";
import { sayLine } from "./say-line.ts";

/** Does what the inputs ask for. Keeps what came of it in the progress. */
export async function handOver({
  env,
  outcome,
  progress,
  transport,
  signal,
}: ConcludeOptions): Promise<void> {
  if (outcome.type !== "ended" || outcome.run.status !== "completed") return;
  const { inputs, request, run, log } = progress;
  if (inputs === null || run === null || log === null) return;
  const { changes, findings } = inputs;
  if (changes !== "commit" && changes !== "pull-request" && findings === "none") return;
  const { openGitHubApi } = await import("../github/api/open-github-api.ts");
  const { job } = createGitHubProvider({ env, transport, clock: systemClock, random: Math.random });
  const api = openGitHubApi({ token: inputs.githubToken, job, env, transport, signal });
  const subject = request?.subject ?? null;
  const { output } = log.report;
  const isExpected = request !== null && asksForReview(inputs, request);
  // A plain question has a plain answer.
  if (findings !== "none" && (output !== null || isExpected)) {
    const { publishFindings } = await import("../github/findings/publish-findings.ts");
    progress.findings = await publishFindings({
      mode: findings,
      output,
      isExpected,
      subject,
      api,
      env,
      run,
      annotator: { error: core.error, warning: core.warning, notice: core.notice },
      onNote: sayLine,
    });
  }
  if ((changes === "commit" || changes === "pull-request") && log.report.changes !== null) {
    const { deliverChanges } = await import("../github/changes/deliver-changes.ts");
    progress.delivery = await deliverChanges({
      mode: changes,
      changes: log.report.changes,
      run: { ...run, sessionId: conversationOf(progress, { job, env }) ?? run.sessionId },
      reply: log.reply(),
      prompt: request?.prompt ?? "",
      subject,
      job,
      env,
      api,
      token: inputs.githubToken,
      branchPrefix: inputs.branchPrefix,
      signedCommits: inputs.signedCommits,
      clock: systemClock,
      signal,
      setSecret: core.setSecret,
      onNote: sayLine,
    });
  }
}

/** A service inside the job knows of no run before this one: the pull request is told by what it is about. */
function conversationOf(
  { embedded, inputs, request }: Progress,
  { job, env }: { job: CiJob; env: Environment },
): string | null {
  if (embedded === null || inputs === null || request === null) return null;
  return conversationKey({ inputs, request, job, workflowRef: env.GITHUB_WORKFLOW_REF ?? "" });
}

/** A run whose changes did not arrive is not green: somebody waits for them. */
export function withDelivery(verdict: Verdict, delivery: Delivery | null): Verdict {
  if (verdict.conclusion !== "success" || delivery?.type !== "kept") return verdict;
  const { reason, message } = delivery;
  return { ...verdict, conclusion: "failure", reason, message: `The run completed. ${message}` };
}
