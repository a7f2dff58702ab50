// Every definition of a row beside the tables that the migrations make.

import { afterEach, describe, expect, it } from "vitest";
import { accountRow } from "../../../src/service/store/accounts.ts";
import { agentRow } from "../../../src/service/store/agents.ts";
import { approvalRow } from "../../../src/service/store/approvals.ts";
import { auditRow } from "../../../src/service/store/audit.ts";
import { blobRow } from "../../../src/service/store/blobs.ts";
import { capabilityRow, tokenUseRow } from "../../../src/service/store/ci.ts";
import { pendingRow, ticketRow } from "../../../src/service/store/claims.ts";
import { reservationRow } from "../../../src/service/store/cost-reservations.ts";
import { credentialRow } from "../../../src/service/store/credentials.ts";
import { headRow } from "../../../src/service/store/default-heads.ts";
import { eventRow as runEventRow } from "../../../src/service/store/events.ts";
import { keyRow as idempotencyKeyRow } from "../../../src/service/store/idempotency.ts";
import { identityRow, passkeyRow } from "../../../src/service/store/identities.ts";
import { invitationRow } from "../../../src/service/store/invitations.ts";
import { balanceRow, freeCallRow, postingRow } from "../../../src/service/store/ledger.ts";
import { mcpConnectionRow } from "../../../src/service/store/mcp-connections.ts";
import { nodeRow } from "../../../src/service/store/nodes.ts";
import { artifactRow } from "../../../src/service/store/oauth-artifacts.ts";
import { oauthGrantRow } from "../../../src/service/store/oauth-grants.ts";
import { operatorLinkRow, operatorRow, operatorSessionRow } from "../../../src/service/store/operators.ts";
import { packRow } from "../../../src/service/store/packs.ts";
import { membershipRow, personRow } from "../../../src/service/store/people.ts";
import { pullReviewRow } from "../../../src/service/store/pull-reviews.ts";
import { releasedRow } from "../../../src/service/store/queue.ts";
import { accessRow } from "../../../src/service/store/repository-access.ts";
import { requestKeyRow } from "../../../src/service/store/request-keys.ts";
import type { ColumnOfTable, Row } from "../../../src/service/store/row.ts";
import { runArchiveRow } from "../../../src/service/store/run-archives.ts";
import { audienceRow, identityKeyRow } from "../../../src/service/store/run-identity.ts";
import { journalArchiveRow, journalRow } from "../../../src/service/store/run-journal.ts";
import { runRow } from "../../../src/service/store/run-rows.ts";
import { secretRow } from "../../../src/service/store/run-secrets.ts";
import { runViewRow } from "../../../src/service/store/run-views.ts";
import { inputRow } from "../../../src/service/store/runs.ts";
import { scheduleRow } from "../../../src/service/store/schedules.ts";
import { serviceSecretRow } from "../../../src/service/store/service-secrets.ts";
import { carriedRow, keyRow as sessionKeyRow, sessionRow } from "../../../src/service/store/sessions.ts";
import { attemptRow, linkRow } from "../../../src/service/store/sign-in.ts";
import type { Database } from "../../../src/service/store/tables.ts";
import { webSessionRow } from "../../../src/service/store/web-sessions.ts";
import { versionRow, workflowRow } from "../../../src/service/store/workflows.ts";
import { adoptionRow } from "../../../src/service/store/workspaces/adoptions.ts";
import { changesetRow } from "../../../src/service/store/workspaces/changesets.ts";
import {
  siteLinkRow,
  siteRow,
  workspaceScheduleRow,
  workspaceWorkflowRow,
} from "../../../src/service/store/workspaces/consumers.ts";
import { contextItemRow } from "../../../src/service/store/workspaces/context-items.ts";
import { copyRow } from "../../../src/service/store/workspaces/copies.ts";
import { entryRow } from "../../../src/service/store/workspaces/copy-entries.ts";
import { downloadLinkRow } from "../../../src/service/store/workspaces/download-links.ts";
import { eventRow, feedRow } from "../../../src/service/store/workspaces/events.ts";
import { memberRow } from "../../../src/service/store/workspaces/members.ts";
import { objectRow } from "../../../src/service/store/workspaces/objects.ts";
import { operationRow } from "../../../src/service/store/workspaces/operations.ts";
import { pinRow, sweepRow } from "../../../src/service/store/workspaces/retention.ts";
import { revisionRow } from "../../../src/service/store/workspaces/revisions.ts";
import { taskGroupRow } from "../../../src/service/store/workspaces/task-groups.ts";
import { threadRow } from "../../../src/service/store/workspaces/threads.ts";
import { trashRow } from "../../../src/service/store/workspaces/trash.ts";
import { workerRow } from "../../../src/service/store/workspaces/workers.ts";
import { workspaceRunRow } from "../../../src/service/store/workspaces/workspace-runs.ts";
import { workspaceRow } from "../../../src/service/store/workspaces/workspaces.ts";
import { grantRow } from "../../../src/service/store/write-grants.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

