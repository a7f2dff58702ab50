// The exchanges of the clouds, step by step, against fakes that verify the token, evaluate the trust and compute the signature again.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CloudFake } from "../../fakes/clouds/cloud.ts";
import {
  type CloudSettings,
  cloudTrusts,
  type PlayedCloud,
  playedClouds,
} from "../../fakes/clouds/clouds.ts";
import { startIssuer, type TestIssuer } from "../../fakes/issuer/issuer.ts";
import { type ModelHouse, startModelHouse } from "../../fakes/model-house/model-house.ts";
import { say } from "../../fakes/model-server/turn.ts";
import { systemClock } from "../../src/base/clock.ts";
import { apiOfModel, federationOf } from "../../src/contract/models/federations.ts";
import { exchangeIdToken, type SendExchange } from "../../src/federation/exchange-id-token.ts";
import { openFederatedAccess } from "../../src/federation/federated-access.ts";
import { FederationError } from "../../src/federation/federation-error.ts";
import type { ModelFederation } from "../../src/federation/provider.ts";
import { rawPredict } from "../../src/federation/raw-predict.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";

let issuer: TestIssuer;
let house: ModelHouse;
beforeEach(async () => {
  issuer = await startIssuer();
});
afterEach(async () => {
  await house.close();
  await issuer.close();
});

async function open(clouds: CloudSettings = {}): Promise<void> {
  house = await startModelHouse({ issuer, script: [say("yes")], clouds });
}

function federationOfCloud(
  cloud: PlayedCloud,
  changes: Readonly<Record<string, string>> = {},
): ModelFederation {
  const { identifiers, audience } = cloudTrusts[cloud];
  return { provider: cloud, identifiers: { ...identifiers, ...changes }, audience };
}

const played = (cloud: PlayedCloud): CloudFake => {
  const found = house.clouds.find(({ name }) => name === cloud);
  if (found === undefined) throw new Error(`There is no ${cloud}.`);
  return found;
};

const tokenFor = (aud: string, claims: Record<string, unknown> = {}) =>
  issuer.sign(issuer.githubClaims({ aud, ...claims }));

type Tried = {
  readonly federation: ModelFederation;
  readonly idToken?: string;
  readonly send?: SendExchange;
};

async function exchange({ federation, idToken, send = (message) => house.send(message) }: Tried) {
  const kept: string[] = [];
  const token = await exchangeIdToken(federation, {
    idToken: idToken ?? tokenFor(federation.audience),
    send,
    keep: (secret) => kept.push(secret),
    clock: systemClock,
  });
  return { ...token, kept };
}

async function refusalOf(tried: Tried): Promise<FederationError> {
  const error = await exchange(tried).then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(error instanceof FederationError)) throw new Error(`Not refused: ${String(error)}`);
  return error;
}

async function ask(federation: ModelFederation, { model, token }: { model: string; token: string }) {
  const { protocol, baseUrl, isRawPredict = false } = apiOfModel(federation, model);
  const content = "Say yes.";
  const messages = [{ role: "user", content }];
  const asked = {
    anthropic: { url: `${baseUrl}/messages`, body: { model, max_tokens: 1, messages } },
    openai: { url: `${baseUrl}/responses`, body: { model, input: content, store: false } },
    "openai-compatible": { url: `${baseUrl}/chat/completions`, body: { model, messages } },
    google: {
      url: `${baseUrl}/models/${model}:generateContent`,
      body: { contents: [{ role: "user", parts: [{ text: content }] }] },
    },
  }[protocol];
  const body = JSON.stringify(asked.body);
  const request = isRawPredict ? rawPredict({ url: asked.url, body }) : { url: asked.url, body };
  return await house.send({
    method: "POST",
    ...request,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
  });
}

