// The operator's policy of signing in: other providers that prove who somebody is, and who may open an account by them. Pure.

import { isAtLeast, type Role } from "../../../contract/roles.ts";
import type { Membership } from "../accounts/person.ts";
import type { IdentityKind } from "./identity.ts";

declare module "../core.ts" {
  interface Policy {
    /** By which other providers people sign in, and who opens an account by it. */
    readonly signIn: SignInPolicy;
  }
}

type Registered = {
  /** In the addresses of the pages. */
  readonly id: IdentityKind;
  /** Its name for people. */
  readonly title: string;
  readonly clientId: string;
  readonly clientSecret: string;
};

type OidcProvider = Registered & {
  readonly id: "oidc";
  readonly issuer: string;
  /** Of the request, separated by spaces. */
  readonly scope: string;
  /** Null: it decides no role. */
  readonly roles: GroupRoles | null;
};

/** The roles that the groups of whoever signs in give them, in one account. */
export type GroupRoles = {
  /** Of the ID token: a list of groups. */
  readonly claim: string;
  readonly accountId: string;
  readonly byGroup: ReadonlyMap<string, Role>;
  /** Of everybody whom the provider signs in. Null: none. */
  readonly ofEverybody: Role | null;
};

/** GitHub is no OpenID provider for people: its OAuth, then a request for who they are. */
export type GithubProvider = Registered & {
  readonly id: "github";
  readonly webUrl: string;
  readonly apiUrl: string;
  /** The issuer of its jobs' tokens: repositories of its jobs have the ids of its API. */
  readonly jobIssuer: string;
};

export type IdentityProvider = OidcProvider | GithubProvider;

/** Who gets an account by signing in the first time. "domains": by an address that the provider has verified. */
export type SignUp =
  | { readonly kind: "closed" | "open" }
  | { readonly kind: "domains"; readonly domains: readonly string[] };

export type SignInPolicy = { readonly providers: readonly IdentityProvider[]; readonly signUp: SignUp };

/** Where a provider decides roles by groups, a session of whom it signs in ends after this time, and they come by it again. */
export const GROUP_SESSION_MS = 12 * 60 * 60 * 1000;

/** The highest role that the groups give. Null: none does. */
export function roleOfGroups({ byGroup, ofEverybody }: GroupRoles, groups: readonly string[]): Role | null {
  let highest = ofEverybody;
  for (const group of groups) {
    const role = byGroup.get(group) ?? null;
    if (role !== null && (highest === null || isAtLeast(role, highest))) highest = role;
  }
  return highest;
}

/** Whether the provider decides it at each sign-in: no other way leads there, but for the operator's link. */
export function isByGroups(policy: SignInPolicy, { accountId, source }: Membership): boolean {
  const decided = policy.providers.some((one) => one.id === "oidc" && one.roles?.accountId === accountId);
  return decided && source === "groups";
}

/** RFC 5321 §4.1.2 without quoted local parts and address literals, and in ASCII: mail programs disagree about the rest. */
const ADDRESS =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@((?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d](?:[a-z\d-]*[a-z\d])?)$/;
const MAX_ADDRESS_CHARS = 254;

export const noProviders: SignInPolicy = { providers: [], signUp: { kind: "closed" } };

/** Whether somebody with this verified address opens an account. */
export function maySignUp(signUp: SignUp, email: string | null): boolean {
  switch (signUp.kind) {
    case "closed":
      return false;
    case "open":
      return true;
    case "domains":
      return signUp.domains.includes(domainOf(email) ?? "");
  }
}

/** Null where the address is not one that every program reads in the same way. */
function domainOf(email: string | null): string | null {
  if (email === null || email.length > MAX_ADDRESS_CHARS) return null;
  return ADDRESS.exec(email.toLowerCase())?.[1] ?? null;
}
