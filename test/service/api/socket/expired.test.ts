import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SocketApi } from "../../../../src/service/api/socket/socket-api.ts";
import { RunExpiry } from "../../../../src/service/core/runs/expire-runs.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { SocketClient } from "./socket-client.ts";

const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

onEveryStore((kind) => {
  describe("subscribing to what has expired", () => {
    let fixture: CoreFixture;
    let account: TestAccount;
    let socket: SocketClient;
    let close: () => Promise<void>;

    beforeEach(async () => {
      fixture = await startFixture({
        level: "core",
        store: kind,
        backend: scriptedBackend((task) => say(task, "word")),
      });
      fixture.executor.start();
      account = await makeAccount(fixture);
      const api = new SocketApi(fixture.core, fixture.submitter, {
        trustedProxyHops: 0,
        corsOrigins: [],
        maxSockets: 10,
      });
      const server = createServer().on("upgrade", api.onUpgrade).listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      socket = await SocketClient.open(url, { bearer: account.owner });
      close = async () => {
        await socket.close();
        server.close();
        await fixture.close();
      };
    });

    afterEach(() => close());

    const speak = async (id: string, extra: object = {}) => {
      socket.send({ type: "submit", id, agent_id: account.agent.id, message: id, ...extra });
      const submitted = await socket.when("submitted", (frame) => frame.id === id);
      await fixture.ended(submitted.run_id);
      return submitted;
    };

    const expire = async () => {
      fixture.clock.advance(KEPT_MS + 1);
      await new RunExpiry(fixture.core, { keptMs: KEPT_MS }).sweep();
    };

    it("is refused for a run", async () => {
      const { run_id } = await speak("old");
      await expire();
      socket.send({ type: "subscribe", id: "s", run_id });
      expect(await socket.when("error")).toMatchObject({ id: "s", code: "events_expired" });
      expect(socket.ofType("subscribed")).toEqual([]);
    });

    it("shows the record alone of a session's run, and goes on with those that are kept", async () => {
      const old = await speak("old");
      const session = { session_id: old.session_id };
      const older = await speak("older", session);
      await expire();
      const young = await speak("young", session);
      socket.send({ type: "subscribe", id: "s", ...session });
      await socket.when("run", ({ run }) => run.id === young.run_id && run.status === "completed");
      await socket.when("event", ({ event }) => event.type === "RUN_FINISHED");
      expect([...new Set(socket.events("s").map(({ run_id }) => run_id))]).toEqual([young.run_id]);
      const shown = socket.ofType("run").map(({ run }) => run.id);
      expect([...new Set(shown)]).toEqual([old.run_id, older.run_id, young.run_id]);
      expect(socket.ofType("error")).toEqual([]);
    });

    it("goes on from a cursor whose run has expired", async () => {
      const old = await speak("old");
      const session = { session_id: old.session_id };
      await expire();
      const young = await speak("young", session);
      socket.send({ type: "subscribe", id: "s", ...session, after: { run_id: old.run_id, seq: 2 } });
      await socket.when("event", ({ event }) => event.type === "RUN_FINISHED");
      socket.send({ type: "unsubscribe", id: "s" });
      const { resume_after } = await socket.when("unsubscribed");
      expect(resume_after).toEqual({ run_id: young.run_id, seq: socket.events("s").length });
    });
  });
});
