// /healthz: the process runs. /readyz: it can do its work.

import { ok } from "../../../../base/result.ts";
import type { Health, operationRoutes } from "../../../../contract/operation.ts";
import type { Core } from "../../../core/core.ts";
import { StorageFullError } from "../../../core/ports/storage-full.ts";
import type { NounHandlers } from "../handler.ts";

export function operationHandlers(core: Core): NounHandlers<typeof operationRoutes> {
  return {
    health: async () => ok({ body: { status: "ok" } }),
    readiness: async () => {
      const status = core.signals.isClosed ? "draining" : await storeStatus(core);
      const health = core.workspaces?.blobs.health?.();
      // Without its bucket a node still serves what is in its store: it stays in its place.
      const storage = health?.isAvailable === false ? "unavailable" : "ok";
      const seen = health === undefined ? {} : ({ storage } as const);
      const body = { status, ...seen, event_loop_delay_ms: core.loopDelayMs() };
      return ok({ body, status: status === "ok" ? 200 : 503 });
    },
  };
}

async function storeStatus(core: Core): Promise<Health["status"]> {
  try {
    await core.store.ping();
    return (await core.commits?.own.areSeen()) === false ? "blobs_missing" : "ok";
  } catch (cause) {
    core.log.warn({ err: cause }, "store does not answer");
    return cause instanceof StorageFullError ? "storage_full" : "unavailable";
  }
}
