// What moves in a workspace, over the session socket: who is told, from where on, and what a late reader learns.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  KEPT_WORKSPACE_EVENTS,
  type WorkspaceMove,
} from "../../../../src/contract/workspaces/workspace-events.ts";
import { SocketApi } from "../../../../src/service/api/socket/socket-api.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { SocketClient } from "./socket-client.ts";

let fixture: CoreFixture;
let sockets: SocketApi;
let server: Server;
let url: string;
let mine: TestAccount;

beforeAll(async () => {
  fixture = await startFixture({ level: "core" });
  sockets = new SocketApi(fixture.core, fixture.submitter, {
    trustedProxyHops: 0,
    corsOrigins: [],
    maxSockets: 100,
  });
  server = createServer().on("upgrade", sockets.onUpgrade).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mine = await makeAccount(fixture);
});

afterAll(async () => {
  await sockets.close();
  server.close();
  await fixture.close();
});

const newId = () => fixture.core.random.uuid(fixture.core.clock.now());

/** The row of a workspace, without anything in it. */
async function makeRow(account: TestAccount): Promise<string> {
  const id = newId();
  await fixture.core.store.transact((tx) =>
    tx.workspaces.insert({
      id,
      accountId: account.id,
      name: "w",
      managerAgentId: account.agent.id,
      state: "ready",
      canonicalCopyId: newId(),
      currentRevisionId: newId(),
      metadata: {},
      createdAt: 1,
    }),
  );
  return id;
}

async function move(workspaceId: string, ...moves: readonly WorkspaceMove[]): Promise<void> {
  const now = fixture.core.clock.now();
  await fixture.core.store.transact((tx) => tx.workspaceEvents.append({ workspaceId, moves, now }));
  fixture.core.signals.publish(workspaceId);
}

const ready = (id: string): WorkspaceMove => ({ what: "copy", id, state: "ready" });
const told = (socket: SocketClient, subscription: string) =>
  socket
    .ofType("workspace_event")
    .filter((frame) => frame.subscription === subscription)
    .map(({ seq, what, id, state }) => [seq, what, id, state]);

it("tells what moves from now on, and behind a number what moved before", async () => {
  const workspaceId = await makeRow(mine);
  await move(workspaceId, ready("a"));
  const socket = await SocketClient.open(url, { bearer: mine.owner });
  socket.send({ type: "subscribe", id: "now", workspace_id: workspaceId });
  expect(await socket.when("workspace")).toEqual({
    type: "workspace",
    subscription: "now",
    workspace_id: workspaceId,
    seq: 1,
    missed: false,
  });
  await move(workspaceId, { what: "changeset", id: "c", state: "open" });
  await move(workspaceId, { what: "changeset", id: "c", state: "accepted" }, ready("b"));
  await socket.when("workspace_event", ({ seq }) => seq === 4);
  expect(told(socket, "now")).toEqual([
    [2, "changeset", "c", "open"],
    [3, "changeset", "c", "accepted"],
    [4, "copy", "b", "ready"],
  ]);
  socket.send({ type: "subscribe", id: "all", workspace_id: workspaceId, after: 0 });
  await socket.when("workspace_event", ({ subscription, seq }) => subscription === "all" && seq === 4);
  expect(told(socket, "all").map(([seq]) => seq)).toEqual([1, 2, 3, 4]);
  socket.send({ type: "unsubscribe", id: "now" });
  expect(await socket.when("unsubscribed")).toMatchObject({ reason: "asked", resume_after: 4 });
  await socket.close();
});

it("says so where events behind the number are no longer kept, or were never there", async () => {
  const workspaceId = await makeRow(mine);
  for (let times = 0; times < 3; times += 1)
    await move(workspaceId, ...Array.from({ length: KEPT_WORKSPACE_EVENTS / 2 }, (_, at) => ready(`${at}`)));
  const last = (KEPT_WORKSPACE_EVENTS / 2) * 3;
  const socket = await SocketClient.open(url, { bearer: mine.aiClient });
  for (const [id, after] of [
    ["old", 3],
    ["future", last + 10],
  ] as const) {
    socket.send({ type: "subscribe", id, workspace_id: workspaceId, after });
    const begun = await socket.when("workspace", ({ subscription }) => subscription === id);
    expect(begun).toMatchObject({ seq: last, missed: true });
  }
  socket.send({ type: "subscribe", id: "kept", workspace_id: workspaceId, after: last - 2 });
  await socket.when("workspace_event", ({ subscription, seq }) => subscription === "kept" && seq === last);
  expect(socket.ofType("workspace").at(-1)).toMatchObject({ seq: last - 2, missed: false });
  expect(told(socket, "old")).toEqual([]);
  await socket.close();
});

it("is for the workspace's account, and one thing a subscription", async () => {
  const theirs = await makeAccount(fixture);
  const [own, other] = [await makeRow(mine), await makeRow(theirs)];
  const socket = await SocketClient.open(url, { bearer: mine.owner });
  socket.send({ type: "subscribe", id: "theirs", workspace_id: other });
  socket.send({ type: "subscribe", id: "none", workspace_id: newId() });
  socket.send({ type: "subscribe", id: "two", workspace_id: own, run_id: "x" });
  socket.send({ type: "subscribe", id: "cursor", workspace_id: own, after: { run_id: "x", seq: 1 } });
  await socket.when("error", ({ id }) => id === "cursor");
  expect(socket.ofType("error").map(({ id, code }) => [id, code])).toEqual([
    ["theirs", "forbidden"],
    ["none", "not_found"],
    ["two", "invalid_request"],
    ["cursor", "invalid_request"],
  ]);
  await move(other, ready("secret"));
  expect(JSON.stringify(socket.frames)).not.toContain("secret");
  await socket.close();
});
