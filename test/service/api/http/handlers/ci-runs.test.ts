import { once } from "node:events";
import { expect, it } from "vitest";
import { exchangeToken } from "../../../../../src/service/core/ci/exchange-token.ts";
import type { Store } from "../../../../../src/service/core/ports/store.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { openHttpApi } from "../../../../support/service-api.ts";
import { withReads } from "../../../../support/wrapped-store.ts";

it("does not wait for a reader who went away before the wait began", async () => {
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const wrapStore = (store: Store): Store =>
    withReads(store, {
      ci: {
        findCapability: async (hash) => {
          entered.resolve();
          await gate.promise;
          return await store.committed.ci.findCapability(hash);
        },
      },
    });
  const fixture = await startFixture({ level: "core", wrapStore });
  const exchanged = await exchangeToken(fixture.core, { subjectToken: "reader", requestId: "r" });
  if (!exchanged.ok) throw new Error(exchanged.refusal.reason);
  const runId = await fixture.submit();
  const api = await openHttpApi(fixture);

  const connected = once(api.server, "connection");
  const hangUp = new AbortController();
  const reading = fetch(`${api.url}/v1/ci/runs/${runId}?wait=30`, {
    headers: { authorization: `Bearer ${exchanged.value.accessToken}` },
    signal: hangUp.signal,
  });
  const [socket] = await connected;
  await entered.promise;
  hangUp.abort();
  await expect(reading).rejects.toThrow();
  await once(socket, "close");
  gate.resolve();
  await api.firstAnswer;
  expect(fixture.clock.sleeping).toBe(0);
  await api.close();
});
