// Other providers by which people sign in: an OpenID provider, GitHub; and who opens an account by it. Pure.

import type { Environment } from "../../base/environment.ts";
import { httpUrl, line, matching, secret } from "../../base/settings/kinds.ts";
import { described, kind, readSettings, variablesOf } from "../../base/settings/setting.ts";
import { type Role, roles } from "../../contract/roles.ts";
import type { GroupRoles, IdentityProvider, SignInPolicy, SignUp } from "../core/sign-in/sign-in-policy.ts";

const GITHUB = "https://github.com";
const GITHUB_API = "https://api.github.com";
const GITHUB_JOBS = "https://token.actions.githubusercontent.com";
const DOMAIN = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}$/;

const signUp = kind<SignUp>("closed, open, or domains such as example.com,example.org", (given) => {
  const text = given.toLowerCase();
  if (text === "closed" || text === "open") return { kind: text };
  const domains = text.split(",").map((domain) => domain.trim());
  return domains.every((domain) => DOMAIN.test(domain)) ? { kind: "domains", domains } : undefined;
});

/** RFC 6749 §3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

const scopes = kind<string>("scopes separated by one space each, of which one is openid", (given) => {
  const words = given.split(" ");
  return words.includes("openid") && words.every((word) => SCOPE.test(word)) ? given : undefined;
});

/** A name may have colons, and no comma. */
const roleMap = kind<ReadonlyMap<string, Role>>(
  `groups, each with one of ${roles.join(", ")}, such as platform:admin,*:member; each group once`,
  (given) => {
    const byGroup = new Map<string, Role>();
    for (const entry of given.split(",")) {
      const at = entry.lastIndexOf(":");
      const group = entry.slice(0, Math.max(at, 0)).trim();
      const role = roles.find((one) => one === entry.slice(at + 1).trim());
      if (group === "" || role === undefined || byGroup.has(group)) return undefined;
      byGroup.set(group, role);
    }
    return byGroup;
  },
);

const name = line({ maxChars: 60 });

