// A proxy on loopback in front of the service: keeps what was asked and answered, and lets it go wrong on demand.

import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as open,
  type ServerResponse,
} from "node:http";
import { type Fault, makeFaults } from "../../fakes/code-host/fault.ts";
import { readBody, startLoopbackServer } from "../../fakes/code-host/server.ts";

export type Route =
  | "exchange"
  | "revoke"
  | "find-commit"
  | "send-commit"
  | "submit"
  | "run"
  | "cancel"
  | "poll"
  | "page"
  | "report"
  | "other";

export type ProxyFault =
  /** In the service's place, which never hears of the request. */
  | Fault
  /** The service answers, and the connection is cut before a byte of it. */
  | { readonly type: "lost" }
  /** The service answers, and the connection is cut in the middle of it. */
  | { readonly type: "halved" }
  /** The service gets the request twice; the second answer is handed on. */
  | { readonly type: "twice" }
  /** The route's last answer once more; the service never hears of the request. */
  | { readonly type: "stale" }
  /** The service's answer with another body. */
  | { readonly type: "edited"; readonly edit: (body: string) => string }
  /** A service that does not know these fields of a body, and refuses them as services do. */
  | { readonly type: "older"; readonly unknown: readonly string[] }
  /** No fault: lets one request of a queue pass. */
  | { readonly type: "none" };

export type ProxyAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type ProxiedRequest = {
  readonly route: Route;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as it came. */
  readonly bytes: Buffer;
  readonly fault: ProxyFault["type"] | null;
  /** What the service said, whether it was handed on or not; null when it was not asked or has not answered. */
  readonly answer: ProxyAnswer | null;
};

export interface FaultProxy {
  readonly url: string;
  readonly requests: readonly ProxiedRequest[];
  /** Where requests go. */
  forwardTo(url: string): void;
  /** The next `times` requests of the route fail so; later calls queue behind. */
  next(route: Route, fault: ProxyFault, times?: number): void;
  /** Every request of the route fails so, once its queue is empty. */
  always(route: Route, fault: ProxyFault): void;
  /** No fault from here on. */
  heal(): void;
  /** Resolves when the `count`-th request from now on of the route has come. */
  arrival(route: Route, count?: number): Promise<void>;
  close(): Promise<void>;
}

type Arrival = { readonly route: Route; left: number; tell(): void };

type Received = { -readonly [Field in keyof ProxiedRequest]: ProxiedRequest[Field] };

export async function startFaultProxy(): Promise<FaultProxy> {
  const requests: Received[] = [];
  const queues = new Map<Route, ProxyFault[]>();
  const standing = new Map<Route, ProxyFault>();
  let arrivals: Arrival[] = [];
  let target = "";

  const announce = (route: Route) => {
    for (const arrival of arrivals) {
      if (arrival.route !== route) continue;
      arrival.left -= 1;
      if (arrival.left === 0) arrival.tell();
    }
    arrivals = arrivals.filter(({ left }) => left > 0);
  };

  const server = await startLoopbackServer(async (request, response) => {
    const bytes = await readBody(request);
    const { method = "", url: path = "", headers } = request;
    const route = routeOf(method, path);
    const fault = queues.get(route)?.shift() ?? standing.get(route) ?? null;
    const received: Received = {
      route,
      method,
      path,
      headers,
      body: bytes.toString(),
      bytes,
      fault: fault?.type ?? null,
      answer: null,
    };
    const earlier = requests.findLast((other) => other.route === route && other.answer !== null)?.answer;
    requests.push(received);
    announce(route);
    const ask = async () => {
      received.answer = await forward({ target, request: received, response });
      return received.answer;
    };
    const refusal = fault?.type === "older" ? refusalOfOlder(fault.unknown, received.body) : fault;
    await answer({ fault: refusal ?? { type: "none" }, ask, earlier: earlier ?? null, response });
  });

  return {
    url: server.url,
    requests,
    forwardTo: (url) => {
      target = url;
    },
    next: (route, fault, times = 1) => {
      queues.set(route, [...(queues.get(route) ?? []), ...Array.from({ length: times }, () => fault)]);
    },
    always: (route, fault) => {
      standing.set(route, fault);
    },
    heal: () => {
      queues.clear();
      standing.clear();
    },
    arrival: (route, count = 1) =>
      new Promise((resolve) => {
        arrivals.push({ route, left: count, tell: resolve });
      }),
    close: server.close,
  };
}

