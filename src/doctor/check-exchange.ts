// The exchange itself: the job's token for a capability, or the service's reason and the fix.

import type { Environment } from "../base/environment.ts";
import { readHeadCommit } from "../ci/head-commit.ts";
import type { CiProvider } from "../ci/provider.ts";
import { ApiError } from "../client/errors.ts";
import type { JobClient } from "../client/job-client.ts";
import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import { commandWords } from "../job/command-words.ts";
import { exchangeMessage } from "../job/exchange-advice.ts";
import { actionWords } from "../job/job-words.ts";
import type { DoctorCheck, DoctorFix } from "../report/doctor-page.ts";
import { type DoctorFace, found } from "./examination.ts";
import { failureText } from "./failure-text.ts";
import { audienceFix, issuerEntry } from "./settings-text.ts";

export const EXCHANGE_HEADING = { id: "exchange", title: "Exchange" };

type ExchangeFinding = {
  readonly check: DoctorCheck;
  /** Null where it was refused. */
  readonly grant: ExchangeResponse | null;
};

type ExchangeJob = {
  readonly provider: CiProvider;
  readonly env: Environment;
  readonly face: DoctorFace;
  readonly folder: string;
  /** The `iss` of the token. */
  readonly issuer: string | null;
  /** Gives the token that was minted, then further ones. */
  readonly subjectToken: () => Promise<string>;
  readonly signal: AbortSignal | undefined;
};

export async function checkExchange(
  { ci }: Pick<JobClient, "ci">,
  job: ExchangeJob,
): Promise<ExchangeFinding> {
  const { provider, subjectToken, signal } = job;
  try {
    const sha = provider.job.sha || ((await readHeadCommit(job.folder)) ?? "");
    const grant = await ci.exchange({
      subjectToken,
      wantsClaimUrl: true,
      ...(sha === "" ? {} : { sha }),
      signal,
    });
    const check = found(EXCHANGE_HEADING, {
      state: "ok",
      found: "The service takes the job's token. It gave a capability, which ends with this examination.",
      facts: { agent: grant.agent_id, scope: grant.scope, "it would last": `${grant.expires_in} s` },
    });
    return { check, grant };
  } catch (cause) {
    signal?.throwIfAborted();
    return { check: refused(job, cause), grant: null };
  }
}

function refused(job: ExchangeJob, cause: unknown): DoctorCheck {
  if (!(cause instanceof ApiError)) {
    return found(EXCHANGE_HEADING, {
      state: "fault",
      found: `The exchange came to no answer. ${failureText(cause)}`,
      fixes: [{ text: "Look at what stands in front of the service: POST /v1/ci/oidc/exchange must pass." }],
    });
  }
  const { reason = cause.code, expected, got } = cause;
  return found(EXCHANGE_HEADING, {
    state: "fault",
    found: `The service refused the job's token (${reason}): ${cause.message}`,
    facts: { reason, expected, got, status: cause.status, request: cause.requestId },
    fixes: [fixFor(cause, reason, job)],
  });
}

function fixFor(error: ApiError, reason: string, job: ExchangeJob): DoctorFix {
  const { provider, env, face, issuer } = job;
  const { provider: name } = provider.job;
  const told =
    error.reason === undefined
      ? null
      : exchangeMessage(error, face === "action" ? actionWords : commandWords(name));
  switch (reason) {
    case "audience_mismatch":
      if (error.expected !== undefined) return audienceFix(error.expected, { face, provider: name });
      break;
    case "issuer_unknown": {
      const code = issuer === null ? null : issuerEntry(issuer, { env, provider: name });
      const text = `Tokens of this job are issued by ${issuer ?? "nobody"}. The service's operator adds it to CI_ISSUERS, beside what is in it:`;
      if (code !== null) return { text, code };
      break;
    }
    case "token_replayed":
      if (provider.tokenLimit !== undefined) {
        return {
          text: "An earlier step of this job used its token up. Examine in a job of its own, or give the job one token more for each use.",
        };
      }
      break;
    case "rate_limited": {
      const seconds = Math.ceil((error.retryAfterMs ?? 60_000) / 1000);
      return { text: `Too many exchanges from here of late. Wait ${seconds} s, then re-run the job.` };
    }
    default:
      break;
  }
  return { text: told ?? "The service's operator finds the request in its log." };
}
