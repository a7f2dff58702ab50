// One run's events over the session socket, each once and in order, through as many connections as it takes.

import { nextDelayMs } from "../../base/backoff.ts";
import type { Run } from "../../contract/runs/run.ts";
import type { StoredRunEvent } from "../../contract/runs/run-event.ts";
import {
  closeCodes,
  type ServerFrame,
  SOCKET_PATH,
  serverFrameSchema,
} from "../../contract/sessions/socket.ts";

const RETRY = { firstDelayMs: 500, maxDelayMs: 15_000, attempts: Number.POSITIVE_INFINITY };
const SUBSCRIPTION = "page";

type RunSocketOptions = {
  readonly runId: string;
  /** Events up to this one are known. */
  readonly after: number;
  /** The token of a link; null where the browser is signed in. */
  readonly viewToken: string | null;
  readonly onEvent: (event: StoredRunEvent) => void;
  readonly onRun: (run: Run) => void;
  /** `refused`: it will not connect again. `ended`: everything was read. */
  readonly onState: (state: "live" | "reconnecting" | "refused" | "ended") => void;
};

/** Follows the run until it has ended and is read, or the service refuses. */
export function followRun(options: RunSocketOptions): void {
  let after = options.after;
  let attempt = 0;
  let isOver = false;

  const finish = (state: "refused" | "ended") => {
    isOver = true;
    options.onState(state);
  };

  const take = (frame: ServerFrame, socket: WebSocket): void => {
    switch (frame.type) {
      case "ready":
        socket.send(JSON.stringify({ type: "subscribe", id: SUBSCRIPTION, run_id: options.runId, after }));
        return;
      case "subscribed":
        attempt = 0;
        options.onState("live");
        return;
      case "run":
        options.onRun(frame.run);
        return;
      case "event":
        if (frame.seq <= after) return;
        after = frame.seq;
        options.onEvent({ seq: frame.seq, at: frame.at, event: frame.event });
        return;
      case "unsubscribed":
        if (frame.reason === "ended") finish("ended");
        socket.close();
        return;
      case "slow":
      case "stopping":
        socket.close();
        return;
      case "error":
        if (frame.code === "not_found" || frame.code === "forbidden" || frame.code === "events_expired")
          finish("refused");
        socket.close();
        return;
      default:
        // What follows a submission or a cancellation, neither of which a page sends here.
        return;
    }
  };

  const connect = (): void => {
    const url = location.origin.replace(/^http/, "ws") + SOCKET_PATH;
    const socket = new WebSocket(url);
    socket.onopen = () => {
      // Whoever is signed in is known by the cookie of this page's origin.
      if (options.viewToken !== null) socket.send(JSON.stringify({ type: "auth", token: options.viewToken }));
    };
    socket.onmessage = ({ data }) => {
      const frame = serverFrameSchema.safeParse(JSON.parse(String(data)));
      // A frame of a kind that this version does not know is passed over.
      if (frame.success && !isOver) take(frame.data, socket);
    };
    socket.onclose = ({ code }) => {
      if (isOver) return;
      if (code === closeCodes.unauthorized) {
        finish("refused");
        return;
      }
      options.onState("reconnecting");
      attempt += 1;
      setTimeout(connect, nextDelayMs(RETRY, { attempt, random: Math.random() }) ?? RETRY.maxDelayMs);
    };
  };
  connect();
}
