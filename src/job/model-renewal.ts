// The access to a model that a run was handed: renewed at the service before it ends, for as long as the job follows the run.

import type { Clock } from "../base/clock.ts";
import { ApiError } from "../client/errors.ts";
import type { JobClient } from "../client/job-client.ts";
import type { RenewedAccess } from "../federation/federated-access.ts";
import { FederationError } from "../federation/federation-error.ts";
import type { AccessToken } from "../federation/provider.ts";
import { StepError } from "./step-error.ts";

/** Between two tries where there is no newer token yet. */
const RETRY_MS = 10_000;

type RenewalOptions = {
  readonly client: { readonly ci: Pick<JobClient["ci"], "renewModelAccess"> };
  readonly runId: string;
  readonly access: RenewedAccess;
  /** The token that the service has; null: that of an earlier attempt of the job. */
  readonly sent: AccessToken | null;
  readonly clock: Clock;
  /** Aborts when the run is followed no more. */
  readonly signal: AbortSignal;
  /** Lines for the job's log. */
  readonly onNote: (note: string) => void;
};

/** Resolves when there is nothing to renew any more. Rejects for nothing: a run without access ends by itself, with the reason. */
export async function renewModelAccess(options: RenewalOptions): Promise<void> {
  const { access, clock, signal, onNote } = options;
  let { sent } = options;
  let isNoted = false;
  try {
    for (let waitMs = sent === null ? 0 : access.renewalInMs(); ; ) {
      await clock.sleep(waitMs, signal);
      const failure = await renewOnce(options, sent).then(
        (token) => {
          sent = token;
          isNoted = false;
          return null;
        },
        (error: unknown) => error,
      );
      signal.throwIfAborted();
      if (failure !== null) {
        if (isOver(failure)) return;
        if (!isNoted) onNote(failureNote(failure));
        isNoted = true;
        if (isFinal(failure)) return;
      }
      waitMs = Math.max(RETRY_MS, access.renewalInMs());
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Returns the token that the service has now. */
async function renewOnce(options: RenewalOptions, sent: AccessToken | null): Promise<AccessToken> {
  const { client, runId, access, signal } = options;
  const token = await access.current(signal);
  if (token.accessToken === sent?.accessToken) return sent;
  const body = accessBody(token);
  await client.ci.renewModelAccess({ runId, body, signal });
  return token;
}

/** As the service takes it. */
export function accessBody({ accessToken, expiresAt }: AccessToken) {
  return { access_token: accessToken, expires_at: new Date(expiresAt).toISOString() };
}

/** The run has ended, or never had access of its own. */
function isOver(failure: unknown): boolean {
  return failure instanceof ApiError && (failure.status === 404 || failure.status === 409);
}

/** Another try would fail as this one did. */
function isFinal(failure: unknown): boolean {
  if (FederationError.is(failure)) return !failure.isTransient;
  return (
    StepError.is(failure) || (failure instanceof ApiError && failure.status < 500 && failure.status !== 429)
  );
}

function failureNote(failure: unknown): string {
  const why = failure instanceof Error ? failure.message : "unknown";
  return `The run's access to its model was not renewed: ${why}`;
}
