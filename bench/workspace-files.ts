// Files of a workspace: written on the condition of their ETag, read, and listed, beside 50,000 others. By HTTP, on one node.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { opened } from "../scripts/opened.ts";
import { startServer } from "../scripts/served-process.ts";
import { type fileListSchema, MAX_UPLOAD_FILES } from "../src/contract/workspaces/files/files.ts";
import { operationSchema } from "../src/contract/workspaces/operations/operation.ts";
import { workspaceSchema } from "../src/contract/workspaces/workspace/workspace.ts";
import { LoadClient } from "./http-client.ts";
import { makeKey } from "./schedules.ts";
import { median, quantile } from "./statistics.ts";

export const FILES = 50_000;
const FOLDERS = 5_000;
const CLIENTS = 32;
const MEASURED_MS = 4_000;
const PAGE = 1_000;
const CONTENT = "const answer = 42;\n".repeat(11);

export type WorkspaceFileFigures = {
  readonly uploadsPerSecond: number;
  readonly checkpointMs: number;
  /** Of different files, by 32 clients. */
  readonly writesPerSecond: number;
  readonly writeP99Ms: number;
  /** With retries, of one file. */
  readonly contendedPerSecond: number;
  readonly readsPerSecond: number;
  readonly folderMs: number;
  /** All paths, in pages of 1,000. */
  readonly pagesMs: number;
};

/** The service on the embedded store, or on the database at `databaseUrl`. */
export async function measureWorkspaceFiles(databaseUrl?: string): Promise<WorkspaceFileFigures> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));
  const env = {
    BACKEND: "noop",
    DATA_DIR: folder,
    DRAIN_SECONDS: "0",
    ADDRESS_RATE_PER_MINUTE: "10000000",
    RATE_PER_MINUTE: "10000000",
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const bearer = await makeKey(env);
  const server = await startServer({ args: ["npm/cli.mjs", "serve", "--port", "0"], env });
  const client = new LoadClient({ baseUrl: server.url, bearer });
  const figures = await measure(client, { url: server.url, bearer });
  client.close();
  await server.stop();
  await removeFolder();
  return figures;
}

async function measure(client: LoadClient, server: { url: string; bearer: string }) {
  const made = await client.send("POST", "/v1/workspaces", {}, { "idempotency-key": "bench" });
  const { id } = workspaceSchema.parse(JSON.parse(made.body));
  const files = `/v1/workspaces/${id}/files`;
  const paths = Array.from({ length: FILES }, (_, at) => {
    const sub = at % FOLDERS;
    return `dir${sub % 500}/sub${sub}/file${at}.ts`;
  });
  const uploadMs = await timed(() => uploadAll({ ...server, files, paths }));
  const checkpointMs = await timed(async () => {
    const begun = await client.send("POST", `/v1/workspaces/${id}/checkpoints`, {});
    const { id: operation } = operationSchema.parse(JSON.parse(begun.body));
    for (;;) {
      const at = `/v1/workspaces/${id}/operations/${operation}?wait=30`;
      const { status } = operationSchema.parse(JSON.parse((await client.send("GET", at)).body));
      if (status === "succeeded") return;
      if (status === "failed") throw new Error("The checkpoint failed.");
    }
  });
  const etags = new Map<string, string>();
  const pages = () => readPages(client, files, etags);
  await pages();
  const pagesMs = await timed(pages);
  const folders = await Promise.all([
    repeat(1, async (at) => await expectOk(client.send("GET", `${files}/list?path=dir${at % 500}`))),
  ]);
  const reads = await repeat(CLIENTS, (at) =>
    expectOk(client.send("GET", `${files}/read?path=${paths[(at * 7) % FILES] ?? ""}`)),
  );
  const writes = await repeat(CLIENTS, async (at) => {
    const path = paths[at % FILES] ?? "";
    const ifMatch = `"${etags.get(path) ?? ""}"`;
    const body = { path, content: `${CONTENT}${at}` };
    const answer = await expectOk(client.send("PUT", `${files}/write`, body, { "if-match": ifMatch }));
    etags.set(path, writtenSchema.parse(JSON.parse(answer)).etag);
  });
  const contended = await repeat(8, async (at) => {
    const path = paths[0] ?? "";
    for (;;) {
      const ifMatch = `"${etags.get(path) ?? ""}"`;
      const body = { path, content: `${at} ${performance.now()}` };
      const answer = await client.send("PUT", `${files}/write`, body, { "if-match": ifMatch });
      if (answer.status === 412) {
        etags.set(path, mismatchSchema.parse(JSON.parse(answer.body)).current_etag);
        continue;
      }
      etags.set(path, writtenSchema.parse(JSON.parse(answer.body)).etag);
      return;
    }
  });
  return {
    uploadsPerSecond: (FILES * 1_000) / uploadMs,
    checkpointMs,
    writesPerSecond: perSecond(writes),
    writeP99Ms: quantile(writes, 0.99),
    contendedPerSecond: perSecond(contended),
    readsPerSecond: perSecond(reads),
    folderMs: median(folders.flat()),
    pagesMs,
  };
}

const writtenSchema = z.object({ etag: z.string() });
const mismatchSchema = z.object({ current_etag: z.string() });

function perSecond(latencies: readonly number[]): number {
  return (latencies.length * 1_000) / MEASURED_MS;
}

async function uploadAll(at: { url: string; bearer: string; files: string; paths: readonly string[] }) {
  for (let from = 0; from < at.paths.length; from += MAX_UPLOAD_FILES) {
    const form = new FormData();
    for (const path of at.paths.slice(from, from + MAX_UPLOAD_FILES)) {
      form.append("file", new Blob([`// ${path}\n${CONTENT}`]), path);
    }
    const response = await fetch(`${at.url}${at.files}/upload`, {
      method: "POST",
      headers: { authorization: `Bearer ${at.bearer}` },
      body: form,
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`The upload answered ${response.status}: ${text}`);
  }
}

async function readPages(client: LoadClient, files: string, etags: Map<string, string>): Promise<void> {
  for (let cursor = ""; ; ) {
    const path = `${files}/list?recursive=true&limit=${PAGE}&cursor=${cursor}`;
    const page = JSON.parse((await client.send("GET", path)).body) as z.infer<typeof fileListSchema>;
    for (const item of page.items) if (item.type === "file") etags.set(item.path, item.etag);
    cursor = page.next_cursor;
    if (cursor === "") return;
  }
}

/** Calls from so many clients for a while. Returns how long each call took. */
async function repeat(clients: number, call: (at: number) => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = [];
  const end = performance.now() + MEASURED_MS;
  let count = 0;
  const one = async () => {
    while (performance.now() < end) {
      count += 1;
      const at = count;
      latencies.push(await timed(() => call(at)));
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
  return latencies;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function expectOk(answer: Promise<{ status: number; body: string }>): Promise<string> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`The service answered ${status}: ${body}`);
  return body;
}
