// The store's nouns of workspaces on one connection, each made when it is first used.

import type { Connection } from "../connection.ts";
import { SqlAdoptions } from "./adoptions.ts";
import { SqlChangesets } from "./changesets.ts";
import { SqlSites, SqlWorkspaceSchedules, SqlWorkspaceWorkflows } from "./consumers.ts";
import { SqlContextItems } from "./context-items.ts";
import { SqlCopies } from "./copies.ts";
import { SqlCopyEntries } from "./copy-entries.ts";
import { SqlDownloadLinks } from "./download-links.ts";
import { SqlErasure } from "./erasure.ts";
import { SqlWorkspaceEvents } from "./events.ts";
import { SqlMembers } from "./members.ts";
import { SqlObjects } from "./objects.ts";
import { SqlOperations } from "./operations.ts";
import { SqlRetention } from "./retention.ts";
import { SqlRevisions } from "./revisions.ts";
import { SqlTaskGroups } from "./task-groups.ts";
import { SqlThreads } from "./threads.ts";
import { SqlTrash } from "./trash.ts";
import { SqlWorkers } from "./workers.ts";
import { SqlWorkspaceRuns } from "./workspace-runs.ts";
import { SqlWorkspaces } from "./workspaces.ts";

export class WorkspaceQueries {
  readonly #connection: Connection;
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

  constructor(connection: Connection) {
    this.#connection = connection;
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
