// Nodes that share a database, as the operator's pages of one show all: what each does and executes, and who left.

import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { systemRandom } from "../../../src/base/ids.ts";
import { openPostgresStore } from "../../../src/service/store/postgres.ts";
import type { NodesFixture } from "../../support/fixtures/nodes-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { signInOperator } from "../../support/operators.ts";
import { call } from "../../support/service-client.ts";

describe("nodes on the operator's pages", { tags: ["postgres"], timeout: 120_000 }, () => {
  let nodes: NodesFixture;

  afterEach(() => nodes.close());

  const signIn = async (): Promise<string> => {
    const store = await openPostgresStore({ url: nodes.place.settings.databaseUrl ?? "" });
    try {
      return (await signInOperator({ store, clock: systemClock, random: systemRandom })).cookie;
    } finally {
      await store.close();
    }
  };

  it("show what each executes, the filter of runs by node, and nobody who has left", async () => {
    nodes = await startFixture({ level: "nodes" });
    const [job] = await nodes.jobs();
    const cookie = await signIn();
    const [api] = nodes.apis;
    const read = async (path: string) => (await call(`${api?.url}${path}`, { headers: { cookie } })).text;
    const rows = async () =>
      [...(await read("/operator")).matchAll(/<tr><td>[^<]*, process \d+<\/td>.*?<\/tr>/gs)].map(
        ([row]) => row,
      );
    expect(await rows()).toHaveLength(4);
    const runId = await job.start("wait");
    await job.readUntil(runId, ({ event }) => event.type === "TEXT_MESSAGE_START");
    // At the next beat of its worker.
    await expect.poll(async () => (await rows()).join("\n")).toContain(runId);
    const all = await rows();
    expect(all.filter((row) => row.includes("executes runs"))).toHaveLength(2);
    const [executing, ...others] = all.filter((row) => row.includes(runId));
    expect([executing, others]).toEqual([expect.stringContaining("1 of 16"), []]);
    const byNode = /href="(\/operator\/runs\?node=[^"]+)"/.exec(executing ?? "")?.[1] ?? "";
    expect(await read(byNode)).toContain(`title="${runId}"`);
    const [, name = ""] = /<tr><td>([^<]+)<\/td>/.exec(executing ?? "") ?? [];
    expect(await read("/operator/runs")).toContain(`<td>${name}</td>`);
    await job.cancel(runId);
    await job.ended(runId);
    expect(await read(byNode)).not.toContain(`title="${runId}"`);
    const [leaving] = nodes.workers;
    leaving?.process.signal("SIGTERM");
    await leaving?.process.ended;
    expect(await rows()).toHaveLength(3);
  });
});
