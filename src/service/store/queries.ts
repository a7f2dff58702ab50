// Every noun of the store on one connection. A noun is made when it is first used: opening a transaction allocates one
// object, and nothing for each method.

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
import { SqlOAuthArtifacts } from "./oauth-artifacts.ts";
import { SqlOAuthGrants } from "./oauth-grants.ts";
import { SqlPacks } from "./packs.ts";
import { SqlPeople } from "./people.ts";
import type { SqlQueue } from "./queue.ts";
import { SqlRepositoryAccess } from "./repository-access.ts";
import { SqlRequestKeys } from "./request-keys.ts";
import type { SqlRunJournal } from "./run-journal.ts";
import { SqlRunSecrets } from "./run-secrets.ts";
import { SqlRunViews } from "./run-views.ts";
import type { SqlRuns } from "./runs.ts";
import { SqlSchedules } from "./schedules.ts";
import { SqlServiceSecrets } from "./service-secrets.ts";
import { SqlSessions } from "./sessions.ts";
import { SqlSignIn } from "./sign-in.ts";
import { SqlWebSessions } from "./web-sessions.ts";
import { SqlWorkflows } from "./workflows.ts";
import { SqlAdoptions } from "./workspaces/adoptions.ts";
import { SqlChangesets } from "./workspaces/changesets.ts";
import { SqlSites, SqlWorkspaceSchedules, SqlWorkspaceWorkflows } from "./workspaces/consumers.ts";
import { SqlContextItems } from "./workspaces/context-items.ts";
import { SqlCopies } from "./workspaces/copies.ts";
import { SqlCopyEntries } from "./workspaces/copy-entries.ts";
import { SqlDownloadLinks } from "./workspaces/download-links.ts";
import { SqlErasure } from "./workspaces/erasure.ts";
import { SqlWorkspaceEvents } from "./workspaces/events.ts";
import { SqlMembers } from "./workspaces/members.ts";
import { SqlObjects } from "./workspaces/objects.ts";
import { SqlOperations } from "./workspaces/operations.ts";
import { SqlRetention } from "./workspaces/retention.ts";
import { SqlRevisions } from "./workspaces/revisions.ts";
import { SqlTaskGroups } from "./workspaces/task-groups.ts";
import { SqlThreads } from "./workspaces/threads.ts";
import { SqlTrash } from "./workspaces/trash.ts";
import { SqlWorkers } from "./workspaces/workers.ts";
import { SqlWorkspaceRuns } from "./workspaces/workspace-runs.ts";
import { SqlWorkspaces } from "./workspaces/workspaces.ts";
import { SqlWriteGrants } from "./write-grants.ts";

export class StoreQueries implements StoreTransaction {
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
  #runSecrets: SqlRunSecrets | undefined;
  #costReservations: SqlCostReservations | undefined;
  #events: SqlEvents | undefined;
  #queue: SqlQueue | undefined;
  #ci: SqlCi | undefined;
  #claims: SqlClaims | undefined;
  #audit: SqlAudit | undefined;
  #ledger: SqlLedger | undefined;
  #idempotency: SqlIdempotency | undefined;
  #schedules: SqlSchedules | undefined;
  #workflows: SqlWorkflows | undefined;
  #approvals: SqlApprovals | undefined;
  #writeGrants: SqlWriteGrants | undefined;
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
  #workspaces: SqlWorkspaces | undefined;
  #members: SqlMembers | undefined;
  #sites: SqlSites | undefined;
  #workspaceWorkflows: SqlWorkspaceWorkflows | undefined;
  #workspaceSchedules: SqlWorkspaceSchedules | undefined;
  #workspaceRuns: SqlWorkspaceRuns | undefined;
  #contextItems: SqlContextItems | undefined;
  #threads: SqlThreads | undefined;
  #objects: SqlObjects | undefined;
  #copies: SqlCopies | undefined;
  #workers: SqlWorkers | undefined;
  #taskGroups: SqlTaskGroups | undefined;
  #revisions: SqlRevisions | undefined;
  #operations: SqlOperations | undefined;
  #adoptions: SqlAdoptions | undefined;
  #retention: SqlRetention | undefined;
  #erasure: SqlErasure | undefined;
  #copyEntries: SqlCopyEntries | undefined;
  #trash: SqlTrash | undefined;
  #downloadLinks: SqlDownloadLinks | undefined;
  #workspaceEvents: SqlWorkspaceEvents | undefined;
  #changesets: SqlChangesets | undefined;