describe.each(playedClouds)("an exchange at %s", (cloud) => {
  const { models, audience } = cloudTrusts[cloud];

  it.each([...models])("gives a token that the API of %s takes, at a host of the list", async (model) => {
    await open();
    const federation = federationOfCloud(cloud);
    const before = Date.now();
    const { accessToken, expiresAt } = await exchange({ federation });
    expect(expiresAt).toBeGreaterThan(before + 3_500_000);
    expect(expiresAt).toBeLessThanOrEqual(before + 3_605_000);
    const answer = await ask(federation, { model, token: accessToken });
    expect([answer.status, played(cloud).refusedCalls]).toEqual([200, []]);
    const hosts = federationOf(cloud).hosts(federation.identifiers);
    expect(hosts).toContain(new URL(apiOfModel(federation, model).baseUrl).host);
    expect(federationOf(cloud).findModelFault(federation.identifiers, model)).toBeNull();
  });

  it("tells of each secret on the way before it is used", async () => {
    await open();
    const seen: string[] = [];
    const federation = federationOfCloud(cloud);
    const kept: string[] = [];
    const { accessToken } = await exchangeIdToken(federation, {
      idToken: tokenFor(audience),
      send: async (message) => {
        const sent = JSON.stringify([message.headers, message.body]);
        for (const secret of played(cloud).exchanges.flatMap(({ secrets }) => secrets))
          if (sent.includes(secret)) expect(kept).toContain(secret);
        const answer = await house.send(message);
        seen.push(message.url);
        return answer;
      },
      keep: (secret) => kept.push(secret),
      clock: systemClock,
    });
    expect(kept).toEqual(expect.arrayContaining([...(played(cloud).exchanges.at(-1)?.secrets ?? [])]));
    expect(seen.map((url) => new URL(url).protocol)).toEqual(seen.map(() => "https:"));
    expect(accessToken).not.toBe("");
  });

  it("follows no redirect, and reads no answer of a proxy", async () => {
    await open();
    const federation = federationOfCloud(cloud);
    const answered =
      (status: number, body: string): SendExchange =>
      async () => ({
        status,
        headers: () => "https://else.example",
        body,
      });
    for (const [status, body] of [
      [302, ""],
      [200, "<html>"],
      [200, "{}"],
    ] as const)
      expect((await refusalOf({ federation, send: answered(status, body) })).code).toBe(
        "federation_answer_invalid",
      );
    const unavailable = await refusalOf({ federation, send: answered(503, "") });
    expect([unavailable.code, unavailable.isTransient]).toEqual(["federation_unavailable", true]);
  });

  it("says the audience that the job asks for", () => {
    const { identifiers } = federationOfCloud(cloud);
    expect(federationOf(cloud).audience(identifiers)).toBe(audience);
  });
});

type Refusal = {
  readonly what: string;
  readonly settings?: CloudSettings;
  readonly identifiers?: Readonly<Record<string, string>>;
  readonly claims?: Record<string, unknown>;
  readonly audience?: string;
  readonly code: string;
  readonly says: RegExp;
  readonly reason: string;
};

const OTHER_UUID = "00000000-0000-4000-8000-000000000000";
const hourAgo = () => Math.floor(Date.now() / 1000) - 30;

