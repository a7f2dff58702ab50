import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { SocketApi } from "../../../../src/service/api/socket/socket-api.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { makeAccount } from "../../../support/service-account.ts";
import { SocketClient } from "./socket-client.ts";

it("lets an account's keys reach the account's agents, and no others", async () => {
  const fixture = await startFixture({ level: "core" });
  const api = new SocketApi(fixture.core, fixture.submitter, {
    trustedProxyHops: 0,
    corsOrigins: [],
    maxSockets: 100,
  });
  const server = createServer().on("upgrade", api.onUpgrade).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mine = await makeAccount(fixture);
  const theirs = await makeAccount(fixture);
  const jobRun = await fixture.submit();

  for (const bearer of [mine.owner, mine.aiClient]) {
    const socket = await SocketClient.open(url, { bearer });
    expect(await socket.when("ready")).toEqual({ type: "ready", expires_at: null });
    socket.send({ type: "submit", id: "mine", agent_id: mine.agent.id, message: "go" });
    const { run_id } = await socket.when("submitted");
    socket.send({ type: "subscribe", id: "s", run_id });
    expect((await socket.when("run")).run).toMatchObject({ id: run_id, status: "queued" });
    socket.send({ type: "cancel", id: "c", agent_id: mine.agent.id, run_id });
    await socket.when("unsubscribed");
    socket.send({ type: "submit", id: "theirs", agent_id: theirs.agent.id, message: "go" });
    socket.send({ type: "subscribe", id: "job's", run_id: jobRun });
    await socket.when("error", ({ id }) => id === "job's");
    expect(socket.ofType("error").map(({ code }) => code)).toEqual(["forbidden", "forbidden"]);
    await socket.close();
  }
  server.close();
  await api.close();
  await fixture.close();
});
