// The API of GET /v1/ws: who may open a socket, every open one, and their end when the service stops.

import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { ok, type Result, refused } from "../../../base/result.ts";
import { MAX_FRAME_BYTES, SOCKET_PATH } from "../../../contract/sessions/socket.ts";
import type { Core } from "../../core/core.ts";
import type { PublicProblem } from "../../core/ports/problem.ts";
import type { RunSubmitter } from "../../core/runs/submit-run.ts";
import { admitCaller, chargeAddress } from "../shared/admit-caller.ts";
import { bearerOf } from "../shared/bearer.ts";
import { clientAddress } from "../shared/client-address.ts";
import { problemOfThrown } from "../shared/problems/thrown-problem.ts";
import { toProblem } from "../shared/problems/to-problem.ts";
import { sessionSecretIn } from "../shared/session-cookie.ts";
import { SocketConnection } from "./connection.ts";
import { ConnectionLimit } from "./connection-limit.ts";
import { findOwner, type Held } from "./credential.ts";
import { WorkTurns } from "./work-turns.ts";

type Upgrade = { readonly request: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

/** Sent by all sockets in one turn of the event loop: about a millisecond of work. */
const EVENTS_PER_TURN = 256;

type SocketOptions = {
  readonly trustedProxyHops: number;
  /** Of pages that may open a socket, beside its own; "*" stands for every one. */
  readonly corsOrigins: readonly string[];
  /** Of one account, or of the jobs of one repository. */
  readonly maxSockets: number;
};

/** Whether a request asks for a socket: any other `Upgrade` header is HTTP's to ignore. */
export function isSocketRequest(request: IncomingMessage): boolean {
  const path = (request.url ?? "").split("?", 1)[0];
  return path === SOCKET_PATH && request.headers.upgrade?.toLowerCase() === "websocket";
}

export class SocketApi {
  readonly #core: Core;
  readonly #submitter: RunSubmitter;
  readonly #trustedProxyHops: number;
  readonly #connectionLimit: ConnectionLimit;
  readonly #ownOrigins: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  });
  readonly #connections = new Set<SocketConnection>();
  readonly #turns = new WorkTurns(EVENTS_PER_TURN);
  #isClosed = false;

  constructor(core: Core, submitter: RunSubmitter, options: SocketOptions) {
    this.#core = core;
    this.#submitter = submitter;
    this.#trustedProxyHops = options.trustedProxyHops;
    this.#connectionLimit = new ConnectionLimit(options.maxSockets);
    const own = [core.policy.baseUrl, core.policy.webUrl].map((url) => new URL(url).origin);
    this.#ownOrigins = new Set(own);
    this.#origins = new Set([...own, ...options.corsOrigins]);
  }

  /** The listener for an HTTP server's `upgrade`. */
  readonly onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // A client that hangs up in the middle is not answered.
    socket.on("error", () => {});
    const now = this.#core.clock.now();
    const requestId = this.#core.random.uuid(now);
    this.#open({ request, socket, head }, requestId).catch((cause: unknown) => {
      this.#core.log.error({ err: cause, request_id: requestId }, "internal error");
      answer(socket, problemOfThrown(cause), requestId);
    });
  };

  /** Tells every subscription its cursor and closes every socket, with 1012. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connections].map((connection) => connection.stop()));
  }

  async #open({ request, socket, head }: Upgrade, requestId: string): Promise<void> {
    const core = this.#core;
    const log = core.log.child({ request_id: requestId });
    const address = this.#addressOf(request);
    const overload = core.load.enter("sockets");
    if (overload !== null) {
      log.info({ reason: overload.reason }, "socket refused");
      return answer(socket, toProblem(overload), requestId);
    }
    // Also where the upgrade comes to nothing.
    socket.once("close", () => core.load.leave("sockets"));
    const admitted = await this.#admit(request, address);
    const problem = this.#isClosed ? stopping : admitted.ok ? null : admitted.refusal;
    if (problem !== null) {
      log.info({ status: problem.status, code: problem.code }, "socket refused");
      return answer(socket, problem, requestId);
    }
    this.#server.handleUpgrade(request, socket, head, (websocket) => {
      const connection = new SocketConnection({
        core,
        submitter: this.#submitter,
        socket: websocket,
        connection: socket,
        log,
        requestId,
        address,
        slot: this.#connectionLimit.newcomer(),
        turns: this.#turns,
        admitted: admitted.ok ? admitted.value : null,
      });
      this.#connections.add(connection);
      connection.closed.then(() => this.#connections.delete(connection));
    });
  }

  /** Null stands for a socket that has yet to say who it is. */
  async #admit(request: IncomingMessage, address: string): Promise<Result<Held | null, PublicProblem>> {
    if (!isSocketRequest(request)) {
      return refused({
        status: 404,
        code: "not_found",
        message: `Sockets are at ${SOCKET_PATH}.`,
      });
    }
    const { origin, authorization } = request.headers;
    if (origin !== undefined && !this.#origins.has(origin) && !this.#origins.has("*")) {
      const allowed = [...this.#origins].join(", ");
      const message = `Pages of this origin may not open a socket. Allowed: ${allowed}. CORS_ORIGINS allows more.`;
      return refused({ status: 403, code: "forbidden", message });
    }
    const excess = chargeAddress(this.#core, address);
    if (excess !== null) return refused(toProblem(excess));
    const token = bearerOf(authorization);
    if (token === null) return ok(await this.#admitPage(request));
    const caller = await admitCaller(this.#core, { bearer: token, address });
    if (!caller.ok) return refused(toProblem(caller.refusal));
    const refusal = this.#connectionLimit.refusalOf(caller.value);
    return refusal === null ? ok({ token, caller: caller.value }) : refused(toProblem(refusal));
  }

  /** A page of our own brings the cookie of whoever is signed in. A cookie of any other page is not read. */
  async #admitPage({ headers }: IncomingMessage): Promise<Held | null> {
    const { origin, cookie } = headers;
    if (origin === undefined || !this.#ownOrigins.has(origin)) return null;
    const secret = sessionSecretIn(cookie, this.#core.policy.webUrl);
    if (secret === null) return null;
    const owner = await findOwner(this.#core, secret);
    return owner.ok ? { token: secret, caller: owner.value } : null;
  }

  #addressOf({ headers, socket }: IncomingMessage): string {
    const forwardedFor = [headers["x-forwarded-for"] ?? []].flat().join(",");
    return clientAddress({ peer: socket.remoteAddress, forwardedFor }, this.#trustedProxyHops);
  }
}

const stopping: PublicProblem = {
  status: 503,
  code: "unavailable",
  message: "The service stops. Connect again in a moment.",
  retryAfterSeconds: 1,
};

/** An HTTP answer in the place of the upgrade. */
function answer(socket: Duplex, problem: PublicProblem, requestId: string): void {
  const { status, code, message: error, fields, headers, retryAfterSeconds } = problem;
  const body = JSON.stringify({ error, code, request_id: requestId, ...fields });
  const lines = Object.entries({
    "Content-Type": "application/json",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": String(Buffer.byteLength(body)),
    SocketConnection: "close",
    "X-Request-Id": requestId,
    ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}
