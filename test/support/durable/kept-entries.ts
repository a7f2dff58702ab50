// The entries that a run's journal has of its coding agent.

import { expect } from "vitest";
import type { DurableService } from "./durable-service.ts";

type Stored = Pick<DurableService, "place">;

/** The number of the newest one. 0 where there is none. */
export async function newestKept({ place }: Stored, runId: string): Promise<number> {
  const rows = await place.query(
    `select max(entry) as newest from run_journal where run_id = '${runId}' and kind = 'kept'`,
  );
  return Number(Object.values(rows[0] ?? {})[0] ?? 0);
}

/** Resolves once all that the agent has done so far is kept. */
export async function untilKept(service: Stored, runId: string): Promise<void> {
  for (let more = 0; more < 2; more += 1) {
    const before = await newestKept(service, runId);
    await expect.poll(() => newestKept(service, runId), { timeout: 60_000 }).toBeGreaterThan(before);
  }
}
