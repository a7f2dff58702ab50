// Waits for a state of one object of Kubernetes: reads it, then watches it, and again where a watch was cut or came too late.

import type { Clock } from "../../../base/clock.ts";
import { isObject } from "../../../base/json.ts";
import { type ClusterClient, ClusterError } from "./cluster-client.ts";

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 3_000;

type Followed = {
  readonly client: Pick<ClusterClient, "request" | "watch">;
  readonly clock: Clock;
  /** Of the objects of its kind in its namespace. */
  readonly collection: string;
  readonly name: string;
  readonly signal: AbortSignal;
};

export type ClusterObject = Readonly<Record<string, unknown>>;

/**
 * Resolves with the first value other than undefined that `accept` has for a state of the object; null is that it does not exist. Goes
 * on while the server is away: only the signal ends that. Rejects with a `ClusterError` for what the server refuses.
 */
export async function followObject<Value>(
  { client, clock, collection, name, signal }: Followed,
  accept: (object: ClusterObject | null) => Value | undefined,
): Promise<Value> {
  let delayMs = FIRST_DELAY_MS;
  let version: string | null = null;
  for (;;) {
    signal.throwIfAborted();
    try {
      if (version === null) {
        const object = await readObject({ client, collection, name, signal });
        const accepted = accept(object);
        if (accepted !== undefined) return accepted;
        version = versionOf(object);
      }
      if (version !== null) {
        const query = { fieldSelector: `metadata.name=${name}` };
        for await (const event of client.watch({
          path: collection,
          query,
          resourceVersion: version,
          signal,
        })) {
          version = versionOf(event.object) ?? version;
          delayMs = FIRST_DELAY_MS;
          if (event.type === "BOOKMARK") continue;
          const accepted = accept(event.type === "DELETED" ? null : event.object);
          if (accepted !== undefined) return accepted;
        }
      }
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof ClusterError)) throw cause;
      // What was changed meanwhile is not known: it is read again.
      if (cause.status === 410) version = null;
      else if (!cause.isAway) throw cause;
    }
    await clock.sleep(delayMs, signal);
    delayMs = Math.min(MAX_DELAY_MS, delayMs * 2);
  }
}

/** Null where there is none. `missing` says whether a refusal means that; default: it does. */
export async function readObject({
  client,
  collection,
  name,
  signal,
  missing = () => true,
}: Omit<Followed, "clock" | "client"> & {
  readonly client: Pick<ClusterClient, "request">;
  readonly missing?: (refusal: ClusterError) => boolean;
}): Promise<ClusterObject | null> {
  try {
    return await client.request({ method: "GET", path: `${collection}/${name}`, signal });
  } catch (cause) {
    if (cause instanceof ClusterError && cause.status === 404 && missing(cause)) return null;
    throw cause;
  }
}

function versionOf(object: ClusterObject | null): string | null {
  const metadata = object?.metadata;
  return isObject(metadata) && typeof metadata.resourceVersion === "string" ? metadata.resourceVersion : null;
}
