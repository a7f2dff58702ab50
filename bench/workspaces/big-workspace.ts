// A workspace of 50,000 files in a service of its own, and an owner's key for it.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { opened } from "../../scripts/opened.ts";
import { type ServedProcess, startServer } from "../../scripts/served-process.ts";
import { LoadClient } from "../http-client.ts";
import { makeOwnerKey } from "../owner-key.ts";

const TOP_FOLDERS = 500;
const SUBFOLDERS = 10;
const FILES_A_FOLDER = 10;
export const FILES = TOP_FOLDERS * SUBFOLDERS * FILES_A_FOLDER;
const FILES_AN_UPLOAD = 250;
const FILE_BYTES = 210;

export type BigWorkspace = {
  readonly process: ServedProcess;
  readonly client: LoadClient;
  /** The path of its routes. */
  readonly base: string;
  /** How long it took to upload all files and to save them. */
  readonly filledMs: number;
  stop(): Promise<void>;
};

/** The path of the file with this number. */
export function pathOf(index: number): string {
  const folder = Math.floor(index / FILES_A_FOLDER);
  const top = `folder-${Math.floor(folder / SUBFOLDERS)}`;
  return `${top}/part-${folder % SUBFOLDERS}/file-${index % FILES_A_FOLDER}.txt`;
}

/** What it holds at first: lines, the number among them. */
export function contentOf(index: number): string {
  const lines = Array.from({ length: 10 }, (_, line) => `line ${line} of ${index}`).join("\n");
  return `${lines}\n`.padEnd(FILE_BYTES, "-");
}

/** On the embedded store, or on PostgreSQL. */
export async function fillBigWorkspace(databaseUrl?: string): Promise<BigWorkspace> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));
  const env = {
    BACKEND: "noop",
    DATA_DIR: folder,
    DRAIN_SECONDS: "0",
    PORT: "0",
    RATE_PER_MINUTE: "10000000",
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const served = await startServer({ args: ["npm/cli.mjs", "serve"], env });
  const client = new LoadClient({ baseUrl: served.url, bearer: await makeOwnerKey(env) });
  const { id } = await json(
    client,
    "POST",
    "/v1/workspaces",
    { name: "bench" },
    { "idempotency-key": "bench" },
  );
  const base = `/v1/workspaces/${id}`;
  const startedAt = performance.now();
  for (let at = 0; at < FILES; at += FILES_AN_UPLOAD) await upload(client, base, at);
  await operation(client, base, await json(client, "POST", `${base}/checkpoints`, {}));
  return {
    process: served,
    client,
    base,
    filledMs: performance.now() - startedAt,
    stop: async () => {
      client.close();
      await served.stop();
      await removeFolder();
    },
  };
}

/** The answer's JSON. Throws where it is a refusal. */
export async function json(
  client: LoadClient,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await client.send(method, path, body, headers);
  if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body);
}

/** An operation's result, once it has ended. */
export async function operation(client: LoadClient, base: string, begun: { id: string; status: string }) {
  let state = begun as { id: string; status: string; result?: Record<string, string> };
  while (state.status === "queued" || state.status === "running")
    state = await json(client, "GET", `${base}/operations/${begun.id}?wait=30`);
  if (state.status !== "succeeded") throw new Error(`The operation ended: ${JSON.stringify(state)}`);
  return state.result ?? {};
}

async function upload(client: LoadClient, base: string, from: number): Promise<void> {
  const files = Array.from({ length: FILES_AN_UPLOAD }, (_, at) => from + at);
  await uploadFiles(
    client,
    base,
    files.map((index) => ({ path: pathOf(index), content: contentOf(index) })),
  );
}

/** Into the canonical files of the workspace whose routes are below `base`, in one request. */
export async function uploadFiles(
  client: LoadClient,
  base: string,
  files: readonly { readonly path: string; readonly content: string | Buffer<ArrayBuffer> }[],
): Promise<void> {
  const form = new FormData();
  for (const { path, content } of files) form.append("file", new Blob([content]), path);
  const request = new Response(form);
  const type = request.headers.get("content-type") ?? "";
  const body = Buffer.from(await request.arrayBuffer());
  await json(client, "POST", `${base}/files/upload`, body, { "content-type": type });
}
