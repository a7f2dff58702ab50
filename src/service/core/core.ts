// The core that every use case receives: the ports, the clock, the source of randomness and the operator's policy.

import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import type { Logger } from "../../base/log.ts";
import type { SealingKeys } from "../../base/sealed-text.ts";
import type { Meter } from "./ports/meter.ts";
import type { Store } from "./ports/store.ts";
import type { Tracer } from "./ports/tracer.ts";

export type FreeFor = "public_repositories" | "everyone";

export interface Policy {
  /** The address of the API, without a trailing slash. */
  readonly baseUrl: string;
  /** The address of the pages for people, without a trailing slash. */
  readonly webUrl: string;
  /** The audience that a job's token must name. */
  readonly audience: string;
  /** Free credits per repository owner and month. */
  readonly freeCredits: number;
  /** Whose runs free credits pay for. With "everyone" no stream says how many are left. */
  readonly freeFor: FreeFor;
  /** Failed runs of one billing account that are refunded a day (UTC), as far as a caller can bring such failures about. */
  readonly refundsPerDay: number;
  /** Requests a minute of one account, or of the jobs of one repository. */
  readonly ratePerMinute: number;
  /** Requests a minute of unknown callers at one address. */
  readonly addressRatePerMinute: number;
  readonly capabilityMs: number;
  /** The time for which the input and the events of a run are kept after its end. */
  readonly keptMs: number;
  /** The time after a run's end for which its events stay in the database. Null: for as long as they are kept. */
  readonly archiveMs: number | null;
  /** The time for which the journal of a run is kept after its end. 0: none is. */
  readonly journalMs: number;
  /** The backend of new agents. */
  readonly backend: string;
  /** Whether runs may bring access to a model of their own. */
  readonly takesModelAccess: boolean;
  /** Whether an agent's owner has to allow what its runs write by MCP servers. Not inside of a job: there the job is the owner. */
  readonly needsWriteGrants: boolean;
  /** The other agent that executes its runs, and the protocol that its model has to speak. Null: there is none. */
  readonly coderWire: CoderWire | null;
  /** The model that its agents ask which name none. */
  readonly defaultModel: string;
  /** The cap of the cost of a run's models where it names no amount. Null: no limit. */
  readonly maxCostMicroUsd: number | null;
  /** Whether applications may register themselves with the authorization server. */
  readonly registersClients: boolean;
  /** Whether an application may be named by a document on the web, which this service then reads. */
  readonly readsClientDocuments: boolean;
  /** Runs that may wait for a worker. */
  readonly maxQueuedRuns: number;
}

/** `wire` is null where the agent's program reaches its model by itself. */
type CoderWire = { readonly backend: string; readonly wire: string | null };

/** Each noun declares what it brings beside its type. Why: docs/decisions/133-floors-in-core.md */
export interface Core {
  readonly store: Store;
  /** The longest delay of this process's event loop in the last seconds, in milliseconds. */
  readonly loopDelayMs: () => number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly policy: Policy;
  /** Keys that seal the secrets of runs. Null: there is none, so that no run may bring one. */
  readonly secretKeys: SealingKeys | null;
  readonly meter: Meter;
  readonly tracer: Tracer;
}
