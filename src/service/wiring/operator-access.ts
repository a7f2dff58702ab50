// The operator's own account at a model's provider: the identity token that the platform keeps in a file or gives when it is asked, exchanged at
// the first request of the model and whenever the access token is about to end.

import { readFile, stat } from "node:fs/promises";
import type { RetryNotice } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import type { Logger } from "../../base/log.ts";
import { clouds } from "../../contract/models/clouds.ts";
import { type ApiPlace, federationOf } from "../../contract/models/federations.ts";
import { openFederatedAccess } from "../../federation/federated-access.ts";
import { FederationError } from "../../federation/federation-error.ts";
import { fetchExchange } from "../../federation/fetch-exchange.ts";
import { ownModelToken } from "../../federation/platforms/own-models.ts";
import { platformToken } from "../../federation/platforms/platform-token.ts";
import type { FederatedAccess } from "../../federation/provider.ts";
import { openRenewedToken } from "../../federation/renewed-token.ts";
import { usableToken } from "../../federation/usable-token.ts";
import type { IdentitySource, ModelIdentity, PlatformTokenSource } from "../settings/model-identity.ts";

const MAX_FILE_BYTES = 64 * 1024;
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

type OperatorAccessParts = {
  readonly identity: ModelIdentity;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
};

/** Reads and sends nothing until a token is asked for. */
export function openOperatorAccess({ identity, ...parts }: OperatorAccessParts): FederatedAccess {
  const { place, tokens } = identity;
  const { clock, random, log } = parts;
  const { title } = federationOf(place.provider);
  const renewed = {
    clock,
    random: () => random.fraction(),
    onRetry: ({ attempt, delayMs, error }: RetryNotice) =>
      log.warn({ attempt, delay_ms: delayMs, reason: error.message }, `${title} gave no token, trying again`),
  };
  if (tokens.kind === "own") return ownAccess(place, { ...renewed, tokens });
  const { federation, source } = tokens;
  return openFederatedAccess({
    ...renewed,
    federation,
    // Replaced by the platform in a time of its own: until then it may be exchanged again where the provider allows that.
    isReusable: true,
    mintIdToken: async () => await identityToken(source, federation.audience),
    send: fetchExchange,
    onSecret: () => {},
  });
}

function ownAccess(
  { provider, identifiers }: ApiPlace,
  {
    tokens: { cloud, environment },
    ...renewed
  }: Pick<Parameters<typeof openRenewedToken>[0], "clock" | "random" | "onRetry"> & {
    readonly tokens: Extract<PlatformTokenSource, { kind: "own" }>;
  },
): FederatedAccess {
  const known = new Set<string>();
  const exchange = async () => {
    const nowMs = renewed.clock.now();
    const token = usableToken(await ownModelToken(cloud, { identifiers, environment, nowMs }), nowMs);
    if (token === null) {
      const { platform, title } = clouds[cloud];
      throw new FederationError({
        code: "federation_answer_invalid",
        message: `MODEL_IDENTITY=${platform} gave no token that can be used for ${title}: its credentials have ended, or its answer is none of the platform's.`,
      });
    }
    known.add(token.accessToken);
    return token;
  };
  const { current } = openRenewedToken({ ...renewed, exchange });
  const token = async (signal?: AbortSignal) => (await current(signal)).accessToken;
  return { provider, identifiers, token, known: () => [...known] };
}

/** Rejects with FederationError, which says what to change. */
async function identityToken(source: IdentitySource, audience: string): Promise<string> {
  if (source.kind === "file") return await readIdentityToken(source.tokenFile);
  const token = await platformToken(source.kind, { audience, environment: source.environment });
  if (COMPACT.test(token)) return token;
  throw new FederationError({
    code: "federation_token_missing",
    message: `MODEL_IDENTITY=${source.kind} gave an answer that is no ID token for the audience ${JSON.stringify(audience)}. Set MODEL_AUDIENCE to what the platform makes ID tokens for.`,
  });
}

/** Rejects with FederationError, which names the file. */
async function readIdentityToken(path: string): Promise<string> {
  const token = await readSmall(path).catch((cause: unknown) => {
    const why = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw missing(
      `The file of MODEL_IDENTITY_TOKEN_FILE, ${JSON.stringify(path)}, cannot be read${why}.`,
      cause,
    );
  });
  if (COMPACT.test(token)) return token;
  throw missing(`The file of MODEL_IDENTITY_TOKEN_FILE, ${JSON.stringify(path)}, holds no identity token.`);
}

async function readSmall(path: string): Promise<string> {
  if ((await stat(path)).size > MAX_FILE_BYTES) return "";
  return (await readFile(path, "utf8")).trim();
}

function missing(what: string, cause?: unknown): FederationError {
  const message = `${what} Let the platform mount one for this process.`;
  return new FederationError({ code: "federation_token_missing", message, cause });
}
