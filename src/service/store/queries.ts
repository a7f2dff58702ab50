// Every noun of the store on one connection, those of workspaces by its base. A noun is made when it is first used: opening a
// transaction allocates one object, and nothing for each method.

import type { StoreTransaction } from "../core/ports/store.ts";
import { SqlAccounts } from "./accounts.ts";
import { SqlAgents } from "./agents.ts";
import { SqlApprovals } from "./approvals.ts";
import { SqlAudit } from "./audit.ts";
import { SqlBlobs } from "./blobs.ts";
import { SqlCi } from "./ci.ts";
import { SqlClaims } from "./claims.ts";
import type { Connection } from "./connection.ts";
import { SqlCostReservations } from "./cost-reservations.ts";
import { SqlCredentials } from "./credentials.ts";
import { SqlDefaultHeads } from "./default-heads.ts";
import type { SqlEvents } from "./events.ts";
import { SqlExpiry } from "./expiry.ts";
import type { FrequentWrites } from "./frequent-writes.ts";
import { SqlIdempotency } from "./idempotency.ts";
import { SqlIdentities } from "./identities.ts";
import { SqlInvitations } from "./invitations.ts";
import type { SqlLedger } from "./ledger.ts";
import { SqlMcpConnections } from "./mcp-connections.ts";
import { SqlNodes } from "./nodes.ts";
import { SqlOAuthArtifacts } from "./oauth-artifacts.ts";
import { SqlOAuthGrants } from "./oauth-grants.ts";
import { SqlOperators } from "./operators.ts";
import { SqlPacks } from "./packs.ts";
import { SqlPeople } from "./people.ts";
import { SqlPullReviews } from "./pull-reviews.ts";
import type { SqlQueue } from "./queue.ts";
import { SqlRepositoryAccess } from "./repository-access.ts";
import { SqlRequestKeys } from "./request-keys.ts";
import { SqlRunArchives } from "./run-archives.ts";
import { SqlRunIdentity } from "./run-identity.ts";
import type { SqlRunJournal } from "./run-journal.ts";
import { SqlRunSecrets } from "./run-secrets.ts";
import { SqlRunViews } from "./run-views.ts";
import type { SqlRuns } from "./runs.ts";
import { SqlSchedules } from "./schedules.ts";
import { SqlServiceSecrets } from "./service-secrets.ts";
import { SqlSessions } from "./sessions.ts";
import { SqlSignIn } from "./sign-in.ts";
import { SqlUsage } from "./usage.ts";
import { SqlWebSessions } from "./web-sessions.ts";
import { SqlWorkflows } from "./workflows.ts";
import { WorkspaceQueries } from "./workspaces/workspace-queries.ts";
import { SqlWriteGrants } from "./write-grants.ts";

export class StoreQueries extends WorkspaceQueries implements StoreTransaction {
  readonly #connection: Connection;
  readonly #writes: FrequentWrites;
  #accounts: SqlAccounts | undefined;
  #credentials: SqlCredentials | undefined;
  #people: SqlPeople | undefined;
  #invitations: SqlInvitations | undefined;
  #agents: SqlAgents | undefined;
  #sessions: SqlSessions | undefined;
  #runs: SqlRuns | undefined;
  #journal: SqlRunJournal | undefined;
  #runArchives: SqlRunArchives | undefined;
  #runSecrets: SqlRunSecrets | undefined;
  #costReservations: SqlCostReservations | undefined;
  #events: SqlEvents | undefined;
  #queue: SqlQueue | undefined;
  #ci: SqlCi | undefined;
  #claims: SqlClaims | undefined;
  #audit: SqlAudit | undefined;
  #ledger: SqlLedger | undefined;
  #nodes: SqlNodes | undefined;
  #operators: SqlOperators | undefined;
  #pullReviews: SqlPullReviews | undefined;
  #usage: SqlUsage | undefined;
  #idempotency: SqlIdempotency | undefined;
  #schedules: SqlSchedules | undefined;
  #workflows: SqlWorkflows | undefined;
  #approvals: SqlApprovals | undefined;
  #writeGrants: SqlWriteGrants | undefined;
  #runIdentity: SqlRunIdentity | undefined;
  #mcpConnections: SqlMcpConnections | undefined;
  #expiry: SqlExpiry | undefined;
  #blobs: SqlBlobs | undefined;
  #packs: SqlPacks | undefined;
  #defaultHeads: SqlDefaultHeads | undefined;
  #repositoryAccess: SqlRepositoryAccess | undefined;
  #signIn: SqlSignIn | undefined;
  #identities: SqlIdentities | undefined;
  #webSessions: SqlWebSessions | undefined;
  #runViews: SqlRunViews | undefined;
  #oauthArtifacts: SqlOAuthArtifacts | undefined;
  #oauthGrants: SqlOAuthGrants | undefined;
  #serviceSecrets: SqlServiceSecrets | undefined;
  #requestKeys: SqlRequestKeys | undefined;

  constructor(connection: Connection, writes: FrequentWrites) {
    super(connection);
    this.#connection = connection;
    this.#writes = writes;
  }

  get accounts(): SqlAccounts {
    this.#accounts ??= new SqlAccounts(this.#connection);
    return this.#accounts;
  }

  get credentials(): SqlCredentials {
    this.#credentials ??= new SqlCredentials(this.#connection);
    return this.#credentials;
  }

  get people(): SqlPeople {
    this.#people ??= new SqlPeople(this.#connection);
    return this.#people;
  }

