// A CI job's ID token at the token endpoint, for an access token of its repository's owner: by token exchange (RFC 8693), or as the grant
// itself (RFC 7523), as MCP clients send it. Without the library: a job is no client that registers.
// Why: docs/decisions/072-tokens-for-jobs.md, docs/decisions/174-a-job-is-a-client-of-the-mcp-server.md

import { ok, type Result, refused } from "../../../base/result.ts";
import { ACCESS_TOKEN_TYPE, ID_TOKEN_TYPE } from "../../../contract/ci/exchange.ts";
import { type ApiScope, apiScopes, defaultScopes } from "../../../contract/oauth/scopes.ts";
import { mintToken } from "../../core/ci/mint-token.ts";
import type { ExchangeRefusal, MintRefusal } from "../../core/ci/refusals.ts";
import type { RateRefusal } from "../../core/limits/refusals.ts";
import { baseAskedBy, isOwnResource } from "../../core/oauth/resource.ts";
import type { FaceContext, FaceParts } from "../http/face.ts";
import { chargeExchange } from "../shared/admit-caller.ts";
import { toProblem } from "../shared/problems/to-problem.ts";

/** As long as a Git object's name may be. */
const MAX_SHA_CHARS = 64;
/** RFC 6749 §5.2: what a description cannot hold. */
const UNSHOWN = /[^\x20-\x21\x23-\x5B\x5D-\x7E]/g;

/**
 * RFC 6749 §5.2. A subject token that is wrong, or not enough, is an invalid request (RFC 8693 §2.2.2), an assertion an invalid grant
 * (RFC 7523 §3.1).
 */
type ExchangeFault = {
  readonly error: "invalid_request" | "invalid_grant" | "invalid_scope" | "invalid_target";
  readonly reason: string;
  readonly detail: string;
};

type Asked = {
  readonly subjectToken: string;
  readonly scopes: readonly ApiScope[];
  readonly sha: string | null;
};

/** The two grants: which tokens they take, and what they answer. */
type JobGrant = {
  readonly error: "invalid_request" | "invalid_grant";
  /** Who the ID token is made for. Undefined: the service's audience for jobs. */
  readonly audience: string | undefined;
  readonly answered: Readonly<Record<string, string>>;
  readonly read: (form: URLSearchParams, baseUrl: string) => Result<Asked, ExchangeFault>;
};

const exchangeGrant: JobGrant = {
  error: "invalid_request",
  audience: undefined,
  answered: { issued_token_type: ACCESS_TOKEN_TYPE },
  read: readExchange,
};

export async function answerExchange(
  context: FaceContext,
  parts: FaceParts,
  form: URLSearchParams,
): Promise<Response> {
  return await answerGrant(context, parts, { form, grant: exchangeGrant });
}

/** The ID token is made for the issuer, by the name that the job has asked it by. */
export async function answerAssertion(
  context: FaceContext,
  parts: FaceParts,
  form: URLSearchParams,
): Promise<Response> {
  const audience = baseAskedBy(parts.core.policy.baseUrl, context.req.header("host"));
  const grant: JobGrant = { error: "invalid_grant", audience, answered: {}, read: readAssertion };
  return await answerGrant(context, parts, { form, grant });
}

async function answerGrant(
  context: FaceContext,
  { core, exchangeRatePerMinute }: FaceParts,
  { form, grant }: { readonly form: URLSearchParams; readonly grant: JobGrant },
): Promise<Response> {
  const { error, audience } = grant;
  const address = context.get("address");
  const excess = chargeExchange(core, { address, perMinute: exchangeRatePerMinute });
  if (excess !== null) return answerRefusal(context, excess, error);
  const asked = grant.read(form, core.policy.baseUrl);
  if (!asked.ok) return answerFault(context, asked.refusal);
  const { subjectToken, scopes, sha } = asked.value;
  const requestId = context.get("requestId");
  const minted = await mintToken(core, {
    subjectToken,
    scopes,
    statement: { sha },
    requestId,
    ...(audience === undefined ? {} : { audience }),
  });
  if (!minted.ok) return answerRefusal(context, minted.refusal, error);
  keepOut(context);
  return context.json({
    access_token: minted.value.accessToken,
    ...grant.answered,
    token_type: "Bearer",
    expires_in: Math.floor(minted.value.expiresInMs / 1000),
    scope: minted.value.scopes.join(" "),
  });
}

