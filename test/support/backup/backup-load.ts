// What is in a service before a backup, and what is written and deleted while it is made.

import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Client } from "../../../src/client/client.ts";
import { ApiError } from "../../../src/client/client.ts";

/** With what a file of rows has to escape. */
export const ACCOUNT_NAME = `"Many" \\ ü, <b>`;
const LARGE = 90_000;

export type WrittenFiles = { readonly workspaceId: string; readonly hashes: Map<string, string> };

export type FilledService = {
  readonly agentId: string;
  readonly runIds: readonly string[];
  readonly workspaces: readonly WrittenFiles[];
};

/** An account with a name, workspaces with small files and large ones, and runs that have ended. */
export async function fillService(
  client: Client,
  { workspaces: count, files, runs }: { workspaces: number; files: number; runs: number },
): Promise<FilledService> {
  await client.account.update({ body: { name: ACCOUNT_NAME } });
  const { id: agentId } = await client.agents.create({ body: { name: `agent-${randomUUID()}` } });
  const runIds: string[] = [];
  for (let run = 0; run < runs; run += 1) {
    const message = `run ${run} of \u2028 "many" \\ ü`;
    runIds.push((await client.runs.submit({ agentId, body: { message } })).runId);
  }
  const workspaces: WrittenFiles[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id: workspaceId } = await client.workspaces.create({ body: { name: `files ${index}` } });
    const hashes = new Map<string, string>();
    for (let file = 0; file < files; file += 1) {
      await upload(client, { workspaceId, hashes }, file % 3 === 0 ? LARGE + file : 10 * file);
    }
    workspaces.push({ workspaceId, hashes });
  }
  for (const runId of runIds) for await (const _ of client.runs.follow({ runId }));
  return { agentId, runIds, workspaces };
}

async function upload(client: Client, { workspaceId, hashes }: WrittenFiles, size: number): Promise<void> {
  const path = `d${hashes.size % 5}/${randomUUID()}.bin`;
  const body = randomBytes(size);
  await client.files.upload({ workspaceId, query: { path }, body });
  hashes.set(path, createHash("sha256").update(body).digest("hex"));
}

/** Writes large files, and deletes whole workspaces with theirs, until it is stopped. */
export class BackupLoad {
  readonly #client: Client;
  #isStopped = false;
  readonly #working: Promise<void>[];
  #failure: { readonly cause: unknown } | null = null;
  /** Workspaces that were erased, their blobs with them. */
  erased = 0;
  written = 0;

  constructor(client: Client, clients = 2) {
    this.#client = client;
    const note = (cause: unknown) => {
      this.#failure ??= { cause };
    };
    this.#working = Array.from({ length: clients }, () => this.#work().catch(note));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#working);
    if (this.#failure !== null) throw this.#failure.cause;
  }

  async #work(): Promise<void> {
    const client = this.#client;
    while (!this.#isStopped) {
      const { id: workspaceId } = await client.workspaces.create({ body: {} });
      const files = { workspaceId, hashes: new Map<string, string>() };
      for (let file = 0; file < 4 && !this.#isStopped; file += 1) {
        await upload(client, files, LARGE);
        this.written += 1;
      }
      const { operation_id: operationId } = await client.workspaces.delete({ workspaceId });
      await client.operations
        .get({ workspaceId, operationId, query: { wait: 20 } })
        .catch((cause: unknown) => {
          if (!(cause instanceof ApiError)) throw cause;
        });
      this.erased += 1;
    }
  }
}
