// Anthropic, OpenAI and OpenRouter on loopback, under their own host names: token endpoints and APIs over TLS, reached through a
// CONNECT proxy by whoever has `env`. ID tokens are verified by their issuer's keys, each of them good for one exchange. With the clouds of
// fakes/clouds.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request as open, type ServerResponse } from "node:http";
import { createServer as createTlsServer, request as openTls } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CloudAnswer, CloudFake } from "../clouds/cloud.ts";
import { type CloudSettings, openClouds } from "../clouds/clouds.ts";
import { type Faults, makeFaults } from "../code-host/fault.ts";
import { readBody, sendJson } from "../code-host/server.ts";
import { startConnectProxy } from "../connect-proxy.ts";
import { type ModelServer, startModelServer } from "../model-server/model-server.ts";
import type { Script } from "../model-server/script.ts";
import { selfSigned } from "../self-signed.ts";
import { checkSubjectToken, type HiddenReason } from "./subject-token.ts";
import { type ExchangeRequest, tokenEndpoints } from "./token-endpoint.ts";
import { type House, houses, type Trust, trusts } from "./trust.ts";

export type ModelHouseOptions = {
  readonly issuer: { readonly url: string; readonly jwksUri: string };
  readonly script: Script;
  /** What the administrators have configured, where it is not `trusts`. */
  readonly trust?: Readonly<Partial<Record<House, Partial<Trust>>>>;
  readonly clouds?: CloudSettings;
};

/** One request to a token endpoint, and what came of it. */
export type HouseExchange = ExchangeRequest & {
  readonly house: House;
  readonly status: number;
  /** In the provider's own log alone. */
  readonly reason: HiddenReason | "malformed" | "fault" | null;
  readonly idToken: string | null;
  readonly accessToken: string | null;
  readonly expiresAtMs: number | null;
};

export interface ModelHouse {
  /** What a process needs to find the hosts here: a proxy, and an authority that it trusts. */
  readonly env: Readonly<Record<string, string>>;
  readonly exchanges: readonly HouseExchange[];
  readonly clouds: readonly CloudFake[];
  /** The API of all three. Its requests have the headers that arrived. */
  readonly model: ModelServer;
  /** Who asked with no token, another house's, or one that has ended. */
  readonly refusedCalls: readonly { readonly host: string; readonly why: string }[];
  /** `host:port` of each tunnel that was asked for. */
  readonly tunnels: readonly string[];
  /** Faults of the token endpoints. */
  readonly faults: Readonly<Record<House, Faults>>;
  /** Every secret that a job held here. */
  secrets(): readonly string[];
  /** Sends one request to a host of the house without the proxy, as a client's transport does. */
  send(request: DirectRequest): Promise<DirectAnswer>;
  close(): Promise<void>;
}

export type DirectRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
};
export type DirectAnswer = {
  readonly status: number;
  readonly headers: (name: string) => string | undefined;
  readonly body: string;
};

type Live = { readonly house: House; readonly expiresAtMs: number };