type AnyRow<Table> = Pick<Row<never, Table, never>, "table" | "columns" | "columnsOfTable">;

/** A table that is left out does not compile. */
const rows: { readonly [Name in keyof Database]: AnyRow<Database[Name]> } = {
  accounts: accountRow,
  agents: agentRow,
  approvals: approvalRow,
  audit_entries: auditRow,
  blobs: blobRow,
  capabilities: capabilityRow,
  token_uses: tokenUseRow,
  claim_tickets: ticketRow,
  pending_claims: pendingRow,
  cost_reservations: reservationRow,
  credentials: credentialRow,
  default_heads: headRow,
  run_events: runEventRow,
  idempotency_keys: idempotencyKeyRow,
  identities: identityRow,
  passkeys: passkeyRow,
  ledger_accounts: balanceRow,
  ledger_postings: postingRow,
  free_calls: freeCallRow,
  nodes: nodeRow,
  oauth_artifacts: artifactRow,
  operators: operatorRow,
  operator_links: operatorLinkRow,
  operator_sessions: operatorSessionRow,
  oauth_grants: oauthGrantRow,
  packs: packRow,
  pull_reviews: pullReviewRow,
  people: personRow,
  memberships: membershipRow,
  invitations: invitationRow,
  repository_accesses: accessRow,
  request_keys: requestKeyRow,
  runs: runRow,
  run_archives: runArchiveRow,
  run_journal: journalRow,
  journal_archives: journalArchiveRow,
  released_runs: releasedRow,
  run_secrets: secretRow,
  run_views: runViewRow,
  run_inputs: inputRow,
  schedules: scheduleRow,
  service_secrets: serviceSecretRow,
  sessions: sessionRow,
  session_copies: carriedRow,
  session_keys: sessionKeyRow,
  sign_in_links: linkRow,
  sign_in_attempts: attemptRow,
  web_sessions: webSessionRow,
  workflows: workflowRow,
  workflow_versions: versionRow,
  adoptions: adoptionRow,
  changesets: changesetRow,
  sites: siteRow,
  site_links: siteLinkRow,
  workspace_schedules: workspaceScheduleRow,
  workspace_workflows: workspaceWorkflowRow,
  context_items: contextItemRow,
  copies: copyRow,
  copy_entries: entryRow,
  download_links: downloadLinkRow,
  workspace_events: eventRow,
  workspace_feeds: feedRow,
  workspace_members: memberRow,
  workspace_objects: objectRow,
  operations: operationRow,
  retention_pins: pinRow,
  workspace_sweeps: sweepRow,
  revisions: revisionRow,
  task_groups: taskGroupRow,
  workspace_threads: threadRow,
  copy_trash: trashRow,
  workers: workerRow,
  workspace_runs: workspaceRunRow,
  workspaces: workspaceRow,
  write_grants: grantRow,
  identity_keys: identityKeyRow,
  audience_grants: audienceRow,
  mcp_connections: mcpConnectionRow,
};

type FoundColumn = ColumnOfTable & { readonly table: string };

const kinds: Readonly<Record<string, ColumnOfTable["kind"]>> = {
  text: "text",
  bigint: "integer",
  integer: "integer",
  blob: "bytes",
  bytea: "bytes",
};

onEveryStore((kind) => {
  describe("definitions of rows", () => {
    let place: StorePlace | undefined;
    afterEach(() => place?.remove());

    it("name every table and column of the newest migration, with its type and whether it may be null", async () => {
      place = await kind.make();
      const found = await columnsOf(place);
      const tables = [...new Set(found.map(({ table }) => table))];
      expect(tables.toSorted()).toEqual(Object.keys(rows).toSorted());
      for (const [name, { table, columnsOfTable }] of Object.entries(rows)) {
        expect(table).toBe(name);
        expect({ table, columns: columnsOfTable.toSorted(byName) }).toEqual({
          table,
          columns: found
            .filter((column) => column.table === table)
            .map(({ table: _table, ...column }) => column)
            .toSorted(byName),
        });
      }
    });
  });
});

async function columnsOf(place: StorePlace): Promise<readonly FoundColumn[]> {
  const query =
    place.settings.databaseUrl === null
      ? `select tables.name as "table", columns.name, lower(columns.type) as type, "notnull" = 0 and pk = 0 as nullable
         from sqlite_master as tables, pragma_table_info(tables.name) as columns where tables.type = 'table'`
      : `select table_name as "table", column_name as name, data_type as type, is_nullable = 'YES' as nullable
         from information_schema.columns where table_schema = current_schema()`;
  const found = await place.query(query);
  return found
    .filter(({ table }) => !String(table).startsWith("kysely_"))
    .map(({ table, name, type, nullable }) => ({
      table: String(table),
      name: String(name),
      kind: kinds[String(type)] ?? failOn(String(type)),
      isNullable: Boolean(nullable),
    }));
}

function failOn(type: string): never {
  throw new Error(`No kind of column has the type "${type}".`);
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
