// The exchange of an ID token, against the published wire of each provider: what is sent, what comes of it, each refusal.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startIssuer, type TestIssuer } from "../../fakes/issuer/issuer.ts";
import {
  type ModelHouse,
  type ModelHouseOptions,
  startModelHouse,
} from "../../fakes/model-house/model-house.ts";
import { type House, houses, trusts } from "../../fakes/model-house/trust.ts";
import { systemClock } from "../../src/base/clock.ts";
import { modelProviders } from "../../src/contract/models/providers.ts";
import { exchangeIdToken, type SendExchange } from "../../src/federation/exchange-id-token.ts";
import { FederationError } from "../../src/federation/federation-error.ts";
import { byIdentifier } from "../../src/federation/federation-settings.ts";
import type { ModelFederation } from "../../src/federation/provider.ts";
import { tokenExchanges } from "../../src/federation/providers.ts";

let issuer: TestIssuer;
let house: ModelHouse;
beforeEach(async () => {
  issuer = await startIssuer();
  house = await open();
});
afterEach(async () => {
  await house.close();
  await issuer.close();
});

const open = (trust: ModelHouseOptions["trust"] = {}) => startModelHouse({ issuer, script: [], trust });
const federationOf = (provider: House, changes: Partial<ModelFederation> = {}): ModelFederation => ({
  provider,
  identifiers: trusts[provider].identifiers,
  audience: trusts[provider].audience,
  ...changes,
});
const tokenFor = (audience: string, claims: Record<string, unknown> = {}) =>
  issuer.sign(issuer.githubClaims({ aud: audience, ...claims }));

async function exchange(
  federation: ModelFederation,
  { idToken = tokenFor(federation.audience), send = house.send as SendExchange } = {},
) {
  return await exchangeIdToken(federation, { idToken, send, keep: () => {}, clock: systemClock });
}

async function refusalOf(work: Promise<unknown>): Promise<FederationError> {
  const error = await work.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(error instanceof FederationError)) throw new Error(`Not refused: ${String(error)}`);
  return error;
}

describe("the table of providers", () => {
  it("has a setting for each identifier, and a page, an audience and an address for each provider", () => {
    expect(Object.keys(byIdentifier(({ kind }) => kind))).toEqual([
      "anthropic-federation-rule-id",
      "anthropic-organization-id",
      "anthropic-service-account-id",
      "anthropic-workspace-id",
      "openai-identity-provider-id",
      "openai-service-account-id",
      "openrouter-federation-policy-id",
      "azure-tenant-id",
      "azure-client-id",
      "azure-resource",
      "azure-token-scope",
      "aws-role-arn",
      "aws-region",
      "aws-endpoint",
      "google-workload-identity-provider",
      "google-service-account",
      "google-project-id",
      "google-location",
    ]);
    for (const { exchangeUrl, guideUrl } of Object.values(tokenExchanges)) {
      for (const url of [exchangeUrl({ region: "us-east-1" }), guideUrl])
        expect(new URL(url).protocol).toBe("https:");
    }
  });

  it("agrees with what an administrator of the provider copies", () => {
    for (const provider of houses) {
      const { identifiers, audience } = modelProviders[provider].federation;
      expect(audience).toBe(trusts[provider].audience);
      for (const [field, id] of Object.entries(trusts[provider].identifiers)) {
        expect(identifiers[field]?.pattern.test(id), field).toBe(true);
        expect(identifiers[field]?.pattern.test(`${id} `), field).toBe(false);
      }
    }
  });
});

