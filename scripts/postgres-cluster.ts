// A PostgreSQL of a test's or a measurement's own, which may be crashed and started again: a throwaway cluster on
// loopback that writes to disk as a real one does.

import { execFile, execFileSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** How the server is ended: as by a crash, or with all sessions told. */
export type ShutdownMode = "immediate" | "fast";

/** The folder of `initdb` and `pg_ctl`. Undefined where there is none: those tests are skipped, and say so. */
export const postgresBinaries: string | undefined = findBinaries();

export class PostgresCluster {
  readonly url: string;
  /** Of its sockets and log; its data is in `data`. */
  readonly folder: string;

  /** `settings` are lines of postgresql.conf. */
  static async start(options: { settings?: readonly string[] } = {}): Promise<PostgresCluster> {
    const folder = await mkdtemp(join(tmpdir(), "agent-service-postgres-"));
    const owner = serverOwner();
    if (owner !== null) await chown(folder, owner.uid, owner.gid);
    const data = join(folder, "data");
    const port = await freePort();
    await command("initdb", [
      "--pgdata",
      data,
      "--auth",
      "trust",
      "--username",
      "test",
      "--encoding",
      "UTF8",
      "--no-sync",
    ]);
    const settings = [
      "listen_addresses = '127.0.0.1'",
      `port = ${port}`,
      `unix_socket_directories = '${folder}'`,
      "fsync = on",
      "synchronous_commit = on",
      ...(options.settings ?? []),
    ];
    await writeFile(join(data, "postgresql.conf"), `${settings.join("\n")}\n`);
    const cluster = new PostgresCluster(folder, `postgres://test@127.0.0.1:${port}/postgres`);
    await cluster.#control("start");
    return cluster;
  }

  private constructor(folder: string, url: string) {
    this.folder = folder;
    this.url = url;
  }

  /** Ends the server and starts it again. Resolves once it takes connections; after a crash it has recovered then. */
  async restart(mode: ShutdownMode): Promise<void> {
    await this.#control("restart", "--mode", mode);
  }

  async close(): Promise<void> {
    await this.#control("stop", "--mode", "immediate");
    await rm(this.folder, { recursive: true, force: true });
  }

  async #control(action: string, ...options: string[]): Promise<void> {
    const [data, log] = [join(this.folder, "data"), join(this.folder, "log")];
    await command("pg_ctl", [action, "--pgdata", data, "--log", log, "--wait", "--silent", ...options]);
  }
}

/** Runs one of PostgreSQL's own programs: they refuse to be root's. */
async function command(name: string, args: readonly string[]): Promise<void> {
  const program = join(postgresBinaries ?? "", name);
  const owner = serverOwner();
  if (owner === null) await run(program, args, { cwd: tmpdir() });
  else {
    const { uid, gid } = owner;
    const become = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
    await run("setpriv", [...become, program, ...args], { cwd: tmpdir() });
  }
}

/** Whom the server belongs to; null where that is whoever starts it. */
export function serverOwner(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

function findBinaries(): string | undefined {
  const named = process.env.POSTGRES_BINARIES;
  const folders =
    named === undefined ? [configuredFolder(), ...globSync("/usr/lib/postgresql/*/bin")] : [named];
  return folders.find(
    (folder) => folder !== undefined && ["initdb", "pg_ctl"].every((name) => existsSync(join(folder, name))),
  );
}

function configuredFolder(): string | undefined {
  try {
    return execFileSync("pg_config", ["--bindir"], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  return address.port;
}
