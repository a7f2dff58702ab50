// Clients that have hung up, looked for only by those who wait for something.

import type { RequestContext } from "./request-context.ts";

/** The client went away before its answer: nobody is told, and nothing has failed. */
class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";
  readonly code = "client_gone";
}

export type HangUp = {
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Stops watching. */
  stop(): void;
};

/** Watches from the first time on that `signal` is read. */
export function hangUpOf(context: RequestContext): HangUp {
  let controller: AbortController | null = null;
  const { outgoing } = context.env;
  const onClose = () => controller?.abort(new ClientGoneError("The client went away."));
  return {
    get signal() {
      if (controller === null) {
        controller = new AbortController();
        outgoing.once("close", onClose);
        if (outgoing.destroyed) onClose();
      }
      return controller.signal;
    },
    stop: () => outgoing.off("close", onClose),
  };
}