const refusals: Readonly<Record<PlayedCloud, readonly Refusal[]>> = {
  foundry: [
    {
      what: "the subject of another repository",
      settings: { foundry: { subjects: ["repo:octo-org/other:ref:refs/heads/main"] } },
      code: "federation_refused",
      says: /AADSTS700213: no federated credential .* subject .*doctor shows it/,
      reason: "AADSTS700213",
    },
    {
      what: "a subject in another case",
      settings: { foundry: { subjects: ["repo:Octo-Org/octo-repo:ref:refs/heads/main"] } },
      code: "federation_refused",
      says: /AADSTS7002138: .*upper and lower case/,
      reason: "AADSTS7002138",
    },
    {
      what: "another issuer",
      settings: { foundry: { issuer: "https://issuer.example" } },
      code: "federation_refused",
      says: /AADSTS700211: .*issuer/,
      reason: "AADSTS700211",
    },
    {
      what: "another audience",
      settings: { foundry: { audience: "api://Else" } },
      code: "federation_audience_refused",
      says: /AADSTS700212: .*"api:\/\/AzureADTokenExchange".*"model-audience"/,
      reason: "AADSTS700212",
    },
    {
      what: "an unknown tenant",
      identifiers: { tenant_id: OTHER_UUID },
      code: "federation_identifier_unknown",
      says: /AADSTS90002: there is no tenant 0000.*azure-tenant-id/,
      reason: "AADSTS90002",
    },
    {
      what: "an unknown application",
      identifiers: { client_id: OTHER_UUID },
      code: "federation_identifier_unknown",
      says: /AADSTS700016: .*azure-client-id/,
      reason: "AADSTS700016",
    },
    {
      what: "a scope that the tenant does not know",
      settings: { foundry: { scopes: ["https://cognitiveservices.azure.com/.default"] } },
      code: "federation_request_invalid",
      says: /AADSTS500011: .*azure-token-scope/,
      reason: "AADSTS500011",
    },
    {
      what: "a disabled application",
      settings: { foundry: { isDisabled: true } },
      code: "federation_account_refused",
      says: /AADSTS7000112: .*disabled/,
      reason: "AADSTS7000112",
    },
    {
      what: "a token that has just ended",
      claims: { exp: hourAgo() },
      code: "federation_token_expired",
      says: /AADSTS700024/,
      reason: "AADSTS700024",
    },
  ],
  bedrock: [
    {
      what: "the subject of another repository",
      settings: { bedrock: { trust: { StringLike: { sub: ["repo:octo-org/other:*"] } } } },
      code: "federation_refused",
      says: /trust policy of arn:aws:iam::123456789012:role\/agent-models/,
      reason: "AccessDenied",
    },
    {
      what: "a role that is not there",
      identifiers: { role_arn: "arn:aws:iam::123456789012:role/other" },
      code: "federation_refused",
      says: /there is no such role/,
      reason: "AccessDenied",
    },
    {
      what: "an account without an identity provider",
      settings: { bedrock: { issuer: "https://issuer.example" } },
      code: "federation_refused",
      says: /account 123456789012 has no identity provider/,
      reason: "InvalidIdentityToken",
    },
    {
      what: "an audience that is not listed",
      settings: { bedrock: { audiences: ["else"] } },
      code: "federation_audience_refused",
      says: /does not list the audience "sts.amazonaws.com"/,
      reason: "InvalidIdentityToken",
    },
    {
      what: "a token that has just ended",
      claims: { exp: hourAgo() },
      code: "federation_token_expired",
      says: /expired/,
      reason: "ExpiredTokenException",
    },
    {
      what: "a region that is not active",
      settings: { bedrock: { isRegionActive: false } },
      code: "federation_account_refused",
      says: /not active in us-east-1/,
      reason: "RegionDisabledException",
    },
    {
      what: "a claim that the issuer rejects",
      settings: { bedrock: { fails: { status: 403, code: "IDPRejectedClaim" } } },
      code: "federation_refused",
      says: /rejected a claim/,
      reason: "IDPRejectedClaim",
    },
    {
      what: "an issuer that is not reached",
      settings: { bedrock: { fails: { status: 400, code: "IDPCommunicationError" } } },
      code: "federation_unavailable",
      says: /could not reach the issuer/,
      reason: "IDPCommunicationError",
    },
  ],
  vertex: [
    {
      what: "the subject of another repository",
      settings: { vertex: { subjects: ["repo:octo-org/other:ref:refs/heads/main"] } },
      code: "federation_refused",
      says: /attribute condition of projects\//,
      reason: "unauthorized_client",
    },
    {
      what: "a provider that is not there",
      identifiers: {
        workload_identity_provider:
          "projects/1/locations/global/workloadIdentityPools/ci-jobs/providers/github",
      },
      code: "federation_identifier_unknown",
      says: /project's number, not its id/,
      reason: "invalid_target",
    },
    {
      what: "another issuer",
      settings: { vertex: { issuer: "https://issuer.example" } },
      code: "federation_refused",
      says: /issuer of projects\//,
      reason: "invalid_grant",
    },
    {
      what: "an audience that is not allowed",
      settings: { vertex: { audiences: ["https://else.example"] } },
      code: "federation_audience_refused",
      says: /does not allow the audience/,
      reason: "invalid_grant",
    },
    {
      what: "a token that has just ended",
      claims: { exp: hourAgo() },
      code: "federation_token_expired",
      says: /expired/,
      reason: "invalid_grant",
    },
    {
      what: "a service account that is not there",
      identifiers: { service_account: "other@octo-models.iam.gserviceaccount.com" },
      code: "federation_identifier_unknown",
      says: /no service account other@/,
      reason: "NOT_FOUND",
    },
    {
      what: "a service account that the job may not be",
      settings: { vertex: { mayActAs: false } },
      code: "federation_account_refused",
      says: /roles\/iam.workloadIdentityUser/,
      reason: "PERMISSION_DENIED",
    },
    {
      what: "an API that is not enabled",
      settings: { vertex: { isApiEnabled: false } },
      code: "federation_account_refused",
      says: /iamcredentials.googleapis.com/,
      reason: "PERMISSION_DENIED",
    },
  ],
};

