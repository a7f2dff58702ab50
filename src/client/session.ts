// Follows one session over the WebSocket: its runs as they begin and end, and every event of each, once and in order.

import { type BackoffPolicy, nextDelayMs } from "../base/backoff.ts";
import type { Run } from "../contract/runs/run.ts";
import type { StoredRunEvent } from "../contract/runs/run-event.ts";
import {
  closeCodes,
  type ServerFrame,
  type SessionCursor,
  SOCKET_PATH,
  serverFrameSchema,
} from "../contract/sessions/socket.ts";
import { ClientError, ConnectionError } from "./errors.ts";
import type { ApiConnection } from "./request.ts";
import { FOLLOW_RETRY } from "./retry.ts";

const SUBSCRIPTION = "session";

/** The options of `sessions.follow`. */
export type SessionOptions = {
  /** The session. */
  readonly sessionId: string;
  /** The last event that is known; without it from the session's beginning. */
  readonly after?: SessionCursor | null;
  /** Ends the loop: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The connections after one was lost, counted anew after each that brought something. */
  readonly retry?: BackoffPolicy;
};

/** One step of a session: a run as it stands, or an event of a run. A union on `type`. */
export type SessionItem =
  /** A run as it stands, before its first event and after its last; told again after a reconnection. */
  | { readonly type: "run"; readonly run: Run }
  | ({ readonly type: "event"; readonly runId: string } & StoredRunEvent);

/** Iterate it once; it goes on until the loop is left or the signal aborts. */
export type FollowedSession = {
  /** Its position, to go on from later. */
  readonly cursor: SessionCursor | null;
  /** Runs and events as they come. Rejects with SessionRefusedError, and with the signal's reason. */
  [Symbol.asyncIterator](): AsyncGenerator<SessionItem, never, undefined>;
};

/** The service refused the subscription or the credential. `code` is the service's. */
export class SessionRefusedError extends ClientError {}

/** The constructor of sockets: the platform's WebSocket, or another of the same interface. */
export type WebSocketConstructor = new (url: string) => WebSocket;

/** Sessions: several runs after one another, with one memory. */
export type SessionClient = {
  /** GET /v1/ws. Connects again, from where it stands, whenever the connection is lost. */
  follow(options: SessionOptions): FollowedSession;
};

/** Without a constructor: the platform's; on Node before version 22, the `ws` library's. */
export function sessionClient(connection: ApiConnection, given?: WebSocketConstructor): SessionClient {
  return {
    follow: (options) => followSession({ ...connection, webSocket: given ?? globalThis.WebSocket }, options),
  };
}

type SocketConnection = ApiConnection & { readonly webSocket: WebSocketConstructor | undefined };

async function loadWebSocket(): Promise<WebSocketConstructor> {
  try {
    const { WebSocket } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "./node-web-socket.ts");
    return WebSocket as unknown as WebSocketConstructor;
  } catch (cause) {
    throw new ClientError(
      "websocket_missing",
      'This platform has no WebSocket. Give one as the option "webSocket".',
      { cause },
    );
  }
}

function followSession(connection: SocketConnection, options: SessionOptions): FollowedSession {
  const { signal, retry = FOLLOW_RETRY } = options;
  const position = { cursor: options.after ?? null };

  async function* items(): AsyncGenerator<SessionItem, never, undefined> {
    for (let attempt = 1; ; attempt += 1) {
      signal?.throwIfAborted();
      let retryAfterMs: number | undefined;
      for await (const frame of frames(connection, { ...options, after: position.cursor })) {
        if (frame.type === "error") {
          if (frame.retry_after_seconds !== undefined) retryAfterMs = frame.retry_after_seconds * 1000;
          break;
        }
        attempt = 1;
        if (frame.type === "run") yield { type: "run", run: frame.run };
        if (frame.type !== "event") continue;
        const { run_id: runId, seq, at, event } = frame;
        position.cursor = { run_id: runId, seq };
        yield { type: "event", runId, seq, at, event };
      }
      const delayMs = nextDelayMs(retry, { attempt, retryAfterMs, random: connection.random() });
      if (delayMs === null) throw new ConnectionError(`No socket to ${connection.baseUrl}.`);
      await connection.clock.sleep(delayMs, signal);
    }
  }

  return {
    get cursor() {
      return position.cursor;
    },
    [Symbol.asyncIterator]: items,
  };
}

/** The frames of one connection, until it is lost. Throws what connecting again would not fix. */
async function* frames(
  connection: SocketConnection,
  options: SessionOptions,
): AsyncGenerator<ServerFrame, void, undefined> {
  const token = await connection.credential.token();
  const socketUrl = `${connection.baseUrl.replace(/^http/, "ws")}${SOCKET_PATH}`;
  const socket = new (connection.webSocket ?? (await loadWebSocket()))(socketUrl);
  const arrived: ServerFrame[] = [];
  let closedWith: number | null = null;
  let wake = () => {};
  const send = (frame: object) => socket.send(JSON.stringify(frame));
  socket.onopen = () => {
    // Without one, the upgrade has it: a server in between has added the header.
    if (token !== null) send({ type: "auth", token });
    const { sessionId: session_id, after } = options;
    send({ type: "subscribe", id: SUBSCRIPTION, session_id, ...(after == null ? {} : { after }) });
  };
  socket.onmessage = ({ data }) => {
    const frame = serverFrameSchema.safeParse(JSON.parse(String(data)));
    // A frame of a kind that this version does not know is passed over.
    if (frame.success) arrived.push(frame.data);
    wake();
  };
  socket.onclose = ({ code }) => {
    closedWith = code;
    wake();
  };
  const onAbort = () => socket.close();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      const frame = arrived.shift();
      if (frame !== undefined) {
        if (frame.type === "error" && !mayPass(frame)) throw new SessionRefusedError(frame.code, frame.error);
        if (frame.type === "slow" || frame.type === "unsubscribed") return;
        yield frame;
      } else if (closedWith === closeCodes.unauthorized) {
        throw new SessionRefusedError("unauthorized", "The service refused the credential.");
      } else if (closedWith !== null) {
        options.signal?.throwIfAborted();
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    socket.close();
  }
}

/** Too often, too many, or not now: worth another connection later. */
function mayPass({ code }: { code: string }): boolean {
  return code === "rate_limited" || code === "capacity_reached" || code === "unavailable";
}
