// The capability of this job: minted and exchanged, masked before first use, made anew when it ends during a run.

import type { CiProvider } from "../ci/provider.ts";
import type { Client } from "../client/client.ts";
import type { Credential } from "../client/request.ts";
import type { ExchangeResponse } from "../contract/exchange.ts";

export type CapabilityOptions = {
  readonly provider: CiProvider;
  readonly audience: string;
  readonly account: string | null;
  /** One that an earlier step was given. */
  readonly token?: string;
  readonly exchange: Client["exchange"];
  /** Hides a value in the job's log from here on. */
  readonly setSecret: (secret: string) => void;
  /** Told of each new capability, the first one too. */
  readonly onGrant: (grant: ExchangeResponse) => void;
};

export type Capability = Required<Credential> & {
  /** Mints a token and exchanges it. Two calls at once share one exchange. */
  grant(signal?: AbortSignal): Promise<ExchangeResponse>;
};

/** Holds no capability until `grant` is called. Rejects as mintIdToken and exchange do. */
export function createCapability(options: CapabilityOptions): Capability {
  const { provider, audience, account, setSecret } = options;
  let token = options.token ?? null;
  let pending: Promise<ExchangeResponse> | null = null;

  const exchange = async (signal: AbortSignal | undefined): Promise<ExchangeResponse> => {
    const grant = await options.exchange({
      subjectToken: async () => {
        const idToken = await provider.mintIdToken(audience, signal);
        setSecret(idToken);
        return idToken;
      },
      account: account ?? undefined,
      signal,
    });
    setSecret(grant.access_token);
    token = grant.access_token;
    options.onGrant(grant);
    return grant;
  };
  const grant = (signal?: AbortSignal) => {
    pending ??= exchange(signal).finally(() => {
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
