// A store with its blobs as an operator configures them: any engine, a folder or a bucket.

import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type Client, createClient } from "../../../src/client/client.ts";
import { type Exit, ServiceProcess } from "../fixtures/service-process.ts";
import { runCommand } from "../run/run-command.ts";
import { startS3Server } from "../s3-server.ts";
import type { StoreKind, StorePlace } from "../stores/stores.ts";

export type BlobKind = "a folder" | "S3";

export class BackupPlace {
  readonly store: StorePlace;
  readonly settings: Readonly<Record<string, string>>;
  /** Of blobs; null where they are in a bucket. */
  readonly blobFolder: string | null;
  #process: ServiceProcess | null = null;
  readonly #remove: () => Promise<void>;

  static async make(
    kind: StoreKind,
    { blobs, isEmpty = false }: { blobs: BlobKind; isEmpty?: boolean },
  ): Promise<BackupPlace> {
    const store = await kind.make({ isEmpty });
    const folder = await mkdtemp(join(tmpdir(), "agent-service-blobs-"));
    const server = blobs === "S3" ? await startS3Server() : null;
    const { dataDir, databaseUrl } = store.settings;
    const settings = {
      PORT: "0",
      BACKEND: "noop",
      DATA_DIR: dataDir,
      LOG_LEVEL: "warn",
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      ...(server === null ? { BLOB_DIR: folder } : server.settings),
    };
    const remove = async () => {
      await server?.stop();
      await store.remove();
      await rm(folder, { recursive: true, force: true });
    };
    return new BackupPlace({ store, settings, blobFolder: server === null ? folder : null, remove });
  }

  private constructor(parts: {
    store: StorePlace;
    settings: Readonly<Record<string, string>>;
    blobFolder: string | null;
    remove: () => Promise<void>;
  }) {
    this.store = parts.store;
    this.settings = parts.settings;
    this.blobFolder = parts.blobFolder;
    this.#remove = parts.remove;
  }

  /** Starts the service, and returns its address. */
  async start(more: Readonly<Record<string, string>> = {}): Promise<string> {
    this.#process = new ServiceProcess(["serve"], { ...this.settings, LOG_LEVEL: "info", ...more });
    return await this.#process.ready();
  }

  async stop(): Promise<Exit | null> {
    this.#process?.signal("SIGTERM");
    const exit = await (this.#process?.ended ?? null);
    this.#process = null;
    return exit;
  }

  get process(): ServiceProcess {
    if (this.#process === null) throw new Error("The service was not started.");
    return this.#process;
  }

  async run(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Exit> {
    return await runCommand(args, { ...this.settings, ...more });
  }

  /** What the command printed as JSON. Throws where it failed. */
  async runJson(...args: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await this.run([...args, "--json"]);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  async close(): Promise<void> {
    await this.#process?.kill();
    await this.#remove();
  }
}

export function clientOf(url: string, secret: string): Client {
  return createClient({ baseUrl: url, credential: () => secret });
}

/** All rows of a backup by their tables, in an order of their own, and the contents of its blobs as hashes by their keys. */
export async function readBackup(folder: string): Promise<{
  readonly tables: Readonly<Record<string, readonly string[]>>;
  readonly blobs: Readonly<Record<string, string>>;
}> {
  const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
  const tables: Record<string, readonly string[]> = {};
  for (const { name, file, columns } of manifest.tables) {
    const text = gunzipSync(await readFile(join(folder, manifest.folder, file))).toString();
    const rows = text.split("\n").slice(0, -1);
    tables[name] = [JSON.stringify(columns), ...rows.sort()];
  }
  const blobs: Record<string, string> = {};
  for (const entry of await readdir(join(folder, "blobs"), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const key = path.slice(join(folder, "blobs").length + 1);
    blobs[key] = createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
  }
  return { tables, blobs };
}
