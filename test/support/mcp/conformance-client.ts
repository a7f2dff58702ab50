// What the conformance suite of MCP starts as a client: our session, which lists the server's tools and calls one. Its credential is that of
// the scenario: a grade of ours, or, where the scenario wants a browser, a provider that follows the redirects by itself.

import {
  auth,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from "@modelcontextprotocol/client";
import { systemClock } from "../../../src/base/clock.ts";
import { openServerAccess } from "../../../src/federation/mcp/server-access.ts";
import type { ServerGrant } from "../../../src/federation/mcp/server-grant.ts";
import {
  type Channel,
  type McpSession,
  openSession,
} from "../../../src/service/executor/tools/mcp/mcp-session.ts";

const REDIRECT = "http://localhost:3000/callback";
const CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json";
const TIMEOUT_MS = 10_000;
/** More often nobody would be sent to a page for one thing: with the first try these are three. */
const MAX_SIGN_INS = 2;

const signal = new AbortController().signal;
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as Readonly<Record<string, string>>;
const url = process.argv.at(-1) ?? "";

type Auth = Extract<Channel, { type: "http" }>["auth"];

/** The person of a test: whoever is sent to the page has agreed. */
class SignedInProvider implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadataUrl = CLIENT_DOCUMENT;
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: "agent-service",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;
  /** Where the browser came back. Null: it was sent nowhere. */
  #answer: URLSearchParams | null = null;

  constructor(client: OAuthClientInformationMixed | undefined) {
    this.#client = client;
  }

  clientInformation = () => this.#client;
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.#client = client;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: OAuthTokens) => {
    this.#tokens = tokens;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  discoveryState = () => this.#discovered;
  saveDiscoveryState = (state: OAuthDiscoveryState) => {
    this.#discovered = state;
  };

  async redirectToAuthorization(page: URL): Promise<void> {
    const answer = await fetch(page, { redirect: "manual" });
    this.#answer = new URL(answer.headers.get("location") ?? REDIRECT).searchParams;
  }

  /** Exchanges the code. False where there is none. */
  async finish(): Promise<boolean> {
    const answer = this.#answer;
    this.#answer = null;
    const authorizationCode = answer?.get("code") ?? null;
    if (answer === null || authorizationCode === null) return false;
    const iss = answer.get("iss");
    await auth(this, { serverUrl: url, authorizationCode, ...(iss === null ? {} : { iss }) });
    return true;
  }
}

/** The authorization server of the definition: who writes one knows it, and here the suite has just made it. */
async function issuerOf(server: string): Promise<string> {
  const { origin, pathname } = new URL(server);
  const answer = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`);
  const about = (await answer.json()) as { authorization_servers: readonly string[] };
  return about.authorization_servers[0] ?? "";
}

async function grantOf(): Promise<ServerGrant | null> {
  const { client_id: clientId = "", client_secret: clientSecret = "" } = context;
  switch (scenario) {
    case "auth/client-credentials-basic":
      return { type: "client_credentials", clientId, clientSecret, issuer: await issuerOf(url), scope: null };
    case "auth/client-credentials-jwt": {
      const { private_key_pem: privateKey = "", signing_algorithm: algorithm = "ES256" } = context;
      return {
        type: "private_key_jwt",
        clientId,
        privateKey,
        algorithm,
        issuer: await issuerOf(url),
        scope: null,
      };
    }
    case "auth/wif-jwt-bearer":
      return { type: "job", clientId, issuer: null, scope: null };
    default:
      return null;
  }
}

async function open(by: Auth): Promise<McpSession | string> {
  const channel = { type: "http", url, fetch, auth: by } as const;
  const opened = await openSession({ channel, versions: "all", startMs: TIMEOUT_MS, elicit: null, signal });
  return opened.ok ? opened.session : opened.why;
}

async function callOne(session: McpSession): Promise<string | null> {
  const [tool] = session.tools;
  if (tool === undefined) return null;
  const called = await session.call({ tool: tool.name, input: {}, timeoutMs: TIMEOUT_MS, signal });
  return called.ok ? null : called.why;
}

async function runGrade(grant: ServerGrant): Promise<string | null> {
  const access = openServerAccess({
    serverUrl: url,
    grant,
    mintIdToken: async () => context.valid_jwt ?? "",
    fetch,
    clock: systemClock,
    random: Math.random,
    onSecret: () => undefined,
    signal,
  });
  const session = await open({
    token: access.token,
    onUnauthorized: async ({ response }) => await access.renew(response),
  });
  return typeof session === "string" ? session : await callOne(session);
}

async function runSignedIn(): Promise<string | null> {
  const { client_id, client_secret } = context;
  const registered = client_id === undefined ? undefined : { client_id, client_secret };
  const provider = new SignedInProvider(registered as OAuthClientInformationMixed | undefined);
  let fault: string | null = "nothing was tried";
  let session: McpSession | string = "none";
  for (let signIns = 0; signIns <= MAX_SIGN_INS; signIns += 1) {
    if (typeof session === "string") session = await open(provider);
    fault = typeof session === "string" ? session : await callOne(session);
    if (fault === null || signIns === MAX_SIGN_INS || !(await provider.finish())) break;
  }
  return fault;
}

const grant = await grantOf();
const fault = grant === null ? await runSignedIn() : await runGrade(grant);
if (fault !== null) process.stderr.write(`${fault}\n`);
process.exit(fault === null ? 0 : 1);
