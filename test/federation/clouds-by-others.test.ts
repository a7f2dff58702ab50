// The fakes of the clouds, driven by the clouds' own clients: what they send is taken, and refused where it is wrong. So what our exchange
// sends is measured by a peer that others' programs agree with.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { getToken } from "@aws/bedrock-token-generator";
import { AssumeRoleWithWebIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { ConfidentialClientApplication } from "@azure/msal-node";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { REGION, ROLE } from "../../fakes/clouds/bedrock.ts";
import { type CloudSettings, cloudTrusts } from "../../fakes/clouds/clouds.ts";
import { CLIENT, RESOURCE, TENANT } from "../../fakes/clouds/foundry.ts";
import { PROJECT, PROVIDER, SERVICE_ACCOUNT } from "../../fakes/clouds/vertex.ts";
import { startIssuer, type TestIssuer } from "../../fakes/issuer/issuer.ts";
import { type ModelHouse, startModelHouse } from "../../fakes/model-house/model-house.ts";
import { say } from "../../fakes/model-server/turn.ts";
import { exchangeIdToken } from "../../src/federation/exchange-id-token.ts";

let issuer: TestIssuer;
let house: ModelHouse;
beforeEach(async () => {
  issuer = await startIssuer();
});
afterEach(async () => {
  vi.useRealTimers();
  await house.close();
  await issuer.close();
});

async function open(clouds: CloudSettings = {}): Promise<void> {
  house = await startModelHouse({ issuer, script: [say("yes")], clouds });
}

const tokenFor = (aud: string, claims: Record<string, unknown> = {}) =>
  issuer.sign(issuer.githubClaims({ aud, ...claims }));

async function ask(url: string, { token, body }: { readonly token: string; readonly body: unknown }) {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
  };
  return (await house.send({ method: "POST", url, headers, body: JSON.stringify(body) })).status;
}

describe("Amazon's clients", () => {
  /** The SDK's own serializer, signer and parser, over the sockets of the house. */
  const sts = () =>
    new STSClient({
      region: REGION,
      maxAttempts: 1,
      requestHandler: {
        handle: async (request: {
          hostname: string;
          path: string;
          headers: Record<string, string>;
          body: unknown;
        }) => {
          const { hostname, path, headers, body } = request;
          const url = `https://${hostname}${path}`;
          const answer = await house.send({ method: "POST", url, headers, body: String(body) });
          const type = answer.headers("content-type") ?? "";
          const response = {
            statusCode: answer.status,
            headers: { "content-type": type },
            body: Readable.from([answer.body]),
          };
          return { response };
        },
      },
    });
  const assume = (idToken: string) =>
    sts().send(
      new AssumeRoleWithWebIdentityCommand({
        RoleArn: ROLE,
        RoleSessionName: "others",
        WebIdentityToken: idToken,
        DurationSeconds: 900,
      }),
    );
  const body = {
    model: "us.anthropic.claude-x",
    max_tokens: 1,
    messages: [{ role: "user", content: "Say yes." }],
  };
  const url = `https://bedrock-runtime.${REGION}.amazonaws.com/anthropic/v1/messages`;

  it("assume a role and make a key that opens the models", async () => {
    await open();
    const { Credentials: given } = await assume(tokenFor("sts.amazonaws.com"));
    const credentials = {
      accessKeyId: given?.AccessKeyId ?? "",
      secretAccessKey: given?.SecretAccessKey ?? "",
      sessionToken: given?.SessionToken ?? "",
    };
    const left = (given?.Expiration?.getTime() ?? 0) - Date.now();
    expect(left).toBeGreaterThan(890_000);
    const token = await getToken({ credentials, region: REGION, expiresInSeconds: 900 });
    expect(await ask(url, { token, body })).toBe(200);
    const elsewhere = await getToken({ credentials, region: "us-west-2", expiresInSeconds: 900 });
    expect(await ask(url, { token: elsewhere, body })).toBe(403);
  });

  it.each([
    ["InvalidIdentityToken", { aud: "else" }, {}],
    ["AccessDenied", { sub: "repo:octo-org/other:ref:refs/heads/main" }, {}],
    ["ExpiredTokenException", { exp: Math.floor(Date.now() / 1000) - 600 }, {}],
    ["IDPCommunicationError", {}, { fails: { status: 400, code: "IDPCommunicationError" } }],
  ] as const)("are refused with %s", async (code, claims, bedrock) => {
    await open({ bedrock });
    const error: unknown = await assume(tokenFor("sts.amazonaws.com", claims)).then(
      () => null,
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(Error);
    // The SDK writes the code with the end that its model has for it.
    expect(String((error as Error).name).replace(/Exception$/, "")).toBe(code.replace(/Exception$/, ""));
  });

  it("make the same key of the same credentials as the exchange does", async () => {
    await open();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { identifiers, audience } = cloudTrusts.bedrock;
    const kept: string[] = [];
    const { accessToken } = await exchangeIdToken(
      { provider: "bedrock", identifiers, audience },
      {
        idToken: tokenFor(audience),
        send: (message) => house.send(message),
        keep: (secret) => kept.push(secret),
        clock: { now: () => Date.now() },
      },
    );
    const [accessKeyId = "", secretAccessKey = "", sessionToken = ""] = kept;
    const credentials = { accessKeyId, secretAccessKey, sessionToken };
    const partsOf = (token: string) => {
      const text = Buffer.from(token.replace("bedrock-api-key-", ""), "base64").toString();
      return Object.fromEntries(new URL(`https://${text}`).searchParams);
    };
    const ours = partsOf(accessToken);
    const expiresInSeconds = Number(ours["X-Amz-Expires"]);
    expect(expiresInSeconds).toBeGreaterThan(3_590);
    expect(ours).toEqual(partsOf(await getToken({ credentials, region: REGION, expiresInSeconds })));
  });
});

/** In a process of its own, since its parts make their connections by themselves: by the proxy of the house. */
const googles = `
import { IdentityPoolClient } from "google-auth-library";
const { token, audience, account } = JSON.parse(process.argv[1]);
const client = new IdentityPoolClient({
  type: "external_account",
  audience,
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  subject_token_supplier: { getSubjectToken: async () => token },
  scopes: ["https://www.googleapis.com/auth/cloud-platform"],
  ...(account === null ? {} : { service_account_impersonation_url:
    "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/" + account + ":generateAccessToken" }),
});
try { console.log((await client.getAccessToken()).token); }
catch (error) { console.log("refused: " + error.message + JSON.stringify(error.response?.data ?? null)); }
`;

describe("Google's client", () => {
  const getToken = async (account: string | null, audience = `//iam.googleapis.com/${PROVIDER}`) => {
    const asked = { token: tokenFor(`https://iam.googleapis.com/${PROVIDER}`), audience, account };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", googles, JSON.stringify(asked)],
      { cwd: join(import.meta.dirname, "../.."), env: { ...process.env, ...house.env } },
    );
    return stdout.trim();
  };
  const url = `https://aiplatform.googleapis.com/v1/projects/${PROJECT}/locations/global/publishers/google/models/gemini-x:generateContent`;
  const body = { contents: [{ role: "user", parts: [{ text: "Say yes." }] }] };

  it.each([
    ["of the job's principal", null],
    ["of a service account", SERVICE_ACCOUNT],
  ])("gets a token %s that opens the models", async (_, account) => {
    await open();
    const token = await getToken(account);
    expect(await ask(url, { token, body })).toBe(200);
  });

  it.each([
    ["by the condition", null, PROVIDER, { subjects: [] }, /unauthorized_client.*attribute condition/],
    ["for a provider that is not there", null, PROVIDER.replace("github", "other"), {}, /invalid_target/],
    ["as an account that it may not be", SERVICE_ACCOUNT, PROVIDER, { mayActAs: false }, /PERMISSION_DENIED/],
  ])("is refused %s", async (_, account, provider, vertex, says) => {
    await open({ vertex });
    expect(await getToken(account, `//iam.googleapis.com/${provider}`)).toMatch(says);
  });
});

