// Opens what the attempts of a run need: fresh copies of its commit, prepared as for an agent.

import type { Agent } from "../../core/agents/agent.ts";
import type { CheckoutSource } from "../../core/checkouts/checkout.ts";
import type { Environments, PreparedEnvironment } from "../../core/checkouts/environment.ts";
import type { Core } from "../../core/core.ts";
import type { TakenRun } from "../../core/runs/progress-run.ts";
import type { RunRecord } from "../../core/runs/run-record.ts";
import type { Backend, BackendOutcome } from "../backend.ts";
import { prepareEnvironment } from "../prepare-environment.ts";
import { openFiles, type RunOfFiles } from "../run-source.ts";
import type { FreshCopy } from "./check-copy.ts";
import { type RaceOptions, raceAttempts } from "./race.ts";

type RaceWork = RunOfFiles & {
  readonly enterSandbox: (root: string) => Promise<() => Promise<void>>;
} & Pick<RaceOptions, "lend" | "isLeaving" | "checkSandbox"> & {
    /** Null where nothing is executed. */
    readonly environments: Environments | null;
  };

type Raced = Pick<RaceOptions, "bestOf" | "checkout" | "task" | "delegations"> & {
  readonly agent: Agent;
  readonly source: CheckoutSource;
  readonly backend: Backend;
};

/** An attempt goes on with what the session of its parent has said and changed. */
export async function sessionRunOf(core: Core, { run, input }: TakenRun): Promise<RunRecord> {
  if (input.raceRole !== "attempt" || run.parentRunId === null) return run;
  return (await core.store.committed.runs.find(run.parentRunId)) ?? run;
}

export async function executeRace(
  work: RaceWork,
  { agent, source, backend, ...raced }: Raced,
): Promise<BackendOutcome> {
  const { core, taken, lend, isLeaving, checkSandbox } = work;
  const named = backend.needsCheckout ? backend.defaultTokens?.(raced.task) : undefined;
  const defaultTokens = named ?? Number.POSITIVE_INFINITY;
  const openCopy = () => openFreshCopy(work, { agent, source, task: raced.task });
  return await raceAttempts({
    ...raced,
    core,
    taken,
    openCopy,
    checkSandbox,
    lend,
    defaultTokens,
    isLeaving,
  });
}

/** Null where there is none: the commit cannot be checked out now. */
async function openFreshCopy(
  work: RaceWork,
  { agent, source, task }: Pick<Raced, "agent" | "source" | "task">,
): Promise<FreshCopy | null> {
  const { core, taken, environments } = work;
  const files = await openFiles(work, { agent, source, journal: null });
  if (!files.ok) {
    core.log.warn({ run_id: taken.run.id, why: files.refusal.detail }, "an attempt could not be checked");
    return null;
  }
  const { checkout } = files.value;
  const opened: { close(): Promise<void> }[] = [{ close: await work.enterSandbox(checkout.root) }, checkout];
  const close = async () => {
    for (const one of opened.splice(0)) await one.close();
  };
  // The run's readers see the setup of each attempt, and not that of the copies.
  const silent = { ...task, emit: async () => {} };
  const hold = (prepared: PreparedEnvironment) => {
    opened.unshift(prepared);
  };
  try {
    const asked = { environments, taken, source, checkout, task: silent, hold };
    return { checkout, environment: await prepareEnvironment(asked), close };
  } catch (cause) {
    await close();
    throw cause;
  }
}
