// Token exchange (RFC 8693) at the token endpoint: a CI job's ID token for an access token of its repository's owner. By
// itself, without the library: a job is no client that registers.
// Why: docs/decisions/072-tokens-for-jobs.md

import { ok, type Result, refused } from "../../../base/result.ts";
import { ACCESS_TOKEN_TYPE, ID_TOKEN_TYPE } from "../../../contract/ci/exchange.ts";
import { type ApiScope, apiScopes, defaultScopes } from "../../../contract/oauth/scopes.ts";
import { mintToken } from "../../core/ci/mint-token.ts";
import type { ExchangeRefusal, MintRefusal } from "../../core/ci/refusals.ts";
import type { RateRefusal } from "../../core/limits/refusals.ts";
import { isOwnResource } from "../../core/oauth/resource.ts";
import type { FaceContext, FaceParts } from "../http/face.ts";
import { chargeExchange } from "../shared/admit-caller.ts";
import { toProblem } from "../shared/problems/to-problem.ts";

/** As long as a Git object's name may be. */
const MAX_SHA_CHARS = 64;
/** RFC 6749 §5.2: what a description cannot hold. */
const UNSHOWN = /[^\x20-\x21\x23-\x5B\x5D-\x7E]/g;

/** RFC 6749 §5.2 and RFC 8693 §2.2.2: a subject token that is wrong, or not enough, is an invalid request. */
type ExchangeFault = {
  readonly error: "invalid_request" | "invalid_scope" | "invalid_target";
  readonly reason: string;
  readonly detail: string;
};

type Asked = {
  readonly subjectToken: string;
  readonly scopes: readonly ApiScope[];
  readonly sha: string | null;
};

export async function answerExchange(
  context: FaceContext,
  { core, exchangeRatePerMinute }: FaceParts,
  form: URLSearchParams,
): Promise<Response> {
  const address = context.get("address");
  const excess = chargeExchange(core, { address, perMinute: exchangeRatePerMinute });
  if (excess !== null) return answerRefusal(context, excess);
  const asked = readExchange(form, core.policy.baseUrl);
  if (!asked.ok) return answerFault(context, asked.refusal);
  const { subjectToken, scopes, sha } = asked.value;
  const requestId = context.get("requestId");
  const minted = await mintToken(core, { subjectToken, scopes, statement: { sha }, requestId });
  if (!minted.ok) return answerRefusal(context, minted.refusal);
  keepOut(context);
  return context.json({
    access_token: minted.value.accessToken,
    issued_token_type: ACCESS_TOKEN_TYPE,
    token_type: "Bearer",
    expires_in: Math.floor(minted.value.expiresInMs / 1000),
    scope: minted.value.scopes.join(" "),
  });
}

/** The request in the form. Parameters that no exchange has are ignored, as RFC 6749 says; a `client_id` is one. */
function readExchange(form: URLSearchParams, baseUrl: string): Result<Asked, ExchangeFault> {
  const once = ["subject_token", "subject_token_type", "requested_token_type", "scope", "sha", "grant_type"];
  const repeated = once.find((name) => form.getAll(name).length > 1);
  if (repeated !== undefined) return invalid("parameter_repeated", `${repeated} is there more than once.`);
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
  const sha = form.get("sha");
  if (sha !== null && sha.length > MAX_SHA_CHARS) return invalid("sha_malformed", "sha is too long.");
  const targets = [...form.getAll("resource"), ...form.getAll("audience")];
  if (!targets.every((target) => isOwnResource(baseUrl, target))) {
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

function answerRefusal(context: FaceContext, refusal: MintRefusal | ExchangeRefusal | RateRefusal): Response {
  switch (refusal.reason) {
    case "rate_limited":
    case "keys_unavailable": {
      const { message, status, retryAfterSeconds = 1 } = toProblem(refusal);
      context.header("Retry-After", String(retryAfterSeconds));
      const fault = { error: "temporarily_unavailable", reason: refusal.reason, detail: message } as const;
      return answer(context, fault, status === 429 ? 429 : 503);
    }
    default:
      return answerFault(context, { error: "invalid_request", ...refusal });
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