const routes: readonly (readonly [RegExp, Route])[] = [
  [/^POST \/v1\/ci\/oidc\/exchange$/, "exchange"],
  [/^DELETE \/v1\/ci\/oidc\/exchange$/, "revoke"],
  [/^GET \/v1\/ci\/commits\/[^/]+$/, "find-commit"],
  [/^PUT \/v1\/ci\/commits\/[^/]+$/, "send-commit"],
  [/^POST \/v1\/agents\/[^/]+\/runs$/, "submit"],
  [/^GET \/v1\/agents\/[^/]+\/runs\/[^/]+$/, "run"],
  [/^POST \/v1\/agents\/[^/]+\/runs\/[^/]+\/cancel$/, "cancel"],
  [/^GET \/v1\/ci\/runs\/[^/]+$/, "poll"],
  [/^POST \/v1\/ci\/runs\/[^/]+\/page$/, "page"],
  [/^PUT \/v1\/ci\/runs\/[^/]+\/delivery$/, "report"],
];

function routeOf(method: string, path: string): Route {
  const asked = `${method} ${path.replace(/\?.*$/, "")}`;
  return routes.find(([pattern]) => pattern.test(asked))?.[1] ?? "other";
}

async function answer(options: {
  fault: ProxyFault;
  ask: () => Promise<ProxyAnswer | null>;
  earlier: ProxyAnswer | null;
  response: ServerResponse;
}): Promise<void> {
  const { fault, ask, earlier, response } = options;
  switch (fault.type) {
    case "none":
    case "older":
      return handOn(response, await ask());
    case "edited": {
      const whole = await ask();
      return handOn(response, whole === null ? null : { ...whole, body: fault.edit(whole.body) });
    }
    case "lost":
      await ask();
      response.destroy();
      return;
    case "halved": {
      const whole = await ask();
      if (whole === null) return handOn(response, null);
      const length = Buffer.byteLength(whole.body);
      response.writeHead(whole.status, { ...headersOf(whole), "content-length": length });
      response.write(Buffer.from(whole.body).subarray(0, length / 2), () => response.destroy());
      return;
    }
    case "twice":
      await ask();
      return handOn(response, await ask());
    case "stale":
      return handOn(response, earlier);
    default:
      if (!(await strike(fault, response))) handOn(response, await ask());
  }
}

async function strike(fault: Fault, response: ServerResponse): Promise<boolean> {
  const once = makeFaults();
  once.next(fault);
  return await once.answered(response);
}

/** Null when the service cannot be reached, or when the caller has hung up. */
async function forward(options: {
  target: string;
  request: ProxiedRequest;
  response: ServerResponse;
}): Promise<ProxyAnswer | null> {
  const { target, request, response } = options;
  const outgoing = open(target + request.path, { method: request.method, headers: request.headers });
  const hangUp = () => outgoing.destroy();
  response.once("close", hangUp);
  try {
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once("response", resolve).once("error", reject).end(request.bytes);
    });
    const body = (await readBody(incoming)).toString();
    return { status: incoming.statusCode ?? 0, headers: incoming.headers, body };
  } catch {
    return null;
  } finally {
    response.off("close", hangUp);
  }
}

function handOn(response: ServerResponse, answer: ProxyAnswer | null): void {
  if (response.destroyed) return;
  if (answer === null) response.destroy();
  else response.writeHead(answer.status, headersOf(answer)).end(answer.body);
}

/** Without what belongs to one connection alone. */
function headersOf(answer: ProxyAnswer): IncomingHttpHeaders {
  const ofConnection = ["connection", "content-length", "keep-alive", "transfer-encoding"];
  return Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !ofConnection.includes(name)));
}

/** Null where the body has none of the fields. */
function refusalOfOlder(unknown: readonly string[], body: string): Fault | null {
  const given = Object.keys(JSON.parse(body)).filter((name) => unknown.includes(name));
  if (given.length === 0) return null;
  const fields = given.map((field) => ({ field, allowed: "a known field", reason: "unknown_field" }));
  return {
    type: "status",
    status: 400,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ error: "Unknown fields.", code: "invalid_request", request_id: "older", fields }),
  };
}

/** A problem as the service words it, for a fault in its place. */
export function problemFault(
  status: number,
  options: { code: string; requestId: string; headers?: Readonly<Record<string, string>> },
): Extract<Fault, { type: "status" }> {
  const { code, requestId, headers = {} } = options;
  return {
    type: "status",
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ error: "Not now.", code, request_id: requestId }),
  };
}
