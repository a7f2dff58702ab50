// HashiCorp Vault's JWT auth method: a login that verifies a token by the issuer's keys, found by discovery, and evaluates a role. Fields and
// refusals as published; looked up on 2026-11-29: https://developer.hashicorp.com/vault/api-docs/auth/jwt. No OpenBao or Vault was met.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod/mini";
import { isAlike, type TokenClaims } from "./clouds/trust-documents.ts";
import { readBody, sendJson } from "./code-host/server.ts";
import { readVerified } from "./model-house/subject-token.ts";

const configSchema = z.strictObject({ oidc_discovery_url: z.string(), bound_issuer: z.optional(z.string()) });
const roleSchema = z.strictObject({
  role_type: z.literal("jwt"),
  user_claim: z.string(),
  bound_audiences: z.array(z.string()),
  bound_subject: z.optional(z.string()),
  bound_claims_type: z.optional(z.enum(["string", "glob"])),
  bound_claims: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  token_policies: z.array(z.string()),
  token_ttl: z.string(),
});
type Role = z.output<typeof roleSchema>;

const loginSchema = z.object({ role: z.string(), jwt: z.string() });
const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });

export type Vault = {
  /** Without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
};

type VaultOptions = {
  /** As an administrator writes them. */
  readonly config: unknown;
  readonly roles: Readonly<Record<string, unknown>>;
  /** The address at which this one really listens: names are not resolved here. */
  readonly reach: (url: string) => string;
};

/** The auth method is at `auth/jwt`. */
export async function startVault({ config, roles, reach }: VaultOptions): Promise<Vault> {
  const { oidc_discovery_url: issuer, bound_issuer: bound = issuer } = configSchema.parse(config);
  const known = new Map(Object.entries(roles).map(([name, role]) => [name, roleSchema.parse(role)]));

  const login = async (body: string): Promise<{ readonly status: number; readonly body: unknown }> => {
    const refuse = (why: string) => ({ status: 400, body: { errors: [why] } });
    const asked = loginSchema.safeParse(JSON.parse(body));
    if (!asked.success) return refuse("missing token");
    const { role: name, jwt } = asked.data;
    const role = known.get(name);
    if (role === undefined) return refuse(`role "${name}" could not be found`);
    const found = metadataSchema.parse(
      await (await fetch(reach(`${issuer}/.well-known/openid-configuration`))).json(),
    );
    if (found.issuer !== issuer) return refuse("error checking oidc discovery URL");
    const claims = await readVerified(jwt, reach(found.jwks_uri));
    if (claims === "not_a_jwt" || !claims.isSigned) return refuse("error validating token: no known key");
    if (claims.iss !== bound) return refuse("error validating token: invalid issuer (iss) claim");
    const now = Date.now() / 1000;
    if (!(Number(claims.exp) > now) || Number(claims.nbf) > now + 60)
      return refuse("error validating token: expired");
    const fault = faultOf(role, claims);
    if (fault !== null) return refuse(fault);
    const lease = Number(role.token_ttl.replace(/m$/, "")) * 60;
    const clientToken = `hvs.${randomBytes(24).toString("base64url")}`;
    const { token_policies: policies } = role;
    return {
      status: 200,
      body: { auth: { client_token: clientToken, policies, lease_duration: lease, renewable: true } },
    };
  };

  const server = createServer((request, response) => {
    const isLogin = request.method === "POST" && request.url === "/v1/auth/jwt/login";
    const answered = isLogin
      ? readBody(request).then((body) => login(body.toString()))
      : Promise.resolve({ status: 404, body: { errors: [] } });
    answered.then(
      ({ status, body }) => sendJson(response, status, body),
      () => sendJson(response, 500, { errors: ["internal error"] }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function faultOf(role: Role, claims: TokenClaims): string | null {
  if (![claims.aud].flat().some((one) => role.bound_audiences.includes(String(one))))
    return "error validating token: invalid audience (aud) claim: audience claim does not match any bound audience";
  if (role.bound_subject !== undefined && role.bound_subject !== claims.sub)
    return "error validating token: invalid subject (sub) claim";
  const isMet = (value: string, one: string) =>
    role.bound_claims_type === "glob" ? isAlike(value, one) : value === one;
  const unmet = Object.entries(role.bound_claims).find(
    ([claim, wanted]) =>
      ![claims[claim]].flat().some((value) => [wanted].flat().some((one) => isMet(String(value), one))),
  );
  if (unmet !== undefined)
    return `error validating claims: claim "${unmet[0]}" does not match any associated bound claim values`;
  return typeof claims[role.user_claim] === "string" ? null : `claim "${role.user_claim}" not found in token`;
}