describe("Microsoft's client", () => {
  const client = (changes: Readonly<{ clientId?: string; claims?: Record<string, unknown> }> = {}) => {
    const authority = `https://login.microsoftonline.com/${TENANT}`;
    return new ConfidentialClientApplication({
      auth: {
        clientId: changes.clientId ?? CLIENT,
        authority,
        clientAssertion: tokenFor("api://AzureADTokenExchange", changes.claims),
        // What it would look up at public addresses first.
        authorityMetadata: JSON.stringify({
          authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
          token_endpoint: `${authority}/oauth2/v2.0/token`,
          issuer: `${authority}/v2.0`,
          jwks_uri: `${authority}/discovery/v2.0/keys`,
        }),
        cloudDiscoveryMetadata: JSON.stringify({
          tenant_discovery_endpoint: `${authority}/v2.0/.well-known/openid-configuration`,
          metadata: [
            {
              preferred_network: "login.microsoftonline.com",
              preferred_cache: "login.windows.net",
              aliases: ["login.microsoftonline.com"],
            },
          ],
        }),
      },
      system: {
        networkClient: {
          sendGetRequestAsync: async () => {
            throw new Error("Nothing is looked up.");
          },
          sendPostRequestAsync: async <Answer>(
            url: string,
            options?: { headers?: Record<string, string>; body?: string },
          ) => {
            const { headers = {}, body = "" } = options ?? {};
            const answer = await house.send({ method: "POST", url, headers, body });
            return { headers: {}, status: answer.status, body: JSON.parse(answer.body) as Answer };
          },
        },
      },
    });
  };
  const scopes = ["https://ai.azure.com/.default"];

  it("gets a token that opens the deployments", async () => {
    await open();
    const given = await client().acquireTokenByClientCredential({ scopes });
    const url = `https://${RESOURCE}.openai.azure.com/openai/v1/responses`;
    const body = { model: "gpt-x", input: "Say yes.", store: false };
    expect(await ask(url, { token: given?.accessToken ?? "", body })).toBe(200);
  });

  it.each([
    ["700213", {}, { subjects: ["repo:octo-org/other:ref:refs/heads/main"] }],
    ["7002138", {}, { subjects: ["repo:OCTO-org/octo-repo:ref:refs/heads/main"] }],
    ["700016", { clientId: "00000000-0000-4000-8000-000000000000" }, {}],
    ["700024", { claims: { exp: 1_000_000_000 } }, {}],
  ] as const)("is refused with AADSTS%s", async (number, changes, foundry) => {
    await open({ foundry });
    await expect(client(changes).acquireTokenByClientCredential({ scopes })).rejects.toThrow(
      `AADSTS${number}`,
    );
  });
});