describe.each(playedClouds)("a refusal of %s", (cloud) => {
  it.each([...refusals[cloud]])("of $what says what to change", async (refusal) => {
    await open(refusal.settings);
    const federation = federationOfCloud(cloud, refusal.identifiers);
    const idToken = tokenFor(federation.audience, refusal.claims);
    const error = await refusalOf({ federation, idToken });
    expect([error.code, error.message]).toEqual([refusal.code, expect.stringMatching(refusal.says)]);
    for (const secret of house.secrets()) expect(error.message).not.toContain(secret);
    expect(played(cloud).exchanges.at(-1)?.reason).toMatch(new RegExp(`^${refusal.reason}`));
  });

  it("of a token that somebody else has signed says so", async () => {
    await open();
    const other = await startIssuer();
    const federation = federationOfCloud(cloud);
    const claims = issuer.githubClaims({ aud: federation.audience });
    const idToken = issuer.sign(claims, { key: other.key, kid: issuer.key.kid });
    expect((await refusalOf({ federation, idToken })).code).toBe("federation_refused");
    await other.close();
  });
});

describe("a refusal that clears by itself", () => {
  it("is tried twice more, with fresh ID tokens, where Entra finds no credential yet", async () => {
    await open({ foundry: { subjects: [] } });
    const federation = federationOfCloud("foundry");
    const waits: number[] = [];
    const access = openFederatedAccess({
      federation,
      mintIdToken: async (audience) => tokenFor(audience),
      send: (message) => house.send(message),
      clock: instantClock(),
      random: () => 0.5,
      onSecret: () => {},
      onRetry: ({ delayMs }) => waits.push(delayMs),
    });
    await expect(access.token()).rejects.toMatchObject({ code: "federation_refused" });
    expect(waits).toEqual([20_000, 20_000]);
    const { exchanges } = played("foundry");
    expect(new Set(exchanges.map(({ idToken }) => idToken)).size).toBe(3);
  });

  it("is not tried again where it is about the case", async () => {
    await open({ foundry: { subjects: ["repo:OCTO-org/octo-repo:ref:refs/heads/main"] } });
    const access = openFederatedAccess({
      federation: federationOfCloud("foundry"),
      mintIdToken: async (audience) => tokenFor(audience),
      send: (message) => house.send(message),
      clock: instantClock(),
      random: () => 0.5,
      onSecret: () => {},
    });
    await expect(access.token()).rejects.toMatchObject({ code: "federation_refused" });
    expect(played("foundry").exchanges).toHaveLength(1);
  });
});

