// A store that tells a meter the commits: events, and runs that ended. Callers of the store do nothing for it. A transaction
// that is undone counts nothing; one that runs again counts once.

import type { RunCause, RunStatus, TerminalRunStatus } from "../../contract/runs/run.ts";
import type { Meter } from "../core/ports/meter.ts";
import type { Store, StoreTransaction } from "../core/ports/store.ts";
import type {
  Appended,
  Beat,
  EventBatch,
  EventQuery,
  EventStore,
  OldestStart,
  QueueStore,
  ReleasedTake,
  RunAtWork,
  RunEnd,
  StartedRun,
  UnfinishedRun,
  WaitingAccount,
  WaitingQuery,
} from "../core/runs/queue-port.ts";
import type { StoredEvent } from "../core/runs/run-record.ts";

type Tally = {
  /** The count of events that each write held. */
  readonly appends: number[];
  readonly endings: { readonly status: TerminalRunStatus; readonly cause: RunCause | null }[];
};

/** The same store, measured. */
export function meteredStore(store: Store, meter: Meter): Store {
  return {
    committed: store.committed,
    transact: async (work, options) => {
      let tally: Tally = { appends: [], endings: [] };
      const value = await store.transact((tx) => {
        tally = { appends: [], endings: [] };
        return work(new TalliedTransaction(tx, tally));
      }, options);
      for (const count of tally.appends) meter.eventsAppended(count);
      for (const ending of tally.endings) meter.runEnded(ending);
      return value;
    },
    ping: () => store.ping(),
    close: () => store.close(),
  };
}

class TalliedTransaction implements StoreTransaction {
  readonly events: EventStore;
  readonly queue: QueueStore;
  readonly #tx: StoreTransaction;

  constructor(tx: StoreTransaction, tally: Tally) {
    this.events = new TalliedEvents(tx.events, tally);
    this.queue = new TalliedQueue(tx.queue, tally);
    this.#tx = tx;
  }

  get accounts() {
    return this.#tx.accounts;
  }
  get credentials() {
    return this.#tx.credentials;
  }
  get invitations() {
    return this.#tx.invitations;
  }
  get people() {
    return this.#tx.people;
  }
  get agents() {
    return this.#tx.agents;
  }
  get sessions() {
    return this.#tx.sessions;
  }
  get runs() {
    return this.#tx.runs;
  }
  get webSessions() {
    return this.#tx.webSessions;
  }

  get costReservations() {
    return this.#tx.costReservations;
  }

  get runArchives() {
    return this.#tx.runArchives;
  }

  get journal() {
    return this.#tx.journal;
  }

  get runSecrets() {
    return this.#tx.runSecrets;
  }
  get ci() {
    return this.#tx.ci;
  }
  get claims() {
    return this.#tx.claims;
  }
  get audit() {
    return this.#tx.audit;
  }
  get ledger() {
    return this.#tx.ledger;
  }
  get pullReviews() {
    return this.#tx.pullReviews;
  }
  get usage() {
    return this.#tx.usage;
  }
  get idempotency() {
    return this.#tx.idempotency;
  }
  get schedules() {
    return this.#tx.schedules;
  }
  get workflows() {
    return this.#tx.workflows;
  }
  get approvals() {
    return this.#tx.approvals;
  }
  get writeGrants() {
    return this.#tx.writeGrants;
  }
  get runIdentity() {
    return this.#tx.runIdentity;
  }
  get mcpConnections() {
    return this.#tx.mcpConnections;
  }
  get expiry() {
    return this.#tx.expiry;
  }
  get blobs() {
    return this.#tx.blobs;
  }
  get defaultHeads() {
    return this.#tx.defaultHeads;
  }
  get repositoryAccess() {
    return this.#tx.repositoryAccess;
  }
  get packs() {
    return this.#tx.packs;
  }
  get signIn() {
    return this.#tx.signIn;
  }
  get identities() {
    return this.#tx.identities;
  }

  get runViews() {
    return this.#tx.runViews;
  }

