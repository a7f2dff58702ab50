// A store that cannot answer is nobody's fault: no credential is refused for it, on a socket or before one.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../../../src/client/client.ts";
import { SocketApi } from "../../../../src/service/api/socket/socket-api.ts";
import type { HeldCredential } from "../../../../src/service/core/accounts/store-port.ts";
import { StoreUnavailableError } from "../../../../src/service/core/ports/store-unavailable.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { withReads } from "../../../support/wrapped-store.ts";
import { refusedUpgrade, SocketClient } from "./socket-client.ts";

const away = async (): Promise<never> => {
  throw new StoreUnavailableError(new Error("connection refused"));
};

describe("a socket while the store is away", () => {
  let fixture: CoreFixture;
  let account: TestAccount;
  let api: SocketApi;
  let server: Server;
  let url: string;
  /** Stands before the store when a key is looked for. */
  let findKey: ((hash: string) => Promise<HeldCredential | null>) | null = null;

  beforeEach(async () => {
    findKey = null;
    fixture = await startFixture({
      level: "core",
      wrapStore: (store) =>
        withReads(store, {
          credentials: {
            find: (hash) => (findKey ?? ((key) => store.committed.credentials.find(key)))(hash),
          },
        }),
    });
    account = await makeAccount(fixture);
    api = new SocketApi(fixture.core, fixture.submitter, {
      trustedProxyHops: 0,
      maxSockets: 100,
      corsOrigins: [],
    });
    server = createServer().on("upgrade", api.onUpgrade).listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    server.close();
    await api.close();
    await fixture.close();
  });

  it("is not closed for a credential that came in time and is looked up slowly", async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    findKey = async (hash) => {
      asked.resolve();
      await answered.promise;
      return await fixture.store.committed.credentials.find(hash);
    };
    const socket = await SocketClient.open(url);
    socket.send({ type: "auth", token: account.owner });
    await asked.promise;
    fixture.clock.advance(60_000);
    answered.resolve();
    expect(await socket.when("ready")).toEqual({ type: "ready", expires_at: null });
    await socket.close();
  });

  it("is told to come again, and is refused nothing", async () => {
    findKey = away;
    const socket = await SocketClient.open(url);
    socket.send({ type: "auth", token: account.owner });
    socket.send({ type: "subscribe", id: "s", session_id: "00000000-0000-7000-8000-000000000000" });
    expect((await socket.closed).code).toBe(1013);
    expect(socket.frames).toMatchObject([{ type: "error", code: "unavailable", retry_after_seconds: 2 }]);
  });

  it("is answered 503 before the upgrade", async () => {
    findKey = away;
    const refused = await refusedUpgrade(url, { bearer: account.owner });
    expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
  });

  it("is opened again by the client", async () => {
    const submitted = await fixture.submitter.submit({
      caller: { kind: "account", accountId: account.id, callerClass: "owner", personId: null, role: "owner" },
      agentId: account.agent.id,
      body: { message: "go" },
      idempotencyKey: null,
    });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    let failures = 2;
    findKey = async (hash) => {
      failures -= 1;
      return failures < 0 ? await fixture.store.committed.credentials.find(hash) : await away();
    };
    const waits: number[] = [];
    const client = createClient({
      baseUrl: url,
      credential: () => account.owner,
      clock: { now: () => 0, monotonic: () => 0, sleep: async (ms) => void waits.push(ms) },
      random: () => 0,
    });
    const { runId, sessionId } = submitted.value;
    for await (const item of client.sessions.follow({ sessionId })) {
      expect(item).toMatchObject({ type: "run", run: { id: runId } });
      break;
    }
    expect(waits).toEqual([2_000, 2_000]);
  });
});
