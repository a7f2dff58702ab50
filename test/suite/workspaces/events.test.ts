// What moves in a workspace, over sockets to different nodes: told once and in order, whichever node moved it.

import { expect, it } from "vitest";
import { SocketClient } from "../../service/api/socket/socket-client.ts";
import { onEveryDeployment } from "../every-deployment.ts";
import { copyIdOf } from "./copy-id.ts";

onEveryDeployment("events of a workspace", (service) => {
  const told = (socket: SocketClient) =>
    socket.ofType("workspace_event").map(({ seq, what, id, state }) => ({ seq, what, id, state }));

  it("are told on every node, and behind a number after a lost connection", async () => {
    const { owner, ownerKey, aiKey } = await service().account();
    const { id: workspaceId } = await owner.workspaces.create({ body: {} });
    const open = (bearer: string) => SocketClient.open(service().url(), { bearer });
    const sockets = await Promise.all([ownerKey, aiKey, ownerKey, aiKey].map(open));
    for (const socket of sockets) {
      socket.send({ type: "subscribe", id: "w", workspace_id: workspaceId });
      await socket.when("workspace");
    }
    const copyIds: string[] = [];
    for (let times = 0; times < 4; times += 1)
      copyIds.push(copyIdOf(await owner.copies.create({ workspaceId })));
    const [first = ""] = copyIds;
    await owner.copies.delete({ workspaceId, workingCopyId: first });
    const moved = [
      ...copyIds.map((id) => ({ what: "copy", id, state: "ready" })),
      { what: "copy", id: first, state: "deleted" },
    ].map((move, index) => ({ seq: index + 1, ...move }));
    for (const socket of sockets) {
      await socket.when("workspace_event", ({ seq }) => seq === moved.length);
      expect(told(socket)).toEqual(moved);
      await socket.close();
    }
    const late = await open(ownerKey);
    late.send({ type: "subscribe", id: "w", workspace_id: workspaceId, after: 3 });
    await late.when("workspace_event", ({ seq }) => seq === moved.length);
    expect(told(late)).toEqual(moved.slice(3));
    await late.close();
  });
});