/** The request in the form. Parameters that no exchange has are ignored, as RFC 6749 says; a `client_id` is one. */
function readExchange(form: URLSearchParams, baseUrl: string): Result<Asked, ExchangeFault> {
  const repeated = findRepeated(form, ["subject_token", "subject_token_type", "requested_token_type"]);
  if (repeated !== null) return repeated;
  const subjectToken = form.get("subject_token") ?? "";
  if (subjectToken === "") return invalid("token_missing", "Send the job's ID token as subject_token.");
  if (form.get("subject_token_type") !== ID_TOKEN_TYPE) {
    return invalid("token_type_unsupported", `subject_token_type must be ${ID_TOKEN_TYPE}.`);
  }
  if ((form.get("requested_token_type") ?? ACCESS_TOKEN_TYPE) !== ACCESS_TOKEN_TYPE) {
    return invalid(
      "token_type_unsupported",
      `requested_token_type must be ${ACCESS_TOKEN_TYPE}, or left out.`,
    );
  }
  if (form.has("actor_token")) return invalid("actor_unsupported", "A job acts for nobody: no actor_token.");
  return readTerms(form, { baseUrl, subjectToken, targets: form.getAll("audience") });
}

/** Without a client: neither its id nor anything to prove it by is read. */
function readAssertion(form: URLSearchParams, baseUrl: string): Result<Asked, ExchangeFault> {
  const repeated = findRepeated(form, ["assertion"]);
  if (repeated !== null) return repeated;
  const subjectToken = form.get("assertion") ?? "";
  if (subjectToken === "") return invalid("token_missing", "Send the job's ID token as assertion.");
  return readTerms(form, { baseUrl, subjectToken, targets: [] });
}

function findRepeated(form: URLSearchParams, names: readonly string[]): Result<never, ExchangeFault> | null {
  const repeated = [...names, "scope", "sha", "grant_type"].find((name) => form.getAll(name).length > 1);
  return repeated === undefined
    ? null
    : invalid("parameter_repeated", `${repeated} is there more than once.`);
}

type Terms = Pick<Asked, "subjectToken"> & { readonly baseUrl: string; readonly targets: readonly string[] };

/** The part of a request that both grants have. */
function readTerms(
  form: URLSearchParams,
  { baseUrl, subjectToken, targets }: Terms,
): Result<Asked, ExchangeFault> {
  const sha = form.get("sha");
  if (sha !== null && sha.length > MAX_SHA_CHARS) return invalid("sha_malformed", "sha is too long.");
  if (![...form.getAll("resource"), ...targets].every((target) => isOwnResource(baseUrl, target))) {
    const detail = "resource and audience must be this service, or left out.";
    return refused({ error: "invalid_target", reason: "target_foreign", detail });
  }
  const scopes = scopesOf(form.get("scope") ?? "");
  if (scopes === null) {
    const detail = `scope may name only ${apiScopes.join(", ")}.`;
    return refused({ error: "invalid_scope", reason: "scope_excess", detail });
  }
  return ok({ subjectToken, scopes, sha });
}

/** Null where one is no scope of the API. */
function scopesOf(text: string): readonly ApiScope[] | null {
  const named = text.split(" ").filter((name) => name !== "");
  if (named.length === 0) return defaultScopes;
  const known: readonly string[] = apiScopes;
  if (!named.every((name) => known.includes(name))) return null;
  return apiScopes.filter((name) => named.includes(name));
}

function invalid(reason: string, detail: string): Result<never, ExchangeFault> {
  return refused({ error: "invalid_request", reason, detail });
}

function answerRefusal(
  context: FaceContext,
  refusal: MintRefusal | ExchangeRefusal | RateRefusal,
  error: JobGrant["error"],
): Response {
  switch (refusal.reason) {
    case "rate_limited":
    case "keys_unavailable": {
      const { message, status, retryAfterSeconds = 1 } = toProblem(refusal);
      context.header("Retry-After", String(retryAfterSeconds));
      const fault = { error: "temporarily_unavailable", reason: refusal.reason, detail: message } as const;
      return answer(context, fault, status === 429 ? 429 : 503);
    }
    default:
      return answerFault(context, { error, ...refusal });
  }
}

function answerFault(context: FaceContext, fault: ExchangeFault): Response {
  return answer(context, fault, 400);
}

type Shown = { readonly error: string; readonly reason: string; readonly detail: string };

function answer(context: FaceContext, { error, reason, detail }: Shown, status: 400 | 429 | 503): Response {
  keepOut(context);
  const error_description = detail.replaceAll('"', "'").replace(UNSHOWN, "?");
  return context.json({ error, error_description, reason }, status);
}

/** Of every cache. */
function keepOut(context: FaceContext): void {
  context.header("Cache-Control", "no-store");
  context.header("Pragma", "no-cache");
}
