// The settings of other providers: complete or refused, https, and who opens an account.

import { describe, expect, it } from "vitest";
import { readSignInConfig } from "../../../src/service/settings/sign-in-config.ts";

const oidc = {
  SIGN_IN_ISSUER: "https://id.example/realms/one/",
  SIGN_IN_CLIENT_ID: "service",
  SIGN_IN_CLIENT_SECRET: "secret-0123456789",
};
const ACCOUNT = "01890000-0000-7000-8000-0000000000a0";
const github = { SIGN_IN_GITHUB_CLIENT_ID: "Iv1.0123", SIGN_IN_GITHUB_CLIENT_SECRET: "secret-0123456789" };

const read = (environment: Readonly<Record<string, string>>) => {
  const problems: string[] = [];
  return { ...readSignInConfig(environment, problems), problems };
};

describe("the settings of other providers", () => {
  it("are none, and nobody opens an account", () => {
    expect(read({})).toEqual({ providers: [], signUp: { kind: "closed" }, problems: [] });
  });

  it("name an OpenID provider, and GitHub", () => {
    const { providers, problems } = read({ ...oidc, ...github, SIGN_IN_TITLE: "Acme" });
    expect(problems).toEqual([]);
    expect(providers).toEqual([
      {
        id: "oidc",
        title: "Acme",
        issuer: "https://id.example/realms/one",
        clientId: "service",
        clientSecret: "secret-0123456789",
        scope: "openid email profile",
        roles: null,
      },
      {
        id: "github",
        title: "GitHub",
        webUrl: "https://github.com",
        apiUrl: "https://api.github.com",
        clientId: "Iv1.0123",
        clientSecret: "secret-0123456789",
        jobIssuer: "https://token.actions.githubusercontent.com",
      },
    ]);
  });

  it("know where a GitHub Enterprise Server has its API and its issuer", () => {
    const { providers } = read({ ...github, SIGN_IN_GITHUB_URL: "https://git.example" });
    expect(providers).toMatchObject([
      { apiUrl: "https://git.example/api/v3", jobIssuer: "https://git.example/_services/token" },
    ]);
  });

  it("say who opens an account", () => {
    expect(read({ ...oidc, SIGN_UP: "Open" }).signUp).toEqual({ kind: "open" });
    expect(read({ ...oidc, SIGN_UP: "example.com, Example.ORG" }).signUp).toEqual({
      kind: "domains",
      domains: ["example.com", "example.org"],
    });
  });

  it("say which groups have which role, in which account", () => {
    const map = { ROLE_MAP: "platform:admin, urn:acme:ops:owner,*:member", ROLE_ACCOUNT: ACCOUNT };
    const { providers, problems } = read({ ...oidc, ...map, SIGN_IN_SCOPE: "openid groups" });
    expect(problems).toEqual([]);
    const byGroup = new Map([
      ["platform", "admin"],
      ["urn:acme:ops", "owner"],
    ]);
    const roles = { claim: "groups", accountId: ACCOUNT, byGroup, ofEverybody: "member" };
    expect(providers).toMatchObject([{ scope: "openid groups", roles }]);
    expect(
      read({ ...oidc, ...map, ROLE_MAP: "a:viewer", ROLE_CLAIM: "https://acme/roles" }).providers,
    ).toMatchObject([{ roles: { claim: "https://acme/roles", ofEverybody: null } }]);
  });

  it.each(["platform", "platform:chief", ":admin", "a:admin,", "a:admin,a:viewer", "a:Admin", ","])(
    "refuse the map %j",
    (ROLE_MAP) => {
      const { problems } = read({ ...oidc, ROLE_ACCOUNT: ACCOUNT, ROLE_MAP });
      expect(problems.join("\n")).toContain("ROLE_MAP must be groups, each with one of");
    },
  );

  it.each([
    [{ ...oidc, ROLE_MAP: "a:admin" }, "ROLE_MAP and ROLE_ACCOUNT must be set together"],
    [{ ...oidc, ROLE_ACCOUNT: ACCOUNT }, "ROLE_MAP and ROLE_ACCOUNT must be set together"],
    [{ ROLE_MAP: "a:admin", ROLE_ACCOUNT: ACCOUNT }, "SIGN_IN_ISSUER must be set with ROLE_MAP"],
    [{ ...oidc, ROLE_MAP: "a:admin", ROLE_ACCOUNT: "acme" }, "ROLE_ACCOUNT must be the id of an account"],
    [{ ...oidc, SIGN_IN_SCOPE: "groups" }, "SIGN_IN_SCOPE must be scopes"],
    [{ ...oidc, SIGN_IN_SCOPE: "openid  groups" }, "SIGN_IN_SCOPE must be scopes"],
    [{ SIGN_IN_ISSUER: "https://id.example" }, "must be set together"],
    [{ SIGN_IN_GITHUB_CLIENT_ID: "x" }, "must be set together"],
    [{ ...oidc, SIGN_IN_ISSUER: "http://id.example" }, "SIGN_IN_ISSUER must be https"],
    [{ ...github, SIGN_IN_GITHUB_URL: "http://git.example" }, "SIGN_IN_GITHUB_URL must be https"],
    [{ SIGN_UP: "@example.com" }, "SIGN_UP must be closed, open, or domains"],
    [{ SIGN_UP: "example.com" }, "SIGN_IN_ISSUER must be set where SIGN_UP names domains"],
  ])("are refused: %j", (environment, problem) => {
    const { problems } = read(environment as Record<string, string>);
    expect(problems.join("\n")).toContain(problem);
    expect(problems.join("\n")).not.toContain("secret-0123456789");
  });
});
