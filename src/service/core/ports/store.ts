// The port to what keeps the service's state, one interface a noun. Implemented in store/, once, for SQLite and
// PostgreSQL.

import type { AccountReader, AccountStore } from "./store/accounts.ts";
import type { AgentReader, AgentStore } from "./store/agents.ts";
import type { ApprovalReader, ApprovalStore } from "./store/approvals.ts";
import type { AuditReader, AuditStore } from "./store/audit.ts";
import type { BlobReader, BlobRowStore } from "./store/blobs.ts";
import type { CiReader, CiStore } from "./store/ci.ts";
import type { ClaimReader, ClaimStore } from "./store/claims.ts";
import type { CostReservationStore } from "./store/cost-reservations.ts";
import type { CredentialReader, CredentialStore } from "./store/credentials.ts";
import type { DefaultHeadReader, DefaultHeadStore } from "./store/default-heads.ts";
import type { EventReader, EventStore } from "./store/events.ts";
import type { ExpiryStore } from "./store/expiry.ts";
import type { IdempotencyStore } from "./store/idempotency.ts";
import type { IdentityReader, IdentityStore } from "./store/identities.ts";
import type { LedgerReader, LedgerStore } from "./store/ledger.ts";
import type {
  ArtifactReader,
  ArtifactStore,
  OAuthGrantReader,
  OAuthGrantStore,
  SecretReader,
  SecretStore,
} from "./store/oauth.ts";
import type { PackReader, PackStore } from "./store/packs.ts";
import type { QueueReader, QueueStore } from "./store/queue.ts";
import type { RepositoryAccessReader, RepositoryAccessStore } from "./store/repository-access.ts";
import type { RequestKeyReader, RequestKeyStore } from "./store/request-keys.ts";
import type { RunSecretStore } from "./store/run-secrets.ts";
import type { RunViewReader, RunViewStore } from "./store/run-views.ts";
import type { RunReader, RunStore } from "./store/runs.ts";
import type { ScheduleReader, ScheduleStore } from "./store/schedules.ts";
import type { SessionReader, SessionStore } from "./store/sessions.ts";
import type { SignInReader, SignInStore } from "./store/sign-in.ts";
import type { WebSessionReader, WebSessionStore } from "./store/web-sessions.ts";
import type { WorkflowReader, WorkflowStore } from "./store/workflows.ts";
import type { AdoptionReader, AdoptionStore } from "./store/workspaces/adoptions.ts";
import type { ChangesetReader, ChangesetStore } from "./store/workspaces/changesets.ts";
import type {
  SiteReader,
  SiteStore,
  WorkspaceScheduleReader,
  WorkspaceScheduleStore,
  WorkspaceWorkflowReader,
  WorkspaceWorkflowStore,
} from "./store/workspaces/consumers.ts";
import type { ContextItemReader, ContextItemStore } from "./store/workspaces/context-items.ts";
import type { CopyReader, CopyStore } from "./store/workspaces/copies.ts";
import type { CopyEntryReader, CopyEntryStore } from "./store/workspaces/copy-entries.ts";
import type { DownloadLinkReader, DownloadLinkStore } from "./store/workspaces/download-links.ts";
import type { ErasureStore } from "./store/workspaces/erasure.ts";
import type { WorkspaceEventReader, WorkspaceEventStore } from "./store/workspaces/events.ts";
import type { MemberReader, MemberStore } from "./store/workspaces/members.ts";
import type { ObjectReader, ObjectStore } from "./store/workspaces/objects.ts";
import type { OperationReader, OperationStore } from "./store/workspaces/operations.ts";
import type { RetentionReader, RetentionStore } from "./store/workspaces/retention.ts";
import type { RevisionReader, RevisionStore } from "./store/workspaces/revisions.ts";
import type { TaskGroupReader, TaskGroupStore } from "./store/workspaces/task-groups.ts";
import type { ThreadReader, ThreadStore } from "./store/workspaces/threads.ts";
import type { TrashReader, TrashStore } from "./store/workspaces/trash.ts";
import type { WorkerReader, WorkerStore } from "./store/workspaces/workers.ts";
import type { WorkspaceRunReader, WorkspaceRunStore } from "./store/workspaces/workspace-runs.ts";
import type { WorkspaceReader, WorkspaceStore } from "./store/workspaces/workspaces.ts";
import type { WriteGrantReader, WriteGrantStore } from "./store/write-grants.ts";

export interface Store {
  /** Committed state. */
  readonly committed: StoreReader;
  /**
   * Runs `work` in one transaction and resolves once its effect survives a crash. A throw undoes all of it. Rejects with
   * a StoreUnavailableError while the store cannot answer.
   * `work` may run again after a conflict with another node: it has no effects but through its argument.
   */
  transact<Value>(
    work: (transaction: StoreTransaction) => Promise<Value>,
    options?: TransactOptions,
  ): Promise<Value>;
  /** Rejects when the store cannot answer, with a StorageFullError while it has no room for writes. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type TransactOptions = {
  /**
   * The work reads, and then writes at most once, by `runs.admit`, `events.append`, `events.end`, `queue.beat`,
   * `queue.start` or `queue.startOldest`. Each of these is atomic by itself: PostgreSQL needs no round trips for the
   * beginning and the end of a transaction, and does the same write of many callers in one statement.
   */
  readonly isOneWrite?: boolean;
  /**
   * What the transaction may have to wait for, e.g. a billing account. Transactions of one lane leave connections to the
   * others, however many of them wait.
   */
  readonly lane?: string;
};

