// A mixed load at a steady rate for a long time: whether the service's memory ends to grow. Runs, streams, sockets, files
// small and large, checkpoints, changesets, pages and MCP, all of one account.

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { opened } from "../scripts/opened.ts";
import { residentMb, type ServedProcess, startServer } from "../scripts/served-process.ts";
import { LoadClient } from "./http-client.ts";
import { makeOwnerKey } from "./owner-key.ts";
import { median, slope } from "./statistics.ts";
import { json, operation } from "./workspaces/big-workspace.ts";

const SAMPLE_MS = 5_000;
const MINUTE_MS = 60_000;
/** Between two rounds of one client, so that the load is the same on every machine. */
const PAUSE_MS = 50;
const LARGE_BYTES = 300_000;
const WRITES_A_CHECKPOINT = 20;
const CHECKPOINTS_A_COPY = 10;

export type SoakFigures = {
  readonly requests: number;
  /** Medians of a minute: the sixth, in which all has been used, and the last. */
  readonly earlyMb: number;
  readonly lateMb: number;
  /** Of resident memory over the last half. */
  readonly mbPerMinute: number;
  /** The JavaScript heap after a collection, in the minutes of `earlyMb` and `lateMb`, and its growth over the last half. */
  readonly earlyHeapMb: number;
  readonly lateHeapMb: number;
  readonly heapMbPerMinute: number;
};

type Soak = {
  readonly process: ServedProcess;
  readonly client: LoadClient;
  readonly bearer: string;
  readonly stopped: AbortSignal;
  count(): void;
};

/** The heap is measured once a minute: a collection takes time from the load. */
type Sample = { readonly minute: number; readonly residentMb: number; readonly heapMb: number | null };

export async function measureSoak(options: { minutes: number; databaseUrl?: string }): Promise<SoakFigures> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-soak-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));
  const inspectorPort = 20_000 + (process.pid % 20_000);
  const env = {
    ...{ BACKEND: "noop", DATA_DIR: folder, DRAIN_SECONDS: "0", PORT: "0" },
    ...{ RATE_PER_MINUTE: "10000000", ADDRESS_RATE_PER_MINUTE: "10000000" },
    ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
  };
  const bearer = await makeOwnerKey(env);
  const served = await startServer({
    args: [`--inspect=127.0.0.1:${inspectorPort}`, "npm/cli.mjs", "serve"],
    env,
  });
  const client = new LoadClient({ baseUrl: served.url, bearer });
  const end = new AbortController();
  let requests = 0;
  const soak = { process: served, client, bearer, stopped: end.signal, count: () => (requests += 1) };
  const clients = [runs, runs, sockets, files, files, largeFiles, changesets, tools].map((play, index) =>
    play(soak, index),
  );
  const failed = Promise.race(clients);
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / MINUTE_MS;
  while (elapsed() < options.minutes) {
    await Promise.race([sleep(SAMPLE_MS), failed]);
    const isNewMinute = Math.floor(elapsed()) !== Math.floor(samples.at(-1)?.minute ?? -1);
    const heapMb = isNewMinute ? await heapAfterCollection(inspectorPort) : null;
    const sample = { minute: elapsed(), residentMb: residentMb(served.pid) ?? Number.NaN, heapMb };
    samples.push(sample);
    if (isNewMinute) process.stderr.write(`  ${JSON.stringify({ ...sample, requests })}\n`);
  }
  end.abort();
  await Promise.all(clients);
  client.close();
  await served.stop();
  await removeFolder();
  return { requests, ...figuresOf(samples, options.minutes) };
}

