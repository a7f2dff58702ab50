// The model of a run whose job brought the access to it. The token is read anew for each request, so that a renewal holds from
// the next one on, and the run's mask knows it before it is sent.

import { ok, type Result, refused } from "../../base/result.ts";
import { federationOf } from "../../contract/models/federations.ts";
import type { FederatedAccess } from "../../federation/provider.ts";
import type { Core } from "../core/core.ts";
import { type AccessLoss, type RunModelAccess, readAccess } from "../core/model-access/kept-access.ts";
import type { FailureReason } from "../core/runs/failure.ts";
import type { RunEnding } from "../core/runs/run-machine.ts";
import { BackendFailure, type BroughtModel } from "./backend.ts";
import type { SecretMask } from "./secret-mask.ts";

type Brought = {
  readonly runId: string;
  readonly modelAccess: RunModelAccess;
  readonly secrets: SecretMask;
};

/** Reads the token once, so that a run that has lost it ends before it begins. */
export async function openBroughtModel(
  core: Core,
  { runId, modelAccess, secrets }: Brought,
): Promise<Result<BroughtModel, RunEnding>> {
  const { provider, model, address: identifiers = {} } = modelAccess;
  const known = new Set<string>();
  const read = async () => {
    const token = await readAccess(core, modelAccess);
    if (token.ok) {
      known.add(token.value);
      secrets.add(token.value);
    } else if (token.refusal.reason === "key_unknown" || token.refusal.reason === "unreadable") {
      core.log.error({ run_id: runId, ...token.refusal }, "the access of a run cannot be unsealed");
    }
    return token;
  };
  const first = await read();
  if (!first.ok) return refused(endingWithout(first.refusal));
  const token = async (signal?: AbortSignal) => {
    signal?.throwIfAborted();
    const current = await read();
    if (current.ok) return current.value;
    throw new BackendFailure(lossText(current.refusal, provider), {
      reason: lossReasons[current.refusal.reason],
      isRetryable: true,
    });
  };
  return ok({ model, access: { provider, identifiers, token, known: () => [...known] } });
}

const lossReasons: Readonly<Record<AccessLoss["reason"], FailureReason>> = {
  lost: "interrupted",
  expired: "access_ended",
  key_unknown: "misconfigured",
  unreadable: "misconfigured",
};

/** The ending of a run that has no token when it is about to begin. */
function endingWithout(loss: AccessLoss): RunEnding {
  const cause = loss.reason === "lost" ? "interrupted" : "spawn_failed";
  const reason = lossReasons[loss.reason];
  return { status: "failed", cause, reason, message: waitedText(loss), retryable: true };
}

function waitedText(loss: AccessLoss): string {
  switch (loss.reason) {
    case "lost":
      return "The service was restarted while this run waited. It keeps the access to the repository's model in memory alone, and has lost it. Nothing was charged. Its operator sets RUN_SECRETS_KEY, so that such runs outlive a restart. Run it again.";
    case "expired":
      return `The access to the repository's model ended at ${isoTime(loss.expiredAt)}, while this run waited, and was not renewed. Keep the job running until the run has ended, and run it again.`;
    case "key_unknown":
    case "unreadable":
      return unreadableText;
  }
}

/** Of a run that had a token before. */
function lossText(loss: AccessLoss, provider: FederatedAccess["provider"]): string {
  const { title } = federationOf(provider);
  switch (loss.reason) {
    case "expired":
      return `The access to the repository's model at ${title} ended at ${isoTime(loss.expiredAt)} and was not renewed. Keep the job running until the run has ended, or ask for less in one run.`;
    case "lost":
      return `The access to the repository's model at ${title} is not there any more. Run it again.`;
    case "key_unknown":
    case "unreadable":
      return unreadableText;
  }
}

const unreadableText =
  "This service cannot read the access to the repository's model: it was sealed with another key. Its operator sets the same RUN_SECRETS_KEY on every node, and the one before as RUN_SECRETS_PREVIOUS_KEY. Run it again.";

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