describe("a short-term key of Bedrock", () => {
  it.each([
    ["of another region", (text: string) => text.replace("us-east-1", "us-west-2"), /valid region/],
    ["for another service", (text: string) => text.replace("%2Fbedrock%2F", "%2Fs3%2F"), /correct service/],
    [
      "that was changed",
      (text: string) => text.replace(/X-Amz-Expires=\d+/, "X-Amz-Expires=60"),
      /signature/,
    ],
    ["of unknown credentials", (text: string) => text.replace(/ASIA\w{4}/, "ASIA0000"), /invalid/],
  ])("%s opens nothing", async (_, change, says) => {
    await open();
    const federation = federationOfCloud("bedrock");
    const { accessToken } = await exchange({ federation });
    const text = Buffer.from(accessToken.replace("bedrock-api-key-", ""), "base64").toString();
    const changed = change(text);
    expect(changed).not.toBe(text);
    const token = `bedrock-api-key-${Buffer.from(changed).toString("base64")}`;
    const model = "us.anthropic.claude-x";
    expect((await ask(federation, { model, token })).status).toBe(403);
    expect(played("bedrock").refusedCalls.at(-1)?.why).toMatch(says);
  });

  it("may do what both the role and the session allow", async () => {
    await open({ bedrock: { allowed: ["bedrock:CallWithBearerToken"] } });
    const federation = federationOfCloud("bedrock");
    const { accessToken: token } = await exchange({ federation });
    expect((await ask(federation, { model: "us.anthropic.claude-x", token })).status).toBe(403);
    const [asked] = played("bedrock").exchanges.map((one) => one.asked);
    expect(asked?.RoleSessionName).toMatch(/^agent-service-\d+$/);
    expect(asked?.Policy?.length).toBeLessThan(2048);
    expect(asked?.Policy).not.toMatch(/"bedrock:\*"|"\*",/);
  });
});

describe("the name of a model in a cloud", () => {
  it.each([
    ["bedrock", {}, "claude-sonnet-5", /inference profile/],
    ["bedrock", {}, "anthropic.claude-sonnet-5", /inference profile/],
    ["bedrock", { endpoint: "mantle" }, "us.anthropic.claude-sonnet-5", /the endpoint is mantle/],
    ["bedrock", {}, "gpt-oss-120b", /with its maker/],
    ["vertex", {}, "gpt-5.5", /Google or Anthropic/],
    ["vertex", {}, "claude-sonnet-4-5-20250929", /"@" before its date/],
    ["foundry", {}, "openai/gpt-5.5", /name of a deployment/],
  ] as const)("at %s %j is not %s", (cloud, changes, model, says) => {
    const { identifiers } = federationOfCloud(cloud, changes);
    expect(federationOf(cloud).findModelFault(identifiers, model)).toMatch(says);
  });

  it.each([
    ["bedrock", {}, "us.anthropic.claude-x", "https://bedrock-runtime.us-east-1.amazonaws.com/anthropic/v1"],
    ["bedrock", {}, "openai.gpt-x", "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1"],
    [
      "bedrock",
      { endpoint: "mantle" },
      "anthropic.claude-x",
      "https://bedrock-mantle.us-east-1.api.aws/anthropic/v1",
    ],
    ["bedrock", { endpoint: "mantle" }, "openai.gpt-x", "https://bedrock-mantle.us-east-1.api.aws/openai/v1"],
    ["bedrock", { endpoint: "mantle" }, "moonshotai.kimi-x", "https://bedrock-mantle.us-east-1.api.aws/v1"],
    [
      "bedrock",
      { region: "cn-north-1" },
      "x.y",
      "https://bedrock-runtime.cn-north-1.amazonaws.com.cn/openai/v1",
    ],
    ["foundry", { resource: "Octo" }, "my-claude", "https://octo.services.ai.azure.com/anthropic/v1"],
    ["foundry", {}, "gpt-oss-120b", "https://octo-models.openai.azure.com/openai/v1"],
    [
      "vertex",
      {},
      "gemini-x",
      "https://aiplatform.googleapis.com/v1/projects/octo-models/locations/global/publishers/google",
    ],
    [
      "vertex",
      { location: "eu" },
      "claude-x",
      "https://aiplatform.eu.rep.googleapis.com/v1/projects/octo-models/locations/eu/publishers/anthropic/models",
    ],
    [
      "vertex",
      { location: "us-east5" },
      "gemini-x",
      "https://us-east5-aiplatform.googleapis.com/v1/projects/octo-models/locations/us-east5/publishers/google",
    ],
  ] as const)("at %s %j says where %s is", (cloud, changes, model, baseUrl) => {
    const federation = federationOfCloud(cloud, changes);
    expect(apiOfModel(federation, model).baseUrl).toBe(baseUrl);
  });
});