export async function startModelHouse(options: ModelHouseOptions): Promise<ModelHouse> {
  const folder = await mkdtemp(join(tmpdir(), "model-house-"));
  const model = await startModelServer({ script: options.script });
  const faults = { anthropic: makeFaults(), openai: makeFaults(), openrouter: makeFaults() };
  const exchanges: HouseExchange[] = [];
  const refusedCalls: { host: string; why: string }[] = [];
  const tunnels: string[] = [];
  const usedIds = new Set<string>();
  const live = new Map<string, Live>();

  const exchange = async (
    house: House,
    request: ExchangeRequest,
    response: ServerResponse,
  ): Promise<void> => {
    const endpoint = tokenEndpoints[house];
    const trust = { ...trusts[house], ...options.trust?.[house] };
    const note = (noted: Partial<HouseExchange>) =>
      exchanges.push({
        ...request,
        house,
        status: response.statusCode,
        reason: null,
        idToken: null,
        accessToken: null,
        expiresAtMs: null,
        ...noted,
      });
    if (await faults[house].answered(response)) {
      note({ reason: "fault", idToken: tokenIn(request.body) });
      return;
    }
    const read = request.headers.authorization === undefined ? endpoint.read(request) : withCredential;
    if (!read.ok) {
      const { status, body } = endpoint.malformed(read.message);
      sendJson(response, status, body);
      note({ reason: "malformed", status, idToken: tokenIn(request.body) });
      return;
    }
    const nowMs = Date.now();
    const checked = await checkSubjectToken(read.token, { issuer: options.issuer, trust, usedIds, nowMs });
    const reason = typeof checked === "string" ? checked : faultOfIdentifiers(read.identifiers, trust);
    if (typeof checked === "string" || reason !== null) {
      const { status, body } = endpoint.refused(reason ?? "signature");
      sendJson(response, status, body);
      note({ reason, status, idToken: read.token });
      return;
    }
    usedIds.add(checked.jti);
    const seconds = lifeOf(house, { trust, leftSeconds: Math.floor((checked.expiresAtMs - nowMs) / 1000) });
    const accessToken = endpoint.makeToken(randomBytes(48).toString("base64url"));
    const expiresAtMs = nowMs + seconds * 1000;
    live.set(accessToken, { house, expiresAtMs });
    sendJson(response, 200, endpoint.granted(accessToken, seconds));
    note({ status: 200, idToken: read.token, accessToken, expiresAtMs });
  };

  const api = (house: House, incoming: IncomingMessage, response: ServerResponse): void => {
    const why = faultOfCall(house, incoming, live);
    if (why !== null) {
      refusedCalls.push({ host: incoming.headers.host ?? "", why });
      incoming.resume();
      sendJson(response, 401, { error: { type: "authentication_error", message: "Invalid bearer token" } });
      return;
    }
    const path = (incoming.url ?? "/").slice(tokenEndpoints[house].apiPrefix.length);
    const { method = "GET", headers } = incoming;
    const passed = open(new URL(path, model.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    incoming.pipe(passed);
  };

  const clouds = openClouds(options.issuer, options.clouds);
  const hosts = [
    ...houses.flatMap((house) => [tokenEndpoints[house].host, tokenEndpoints[house].apiHost]),
    ...clouds.flatMap((cloud) => cloud.hosts),
  ];
  const answerAs = (
    answer: CloudAnswer,
    {
      headers,
      response,
    }: { readonly headers: IncomingMessage["headers"]; readonly response: ServerResponse },
  ): void => {
    if (answer.type === "json") {
      sendJson(response, answer.status, answer.body);
      return;
    }
    if (answer.type === "text") {
      response.writeHead(answer.status, { "content-type": answer.contentType }).end(answer.body);
      return;
    }
    const { "content-length": _, ...kept } = headers;
    const passed = open(new URL(answer.path, model.url), { method: "POST", headers: kept }, (said) => {
      response.writeHead(said.statusCode ?? 502, said.headers);
      said.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    passed.end(answer.body);
  };
  const { key, cert } = selfSigned([...new Set(hosts)]);
  const tls = createTlsServer({ key, cert }, (incoming, response) => {
    serve(incoming, response).catch((cause: unknown) => sendJson(response, 500, { error: String(cause) }));
  });
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { host = "", ...headers } = incoming.headers;
    const path = incoming.url ?? "/";
    const cloud = clouds.find((one) => one.hosts.includes(host));
    if (cloud !== undefined) {
      const { method = "GET" } = incoming;
      const body = (await readBody(incoming)).toString();
      return answerAs(await cloud.answer({ method, host, path, headers, body }), { headers, response });
    }
    const asked = houses.find(
      (house) => tokenEndpoints[house].host === host && tokenEndpoints[house].path === path,
    );
    if (asked !== undefined && incoming.method === "POST") {
      const body = (await readBody(incoming)).toString();
      return await exchange(asked, { method: "POST", path, headers, body }, response);
    }
    const house = houses.find((one) => {
      const { apiHost, apiPrefix } = tokenEndpoints[one];
      return apiHost === host && path.startsWith(`${apiPrefix}/v1/`);
    });
    if (house === undefined)
      return sendJson(response, 404, { error: `No ${incoming.method} ${host}${path}.` });
    api(house, incoming, response);
  };
  await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve));
  const proxy = await startConnectProxy((tls.address() as AddressInfo).port, { hosts, tunnels });
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, cert);

  return {
    env: {
      HTTPS_PROXY: proxy.url,
      https_proxy: proxy.url,
      NO_PROXY: "127.0.0.1,localhost",
      no_proxy: "127.0.0.1,localhost",
      NODE_USE_ENV_PROXY: "1",
      NODE_EXTRA_CA_CERTS: caFile,
    },
    exchanges,
    clouds,
    model,
    refusedCalls,
    tunnels,
    faults,
    secrets: () => [
      ...new Set(
        [
          ...exchanges.map((one) => ({ ...one, secrets: [] })),
          ...clouds.flatMap((cloud) => cloud.exchanges),
        ].flatMap(({ idToken, accessToken, secrets }) =>
          [idToken, accessToken, ...secrets].flatMap((one) => (one === null || one === "" ? [] : [one])),
        ),
      ),
    ],
    send: (request) => sendDirect(request, { port: (tls.address() as AddressInfo).port, cert }),
    close: async () => {
      await proxy.close();
      await new Promise<void>((resolve) => {
        tls.close(() => resolve());
        tls.closeAllConnections();
      });
      await model.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const withCredential = { ok: false, message: "A token endpoint takes no credential in a header." } as const;

/** Of a request that nobody read. */
function tokenIn(body: string): string | null {
  return /[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/.exec(body)?.[0] ?? null;
}

function faultOfIdentifiers(
  given: Readonly<Record<string, string>>,
  { identifiers, optional, needsWorkspace }: Trust,
): HiddenReason | null {
  for (const [name, id] of Object.entries(identifiers)) {
    const isLeftOut = given[name] === undefined && optional.includes(name);
    if (isLeftOut && needsWorkspace) return "workspace_id_required";
    if (!isLeftOut && given[name] !== id) return "identifier_unknown";
  }
  return null;
}

function lifeOf(
  house: House,
  { trust, leftSeconds }: { readonly trust: Trust; readonly leftSeconds: number },
): number {
  switch (house) {
    case "anthropic":
      return Math.min(trust.lifeSeconds, 2 * leftSeconds);
    case "openai":
      return trust.lifeSeconds;
    case "openrouter":
      return Math.min(trust.lifeSeconds, leftSeconds);
  }
}

function faultOfCall(
  house: House,
  { headers }: IncomingMessage,
  live: ReadonlyMap<string, Live>,
): string | null {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
  const known = live.get(token);
  if (known === undefined) return "unknown token";
  if (known.house !== house) return `a token of ${known.house}`;
  if (known.expiresAtMs <= Date.now()) return "expired token";
  if (headers["x-api-key"] !== undefined) return "a key beside the token";
  const betas = String(headers["anthropic-beta"] ?? "").split(/\s*,\s*/);
  return house === "anthropic" && !betas.includes("oauth-2025-04-20") ? "no beta header" : null;
}

async function sendDirect(
  { method, url, headers, body, signal }: DirectRequest,
  { port, cert }: { readonly port: number; readonly cert: string },
): Promise<DirectAnswer> {
  const { hostname, pathname, search } = new URL(url);
  const outgoing = openTls({
    host: "127.0.0.1",
    port,
    servername: hostname,
    ca: cert,
    method,
    path: pathname + search,
    headers: { ...headers, host: hostname },
    ...(signal === undefined ? {} : { signal }),
  });
  const answered = once(outgoing, "response") as Promise<[IncomingMessage]>;
  outgoing.end(body);
  const [answer] = await answered;
  const text = (await readBody(answer)).toString();
  return {
    status: answer.statusCode ?? 0,
    headers: (name) => [answer.headers[name]].flat()[0],
    body: text,
  };
}