  constructor(connection: Connection, writes: FrequentWrites) {
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

  get workspaces(): SqlWorkspaces {
    this.#workspaces ??= new SqlWorkspaces(this.#connection);
    return this.#workspaces;
  }

  get members(): SqlMembers {
    this.#members ??= new SqlMembers(this.#connection);
    return this.#members;
  }

  get threads(): SqlThreads {
    this.#threads ??= new SqlThreads(this.#connection);
    return this.#threads;
  }

  get contextItems(): SqlContextItems {
    this.#contextItems ??= new SqlContextItems(this.#connection);
    return this.#contextItems;
  }

  get workspaceRuns(): SqlWorkspaceRuns {
    this.#workspaceRuns ??= new SqlWorkspaceRuns(this.#connection);
    return this.#workspaceRuns;
  }

  get workspaceSchedules(): SqlWorkspaceSchedules {
    this.#workspaceSchedules ??= new SqlWorkspaceSchedules(this.#connection);
    return this.#workspaceSchedules;
  }

  get workspaceWorkflows(): SqlWorkspaceWorkflows {
    this.#workspaceWorkflows ??= new SqlWorkspaceWorkflows(this.#connection);
    return this.#workspaceWorkflows;
  }

  get sites(): SqlSites {
    this.#sites ??= new SqlSites(this.#connection);
    return this.#sites;
  }

  get objects(): SqlObjects {
    this.#objects ??= new SqlObjects(this.#connection);
    return this.#objects;
  }

  get workers(): SqlWorkers {
    this.#workers ??= new SqlWorkers(this.#connection);
    return this.#workers;
  }

  get taskGroups(): SqlTaskGroups {
    this.#taskGroups ??= new SqlTaskGroups(this.#connection);
    return this.#taskGroups;
  }

  get copies(): SqlCopies {
    this.#copies ??= new SqlCopies(this.#connection);
    return this.#copies;
  }

  get revisions(): SqlRevisions {
    this.#revisions ??= new SqlRevisions(this.#connection);
    return this.#revisions;
  }

  get adoptions(): SqlAdoptions {
    this.#adoptions ??= new SqlAdoptions(this.#connection);
    return this.#adoptions;
  }

  get operations(): SqlOperations {
    this.#operations ??= new SqlOperations(this.#connection);
    return this.#operations;
  }

  get retention(): SqlRetention {
    this.#retention ??= new SqlRetention(this.#connection);
    return this.#retention;
  }

  get erasure(): SqlErasure {
    this.#erasure ??= new SqlErasure(this.#connection);
    return this.#erasure;
  }

  get copyEntries(): SqlCopyEntries {
    this.#copyEntries ??= new SqlCopyEntries(this.#connection);
    return this.#copyEntries;
  }

  get trash(): SqlTrash {
    this.#trash ??= new SqlTrash(this.#connection);
    return this.#trash;
  }

  get downloadLinks(): SqlDownloadLinks {
    this.#downloadLinks ??= new SqlDownloadLinks(this.#connection);
    return this.#downloadLinks;
  }

  get workspaceEvents(): SqlWorkspaceEvents {
    this.#workspaceEvents ??= new SqlWorkspaceEvents(this.#connection);
    return this.#workspaceEvents;
  }
  get changesets(): SqlChangesets {
    this.#changesets ??= new SqlChangesets(this.#connection);
    return this.#changesets;
  }
}