export interface StoreReader {
  readonly accounts: AccountReader;
  readonly credentials: CredentialReader;
  readonly agents: AgentReader;
  readonly sessions: SessionReader;
  readonly runs: RunReader;
  readonly events: EventReader;
  readonly queue: QueueReader;
  readonly ci: CiReader;
  readonly claims: ClaimReader;
  readonly audit: AuditReader;
  readonly ledger: LedgerReader;
  readonly schedules: ScheduleReader;
  readonly workflows: WorkflowReader;
  readonly approvals: ApprovalReader;
  readonly writeGrants: WriteGrantReader;
  readonly blobs: BlobReader;
  readonly packs: PackReader;
  readonly defaultHeads: DefaultHeadReader;
  readonly repositoryAccess: RepositoryAccessReader;
  readonly oauthArtifacts: ArtifactReader;
  readonly oauthGrants: OAuthGrantReader;
  readonly serviceSecrets: SecretReader;
  readonly signIn: SignInReader;
  readonly identities: IdentityReader;
  readonly webSessions: WebSessionReader;
  readonly runViews: RunViewReader;
  readonly requestKeys: RequestKeyReader;
  readonly workspaces: WorkspaceReader;
  readonly members: MemberReader;
  readonly sites: SiteReader;
  readonly workspaceWorkflows: WorkspaceWorkflowReader;
  readonly workspaceSchedules: WorkspaceScheduleReader;
  readonly workspaceRuns: WorkspaceRunReader;
  readonly contextItems: ContextItemReader;
  readonly threads: ThreadReader;
  readonly objects: ObjectReader;
  readonly copies: CopyReader;
  readonly workers: WorkerReader;
  readonly taskGroups: TaskGroupReader;
  readonly revisions: RevisionReader;
  readonly operations: OperationReader;
  readonly adoptions: AdoptionReader;
  readonly retention: RetentionReader;
  readonly copyEntries: CopyEntryReader;
  readonly trash: TrashReader;
  readonly downloadLinks: DownloadLinkReader;
  readonly workspaceEvents: WorkspaceEventReader;
  readonly changesets: ChangesetReader;
}

export interface StoreTransaction extends StoreReader {
  readonly accounts: AccountStore;
  readonly credentials: CredentialStore;
  readonly agents: AgentStore;
  readonly sessions: SessionStore;
  readonly runs: RunStore;
  readonly runSecrets: RunSecretStore;
  readonly costReservations: CostReservationStore;
  readonly events: EventStore;
  readonly queue: QueueStore;
  readonly ci: CiStore;
  readonly claims: ClaimStore;
  readonly audit: AuditStore;
  readonly ledger: LedgerStore;
  readonly idempotency: IdempotencyStore;
  readonly schedules: ScheduleStore;
  readonly workflows: WorkflowStore;
  readonly approvals: ApprovalStore;
  readonly writeGrants: WriteGrantStore;
  readonly expiry: ExpiryStore;
  readonly blobs: BlobRowStore;
  readonly packs: PackStore;
  readonly defaultHeads: DefaultHeadStore;
  readonly repositoryAccess: RepositoryAccessStore;
  readonly oauthArtifacts: ArtifactStore;
  readonly oauthGrants: OAuthGrantStore;
  readonly serviceSecrets: SecretStore;
  readonly signIn: SignInStore;
  readonly identities: IdentityStore;
  readonly webSessions: WebSessionStore;
  readonly runViews: RunViewStore;
  readonly requestKeys: RequestKeyStore;
  readonly workspaces: WorkspaceStore;
  readonly members: MemberStore;
  readonly sites: SiteStore;
  readonly workspaceWorkflows: WorkspaceWorkflowStore;
  readonly workspaceSchedules: WorkspaceScheduleStore;
  readonly workspaceRuns: WorkspaceRunStore;
  readonly contextItems: ContextItemStore;
  readonly threads: ThreadStore;
  readonly objects: ObjectStore;
  readonly copies: CopyStore;
  readonly workers: WorkerStore;
  readonly taskGroups: TaskGroupStore;
  readonly revisions: RevisionStore;
  readonly operations: OperationStore;
  readonly adoptions: AdoptionStore;
  readonly retention: RetentionStore;
  readonly erasure: ErasureStore;
  readonly copyEntries: CopyEntryStore;
  readonly trash: TrashStore;
  readonly downloadLinks: DownloadLinkStore;
  readonly workspaceEvents: WorkspaceEventStore;
  readonly changesets: ChangesetStore;
}
