// The protocol with a provider of identities: OpenID Connect, and GitHub's OAuth. By code, with PKCE, state and nonce.

import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  Configuration,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
} from "openid-client";
import * as z from "zod/mini";
import type { Core } from "../../core/core.ts";
import type { ProvenIdentity } from "../../core/sign-in/identity.ts";
import type { GithubProvider, GroupRoles, IdentityProvider } from "../../core/sign-in/sign-in-policy.ts";

const SECRET_BYTES = 32;
const TIMEOUT_SECONDS = 10;
const MAX_NAME_CHARS = 200;

/** The state that the browser which began has to bring back. */
type AuthorizationState = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
};

export type ProvenPersonOf = {
  readonly identity: ProvenIdentity;
  /** An address that the provider has verified; null where it says of none. */
  readonly email: string | null;
  /** At the provider, where they give roles; none elsewhere. */
  readonly groups: readonly string[] | "unreadable";
  /** Of GitHub, for one request; null elsewhere. Never stored. */
  readonly accessToken: string | null;
};

const MAX_GROUPS = 10_000;
const groupsSchema = z.union([z.string(), z.array(z.string()).check(z.maxLength(MAX_GROUPS))]);
const githubUserSchema = z.object({ id: z.int(), login: z.string() });
const githubRepositorySchema = z.object({
  id: z.int(),
  permissions: z.optional(z.object({ admin: z.boolean() })),
});

/** The address that the browser goes to, and the state that has to come back. Throws when the provider does not answer. */
export async function beginAuthorization(
  core: Core,
  provider: IdentityProvider,
): Promise<{ url: string; expected: AuthorizationState }> {
  const configuration = await configurationOf(provider);
  const [state, nonce, verifier] = [secretOf(core), secretOf(core), secretOf(core)];
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl(core, provider),
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    // GitHub names its users without a scope.
    ...(provider.id === "oidc" ? { scope: provider.scope, nonce } : {}),
  });
  return { url: url.href, expected: { state, nonce, verifier } };
}

/** Who came back with this query. Throws for every answer that is not of the request, or not as it must be. */
export async function finishAuthorization(
  core: Core,
  provider: IdentityProvider,
  answer: { query: string; expected: AuthorizationState },
): Promise<ProvenPersonOf> {
  const { state, nonce, verifier } = answer.expected;
  const configuration = await configurationOf(provider);
  const tokens = await authorizationCodeGrant(configuration, callbackOf(core, provider, answer.query), {
    expectedState: state,
    pkceCodeVerifier: verifier,
    ...(provider.id === "oidc" ? { expectedNonce: nonce, idTokenExpected: true } : {}),
  });
  if (provider.id === "github") return await githubUser(provider, tokens.access_token);
  const claims = tokens.claims();
  if (claims === undefined) throw new TypeError("The provider sent no ID token.");
  const email = claims.email_verified === true && typeof claims.email === "string" ? claims.email : null;
  const shown = [claims.email, claims.preferred_username, claims.name, claims.sub];
  const name = shown.find((one) => typeof one === "string") ?? claims.sub;
  return {
    identity: { kind: "oidc", issuer: claims.iss, subject: claims.sub, name: cut(String(name)) },
    email,
    groups: provider.roles === null ? [] : groupsOf(claims, provider.roles),
    accessToken: null,
  };
}

/**
 * The groups of somebody: a list of texts, or one text; none where the provider leaves the claim out. A provider that names too
 * many for a token says where they are instead (OpenID Connect Core §5.6.2): taken for none, they would cost people their role.
 */
function groupsOf(
  claims: Readonly<Record<string, unknown>>,
  { claim }: Pick<GroupRoles, "claim">,
): readonly string[] | "unreadable" {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (value === undefined || value === null) {
    const elsewhere = claims._claim_names;
    const isElsewhere =
      typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, claim);
    return isElsewhere ? "unreadable" : [];
  }
  const read = z.safeParse(groupsSchema, value);
  return read.success ? [read.data].flat() : "unreadable";
}

/** Whether the holder of the token administers the repository with this id, now. Repositories that it does not see: no. */
export async function administersRepository(
  provider: GithubProvider,
  { token, repositoryId }: { token: string; repositoryId: string },
): Promise<boolean> {
  if (!/^\d{1,20}$/.test(repositoryId)) return false;
  const answer = await askGithub(provider, { token, path: `/repositories/${repositoryId}` });
  if (answer.status !== 200) return false;
  const repository = z.safeParse(githubRepositorySchema, await answer.json());
  return (
    repository.success &&
    String(repository.data.id) === repositoryId &&
    repository.data.permissions?.admin === true
  );
}

async function githubUser(provider: GithubProvider, token: string): Promise<ProvenPersonOf> {
  const answer = await askGithub(provider, { token, path: "/user" });
  if (answer.status !== 200) throw new TypeError(`GitHub's API answered ${answer.status}.`);
  const { id, login } = z.parse(githubUserSchema, await answer.json());
  const identity = {
    kind: "github",
    issuer: provider.webUrl,
    subject: String(id),
    name: cut(login),
  } as const;
  return { identity, email: null, groups: [], accessToken: token };
}

/** A redirect would take the token elsewhere. */
async function askGithub(
  { apiUrl }: GithubProvider,
  { token, path }: { token: string; path: string },
): Promise<Response> {
  return await fetch(apiUrl + path, {
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "agent-service",
    },
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
  });
}

async function configurationOf(provider: IdentityProvider): Promise<Configuration> {
  const { clientId, clientSecret } = provider;
  if (provider.id === "github") {
    const { webUrl } = provider;
    const server = {
      issuer: webUrl,
      authorization_endpoint: `${webUrl}/login/oauth/authorize`,
      token_endpoint: `${webUrl}/login/oauth/access_token`,
    };
    const configuration = new Configuration(server, clientId, clientSecret);
    configuration.timeout = TIMEOUT_SECONDS;
    if (isPlain(webUrl)) allowInsecureRequests(configuration);
    return configuration;
  }
  // Asked each time: people sign in rarely, and its keys and endpoints may change.
  return await discovery(new URL(provider.issuer), clientId, clientSecret, undefined, {
    timeout: TIMEOUT_SECONDS,
    execute: [
      // Its signature too, beside the connection that it came by.
      enableNonRepudiationChecks,
      ...(isPlain(provider.issuer) ? [allowInsecureRequests] : []),
    ],
  });
}

/** The settings allow plain http on this machine only. */
function isPlain(url: string): boolean {
  return url.startsWith("http:");
}

function callbackUrl({ policy }: Core, { id }: IdentityProvider): string {
  return `${policy.webUrl}/sign-in/callback/${id}`;
}

/** An issuer that GitHub names of itself is not the one of its endpoints; each provider has its own callback. */
function callbackOf(core: Core, provider: IdentityProvider, query: string): URL {
  const url = new URL(callbackUrl(core, provider) + query);
  if (provider.id === "github") url.searchParams.delete("iss");
  return url;
}

function secretOf({ random }: Core): string {
  return Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url");
}

function cut(name: string): string {
  return name.slice(0, MAX_NAME_CHARS);
}
