// A start that fails in its last steps leaves nothing behind: neither timers nor connections nor the lock of its folder.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { startCodeHost } from "../../fakes/code-host/code-host.ts";
import { sealingKeyOf } from "../../src/base/sealed-text.ts";
import { startTestService, type TestServiceOptions } from "../support/fixtures/in-process-service.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import type { StorePlace } from "../support/stores/stores.ts";

const keyOf = (fill: number) => sealingKeyOf(Buffer.alloc(32, fill));
/** A start reads what the previous key has sealed. */
const secretKeys = { current: keyOf(8), previous: keyOf(7) };

onEveryStore((kind) => {
  it("leaves nothing open, and starts once what failed is mended", async () => {
    const codeHost = await startCodeHost({ repositories: {} });
    onTestFinished(() => codeHost.close());
    const place = await kind.make();
    onTestFinished(() => place.remove());
    const options: TestServiceOptions = { codeHost, place, config: { secretKeys } };
    await execute(place, "ALTER TABLE mcp_connections RENAME TO away");
    const before = kept();

    await expect(startTestService(options)).rejects.toThrow(/mcp_connections/);

    expect(await keptBeyond(before)).toEqual([]);
    await execute(place, "ALTER TABLE away RENAME TO mcp_connections");
    const service = await startTestService(options);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await service.stop();
    expect(await keptBeyond(before)).toEqual([]);
  });
});

/** What keeps this process at work: its timers and its sockets. */
function kept(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => /^Timeout$|^TCP/.test(name));
}

/**
 * What is there beyond what was. Connections end a few turns after they are closed, which is waited for without a timer: it would be among
 * them. What other tests left in this process may end meanwhile.
 */
async function keptBeyond(before: readonly string[]): Promise<readonly string[]> {
  const until = performance.now() + 5_000;
  while (beyond(before).length > 0 && performance.now() < until) await setImmediate();
  return beyond(before);
}

function beyond(before: readonly string[]): readonly string[] {
  const left = [...before];
  return kept().filter((name) => {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

async function execute(place: StorePlace, sql: string): Promise<void> {
  if (place.settings.databaseUrl !== null) return void (await place.query(sql));
  const database = new DatabaseSync(join(place.settings.dataDir, "agent-service.sqlite"));
  database.exec(sql);
  database.close();
}
