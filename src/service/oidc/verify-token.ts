// From a job's OIDC token to who the job is. `verify` is the recipe; the order of its steps is the defence:
// nothing is believed, and no socket is opened, before the step that allows it.

import { createHash } from "node:crypto";
import { compactVerify, errors } from "jose";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import { eventRules, refusedEvents } from "../../contract/ci/events.ts";
import type { ExchangeRefusal } from "../core/ci/refusals.ts";
import type { TokenVerifier } from "../core/ci/token-verifier.ts";
import type { JobIdentity, JobStatement } from "../core/ci-jobs/job-identity.ts";
import { AZURE_REFUSED, isAzureIssuer } from "./azure-devops.ts";
import { decodeJsonObject, type JsonObject, parseCompactToken } from "./compact-token.ts";
import type { IssuerConfig } from "./issuer-config.ts";
import { type KeySet, makeKeySet } from "./key-set.ts";
import type { Provider } from "./providers/provider.ts";
import { providers } from "./providers/providers.ts";
import { checkAudience, checkId, checkTimes, show } from "./registered-claims.ts";
import type { PinnedAlgorithm } from "./signing-key.ts";

type TokenVerifierOptions = {
  /** Decoded by `decodeIssuers`. */
  readonly issuers: readonly IssuerConfig[];
  /** The one `aud` that is ours. */
  readonly audience: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Fetches key sets. Default: Node's own `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
};

const NO_STATEMENT: JobStatement = { sha: null };

type TrustedIssuer = { readonly config: IssuerConfig; readonly provider: Provider; readonly keySet: KeySet };

/** Makes the verifier. It keeps one key set per issuer and owns nothing that needs closing. */
export function tokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const { audience, clock } = options;
  const trusted = new Map(options.issuers.map((config) => [config.issuer, trustIssuer(config, options)]));

  return {
    verify: async (token, statement = NO_STATEMENT, expected = { audience }) => {
      const parsed = parseCompactToken(token);
      if (!parsed.ok) return parsed;
      const { header, payload } = parsed.value;

      const issuer = findIssuer(trusted, payload.iss);
      if (!issuer.ok) return issuer;
      const { config, provider, keySet } = issuer.value;

      const kid = checkHeader(header, provider.algorithm);
      if (!kid.ok) return kid;
      const key = await keySet.find(kid.value);
      if (!key.ok) return key;
      const verified = await verifySignature({ token, key: key.value, algorithm: provider.algorithm });
      if (!verified.ok) return verified;
      const claims = verified.value;

      if (claims.iss !== config.issuer) return issuerUnknown();
      const aimed = checkAudience(claims, { ...expected, form: provider.audienceForm });
      if (!aimed.ok) return aimed;
      const times = checkTimes(claims, { nowMs: clock.now(), maxLifetimeMs: maxLifetimeMs(issuer.value) });
      if (!times.ok) return times;
      const replayKey = provider.replayIsKnownBy === "jti" ? checkId(claims) : ok(signatureHash(token));
      if (!replayKey.ok) return replayKey;
      const job = provider.identify(claims, config, statement);
      if (!job.ok) return job;
      const allowed = checkEvent(job.value, issuer.value);
      if (!allowed.ok) return allowed;

      const { defaultBranch } = statement;
      const stated = defaultBranch === undefined ? {} : { defaultBranch };
      return ok({
        job: { ...job.value, ...stated },
        replayKey: replayKey.value,
        usableUntil: times.value.usableUntil,
      });
    },
  };
}

function trustIssuer(config: IssuerConfig, options: TokenVerifierOptions): TrustedIssuer {
  const { clock, logger, fetch = (...request) => globalThis.fetch(...request) } = options;
  const { issuer, jwks_uri: url } = config;
  const provider = providers[config.provider];
  return {
    config,
    provider,
    keySet: makeKeySet({ issuer, url, algorithm: provider.algorithm, clock, fetch, logger }),
  };
}

function maxLifetimeMs({ config, provider }: TrustedIssuer): number {
  return config.max_token_seconds === undefined ? provider.maxLifetimeMs : config.max_token_seconds * 1000;
}

/** Of the decoded bytes: 16 texts decode to one signature. */
function signatureHash(token: string): string {
  const signature = Buffer.from(token.slice(token.lastIndexOf(".") + 1), "base64url");
  return `sha256:${createHash("sha256").update(signature).digest("hex")}`;
}

/** Exact: an issuer that differs in case, slash or query is another issuer. */
function findIssuer(
  trusted: ReadonlyMap<string, TrustedIssuer>,
  iss: unknown,
): Result<TrustedIssuer, ExchangeRefusal> {
  const issuer = typeof iss === "string" ? trusted.get(iss) : undefined;
  if (issuer === undefined) return isAzureIssuer(iss) ? azureRefused() : issuerUnknown();
  if (issuer.config.enabled) return ok(issuer);
  const detail =
    "This service's operator has switched the token's issuer off. The operator can say when it is back.";
  return refused({ reason: "issuer_disabled", detail });
}

/** The key's id. `jku`, `x5u`, `x5c` and `jwk` are never read: keys come only from the pinned URL (RFC 8725 §3.10). */
function checkHeader(header: JsonObject, algorithm: PinnedAlgorithm): Result<string, ExchangeRefusal> {
  if (header.alg !== algorithm) {
    const detail = `Tokens of this issuer must be signed with ${algorithm}. Send the ID token exactly as it was issued.`;
    return refused({ reason: "algorithm_refused", detail });
  }
  if (header.crit !== undefined) {
    const detail = 'The token demands header extensions ("crit") that this service does not know.';
    return refused({ reason: "token_malformed", detail });
  }
  if (typeof header.kid !== "string" || header.kid === "") {
    const detail = 'The token\'s header names no key ("kid"). Send the ID token exactly as it was issued.';
    return refused({ reason: "token_malformed", detail });
  }
  return ok(header.kid);
}

/** The claims, once the signature over exactly these bytes has passed. */
async function verifySignature(check: {
  token: string;
  key: CryptoKey;
  algorithm: PinnedAlgorithm;
}): Promise<Result<JsonObject, ExchangeRefusal>> {
  const detail = "The token's signature does not match. Send the ID token exactly as it was issued.";
  try {
    const { payload } = await compactVerify(check.token, check.key, { algorithms: [check.algorithm] });
    const claims = decodeJsonObject(payload);
    return claims === null ? refused({ reason: "token_malformed", detail }) : ok(claims);
  } catch (cause) {
    if (cause instanceof errors.JOSEError) return refused({ reason: "signature_invalid", detail });
    throw cause;
  }
}

/** A job of these events runs with the repository's rights on what an outsider wrote. */
function checkEvent(job: JobIdentity, issuer: TrustedIssuer): Result<void, ExchangeRefusal> {
  const { provider, allow_events } = issuer.config;
  if (!eventRules(provider, job.event).isRefused || allow_events.includes(job.event)) return ok(undefined);
  return refused({
    reason: "event_refused",
    detail: `Jobs of the event "${job.event}" are refused: an outsider's change could steer them. Use pull_request, or have a maintainer comment on the pull request.`,
    expected: `an event other than ${refusedEvents(provider).join(", ")}`,
    got: show(job.event),
  });
}

function azureRefused() {
  return refused<ExchangeRefusal>({ reason: "issuer_unknown", detail: AZURE_REFUSED });
}

function issuerUnknown() {
  const detail =
    "The token's issuer is not one that this service accepts. Its operator lists issuers in CI_ISSUERS.";
  return refused<ExchangeRefusal>({ reason: "issuer_unknown", detail });
}
