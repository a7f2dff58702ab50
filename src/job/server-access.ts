// Access tokens for the MCP servers that a job names for a service: the job proves itself to each server's authorization server, so that
// the service is sent no ID token and stores no credential. Loaded only where a server says so.
// Why: docs/decisions/173-oauth-for-the-servers-of-runs.md

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { RetryNotice } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import { isPublicAddress } from "../base/public-address.ts";
import { unknownFieldsOf } from "../base/strict-object.ts";
import type { CiJob, CiProvider } from "../ci/provider.ts";
import type { Transport } from "../client/transport.ts";
import { serverAuthSchema } from "../contract/runs/mcp-auth.ts";
import { faultOfServerUrl } from "../contract/runs/mcp-servers.ts";
import { openServerAccess } from "../federation/mcp/server-access.ts";
import { ServerAccessError, type ServerGrant } from "../federation/mcp/server-grant.ts";
import type { HandedServer } from "./job-types.ts";
import type { JobsServer } from "./mcp-servers.ts";
import { openServerMint } from "./mint-server-token.ts";
import { StepError } from "./step-error.ts";

const REQUEST_MS = 20_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const UNAUTHORIZED = 401;
/** Of an answer, what the protocol reads. */
const HEADERS = ["www-authenticate", "content-type", "retry-after", "location"];

type ServerAccessesOptions = {
  /** Those that ask for the job's identity. */
  readonly servers: readonly JobsServer[];
  readonly job: Pick<CiJob, "provider" | "event">;
  readonly tokens: Pick<CiProvider, "mintIdToken">;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  /** Hides a value in the job's log from here on. */
  readonly setSecret: (secret: string) => void;
  readonly onRetry: (notice: RetryNotice) => void;
  readonly signal: AbortSignal;
};

/** Asks for nothing until a token is needed. Throws a StepError for a server whose definition is wrong. */
export function openServerAccesses(options: ServerAccessesOptions): readonly HandedServer[] {
  const { servers, clock, random, setSecret, onRetry, signal } = options;
  const mintIdToken = openServerMint(options);
  return servers.map(({ name, url, auth }) => {
    const grant = grantOf(name, { url, auth });
    const send = guardedFetch(options, [new URL(url).hostname, ...hostsOf(grant)]);
    const access = openServerAccess({
      serverUrl: url,
      grant,
      mintIdToken,
      fetch: send,
      clock,
      random,
      onSecret: setSecret,
      onRetry,
      signal,
    });
    let isAsked = false;
    let refusal: ServerAccessError | null = null;
    const current = async (of?: AbortSignal) => {
      // It is not asked again what it has refused.
      if (refusal !== null) throw refusal;
      // The server's own answer says where its metadata are, and which scope it wants.
      const challenge = isAsked ? null : await challengeOf(url, send);
      isAsked = true;
      if (challenge !== null) access.heed(challenge);
      return await access.current(of).catch((error: unknown) => {
        if (ServerAccessError.is(error) && !error.isTransient) refusal = error;
        throw error;
      });
    };
    return { name, access: { current, renewalInMs: access.renewalInMs } };
  });
}

type JobGrant = Extract<ServerGrant, { type: "job" }>;

function grantOf(name: string, { url, auth }: Pick<JobsServer, "url" | "auth">): JobGrant {
  const fault = faultOfServerUrl(url);
  if (fault !== null) throw invalid(`"${name}" .url ${fault}`);
  const read = serverAuthSchema.safeParse(auth);
  if (!read.success) {
    const [issue] = read.error.issues;
    const [unknown] = issue === undefined ? [] : (unknownFieldsOf(issue) ?? []);
    const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown.name.slice(0, 100)])];
    const place = path.map((step) => `.${String(step)}`).join("");
    throw invalid(`"${name}" .auth${place} ${unknown?.text ?? issue?.message ?? "is wrong"}`);
  }
  if (read.data.type !== "job") throw invalid(`"${name}" .auth must be of the type "job"`);
  const { client_id: clientId = null, issuer = null, scope = null } = read.data;
  return { type: "job", clientId, issuer, scope };
}

function invalid(fault: string): StepError {
  return new StepError("invalid_input", `The MCP servers are wrong: ${fault}.`);
}

function hostsOf({ issuer }: JobGrant): readonly string[] {
  return issuer === null ? [] : [new URL(issuer).hostname];
}

/** The answer of a server that asks for a token. Null: it answers without one, or not at all. */
async function challengeOf(url: string, send: typeof fetch): Promise<Response | null> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const answer = await send(url, { method: "POST", headers, body }).catch(() => null);
  return answer?.status === UNAUTHORIZED ? answer : null;
}

/**
 * Requests to a server's authorization server: by https, without redirects. Hosts that the workflow names are its own; every other one is
 * named by the server, and has to be on the public internet.
 */
function guardedFetch(
  { transport, signal: ended }: Pick<ServerAccessesOptions, "transport" | "signal">,
  named: readonly string[],
): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.protocol !== "https:" || url.username !== "" || url.password !== "")
      throw refusedAddress("it is not reached by https without credentials");
    if (!named.includes(url.hostname)) await checkPublic(url.hostname);
    const { body = null, method = "GET", signal } = init;
    const answer = await transport({
      method: method === "POST" ? "POST" : "GET",
      url: url.href,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(body === null ? {} : { body: String(body) }),
      timeoutMs: REQUEST_MS,
      maxBodyBytes: MAX_ANSWER_BYTES,
      signal: signal ?? ended,
    });
    const kept = HEADERS.flatMap((name): [string, string][] => {
      const value = answer.headers(name);
      return value === undefined ? [] : [[name, value]];
    });
    const hasBody = answer.status !== 204 && answer.status !== 304;
    return new Response(hasBody ? answer.body : null, { status: answer.status, headers: kept });
  };
}

/** Where a proxy resolves names, this machine may know none: then the proxy decides. */
async function checkPublic(host: string): Promise<void> {
  const name = host.replace(/^\[|\]$/g, "");
  const addresses =
    isIP(name) === 0
      ? (await lookup(name, { all: true }).catch(() => [])).map(({ address }) => address)
      : [name];
  if (!addresses.every(isPublicAddress))
    throw refusedAddress('it is not on the public internet, and the workflow does not name it as "issuer"');
}

/** Another try would be refused as this one was. */
function refusedAddress(message: string): Error {
  return Object.assign(new Error(message), { isFinal: true });
}