  get oauthArtifacts() {
    return this.#tx.oauthArtifacts;
  }
  get oauthGrants() {
    return this.#tx.oauthGrants;
  }
  get serviceSecrets() {
    return this.#tx.serviceSecrets;
  }
  get requestKeys() {
    return this.#tx.requestKeys;
  }
  get workspaces() {
    return this.#tx.workspaces;
  }
  get members() {
    return this.#tx.members;
  }
  get threads() {
    return this.#tx.threads;
  }
  get contextItems() {
    return this.#tx.contextItems;
  }
  get workspaceRuns() {
    return this.#tx.workspaceRuns;
  }
  get workspaceSchedules() {
    return this.#tx.workspaceSchedules;
  }
  get workspaceWorkflows() {
    return this.#tx.workspaceWorkflows;
  }
  get sites() {
    return this.#tx.sites;
  }
  get objects() {
    return this.#tx.objects;
  }
  get workers() {
    return this.#tx.workers;
  }
  get taskGroups() {
    return this.#tx.taskGroups;
  }
  get copies() {
    return this.#tx.copies;
  }
  get revisions() {
    return this.#tx.revisions;
  }
  get adoptions() {
    return this.#tx.adoptions;
  }
  get operations() {
    return this.#tx.operations;
  }
  get retention() {
    return this.#tx.retention;
  }
  get erasure() {
    return this.#tx.erasure;
  }
  get copyEntries() {
    return this.#tx.copyEntries;
  }
  get trash() {
    return this.#tx.trash;
  }
  get downloadLinks() {
    return this.#tx.downloadLinks;
  }
  get workspaceEvents() {
    return this.#tx.workspaceEvents;
  }
  get changesets() {
    return this.#tx.changesets;
  }
  get operators() {
    return this.#tx.operators;
  }
  get nodes() {
    return this.#tx.nodes;
  }
}

class TalliedEvents implements EventStore {
  readonly #events: EventStore;
  readonly #tally: Tally;

  constructor(events: EventStore, tally: Tally) {
    this.#events = events;
    this.#tally = tally;
  }

  list(query: EventQuery): Promise<readonly StoredEvent[]> {
    return this.#events.list(query);
  }

  async append(batch: EventBatch): Promise<Appended | null> {
    const appended = await this.#events.append(batch);
    if (appended === null) return null;
    this.#tally.appends.push(batch.jsons.length);
    return appended;
  }

  async end(end: RunEnd): Promise<boolean> {
    if (!(await this.#events.end(end))) return false;
    this.#tally.appends.push(end.jsons.length);
    const { status, cause } = end.outcome;
    this.#tally.endings.push({ status, cause });
    return true;
  }
}

class TalliedQueue implements QueueStore {
  readonly #queue: QueueStore;
  readonly #tally: Tally;

  constructor(queue: QueueStore, tally: Tally) {
    this.#queue = queue;
    this.#tally = tally;
  }

  count(): Promise<number> {
    return this.#queue.count();
  }

  findLongestWaiting(): Promise<number | null> {
    return this.#queue.findLongestWaiting();
  }

  listWaiting(query: WaitingQuery): Promise<readonly WaitingAccount[]> {
    return this.#queue.listWaiting(query);
  }

  listAtWork(): Promise<readonly RunAtWork[]> {
    return this.#queue.listAtWork();
  }

  listUnfinished(): Promise<readonly UnfinishedRun[]> {
    return this.#queue.listUnfinished();
  }

  async start(start: { runId: string; now: number }): Promise<StartedRun | null> {
    return this.#opened(await this.#queue.start(start));
  }

  async startOldest(start: OldestStart): Promise<StartedRun | null> {
    return this.#opened(await this.#queue.startOldest(start));
  }

  listOverdue(query: { now: number }): Promise<readonly string[]> {
    return this.#queue.listOverdue(query);
  }

  listRetriable(query: { now: number; limit: number }): Promise<readonly string[]> {
    return this.#queue.listRetriable(query);
  }

  listReleased(): Promise<readonly string[]> {
    return this.#queue.listReleased();
  }

  listNewer(version: number): Promise<readonly Pick<RunAtWork, "id" | "fence">[]> {
    return this.#queue.listNewer(version);
  }

  takeReleased(take: ReleasedTake): Promise<StartedRun | null> {
    return this.#queue.takeReleased(take);
  }

  release(runId: string): Promise<void> {
    return this.#queue.release(runId);
  }

  forgetReleased(runId: string): Promise<void> {
    return this.#queue.forgetReleased(runId);
  }

  beat(beat: Beat): Promise<ReadonlyMap<string, RunStatus>> {
    return this.#queue.beat(beat);
  }

  /** Every run that was started has one event, which opens its stream. */
  #opened(started: StartedRun | null): StartedRun | null {
    if (started !== null) this.#tally.appends.push(1);
    return started;
  }
}
