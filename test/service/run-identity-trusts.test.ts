// The trusts of docs/self-hosting/run-identity.md, read from the page and evaluated by fakes of the clouds and of Vault for tokens that a
// command of a run got.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bedrockCloud, ROLE } from "../../fakes/clouds/bedrock.ts";
import type { CloudIssuer } from "../../fakes/clouds/cloud.ts";
import { CLIENT, foundryCloud, TENANT } from "../../fakes/clouds/foundry.ts";
import { poolProvider } from "../../fakes/clouds/trust-documents.ts";
import { PROVIDER, vertexCloud } from "../../fakes/clouds/vertex.ts";
import { makeJob } from "../../fakes/records.ts";
import { startVault, type Vault } from "../../fakes/vault.ts";
import { ok } from "../../src/base/result.ts";
import { exchangeToken } from "../../src/service/core/ci/exchange-token.ts";
import type { Sandbox } from "../../src/service/core/ports/sandbox.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { HeldRuns } from "../support/held-runs.ts";
import { type HttpApi, openHttpApi } from "../support/service-api.ts";
import { testRelays } from "../support/test-relays.ts";
import { SandboxFixture } from "./sandbox/sandbox-fixture.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/self-hosting/run-identity.md"), "utf8");
/** As the page names them. */
const ADDRESS = "https://agents.example.com";
const AGENT = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const repositories = {
  "octo/hello": { id: "74", ownerId: "65", name: "octo/hello", visibility: "public" },
  "octo/other": { id: "75", ownerId: "65", name: "octo/other", visibility: "public" },
} as const;

const audiences = {
  AWS: "sts.amazonaws.com",
  "Google Cloud": `https://iam.googleapis.com/${PROVIDER}`,
  "Microsoft Entra": "api://AzureADTokenExchange",
  "HashiCorp Vault": "https://vault.example.com",
} as const;
type Place = keyof typeof audiences;
const places = Object.keys(audiences) as readonly Place[];

