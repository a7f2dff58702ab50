// Ends schedules: with their run, and every one of an agent that is released or deleted, as a part of that transaction.

import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { RunEnded } from "../runs/end-run.ts";
import { cancelled, notDispatched } from "./schedule-machine.ts";

/** Returns how many. One that is firing fails with `error`: its run is undone, unless it was committed before. */
export async function endSchedulesOf(
  core: Pick<Core, "clock">,
  tx: StoreTransaction,
  { agentId, error }: { readonly agentId: string; readonly error: string },
): Promise<number> {
  const now = core.clock.now();
  let count = 0;
  for (const { id } of await tx.schedules.list(agentId)) {
    const schedule = await tx.schedules.lock(id);
    if (schedule === null) continue;
    const move =
      schedule.status === "firing"
        ? notDispatched(schedule, { error, isPassing: false, now, random: 0 })
        : cancelled(schedule);
    if (move !== null && (await tx.schedules.move(move)) !== null) count += 1;
  }
  return count;
}

/** A schedule is finished when its run has ended. */
export const finishSchedule: RunEnded = async (tx, run) => {
  if (run.origin === "schedule") await tx.schedules.finish(run.id);
};
