// Locks of the nodes that serve from a schema of PostgreSQL. Each shares a lock by its listening connection; a restore takes it
// alone. However a process ends, its lock ends with its connection.
// Why: docs/decisions/114-nodes-hold-a-lock-that-a-restore-takes.md

import { hostname } from "node:os";
import type pg from "pg";
import { OperatorError } from "../../base/operator-error.ts";
import type { ListeningConnection } from "./listening-connection.ts";

/** Apart from other advisory locks of the database. "node", as four bytes. */
const LOCK_CLASS = 0x6e6f6465;
const LOCK = `${LOCK_CLASS}, hashtext(current_schema())`;
const MAX_NAMED = 5;

/** For as long as the connection lives. Rejects with an OperatorError while a restore is at work. */
export async function joinNodes(connection: Pick<ListeningConnection, "query">): Promise<void> {
  // PostgreSQL keeps 63 bytes of it.
  const name = `agent-service on ${hostname().slice(0, 24)}, process ${process.pid}`;
  // Unless DATABASE_URL has another one.
  await connection.query(
    "select set_config('application_name', $1, false) where current_setting('application_name') = 'agent-service'",
    { values: [name] },
  );
  const [row] = await connection.query<{ taken: boolean }>(
    `select pg_try_advisory_lock_shared(${LOCK}) as taken`,
  );
  if (row?.taken === true) return;
  throw new OperatorError(
    "A backup is being restored into the database at DATABASE_URL. Start this node once that has ended.",
  );
}

type NodeRow = {
  readonly pid: number;
  readonly name: string;
  readonly address: string | null;
  readonly since: Date;
};

/** For as long as the connection lives. Rejects with an OperatorError that names the nodes which serve. */
export async function takeFromNodes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${LOCK}) as taken`);
  if (rows[0]?.taken === true) return;
  const found = await client.query<NodeRow>(
    `select pid, application_name as name, client_addr::text as address, backend_start as since
     from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and objsubid = 2 and granted and classid = ${LOCK_CLASS}
       and objid::bigint = hashtext(current_schema())::bigint & 4294967295
       and database = (select oid from pg_database where datname = current_database())
     order by since`,
  );
  throw new OperatorError(textOf(found.rows));
}

function textOf(nodes: readonly NodeRow[]): string {
  const [first] = nodes;
  const named = nodes.slice(0, MAX_NAMED).map(({ name, address, since }) => {
    const where = address === null ? "" : ` from ${address}`;
    return `"${name}"${where}, since ${since.toISOString()}`;
  });
  const more = nodes.length > MAX_NAMED ? `; and ${nodes.length - MAX_NAMED} more` : "";
  const who = nodes.length === 1 ? "A node serves" : `${nodes.length} nodes serve`;
  const what = nodes.length === 1 ? "Stop it" : "Stop them";
  return `${who} from the database at DATABASE_URL: ${named.join("; ")}${more}. ${what}, then restore. The connection of one whose machine is gone is ended by "select pg_terminate_backend(${first?.pid ?? "pid"})".`;
}