describe("a trust of the page", () => {
  let fixture: CoreFixture;
  let api: HttpApi;
  let machine: SandboxFixture;
  let sandbox: Sandbox;
  let vault: Vault;
  const runs = new HeldRuns();
  let agentId: string;
  let issuer: CloudIssuer;

  /** The page's documents under a heading, for the agent of this test. */
  const documentsOf = (heading: Place): readonly unknown[] => {
    const [, section = ""] = PAGE.split(`\n### ${heading}\n`);
    const [own = ""] = section.split(/\n##+ /);
    return [...own.matchAll(/```json\n([^`]+)```/g)].map(([, text = ""]) =>
      JSON.parse(text.replaceAll(AGENT, agentId)),
    );
  };

  beforeAll(async () => {
    fixture = await startFixture({
      level: "core",
      backend: runs.backend,
      slots: 8,
      tokenRelays: testRelays,
      policy: { baseUrl: ADDRESS },
    });
    // The fakes look at the machine's clock.
    fixture.clock.setWall(Date.now() - fixture.clock.now());
    fixture.executor.start();
    api = await openHttpApi(fixture);
    machine = new SandboxFixture();
    sandbox = await machine.find({ environment: { SANDBOX: "off" } });
    ({ agentId } = await callerOf("octo/hello", "push"));
    issuer = { url: `${ADDRESS}/id`, jwksUri: `${api.url}/id/jwks` };
    const [config, role] = documentsOf("HashiCorp Vault");
    vault = await startVault({
      config,
      roles: { agent: role },
      reach: (url) => url.replace(ADDRESS, api.url),
    });
  });
  afterAll(async () => {
    runs.endAll();
    await vault.close();
    await machine.close();
    await api.close();
  });

  async function callerOf(repository: keyof typeof repositories, event: string) {
    const job = makeJob({ event, repository: repositories[repository] });
    const verify = async (token: string) =>
      ok({ job, replayKey: token, usableUntil: fixture.clock.now() + 300_000 });
    const subjectToken = fixture.core.random.uuid(fixture.clock.now());
    const core = { ...fixture.core, verifier: { verify } };
    const exchanged = await exchangeToken(core, { subjectToken, requestId: "r" });
    if (!exchanged.ok) throw new Error(exchanged.refusal.reason);
    const caller = { kind: "ci_job", capability: exchanged.value.capability } as const;
    return { caller, agentId: caller.capability.agentId };
  }

  type Asked = {
    readonly audience: string;
    readonly repository?: keyof typeof repositories;
    readonly event?: string;
  };

  /** The token that a command of a run gets. */
  async function tokenOf({ audience, repository = "octo/hello", event = "push" }: Asked): Promise<string> {
    const { caller, agentId: ofRun } = await callerOf(repository, event);
    const grants = Object.values(audiences).map((one) => ({
      audience: one,
      allowsUntrusted: true,
      grantedAt: 1,
    }));
    await fixture.store.transact((tx) => tx.runIdentity.setAudiences(ofRun, grants));
    const body = { message: "go" };
    const submitted = await fixture.submitter.submit({ caller, agentId: ofRun, body, idempotencyKey: null });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    const { runId } = submitted.value;
    const identity = await (await runs.begun(runId)).identity?.();
    const shell = `curl -sS -H "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${encodeURIComponent(audience)}"`;
    const { output } = await machine.result(sandbox, shell, { identity: identity?.commands ?? null });
    runs.end(runId);
    await fixture.ended(runId);
    return (JSON.parse(output) as { value: string }).value;
  }

  /** What the place says of a login: "let in", or why not. */
  const logins: Readonly<Record<Place, (token: string) => Promise<string>>> = {
    AWS: async (token) => {
      const cloud = bedrockCloud(issuer, { policy: documentsOf("AWS")[0] });
      const fields = {
        Action: "AssumeRoleWithWebIdentity",
        Version: "2011-06-15",
        RoleArn: ROLE,
        RoleSessionName: "agent",
        WebIdentityToken: token,
      };
      await cloud.answer(form("sts.us-east-1.amazonaws.com", { path: "/", fields }));
      return cloud.exchanges[0]?.reason ?? "let in";
    },
    "Google Cloud": async (token) => {
      const cloud = vertexCloud(issuer, { provider: poolProvider(documentsOf("Google Cloud")[0]) });
      const body = JSON.stringify({
        grantType: "urn:ietf:params:oauth:grant-type:token-exchange",
        subjectTokenType: "urn:ietf:params:oauth:token-type:jwt",
        requestedTokenType: "urn:ietf:params:oauth:token-type:access_token",
        scope: "https://www.googleapis.com/auth/cloud-platform",
        audience: `//iam.googleapis.com/${PROVIDER}`,
        subjectToken: token,
      });
      const headers = { "content-type": "application/json" };
      await cloud.answer({ method: "POST", host: "sts.googleapis.com", path: "/v1/token", headers, body });
      return cloud.exchanges[0]?.reason ?? "let in";
    },
    "Microsoft Entra": async (token) => {
      const [document] = documentsOf("Microsoft Entra");
      const credential = document as { issuer: string; subject: string; audiences: string[] };
      const [audience = ""] = credential.audiences;
      const trust = { issuer: credential.issuer, subjects: [credential.subject], audience };
      const cloud = foundryCloud(issuer, trust);
      const fields = {
        grant_type: "client_credentials",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_id: CLIENT,
        scope: "https://ai.azure.com/.default",
        client_assertion: token,
      };
      await cloud.answer(form("login.microsoftonline.com", { path: `/${TENANT}/oauth2/v2.0/token`, fields }));
      return cloud.exchanges[0]?.reason ?? "let in";
    },
    "HashiCorp Vault": async (token) => {
      const body = JSON.stringify({ role: "agent", jwt: token });
      const answer = await fetch(`${vault.url}/v1/auth/jwt/login`, { method: "POST", body });
      const { auth, errors = [] } = (await answer.json()) as { auth?: object; errors?: string[] };
      return auth === undefined ? errors.join() : "let in";
    },
  };

  it.each(places)("of %s lets a run of the agent in, and no other", async (place) => {
    const audience = audiences[place];
    const login = logins[place];
    expect(await login(await tokenOf({ audience }))).toBe("let in");
    const refusals = {
      untrusted: await login(await tokenOf({ audience, event: "pull_request" })),
      another: await login(await tokenOf({ audience, repository: "octo/other" })),
      elsewhere: await login(
        await tokenOf({ audience: place === "AWS" ? audiences["HashiCorp Vault"] : audiences.AWS }),
      ),
      forged: await login(`${(await tokenOf({ audience })).slice(0, -8)}AAAAAAAA`),
    };
    expect(refusals).toMatchSnapshot();
  });

  it("of AWS needs the right to pass the token's tags", async () => {
    const [policy] = documentsOf("AWS") as [{ Statement: { Action: string[] }[] }];
    const [{ Action }] = policy.Statement as [{ Action: string[] }];
    expect(Action.splice(1)).toEqual(["sts:TagSession"]);
    const cloud = bedrockCloud(issuer, { policy });
    const fields = {
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: ROLE,
      RoleSessionName: "agent",
      WebIdentityToken: await tokenOf({ audience: audiences.AWS }),
    };
    await cloud.answer(form("sts.us-east-1.amazonaws.com", { path: "/", fields }));
    expect(cloud.exchanges[0]?.reason).toBe("AccessDenied");
  });
});

function form(
  host: string,
  { path, fields }: { readonly path: string; readonly fields: Readonly<Record<string, string>> },
): Parameters<ReturnType<typeof bedrockCloud>["answer"]>[0] {
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  return { method: "POST", host, path, headers, body: new URLSearchParams(fields).toString() };
}
