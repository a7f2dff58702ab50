// `agent-service serve` as a child process, built, in a fresh folder, trusting a forge of the bench's own.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Forge, startForge } from "../test/support/forge.ts";
import { LoadClient } from "./http-client.ts";

const root = join(import.meta.dirname, "..");

export type ServedProcess = {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its "ready" line. */
  readonly readyMs: number;
  stop(): Promise<void>;
};

/** A child that prints a line with `"url":"…"` once it is ready. */
export async function startServer(options: {
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}): Promise<ServedProcess> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, options.args, {
    cwd: root,
    env: { PATH: process.env.PATH, ...options.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await readyUrl(child);
  const readyMs = performance.now() - startedAt;
  return {
    url,
    pid: child.pid ?? 0,
    readyMs,
    stop: async () => {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await exited;
    },
  };
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`The server ended with ${code} before it was ready.`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      if (text.length > 10_000) return;
      text += chunk.toString();
      const url = /"url":"([^"]+)"/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

export type BenchService = ServedProcess & {
  readonly agentId: string;
  /** The capability of the job that uses it. */
  readonly bearer: string;
  readonly client: LoadClient;
};

/** The built service with backend `noop`: runs that clone and compute nothing, for what the service itself takes. */
export async function startBenchService(
  options: { args?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Promise<BenchService> {
  const forge = await startForge({ repositories: { "octo/hello": root } });
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const server = await startServer({
    args: options.args ?? ["dist/cli.mjs", "serve", "--port", "0", "--data-dir", folder],
    env: {
      BACKEND: "noop",
      CI_FREE_CREDITS: "1000000",
      CI_ISSUERS: JSON.stringify([forge.issuerEntry]),
      DATA_DIR: folder,
      DRAIN_SECONDS: "0",
      ...options.env,
    },
  });
  const { access_token, agent_id } = await exchange(forge, server.url);
  const client = new LoadClient({ baseUrl: server.url, bearer: access_token });
  return {
    ...server,
    agentId: agent_id,
    bearer: access_token,
    client,
    stop: async () => {
      client.close();
      await server.stop();
      await forge.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function exchange(forge: Forge, url: string): Promise<{ access_token: string; agent_id: string }> {
  const job = await forge.job();
  const client = new LoadClient({ baseUrl: url, bearer: "" });
  const { status, body } = await client.send("POST", "/v1/ci/oidc/exchange", {
    subject_token: job.mintIdToken(new URL(url).host),
  });
  client.close();
  if (status !== 200) throw new Error(`The exchange answered ${status}: ${body}`);
  return JSON.parse(body);
}

/** Resident memory in MB, where the system tells. */
export function residentMb(pid: number): number | null {
  try {
    const kb = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kb === undefined ? null : Number(kb) / 1024;
  } catch {
    return null;
  }
}
