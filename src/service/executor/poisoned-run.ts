// The end of a run that has lost one worker after the other: what its journal has of the files is reported as its changes, and
// nothing of its agent is executed.
// Why: docs/decisions/140-a-run-outlives-its-process.md

import type { Agent } from "../core/agents/agent.ts";
import type { Checkout } from "../core/checkouts/checkout.ts";
import { isOfStore } from "../core/ports/store-fault.ts";
import { poisonedEnding, type RunEnding } from "../core/runs/run-machine.ts";
import type { Backend } from "./backend.ts";
import { fresh, restoreChanges } from "./carried-changes.ts";
import { type ChangedWork, emitChanges } from "./emit-changes.ts";
import type { HeldCheckout } from "./held-checkout.ts";
import type { LeftWork, RunJournal } from "./run-journal.ts";
import { openFiles, type RunOfFiles, sourceOf } from "./run-source.ts";
import { serversOfRun } from "./tools/mcp/servers-of-run.ts";
import { sayWaits, untilRoom } from "./until-room.ts";
import type { UsageMeter } from "./usage-meter.ts";

type PoisonedRun = {
  readonly agent: Agent;
  readonly backend: Backend;
  readonly journal: Pick<RunJournal, "left">;
  readonly left: LeftWork;
  readonly held: HeldCheckout;
  readonly meter: UsageMeter;
};

/** The ending of such a run, also where its files cannot be opened. Rejects with the signal's reason, and as the store does. */
export async function endPoisoned(work: ChangedWork & RunOfFiles, run: PoisonedRun): Promise<RunEnding> {
  const { core, taken, signal } = work;
  try {
    const { backend, left, meter } = run;
    if (backend.needsCheckout) backend.countLeft?.(left, meter);
    const isKept = await reportKept(work, run);
    core.log.warn({ run_id: taken.run.id, changes: isKept }, "run ended: it has lost too many workers");
    return poisonedEnding({ isKept });
  } catch (cause) {
    signal.throwIfAborted();
    if (isOfStore(cause)) throw cause;
    core.log.error(
      { run_id: taken.run.id, err: cause },
      "changes of a run without workers could not be reported",
    );
    return poisonedEnding({ isKept: false });
  }
}

async function reportKept(
  work: ChangedWork & RunOfFiles,
  { agent, backend, journal, left, held }: PoisonedRun,
): Promise<boolean> {
  const { core, taken, secrets, signal } = work;
  const source = taken.input.workspace === undefined ? sourceOf(taken.input, taken.run.id) : null;
  const files = await openFiles(work, { agent, source, journal });
  if (!files.ok || left.tree === null) return false;
  const { checkout, workspace } = files.value;
  const isKept = workspace?.keepsChanges === true;
  held.hold(checkout);
  secrets.add(...(checkout.covered?.values ?? []));
  secrets.add(...(await secretsOfRepositorysServers(agent, checkout)));
  const copy = isKept ? fresh : await restoreChanges(core, { run: taken.run, checkout });
  // Its tree was kept without them.
  if (backend.needsCheckout && backend.hasNoTurns === true) await checkout.hideAgentFiles();
  const { tree } = left;
  const onFull = sayWaits(core, taken.run.id);
  if (!isKept || !left.wasParked)
    await untilRoom(() => checkout.bringBack(tree, signal), { clock: core.clock, signal, onFull });
  await emitChanges(work, { held, checkout, copy, isKept });
  return true;
}

/** Values that its `.mcp.json` has as they are: its servers had them while the run went on, and none is started here. */
async function secretsOfRepositorysServers(agent: Agent, checkout: Checkout): Promise<readonly string[]> {
  const { servers } = await serversOfRun({
    operators: [],
    repositorys: { isAlways: false, variables: null },
    task: { mcp: { asked: null, mayUseRepositorys: agent.ciPolicy?.mcp_servers === "repository" } },
    checkout,
  });
  return servers.flatMap((server) => server.secrets);
}