  get invitations(): SqlInvitations {
    this.#invitations ??= new SqlInvitations(this.#connection);
    return this.#invitations;
  }

  get agents(): SqlAgents {
    this.#agents ??= new SqlAgents(this.#connection);
    return this.#agents;
  }

  get sessions(): SqlSessions {
    this.#sessions ??= new SqlSessions(this.#connection);
    return this.#sessions;
  }

  get runs(): SqlRuns {
    this.#runs ??= new this.#writes.Runs(this.#connection);
    return this.#runs;
  }

  get costReservations(): SqlCostReservations {
    this.#costReservations ??= new SqlCostReservations(this.#connection);
    return this.#costReservations;
  }

  get runArchives(): SqlRunArchives {
    this.#runArchives ??= new SqlRunArchives(this.#connection);
    return this.#runArchives;
  }

  get journal(): SqlRunJournal {
    this.#journal ??= new this.#writes.Journal(this.#connection);
    return this.#journal;
  }

  get runSecrets(): SqlRunSecrets {
    this.#runSecrets ??= new SqlRunSecrets(this.#connection);
    return this.#runSecrets;
  }

  get events(): SqlEvents {
    this.#events ??= new this.#writes.Events(this.#connection);
    return this.#events;
  }

  get queue(): SqlQueue {
    this.#queue ??= new this.#writes.Queue(this.#connection);
    return this.#queue;
  }

  get ci(): SqlCi {
    this.#ci ??= new SqlCi(this.#connection);
    return this.#ci;
  }

  get claims(): SqlClaims {
    this.#claims ??= new SqlClaims(this.#connection);
    return this.#claims;
  }

  get audit(): SqlAudit {
    this.#audit ??= new SqlAudit(this.#connection);
    return this.#audit;
  }

  get ledger(): SqlLedger {
    this.#ledger ??= new this.#writes.Ledger(this.#connection);
    return this.#ledger;
  }

  get nodes(): SqlNodes {
    this.#nodes ??= new SqlNodes(this.#connection);
    return this.#nodes;
  }

  get operators(): SqlOperators {
    this.#operators ??= new SqlOperators(this.#connection);
    return this.#operators;
  }

  get pullReviews(): SqlPullReviews {
    this.#pullReviews ??= new SqlPullReviews(this.#connection);
    return this.#pullReviews;
  }

  get usage(): SqlUsage {
    this.#usage ??= new SqlUsage(this.#connection);
    return this.#usage;
  }

  get idempotency(): SqlIdempotency {
    this.#idempotency ??= new SqlIdempotency(this.#connection);
    return this.#idempotency;
  }

  get schedules(): SqlSchedules {
    this.#schedules ??= new SqlSchedules(this.#connection);
    return this.#schedules;
  }

  get workflows(): SqlWorkflows {
    this.#workflows ??= new SqlWorkflows(this.#connection);
    return this.#workflows;
  }

  get approvals(): SqlApprovals {
    this.#approvals ??= new SqlApprovals(this.#connection);
    return this.#approvals;
  }

  get writeGrants(): SqlWriteGrants {
    this.#writeGrants ??= new SqlWriteGrants(this.#connection);
    return this.#writeGrants;
  }

  get runIdentity(): SqlRunIdentity {
    this.#runIdentity ??= new SqlRunIdentity(this.#connection);
    return this.#runIdentity;
  }

  get mcpConnections(): SqlMcpConnections {
    this.#mcpConnections ??= new SqlMcpConnections(this.#connection);
    return this.#mcpConnections;
  }

  get expiry(): SqlExpiry {
    this.#expiry ??= new SqlExpiry(this.#connection);
    return this.#expiry;
  }

  get blobs(): SqlBlobs {
    this.#blobs ??= new SqlBlobs(this.#connection);
    return this.#blobs;
  }

  get defaultHeads(): SqlDefaultHeads {
    this.#defaultHeads ??= new SqlDefaultHeads(this.#connection);
    return this.#defaultHeads;
  }

  get repositoryAccess(): SqlRepositoryAccess {
    this.#repositoryAccess ??= new SqlRepositoryAccess(this.#connection);
    return this.#repositoryAccess;
  }

  get packs(): SqlPacks {
    this.#packs ??= new SqlPacks(this.#connection);
    return this.#packs;
  }

  get signIn(): SqlSignIn {
    this.#signIn ??= new SqlSignIn(this.#connection);
    return this.#signIn;
  }

  get identities(): SqlIdentities {
    this.#identities ??= new SqlIdentities(this.#connection);
    return this.#identities;
  }

  get webSessions(): SqlWebSessions {
    this.#webSessions ??= new SqlWebSessions(this.#connection);
    return this.#webSessions;
  }

  get runViews(): SqlRunViews {
    this.#runViews ??= new SqlRunViews(this.#connection);
    return this.#runViews;
  }

  get oauthArtifacts(): SqlOAuthArtifacts {
    this.#oauthArtifacts ??= new SqlOAuthArtifacts(this.#connection);
    return this.#oauthArtifacts;
  }

  get oauthGrants(): SqlOAuthGrants {
    this.#oauthGrants ??= new SqlOAuthGrants(this.#connection);
    return this.#oauthGrants;
  }

  get serviceSecrets(): SqlServiceSecrets {
    this.#serviceSecrets ??= new SqlServiceSecrets(this.#connection);
    return this.#serviceSecrets;
  }

  get requestKeys(): SqlRequestKeys {
    this.#requestKeys ??= new SqlRequestKeys(this.#connection);
    return this.#requestKeys;
  }
}
