// The calls of a CI job: the exchange of its identity, and the events of its run.

import type { ExchangeResponse } from "../contract/ci/exchange.ts";
import type { ciRoutes } from "../contract/ci/routes.ts";
import * as endpoints from "../contract/endpoints.ts";
import { type CallOptions, callRoute, type NounClient, nounClient } from "./noun-client.ts";
import { type ApiConnection, request } from "./request.ts";
import { retrying } from "./retry.ts";

/** The options of `ci.exchange`. */
export type ExchangeOptions = CallOptions & {
  /** Mints a token. Called for every attempt: a token is spent by its first arrival. */
  readonly subjectToken: () => Promise<string>;
  /** The id of the account that the job names as its repository's owner, which confirms a pending claim. */
  readonly account?: string | undefined;
  /** Asks for a claim link while free credits pay, too. */
  readonly wantsClaimUrl?: boolean | undefined;
  /** The job's commit. Some providers' tokens name none. */
  readonly sha?: string | undefined;
  /** The repository's default branch, where the job knows it. */
  readonly defaultBranch?: string | undefined;
};

/** The calls of a CI job: the exchange of its identity, and the events of its run. */
export type CiClient = Omit<NounClient<typeof ciRoutes>, "exchange"> & {
  /** POST /v1/ci/oidc/exchange. Retried with a fresh token each time. */
  exchange(options: ExchangeOptions): Promise<ExchangeResponse>;
};

/** Makes the methods of `client.ci`. */
export function ciClient(connection: ApiConnection): CiClient {
  return {
    ...nounClient<typeof ciRoutes>(connection, endpoints.ci),
    exchange: (options) => exchangeToken(connection, options),
    // A credential that is refused has ended already: no new one is requested.
    revoke: async (options = {}) => {
      await callRoute<(typeof ciRoutes)["revoke"]>(connection, {
        endpoint: endpoints.ci.revoke,
        options,
        overrides: { credential: "as-is" },
      });
    },
  };
}

async function exchangeToken(connection: ApiConnection, options: ExchangeOptions): Promise<ExchangeResponse> {
  const {
    account,
    wantsClaimUrl = false,
    sha,
    defaultBranch,
    signal,
    retry: policy = connection.retry,
  } = options;
  return retrying({ ...connection, policy, signal }, async () => {
    const answer = await request(connection, {
      method: "POST",
      path: endpoints.ci.exchange.path,
      // The contract's words, written out: its schemas are not to load before this request is on its way.
      body: {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
        subject_token: await options.subjectToken(),
        ...(account === undefined ? {} : { account }),
        ...(wantsClaimUrl ? { claim_link: "always" } : {}),
        ...(sha === undefined ? {} : { sha }),
        ...(defaultBranch === undefined ? {} : { default_branch: defaultBranch }),
      },
      effect: "once",
      credential: "none",
      decoder: endpoints.ci.exchange.answer,
      signal,
    });
    return answer.value;
  });
}