describe.each(houses)("an exchange at %s", (provider) => {
  it("gives a token with its end, for a token of the audience", async () => {
    const before = Date.now();
    const { accessToken, expiresAt } = await exchange(federationOf(provider));
    const [seen] = house.exchanges;
    expect(seen).toMatchObject({ house: provider, status: 200, reason: null, accessToken });
    expect(seen?.headers.authorization).toBeUndefined();
    expect(expiresAt).toBeGreaterThan(before);
    expect(expiresAt).toBeLessThanOrEqual((seen?.expiresAtMs ?? 0) + 1000);
  });

  it.each([
    ["another audience", { aud: "https://example.com" }, "audience"],
    ["another repository", { sub: "user:mallory" }, "match_subject_prefix"],
    ["an unknown issuer", { iss: "https://issuer.example" }, "issuer"],
  ])("is refused for a token of %s, and tells where the reason is", async (_, claims, reason) => {
    const federation = federationOf(provider);
    // What the job asked for it also got, so that only the provider knows that it is another.
    const audience = "aud" in claims ? String(claims.aud) : federation.audience;
    const idToken = tokenFor(federation.audience, claims);
    const error = await refusalOf(exchange({ ...federation, audience }, { idToken }));
    expect(error.code).toBe("federation_refused");
    expect(error.message).toContain(tokenExchanges[provider].settingsPage);
    expect(error.message).toContain(audience);
    expect(error.message).not.toContain(idToken);
    expect(house.exchanges.at(-1)?.reason).toBe(reason);
  });

  it("is refused for identifiers that are not configured", async () => {
    const own = trusts[provider].identifiers;
    const [field = ""] = Object.keys(own);
    const other = `${own[field]?.slice(0, -1)}0`;
    const error = await refusalOf(
      exchange(federationOf(provider, { identifiers: { ...own, [field]: other } })),
    );
    expect(error.code).toBe("federation_refused");
    expect(house.exchanges.at(-1)?.reason).toBe("identifier_unknown");
  });

  it("takes a token once", async () => {
    const federation = federationOf(provider);
    const idToken = tokenFor(federation.audience);
    await exchange(federation, { idToken });
    expect((await refusalOf(exchange(federation, { idToken }))).code).toBe("federation_refused");
    expect(house.exchanges.at(-1)?.reason).toBe("jti_reused");
  });

  it("quotes what the provider says of a request that it cannot read", async () => {
    const [[field, id] = ["", ""]] = Object.entries(trusts[provider].identifiers);
    const identifiers = { ...trusts[provider].identifiers, no_such_field: "x" };
    const error = await refusalOf(exchange(federationOf(provider, { identifiers })));
    expect(error.code).toBe("federation_request_invalid");
    expect(error.message).toMatch(/no_such_field/);
    expect(error.message).toContain(`${provider}-${field.replaceAll("_", "-")} ${id}`);
  });

  it("does not send a token that has expired, is for another audience, or is too large", async () => {
    const federation = federationOf(provider);
    const { audience } = federation;
    const late = tokenFor(audience, { exp: Math.floor(Date.now() / 1000) - 120 });
    const large = tokenFor(audience, { padding: "x".repeat(20_000) });
    expect((await refusalOf(exchange(federation, { idToken: late }))).code).toBe("federation_token_expired");
    expect((await refusalOf(exchange(federation, { idToken: tokenFor("https://else.example") }))).code).toBe(
      "federation_audience_refused",
    );
    expect((await refusalOf(exchange(federation, { idToken: large }))).code).toBe(
      "federation_token_too_large",
    );
    expect(house.exchanges).toEqual([]);
  });

  it.each([
    [{ type: "status", status: 503, headers: { "retry-after": "7" } }, "federation_unavailable", 7000],
    [{ type: "status", status: 429 }, "federation_unavailable", undefined],
    [{ type: "status", status: 404 }, "federation_identifier_unknown", undefined],
    [{ type: "status", status: 403 }, "federation_account_refused", undefined],
    [{ type: "redirect", location: "https://else.example" }, "federation_answer_invalid", undefined],
    [{ type: "html" }, "federation_answer_invalid", undefined],
    [{ type: "reset" }, "federation_unreachable", undefined],
  ] as const)("knows %j as %s", async (fault, code, retryAfterMs) => {
    house.faults[provider].next(fault);
    const error = await refusalOf(exchange(federationOf(provider)));
    expect(error).toMatchObject({ code, retryAfterMs });
    expect(error.isTransient).toBe(["federation_unavailable", "federation_unreachable"].includes(code));
  });
});

describe("an answer of a token endpoint", () => {
  const answered =
    (status: number, body: unknown): SendExchange =>
    async () => ({
      status,
      headers: () => undefined,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  it.each([
    {},
    { access_token: "", expires_in: 60 },
    { access_token: "with a blank", expires_in: 60 },
    { access_token: "good-enough-token", expires_in: 0 },
    { access_token: "good-enough-token", expires_in: "soon" },
    { access_token: "good-enough-token", expires_in: 60, token_type: "mac" },
    "<html>",
    "null",
  ])("is refused where it is no token: %j", async (body) => {
    const work = exchange(federationOf("openai"), { send: answered(200, body) });
    expect((await refusalOf(work)).code).toBe("federation_answer_invalid");
  });

  it("without an end lasts an hour, and at most a day", async () => {
    const before = Date.now();
    const access_token = "good-enough-token";
    const hour = await exchange(federationOf("openai"), { send: answered(200, { access_token }) });
    const long = await exchange(federationOf("openai"), {
      send: answered(200, { access_token, expires_in: 1e12 }),
    });
    expect(hour.expiresAt - before).toBeLessThan(3_605_000);
    expect(hour.expiresAt - before).toBeGreaterThanOrEqual(3_600_000);
    expect(long.expiresAt - before).toBeLessThan(24 * 3_600_000 + 5_000);
  });

  it("shows no token that a refusal repeats", async () => {
    const federation = federationOf("anthropic");
    const idToken = tokenFor(federation.audience);
    const message = `bad assertion ${idToken} or ${idToken.split(".")[1]}\n::error::injected`;
    const send = answered(400, { error: { type: "invalid_request_error", message } });
    const error = await refusalOf(exchange(federation, { idToken, send }));
    for (const part of [idToken, ...idToken.split(".")]) expect(error.message).not.toContain(part);
    expect(error.message).not.toContain("\n");
  });
});
