// A run for an AG-UI client on two API nodes with a worker: asked for by the one, read on by the other.

import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestKey } from "../../support/account-key.ts";
import { clientLines, saidBy } from "../../support/ag-ui/clients.ts";
import type { NodesFixture } from "../../support/fixtures/nodes-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { call } from "../../support/service-client.ts";
import { postgresStore } from "../../support/stores/stores.ts";

describe.each(clientLines)("$name on two nodes", { tags: [...postgresStore.tags] }, (line) => {
  let nodes: NodesFixture;
  beforeAll(async () => {
    nodes = await startFixture({ level: "nodes", roles: ["api", "api", "worker"] });
  });
  afterAll(() => nodes.close());

  it("reads on by the other node what it has asked of the one, which is lost", async () => {
    const [one, other] = nodes.apis;
    if (one === undefined || other === undefined) throw new Error("There are two API nodes.");
    const { secret: bearer } = await makeTestKey(nodes.place);
    const made = await call(`${one.url}/v1/agents`, { method: "POST", bearer, json: { name: "helper" } });
    const { id } = made.body as { id: string };
    const path = join(tmpdir(), randomUUID());
    const [threadId, runId] = [randomUUID(), randomUUID()];
    const threadBy = (url: string) => line.open({ url: `${url}/v1/agents/${id}/ag-ui`, bearer, threadId });
    const asked = { runId, message: `hold ${path}` };
    const first = threadBy(one.url);
    const cut = await first.ask({
      ...asked,
      onEvent: ({ delta }) => {
        if (delta === "held") first.abort();
      },
    });
    expect(saidBy(cut.events)).toBe("held");
    await one.process.kill();
    const again = threadBy(other.url).ask({
      ...asked,
      onEvent: ({ delta }) => {
        if (delta === "held") void writeFile(path, "");
      },
    });
    const { events, error } = await again;
    expect([error, saidBy(events)]).toEqual([null, "heldreleased"]);
    expect(events.at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      runId,
      threadId,
      outcome: { type: "success" },
    });
    expect([...(await nodes.executions()).values()]).toEqual([1]);
  });
});
