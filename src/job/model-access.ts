// The model account of the repository: the job proves itself to the model's provider with an ID token of its own.
// Loaded only where the settings name a trust.

import type { RetryNotice } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { CiJob, CiProvider } from "../ci/provider.ts";
import type { Transport } from "../client/transport.ts";
import { eventRules } from "../contract/ci/events.ts";
import { openFederatedAccess, type RenewedAccess } from "../federation/federated-access.ts";
import type { ModelFederation } from "../federation/provider.ts";
import { StepError } from "./step-error.ts";

type ModelAccessOptions = {
  readonly federation: ModelFederation;
  readonly job: Pick<CiJob, "provider" | "event">;
  /** Of ID tokens for the model's provider. */
  readonly tokens: Pick<CiProvider, "mintIdToken">;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  /** Hides a value in the job's log from here on. */
  readonly setSecret: (secret: string) => void;
  readonly onRetry: (notice: RetryNotice) => void;
  readonly signal: AbortSignal;
};

/**
 * Exchanges nothing until a token is asked for. Then it rejects with IdentityError, FederationError and StepError, or with the
 * signal's reason.
 */
export function openModelAccess(options: ModelAccessOptions): RenewedAccess {
  const { job, federation, tokens, transport, clock, random, setSecret, onRetry, signal } = options;
  return openFederatedAccess({
    federation,
    mintIdToken: async (audience, of) => {
      if (eventRules(job.provider, job.event).isRefused) throw eventRefused(job.event);
      return await tokens.mintIdToken(audience, of);
    },
    send: transport,
    clock,
    random,
    onSecret: setSecret,
    onRetry,
    signal,
  });
}

function eventRefused(event: string): StepError {
  return new StepError(
    "event_refused",
    `Nothing ran: in a job of "${event}" an outsider's change could use the repository's model account. Start it by another event, such as a comment.`,
  );
}