/** By the names of their environment variables, in the order of the documentation. */
export const signInSettings = {
  SIGN_IN_ISSUER: described({
    kind: httpUrl,
    fallback: null,
    description:
      "An OpenID provider, such as `https://accounts.google.com`. Plain http on this machine only.",
    shownDefault: "none",
  }),
  SIGN_IN_CLIENT_ID: described({
    kind: line({ maxChars: 300 }),
    fallback: null,
    description:
      "What the provider calls this service. Its redirect address is `<WEB_URL>/sign-in/callback/oidc`.",
    shownDefault: "**required** with `SIGN_IN_ISSUER`",
  }),
  SIGN_IN_CLIENT_SECRET: described({
    kind: secret,
    fallback: null,
    description: "The secret that belongs to it.",
    shownDefault: "**required** with `SIGN_IN_ISSUER`",
  }),
  SIGN_IN_SCOPE: described({
    kind: scopes,
    fallback: "openid email profile",
    description: "What is asked of the provider. Some name groups only where a scope asks for them.",
  }),
  SIGN_IN_TITLE: described({
    kind: name,
    fallback: "Single sign-on",
    description: "What people call the provider.",
  }),
  SIGN_IN_GITHUB_CLIENT_ID: described({
    kind: name,
    fallback: null,
    description:
      "The client id of an OAuth app or a GitHub App. Its callback address is `<WEB_URL>/sign-in/callback/github`.",
    shownDefault: "none",
  }),
  SIGN_IN_GITHUB_CLIENT_SECRET: described({
    kind: secret,
    fallback: null,
    description: "The secret that belongs to it.",
    shownDefault: "**required** with `SIGN_IN_GITHUB_CLIENT_ID`",
  }),
  SIGN_IN_GITHUB_URL: described({
    kind: httpUrl,
    fallback: GITHUB,
    description: "The address of a GitHub Enterprise Server.",
  }),
  SIGN_UP: described({
    kind: signUp,
    fallback: { kind: "closed" } as SignUp,
    description:
      "Who gets an account by signing in with a provider the first time: `closed` nobody, who have to link it in the settings of an account; `open` everybody; or domains, for the addresses that `SIGN_IN_ISSUER` has verified.",
    shownDefault: "`closed`",
  }),
  ROLE_MAP: described({
    kind: roleMap,
    fallback: null,
    description:
      "Roles by groups of `SIGN_IN_ISSUER`, such as `platform:admin,*:member`: `*` is everybody whom it signs in. The highest counts. Applied at each sign-in.",
    shownDefault: "none",
  }),
  ROLE_ACCOUNT: described({
    kind: matching("the id of an account", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    fallback: null,
    description: "The account in which they have these roles.",
    shownDefault: "**required** with `ROLE_MAP`",
  }),
  ROLE_CLAIM: described({
    kind: line({ maxChars: 200 }),
    fallback: "groups",
    description: "The claim of the ID token that has the groups: a list of texts, or one text.",
  }),
};

type Values = ReturnType<typeof readSettings<typeof signInSettings>>["values"];

/** Adds a line to `problems` for each setting that is wrong or missing. */
export function readSignInConfig(environment: Environment, problems: string[]): SignInPolicy {
  const { values, problems: faults } = readSettings(signInSettings, variablesOf(environment));
  problems.push(...faults);
  const providers = [oidcOf(values, problems), githubOf(values, problems)].filter((one) => one !== null);
  if (values.SIGN_UP.kind === "domains" && values.SIGN_IN_ISSUER === null) {
    problems.push("SIGN_IN_ISSUER must be set where SIGN_UP names domains: it verifies addresses.");
  }
  if (values.ROLE_MAP !== null && values.SIGN_IN_ISSUER === null) {
    problems.push("SIGN_IN_ISSUER must be set with ROLE_MAP: its groups are meant.");
  }
  return { providers, signUp: values.SIGN_UP };
}

function oidcOf(values: Values, problems: string[]): IdentityProvider | null {
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_CLIENT_ID: clientId, SIGN_IN_CLIENT_SECRET: clientSecret } = values;
  if (issuer === null && clientId === null && clientSecret === null) return null;
  if (issuer === null || clientId === null || clientSecret === null) {
    problems.push("SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID and SIGN_IN_CLIENT_SECRET must be set together.");
    return null;
  }
  const { SIGN_IN_TITLE: title, SIGN_IN_SCOPE: scope } = values;
  if (!isSafe(issuer)) problems.push(`SIGN_IN_ISSUER must be https, got ${JSON.stringify(issuer)}.`);
  return { id: "oidc", title, issuer, clientId, clientSecret, scope, roles: groupRolesOf(values, problems) };
}

const EVERYBODY = "*";

function groupRolesOf(values: Values, problems: string[]): GroupRoles | null {
  const { ROLE_MAP: map, ROLE_ACCOUNT: accountId, ROLE_CLAIM: claim } = values;
  if (map === null && accountId === null) return null;
  if (map === null || accountId === null) {
    problems.push("ROLE_MAP and ROLE_ACCOUNT must be set together.");
    return null;
  }
  const byGroup = new Map([...map].filter(([group]) => group !== EVERYBODY));
  return { claim, accountId, byGroup, ofEverybody: map.get(EVERYBODY) ?? null };
}

function githubOf(values: Values, problems: string[]): IdentityProvider | null {
  const { SIGN_IN_GITHUB_CLIENT_ID: clientId, SIGN_IN_GITHUB_CLIENT_SECRET: clientSecret } = values;
  if (clientId === null && clientSecret === null) return null;
  if (clientId === null || clientSecret === null) {
    problems.push("SIGN_IN_GITHUB_CLIENT_ID and SIGN_IN_GITHUB_CLIENT_SECRET must be set together.");
    return null;
  }
  const webUrl = values.SIGN_IN_GITHUB_URL;
  if (!isSafe(webUrl)) problems.push(`SIGN_IN_GITHUB_URL must be https, got ${JSON.stringify(webUrl)}.`);
  const isCloud = webUrl === GITHUB;
  return {
    id: "github",
    title: "GitHub",
    webUrl,
    clientId,
    clientSecret,
    apiUrl: isCloud ? GITHUB_API : `${webUrl}/api/v3`,
    jobIssuer: isCloud ? GITHUB_JOBS : `${webUrl}/_services/token`,
  };
}

/** Secrets go to it: plain http is for this machine alone. */
function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
