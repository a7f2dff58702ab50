// Cold start of the Action: process start → exchange request received, on loopback, beside a bare script with
// node:http that makes the same two requests. The two take turns, so that both meet the same machine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = join(dirname(fileURLToPath(import.meta.url)), "../dist/main.cjs");

const BARE_SCRIPT = `
const http = require("node:http");
const { TOKEN_URL, TOKEN, EXCHANGE_URL } = process.env;
http.get(TOKEN_URL, { headers: { authorization: "Bearer " + TOKEN } }, (response) => {
  let text = "";
  response.on("data", (chunk) => { text += chunk; });
  response.on("end", () => {
    const body = JSON.stringify({ subject_token: JSON.parse(text).value });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    http.request(EXCHANGE_URL, { method: "POST", headers }, (answer) => answer.resume()).end(body);
  });
});
`;

export type ColdStart = {
  readonly rounds: number;
  /** Medians in milliseconds. */
  readonly bareMs: number;
  readonly actionMs: number;
  /** The action's median over the bare script's. */
  readonly ratio: number;
};

/** Measures the built dist/main.cjs under the Node that runs this. The first round of each is not counted. */
export async function measureColdStart(options: { rounds: number }): Promise<ColdStart> {
  const folder = await mkdtemp(join(tmpdir(), "cold-start-"));
  const endpoints = await openEndpoints();
  try {
    const bareScript = join(folder, "bare.cjs");
    await writeFile(bareScript, BARE_SCRIPT);
    const bare: number[] = [];
    const action: number[] = [];
    for (let round = 0; round <= options.rounds; round += 1) {
      bare.push(await startOnce(endpoints, { script: bareScript, env: bareEnv(endpoints.url) }));
      action.push(await startOnce(endpoints, { script: MAIN, env: actionEnv(endpoints.url, folder) }));
    }
    const [bareMs, actionMs] = [median(bare.slice(1)), median(action.slice(1))];
    return { rounds: options.rounds, bareMs, actionMs, ratio: actionMs / bareMs };
  } finally {
    endpoints.server.close();
    endpoints.server.closeAllConnections();
    await rm(folder, { recursive: true, force: true });
  }
}

type Endpoints = { readonly server: Server; readonly url: string };

/** A token endpoint, and an exchange that says when it is called. */
async function openEndpoints(): Promise<Endpoints> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.url?.startsWith("/token") === true) {
      response.end(JSON.stringify({ value: `${"a".repeat(400)}.${"b".repeat(800)}.${"c".repeat(342)}` }));
      return;
    }
    server.emit("exchange");
    request.resume();
    response.statusCode = 403;
    response.end(JSON.stringify({ error: "measured", code: "forbidden", request_id: "0" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { server, url: `http://127.0.0.1:${port}` };
}

async function startOnce(
  { server }: Endpoints,
  child: { script: string; env: Record<string, string> },
): Promise<number> {
  const exchanged = once(server, "exchange") as Promise<IncomingMessage[]>;
  const startedAt = performance.now();
  const process_ = spawn(process.execPath, [child.script], { env: child.env, stdio: "ignore" });
  const ended = once(process_, "exit");
  const failed = ended.then(() => Promise.reject(new Error(`${child.script} made no exchange request.`)));
  try {
    await Promise.race([exchanged, failed]);
    return performance.now() - startedAt;
  } finally {
    failed.catch(() => {});
    process_.kill("SIGKILL");
    await ended;
  }
}

function bareEnv(url: string): Record<string, string> {
  return { TOKEN_URL: `${url}/token?audience=x`, TOKEN: "t", EXCHANGE_URL: `${url}/v1/ci/oidc/exchange` };
}

function actionEnv(url: string, folder: string): Record<string, string> {
  return {
    "INPUT_BASE-URL": url,
    INPUT_WAIT: "true",
    "INPUT_GITHUB-TOKEN": "ghs_0",
    INPUT_MATRIX: "null",
    GITHUB_ACTION: "agent",
    GITHUB_EVENT_NAME: "push",
    GITHUB_JOB: "agent",
    GITHUB_REPOSITORY: "octo/repo",
    GITHUB_REPOSITORY_ID: "1",
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_RUN_ID: "1",
    GITHUB_SHA: "0".repeat(40),
    RUNNER_TEMP: folder,
    ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "t",
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { bareMs, actionMs, ratio } = await measureColdStart({ rounds: 40 });
  process.stdout.write(
    `action ${actionMs.toFixed(1)} ms, bare script ${bareMs.toFixed(1)} ms, ratio ${ratio.toFixed(2)}\n`,
  );
}
