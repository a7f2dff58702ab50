// The tables of workspaces, as Kysely sees them. Times are milliseconds; ids of objects are git's, 40 hex digits.

export type WorkspaceDatabase = {
  workspaces: WorkspacesTable;
  workspace_members: WorkspaceMembersTable;
  workspace_threads: WorkspaceThreadsTable;
  context_items: ContextItemsTable;
  workspace_objects: WorkspaceObjectsTable;
  copies: CopiesTable;
  copy_entries: CopyEntriesTable;
  copy_trash: CopyTrashTable;
  download_links: DownloadLinksTable;
  revisions: RevisionsTable;
  retention_pins: RetentionPinsTable;
  workspace_sweeps: WorkspaceSweepsTable;
  operations: OperationsTable;
  changesets: ChangesetsTable;
  adoptions: AdoptionsTable;
  task_groups: TaskGroupsTable;
  workspace_runs: WorkspaceRunsTable;
  workers: WorkersTable;
  sites: SitesTable;
  site_links: SiteLinksTable;
  workspace_schedules: WorkspaceSchedulesTable;
  workspace_workflows: WorkspaceWorkflowsTable;
  workspace_feeds: WorkspaceFeedsTable;
  workspace_events: WorkspaceEventsTable;
  request_keys: RequestKeysTable;
};

export type WorkspacesTable = {
  id: string;
  account_id: string;
  name: string;
  manager_agent_id: string;
  state: string;
  canonical_copy_id: string;
  current_revision_id: string;
  /** JSON. */
  metadata: string;
  created_at: number;
};

export type WorkspaceMembersTable = {
  id: string;
  workspace_id: string;
  agent_id: string;
  created_at: number;
};

export type WorkspaceThreadsTable = {
  session_id: string;
  workspace_id: string;
  agent_id: string;
  title: string | null;
  created_at: number;
};

export type ContextItemsTable = {
  id: string;
  workspace_id: string;
  kind: string;
  title: string;
  content: string;
  created_at: number;
};

/** Immutable but for `touched_at`. Small contents are in `data`, large ones in the blob `blob_key`. */
export type WorkspaceObjectsTable = {
  /** `<workspace_id>/<oid>`. */
  key: string;
  workspace_id: string;
  oid: string;
  kind: string;
  /** Of the contents, without git's header. */
  size: number;
  /** Of the contents, in hex. */
  sha256: string;
  data: Uint8Array | null;
  blob_key: string | null;
  /** When it was last written, or found to be there by who wanted to write it. */
  touched_at: number;
};

export type CopiesTable = {
  id: string;
  workspace_id: string;
  /** 0 or 1. */
  is_canonical: number;
  state: string;
  base_revision_id: string;
  base_tree_oid: string;
  held_by_run_id: string | null;
  held_fence: number | null;
  held_until: number | null;
  saved_revision_id: string | null;
  /** JSON. */
  created_by: string;
  created_at: number;
};

/** What was written to a copy since its base. Without `oid`: deleted. */
export type CopyEntriesTable = {
  copy_id: string;
  path: string;
  oid: string | null;
  mode: string | null;
  size: number | null;
  changed_at: number;
};

/** A file, or a folder as a tree. */
export type CopyTrashTable = {
  handle: string;
  workspace_id: string;
  copy_id: string;
  path: string;
  mode: string;
  oid: string;
  files: number;
  deleted_at: number;
};

export type DownloadLinksTable = {
  hash: string;
  workspace_id: string;
  copy_id: string;
  path: string;
  oid: string;
  expires_at: number;
};

export type RevisionsTable = {
  id: string;
  workspace_id: string;
  commit_oid: string;
  tree_oid: string;
  /** JSON: ids of revisions. */
  parent_ids: string;
  message: string;
  /** JSON. */
  author: string;
  files: number;
  bytes: number;
  created_at: number;
  accepted_at: number | null;
};

export type RetentionPinsTable = {
  id: string;
  workspace_id: string;
  revision_id: string;
  reason: string;
  until: number | null;
  created_at: number;
};

export type WorkspaceSweepsTable = { workspace_id: string; swept_at: number };

/** `input`, `progress`, `result` and `error` are JSON. */
export type OperationsTable = {
  id: string;
  workspace_id: string;
  account_id: string;
  kind: string;
  status: string;
  input: string;
  progress: string;
  result: string;
  error: string | null;
  /** Counts those who took it up: only the latest may write. */
  fence: number;
  /** How often it failed by a fault of the service itself. */
  faults: number;
  lease_until: number;
  created_at: number;
  ended_at: number | null;
  kept_until: number;
};

/** `conflicts`, `evidence`, `created_by` and `decided_by` are JSON. */
export type ChangesetsTable = {
  id: string;
  workspace_id: string;
  status: string;
  title: string;
  summary: string;
  copy_id: string | null;
  revision_id: string;
  base_revision_id: string;
  /** The current revision that it was last compared with. */
  target_revision_id: string;
  files: number;
  additions: number | null;
  deletions: number | null;
  conflicts: string;
  evidence: string | null;
  reject_reason: string | null;
  accepted_revision_id: string | null;
  task_group_id: string | null;
  created_by: string;
  created_at: number;
  decided_at: number | null;
  decided_by: string | null;
};

export type AdoptionsTable = {
  workspace_id: string;
  agent_id: string;
  status: string;
  objects: number;
  bytes: number;
  /** JSON. */
  error: string | null;
  sha: string;
  before_revision_id: string;
  revision_id: string | null;
  operation_id: string;
  created_at: number;
  ended_at: number | null;
};

export type TaskGroupsTable = {
  id: string;
  workspace_id: string;
  account_id: string;
  name: string;
  status: string;
  budget_micro_usd: number | null;
  max_workers: number;
  /** JSON. */
  created_by: string;
  created_at: number;
  stopped_at: number | null;
};

/** The runs of a workspace; a run has its row beside it. */
export type WorkspaceRunsTable = {
  run_id: string;
  workspace_id: string;
  agent_id: string;
  copy_id: string | null;
  task_group_id: string | null;
  worker_id: string | null;
  created_at: number;
};

export type WorkersTable = {
  id: string;
  workspace_id: string;
  task_group_id: string;
  copy_id: string;
  agent_id: string;
  run_id: string;
  save_state: string;
  saved_revision_id: string | null;
  save_error: string | null;
  /** What its run may cost, out of its group's budget. */
  share_micro_usd: number | null;
  /** JSON. */
  created_by: string;
  created_at: number;
  saved_at: number | null;
};

export type SitesTable = {
  workspace_id: string;
  revision_id: string;
  folder: string;
  published_at: number;
};

export type WorkspaceSchedulesTable = { schedule_id: string; workspace_id: string };
export type WorkspaceWorkflowsTable = { workflow_id: string; workspace_id: string };

/** How many events a workspace has had. */
export type WorkspaceFeedsTable = { workspace_id: string; last_seq: number };

/** The latest of them. */
export type WorkspaceEventsTable = {
  workspace_id: string;
  seq: number;
  at: number;
  what: string;
  subject_id: string;
  state: string;
};

/** Idempotency keys of requests that make no run. */
export type RequestKeysTable = {
  scope: string;
  key: string;
  request_hash: string;
  /** What the first request made. */
  subject_id: string;
  expires_at: number;
};

/** Links by which a workspace's site is looked at. */
export type SiteLinksTable = { hash: string; workspace_id: string; expires_at: number };
