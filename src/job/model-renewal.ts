// Access that a run was handed, to a model or to an MCP server: renewed at the service before it ends, for as long as the job follows the
// run.

import type { Clock } from "../base/clock.ts";
import { ApiError } from "../client/errors.ts";
import type { JobClient } from "../client/job-client.ts";
import type { RenewedAccess } from "../federation/federated-access.ts";
import { FederationError } from "../federation/federation-error.ts";
import { ServerAccessError } from "../federation/mcp/server-grant.ts";
import type { AccessToken } from "../federation/provider.ts";
import { StepError } from "./step-error.ts";

/** Between two tries where there is no newer token yet. */
const RETRY_MS = 10_000;

type RenewalOptions = {
  /** Tells the service of a newer token. */
  readonly send: (token: AccessToken, signal: AbortSignal) => Promise<unknown>;
  /** "access to its model". */
  readonly title: string;
  readonly access: Pick<RenewedAccess, "current" | "renewalInMs">;
  /** The token that the service has; null: that of an earlier attempt of the job. */
  readonly sent: AccessToken | null;
  readonly clock: Clock;
  /** Aborts when the run is followed no more. */
  readonly signal: AbortSignal;
  /** Lines for the job's log. */
  readonly onNote: (note: string) => void;
};

/** Resolves when there is nothing to renew any more. Rejects for nothing: a run without access ends by itself, with the reason. */
async function renewBrought(options: RenewalOptions): Promise<void> {
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
        if (!isNoted) onNote(failureNote(options.title, failure));
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
  const { send, access, signal } = options;
  const token = await access.current(signal);
  if (token.accessToken === sent?.accessToken) return sent;
  await send(token, signal);
  return token;
}

type Renewed = Omit<RenewalOptions, "send" | "title"> & { readonly runId: string };

/** Renews the access to a model. */
export async function renewModelAccess({
  client,
  runId,
  ...options
}: Renewed & { readonly client: { readonly ci: Pick<JobClient["ci"], "renewModelAccess"> } }): Promise<void> {
  await renewBrought({
    ...options,
    title: "access to its model",
    send: (token, signal) => client.ci.renewModelAccess({ runId, body: accessBody(token), signal }),
  });
}

/** Renews the access token of one MCP server. */
export async function renewServerAccess({
  client,
  runId,
  name,
  ...options
}: Renewed & {
  readonly client: { readonly ci: Pick<JobClient["ci"], "renewMcpAccess"> };
  readonly name: string;
}): Promise<void> {
  await renewBrought({
    ...options,
    title: `access to the MCP server ${name}`,
    send: (token, signal) =>
      client.ci.renewMcpAccess({ runId, body: { mcp_access: { [name]: accessBody(token) } }, signal }),
  });
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
  if (FederationError.is(failure) || ServerAccessError.is(failure)) return !failure.isTransient;
  return (
    StepError.is(failure) || (failure instanceof ApiError && failure.status < 500 && failure.status !== 429)
  );
}

function failureNote(title: string, failure: unknown): string {
  const why = failure instanceof Error ? failure.message : "unknown";
  return `The run's ${title} was not renewed: ${why}`;
}
