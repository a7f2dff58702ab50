// Every operation, asked of a service whose rates are used up, and of a node that works on as much as it may.

import { expect } from "vitest";
import { Load } from "../../../src/service/core/limits/load.ts";
import { documentedRoutes, type SeenAnswers } from "../document-checker.ts";
import { DocumentedApi } from "../documented-api.ts";
import { startFixture } from "../fixtures/start-fixture.ts";
import { makeAccount } from "../service-account.ts";
import { openHttpApi } from "../service-api.ts";
import { call } from "../service-client.ts";
import type { StoreKind } from "../stores/stores.ts";

/** Nobody can be asked too often for these, and they are answered whatever the load. */
const PROBES: ReadonlySet<string> = new Set(["operationHealth", "operationReadiness"]);

export async function refuseForRoom(seen: SeenAnswers, kind: StoreKind): Promise<void> {
  const rates = { ratePerMinute: 1, addressRatePerMinute: 1 };
  const fixture = await startFixture({ level: "core", store: kind, ...rates });
  const http = await openHttpApi(fixture, undefined, { exchangeRatePerMinute: 1 });
  const send = { send: (path: string, options = {}) => call(http.url + path, options) };
  try {
    const { owner } = await makeAccount(fixture);
    const api = new DocumentedApi(send, { owner, seen });
    for (const { operation } of documentedRoutes) {
      if (PROBES.has(operation.operationId)) continue;
      // The first request may be within the rate.
      await api.answer(operation.operationId);
      expect((await api.answer(operation.operationId)).status, operation.operationId).toBe(429);
    }
    Object.assign(fixture.core, { load: new Load({ requests: 0, polls: 0, sockets: 0 }) });
    for (const { operation } of documentedRoutes)
      if (!PROBES.has(operation.operationId))
        expect((await api.answer(operation.operationId)).status, operation.operationId).toBe(503);
  } finally {
    await http.close();
  }
}
