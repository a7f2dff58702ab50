// A server of one run, between its agent and the agent's model: it has the key, the agent has a token that is good
// for this run alone.
// Why: docs/decisions/038-the-agent-has-no-key.md

import type { FileHandle } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Clock, WOKEN } from "../../../../../base/clock.ts";
import { isSameSecret } from "../../../../../base/secret-token.ts";
import { listenInFolder } from "../../../../../base/unix-socket.ts";
import type { CodingAgentWire } from "../../../../../contract/models/protocols.ts";
import type { Rates } from "../../../../core/money/rates.ts";
import { BackendFailure } from "../../../backend.ts";
import type { SecretMask } from "../../../secret-mask.ts";
import type { UsageMeter } from "../../../usage-meter.ts";
import type { RequestJournal } from "../../model/loop-state.ts";
import type { PlannedCall } from "../../model/spending.ts";
import { AnswerLengths } from "./answer-lengths.ts";
import { forwardRequest } from "./forward-request.ts";
import type { ModelAccess } from "./model-access.ts";
import { routeOf } from "./model-routes.ts";
import { wireFacts } from "./model-wires.ts";
import { type Excess, ProxyBudget } from "./proxy-budget.ts";
import { ProxyRefusal } from "./proxy-refusal.ts";

/** The name of the socket in its folder. */
export const SOCKET_NAME = "model.sock";
const MAX_OPEN_REQUESTS = 32;
/** The time for the answers to the agent's requests when it has ended: what they count is what was used. */
const SETTLING_MS = 5_000;

type ModelProxyOptions = {
  readonly access: ModelAccess;
  /** The token that the agent shows as its key. */
  readonly token: string;
  /** A folder for a unix socket; null: a port on loopback. */
  readonly socketFolder: string | null;
  readonly meter: UsageMeter;
  /** Null where the run's own account pays. */
  readonly rates: Rates | null;
  /** Of a run that has no limit of its own yet. */
  readonly maxTokens: number;
  /** Knows the key. */
  readonly mask: SecretMask;
  /** The run's: what is under way is counted at once, because a stopped run is settled without waiting. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
};

export type ModelProxy = {
  /** Of the port on loopback; null for a socket. */
  readonly port: number | null;
  /** The status of the last answer, where it is an error, the proxy's own among them. Null: it is none. */
  readonly refusedWith: number | null;
  /** Called once, when a bound of the run forbade a request. */
  onExcess: (excess: Excess) => void;
  /** Called when the run's own access has ended: none of its requests can be answered any more. */
  onFailure: (failure: BackendFailure) => void;
  /** Of the worker before. */
  countLeft(planned: readonly PlannedCall[]): void;
  /** From now on each request is kept there before it is forwarded. */
  keepIn(journal: RequestJournal): void;
  /** Revokes the token, waits a little for what is under way, ends it and counts it. Safe to repeat. */
  close(): Promise<void>;
};

export async function openModelProxy(options: ModelProxyOptions): Promise<ModelProxy> {
  const { access, token, mask, rates, signal: stopped, clock } = options;
  const budget = new ProxyBudget(options);
  const lengths = new AnswerLengths();
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  let excess: Excess | null = null;
  let isClosed = false;
  let refusedWith: number | null = null;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Not by a URL's rules, which would resolve ".." and take "//host" for another server.
    const [path = "", ...rest] = (request.url ?? "").split("?");
    const query = new URLSearchParams(rest.join("?"));
    // The answer to somebody without the token says nothing of what would be passed on.
    if (isClosed || !shows(request, query, token))
      throw new ProxyRefusal(401, "The key is not that of this run.");
    if (underWay.size >= MAX_OPEN_REQUESTS)
      throw new ProxyRefusal(429, `${MAX_OPEN_REQUESTS} requests are under way. Wait for one of them.`);
    const found = routeOf(access.wire, { method: request.method ?? "", path });
    if (found === null)
      throw new ProxyRefusal(404, "This request is not passed on: it is none of the model's API.");
    const left = new AbortController();
    response.once("close", () => left.abort(new Error("The agent has closed the connection.")));
    await forwardRequest(request, response, {
      ...found,
      access,
      query,
      budget,
      lengths,
      rates,
      mask,
      onExcess: (reached) => {
        if (excess === null) proxy.onExcess(reached);
        excess ??= reached;
      },
      left: left.signal,
      stopped,
      signal: AbortSignal.any([closing.signal, stopped]),
    });
  };

  const server = createServer((request, response) => {
    const work = answer(request, response).catch((cause: unknown) => {
      if (cause instanceof BackendFailure) proxy.onFailure(cause);
      refuse(response, cause, access.wire);
    });
    underWay.add(work);
    work.finally(() => {
      underWay.delete(work);
      if (response.headersSent) refusedWith = response.statusCode < 400 ? null : response.statusCode;
    });
  });
  const folder = await listen(server, options.socketFolder);
  const address = server.address();
  const close = async () => {
    isClosed = true;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await settled(Promise.all(underWay));
    closing.abort(new Error("The run has ended."));
    await Promise.all(underWay);
    await closed;
    await folder?.close();
  };
  /** Or the time for it is over, or the run is stopped. */
  const settled = async (work: Promise<unknown>) => {
    const done = new AbortController();
    const late = clock.sleep(SETTLING_MS, AbortSignal.any([done.signal, stopped])).catch(() => undefined);
    await Promise.race([work, late]);
    done.abort(WOKEN);
  };
  let closed: Promise<void> | null = null;
  const proxy: ModelProxy = {
    port: typeof address === "object" && address !== null ? (address as AddressInfo).port : null,
    get refusedWith() {
      return refusedWith;
    },
    onExcess: () => undefined,
    onFailure: () => undefined,
    countLeft: (planned) => budget.countLeft(planned),
    keepIn: (journal) => budget.keepIn(journal),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
  return proxy;
}

/** The address that an agent gets as its model's. */
export function agentsUrl(access: ModelAccess, port: number): string {
  return `http://127.0.0.1:${port}${wireFacts[access.wire].urlPath}`;
}

async function listen(server: Server, socketFolder: string | null): Promise<FileHandle | null> {
  if (socketFolder !== null) return await listenInFolder(server, { folder: socketFolder, name: SOCKET_NAME });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return null;
}

/** In whichever way the agent's client sends its key. */
function shows({ headers }: IncomingMessage, query: URLSearchParams, token: string): boolean {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  const shown = [bearer, headers["x-api-key"], headers["x-goog-api-key"], query.get("key")];
  return shown.some((text) => typeof text === "string" && isSameSecret(text, token));
}

function refuse(response: ServerResponse, cause: unknown, wire: CodingAgentWire): void {
  // Cut in the middle: an agent must not take it for whole.
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const refusal =
    cause instanceof ProxyRefusal ? cause : new ProxyRefusal(502, "The request could not be passed on.");
  response.writeHead(refusal.status, { "content-type": "application/json", connection: "close" });
  response.end(refusal.body(wire));
}