/** What is in use once everything that nothing refers to is gone. By the inspector, as the service cannot tell. */
async function heapAfterCollection(port: number): Promise<number> {
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json`)).json();
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, "open");
  const ask = async (id: number, method: string) => {
    socket.send(JSON.stringify({ id, method }));
    const [answer] = await once(socket, "message");
    return JSON.parse(String(answer)).result;
  };
  await ask(1, "HeapProfiler.collectGarbage");
  const { usedSize } = await ask(2, "Runtime.getHeapUsage");
  socket.close();
  return usedSize / 1024 / 1024;
}

function figuresOf(samples: readonly Sample[], minutes: number): Omit<SoakFigures, "requests"> {
  const early = Math.min(5, minutes - 1);
  const inMinute = (minute: number) => samples.filter((sample) => Math.floor(sample.minute) === minute);
  const residentIn = (minute: number) => median(inMinute(minute).map((sample) => sample.residentMb));
  const late = samples.filter(({ minute }) => minute >= minutes / 2);
  const heaps = samples.flatMap(({ minute, heapMb }) => (heapMb === null ? [] : [{ minute, heapMb }]));
  const heapIn = (minute: number) =>
    heaps.find((one) => Math.floor(one.minute) === minute)?.heapMb ?? Number.NaN;
  return {
    earlyMb: residentIn(early),
    lateMb: residentIn(minutes - 1),
    mbPerMinute: slope(late.map(({ minute, residentMb: mb }) => [minute, mb])),
    earlyHeapMb: heapIn(early),
    lateHeapMb: heapIn(minutes - 1),
    heapMbPerMinute: slope(
      heaps.filter(({ minute }) => minute >= minutes / 2).map(({ minute, heapMb }) => [minute, heapMb]),
    ),
  };
}

/** Rounds until the soak ends, each after a pause. */
async function rounds(soak: Soak, play: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; !soak.stopped.aborted; round += 1) {
    await play(round);
    soak.count();
    await sleep(PAUSE_MS);
  }
}

async function runs(soak: Soak, index: number): Promise<void> {
  const agent = await json(soak.client, "POST", "/v1/agents", { name: `soak-${index}` });
  await rounds(soak, async (round) => {
    const { run_id: id } = await json(soak.client, "POST", `/v1/agents/${agent.id}/runs`, {
      message: `Round ${round}`,
    });
    await endOf(soak, id);
    await json(soak.client, "GET", `/v1/agents/${agent.id}/runs`);
  });
}

async function endOf(soak: Soak, id: string): Promise<void> {
  for (let after = 0; ; ) {
    const page = await json(soak.client, "GET", `/v1/ci/runs/${id}?after=${after}&wait=30`);
    if (page.done) return;
    after = page.next;
  }
}

async function sockets(soak: Soak): Promise<void> {
  const agent = await json(soak.client, "POST", "/v1/agents", { name: "soak-sockets" });
  await rounds(soak, async () => {
    const { run_id: id } = await json(soak.client, "POST", `/v1/agents/${agent.id}/runs`, { message: "Hi" });
    const socket = new WebSocket(`${soak.process.url.replace("http", "ws")}/v1/ws`, {
      headers: { authorization: `Bearer ${soak.bearer}` },
    });
    await new Promise<void>((resolve, reject) => {
      socket.on("error", reject);
      socket.once("open", () => socket.send(JSON.stringify({ type: "subscribe", id: "s", run_id: id })));
      socket.on("message", (data) => {
        if (/RUN_(FINISHED|ERROR)/.test(data.toString())) resolve();
      });
    });
    socket.close();
  });
}

async function workspaceOf(soak: Soak, name: string): Promise<string> {
  const headers = { "idempotency-key": name };
  const { id } = await json(soak.client, "POST", "/v1/workspaces", { name }, headers);
  return `/v1/workspaces/${id}`;
}

/** Writes files again and again: each time on the condition that nobody else has. */
function writer(soak: Soak, at: string): (path: string, content: string) => Promise<void> {
  const etags = new Map<string, string>();
  return async (path, content) => {
    const etag = etags.get(path);
    const headers: Record<string, string> = etag === undefined ? {} : { "if-match": `"${etag}"` };
    etags.set(path, (await json(soak.client, "PUT", `${at}/files/write`, { path, content }, headers)).etag);
  };
}

async function files(soak: Soak, index: number): Promise<void> {
  const base = await workspaceOf(soak, `soak-files-${index}`);
  const write = writer(soak, base);
  await rounds(soak, async (round) => {
    const path = `folder-${round % 50}/file-${round % 7}.txt`;
    await write(path, `Round ${round}\n`);
    await json(soak.client, "GET", `${base}/files/read?path=${path}`);
    if (round % WRITES_A_CHECKPOINT === 0)
      await operation(soak.client, base, await json(soak.client, "POST", `${base}/checkpoints`, {}));
  });
}

async function largeFiles(soak: Soak): Promise<void> {
  const base = await workspaceOf(soak, "soak-large");
  const write = writer(soak, base);
  await rounds(soak, async (round) => {
    const path = `large-${round % 5}.bin`;
    const content = `${round}`.padEnd(LARGE_BYTES, "x");
    await write(path, content);
    const { status, body } = await soak.client.send("GET", `${base}/files/download?path=${path}`);
    if (status !== 200 || body !== content) throw new Error(`${path} came back with ${status}.`);
    await sleep(10 * PAUSE_MS);
  });
}

async function changesets(soak: Soak): Promise<void> {
  const base = await workspaceOf(soak, "soak-changesets");
  await json(soak.client, "PUT", `${base}/files/write`, { path: "a.txt", content: "a\n" });
  let copy = "";
  let write = writer(soak, base);
  await rounds(soak, async (round) => {
    if (round % CHECKPOINTS_A_COPY === 0) {
      await operation(soak.client, base, await json(soak.client, "POST", `${base}/checkpoints`, {}));
      const made = await json(soak.client, "POST", `${base}/copies`, {});
      copy = (await operation(soak.client, base, made)).working_copy_id ?? "";
      write = writer(soak, `${base}/copies/${copy}`);
    }
    await write(`b-${round % CHECKPOINTS_A_COPY}.txt`, `${round}\n`);
    await operation(
      soak.client,
      base,
      await json(soak.client, "POST", `${base}/checkpoints`, { working_copy_id: copy }),
    );
    await sleep(5 * PAUSE_MS);
  });
}

async function tools(soak: Soak): Promise<void> {
  const headers = { accept: "application/json, text/event-stream" };
  await rounds(soak, async (id) => {
    const asked = { jsonrpc: "2.0", id, method: "tools/list", params: {} };
    const answer = await soak.client.send("POST", "/mcp", asked, headers);
    if (answer.status >= 500) throw new Error(`/mcp answered ${answer.status}: ${answer.body}`);
    await soak.client.send("GET", "/");
    await sleep(5 * PAUSE_MS);
  });
}
