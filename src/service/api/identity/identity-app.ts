// The issuer of runs' ID tokens over HTTP: its metadata and its public keys, which clouds read without a credential.
// https://openid.net/specs/openid-connect-discovery-1_0.html

import { Hono } from "hono";
import { issuerOf, publishedKeys } from "../../core/run-identity/identity-keys.ts";
import { allowEveryOrigin } from "../http/cors.ts";
import { type FaceContext, type FaceEnv, type FaceParts, prepareFace } from "../http/face.ts";

const identityPaths = {
  metadata: "/id/.well-known/openid-configuration",
  keys: "/id/jwks",
} as const;

/** Verifiers keep keys for so long: less than a key is published before it signs. */
const CACHE = "public, max-age=300";

export function identityApp({ core }: FaceParts): Hono<FaceEnv> {
  const app = new Hono<FaceEnv>();
  prepareFace(app);
  app.use(allowEveryOrigin());
  app.get(identityPaths.metadata, async (context) => {
    if (core.identity.sealingKeys === null) return off(context);
    const issuer = issuerOf(core);
    return answer(context, {
      issuer,
      jwks_uri: `${core.policy.baseUrl}${identityPaths.keys}`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      claims_supported: claims,
    });
  });
  app.get(identityPaths.keys, async (context) => {
    const keys = await publishedKeys(core);
    return keys === null ? off(context) : answer(context, { keys: keys.map((key) => JSON.parse(key)) });
  });
  return app;
}

const claims = [
  "iss",
  "sub",
  "aud",
  "iat",
  "nbf",
  "exp",
  "jti",
  "repository",
  "repository_id",
  "repository_owner",
  "repository_owner_id",
  "agent",
  "agent_id",
  "run_id",
  "parent_run_id",
  "session_id",
  "origin",
  "trust",
  "event_name",
  "actor",
  "actor_id",
  "ref",
  "sha",
  "ci_issuer",
  "ci_run_id",
  "ci_workflow_ref",
];

function answer(context: FaceContext, body: object): Response {
  context.header("cache-control", CACHE);
  return context.json(body);
}

function off(context: FaceContext): Response {
  return context.json(
    { error: "This service vouches for no run: its operator has set no RUN_SECRETS_KEY." },
    404,
  );
}
