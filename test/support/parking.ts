// Runs that are parked, on a core fixture: a backend that keeps a journal and does what a test tells it, and checkouts without files.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RESUMED_EVENT } from "../../src/contract/runs/run-event.ts";
import { gitCheckouts } from "../../src/service/checkouts/git-checkouts.ts";
import type { CheckoutProvider } from "../../src/service/core/checkouts/checkout.ts";
import type { Continuation } from "../../src/service/core/runs/run-journal.ts";
import type { Backend, BackendOutcome, BackendTask } from "../../src/service/executor/backend.ts";
import type { CoreFixtureOptions } from "./fixtures/core-fixture.ts";

/** `continued` is how often the run was continued, and `told` what it was told last: null for nothing. */
type ParkingScript = (
  task: BackendTask,
  at: { readonly continued: number; readonly told: string | null },
) => Promise<BackendOutcome>;

export type Parking = Pick<CoreFixtureOptions, "backend" | "keepsJournals" | "checkouts"> & {
  /** Removes the checkouts. */
  remove(): Promise<void>;
};

/** What a core fixture takes so that its runs can be parked. */
export async function parkingOf(script: ParkingScript): Promise<Parking> {
  const folder = await mkdtemp(join(tmpdir(), "parking-"));
  const provider = gitCheckouts({
    folder,
    limits: {
      maxBytes: 1_000_000,
      maxCheckoutBytes: 1_000_000,
      cloneTimeoutMs: 60_000,
      maxUnfoldedBytes: 1_000_000,
      maxCpuSeconds: 60,
    },
    environment: process.env,
  });
  const checkouts: CheckoutProvider = {
    ...provider,
    open: ({ runId }, signal) => provider.openEmpty({ runId }, signal),
    openEmpty: (source, signal) => provider.openEmpty(source, signal),
    sweep: (...given) => provider.sweep(...given),
  };
  return {
    backend: backendOf(script),
    keepsJournals: true,
    checkouts,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function backendOf(script: ParkingScript): Backend {
  return {
    name: "scripted",
    needsCheckout: true,
    keepsJournal: true,
    run: async (task) => {
      const given = (task.journal?.left?.entries ?? [])
        .filter(({ kind }) => kind === "continued")
        // Written by the core, and opened by it.
        .map(({ body }) => (body as Continuation).message);
      const told = given.at(-1) ?? null;
      if (given.length > 0) {
        const message = told === null ? {} : { message: told };
        const value = { turn: 2, after: "parked" as const, unknown_calls: [], ...message };
        await task.emit({ type: "CUSTOM", name: RESUMED_EVENT, value });
      }
      // A run that called no model has failed, whatever stopped it. One more call each time that it goes on.
      for (let calls = 0; calls <= given.length; calls += 1)
        task.meter.count({ role: "executor", tokens: 100, microUsd: 10 });
      const outcome = await script(task, { continued: given.length, told });
      task.journal?.complete();
      return outcome;
    },
  };
}

/** Asks a question of two choices, as the built-in agent does: in words, and as data. */
export async function askPeople(task: BackendTask, question: string): Promise<BackendOutcome> {
  const choices = ["the first", "the second"];
  await task.emit({ type: "CUSTOM", name: "question", value: { question, choices } });
  return { stopReason: "question" };
}
