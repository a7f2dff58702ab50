// The capability of this job: exchanged for an ID token, masked before first use, renewed when it expires during a run.

import type { CiProvider } from "../ci/provider.ts";
import type { JobClient } from "../client/job-client.ts";
import type { Credential } from "../client/request.ts";
import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import { StepError } from "./step-error.ts";

/** The part of a provider that a capability needs. */
export type TokenSource = Omit<CiProvider, "job">;

type CapabilityOptions = {
  readonly provider: TokenSource;
  readonly audience: string;
  readonly account: string | null;
  /** The job's commit, for a provider whose tokens may name none. */
  readonly sha?: string;
  /** A capability that an earlier step was granted. */
  readonly token?: string;
  readonly exchange: JobClient["ci"]["exchange"];
  /** Hides a value in the job's log from here on. */
  readonly setSecret: (secret: string) => void;
  /** Called for each capability, the first one too. */
  readonly onGrant: (grant: ExchangeResponse) => void;
};

/** `wantsClaimUrl`: a claim link while free credits pay, too. */
type GrantWishes = { readonly wantsClaimUrl: true };

export type JobCapability = Required<Credential> & {
  /** Mints a token and exchanges it. Two calls at once share one exchange, with what the first one wishes. */
  grant(signal?: AbortSignal, wishes?: GrantWishes): Promise<ExchangeResponse>;
};

/**
 * Holds no capability until `grant` is called. Rejects as mintIdToken and exchange do, and with a StepError where
 * every ID token of the job is used.
 */
export function createCapability(options: CapabilityOptions): JobCapability {
  const { provider, audience, account, setSecret } = options;
  let token = options.token ?? null;
  let pending: Promise<ExchangeResponse> | null = null;
  let grants = 0;

  const exchange = async (
    signal: AbortSignal | undefined,
    wishes: Partial<GrantWishes>,
  ): Promise<ExchangeResponse> => {
    if (provider.tokenLimit !== undefined && grants > 0 && grants >= provider.tokenLimit) {
      throw usedUp(provider);
    }
    const grant = await options.exchange({
      subjectToken: async () => {
        const idToken = await provider.mintIdToken(audience, signal);
        setSecret(idToken);
        return idToken;
      },
      account: account ?? undefined,
      sha: options.sha || undefined,
      defaultBranch: (await provider.readDefaultBranch?.()) ?? undefined,
      ...wishes,
      signal,
    });
    setSecret(grant.access_token);
    token = grant.access_token;
    grants += 1;
    options.onGrant(grant);
    return grant;
  };
  const grant = (signal?: AbortSignal, wishes: Partial<GrantWishes> = {}) => {
    pending ??= exchange(signal, wishes).finally(() => {
      pending = null;
    });
    return pending;
  };
  return {
    token: () => token,
    grant,
    refresh: async (signal) => {
      await grant(signal);
    },
  };
}

function usedUp({ tokenLimit, moreTokens = "" }: TokenSource): StepError {
  const what = tokenLimit === 1 ? "its one ID token is" : `its ${tokenLimit} ID tokens are`;
  return new StepError(
    "id_tokens_used_up",
    `The job cannot prove itself any more: ${what} used up, and the run goes on without it. ${moreTokens}`.trim(),
  );
}
