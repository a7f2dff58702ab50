// Executes a program in a pod over a WebSocket, by the protocol v5.channel.k8s.io: the first byte of each message is its channel. It is
// no connection to rely on: whoever uses it asks again, and the program in the pod makes that safe.
// Looked up on 2026-11-29: https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/4006-transition-spdy-to-websockets

import { WebSocket } from "ws";
import { isObject, parseObject } from "../../../base/json.ts";
import { away, type ClusterClient, ClusterError, errorOf } from "./cluster-client.ts";

const PROTOCOL = "v5.channel.k8s.io";
const channels = { input: 0, output: 1, complaint: 2, status: 3, close: 255 } as const;
const MAX_MESSAGE_BYTES = 32 * 1024;
const MAX_RECEIVED_BYTES = 32 * 1024 * 1024;
const CONNECT_MS = 20_000;
/** Of so many pings in a row a program in a pod has to say something: a server answers them for a pod whose machine is gone. */
const SILENT_PINGS = 3;
const MAX_COMPLAINT_CHARS = 2_000;
const MAX_REFUSAL_CHARS = 4_000;

export type PodExec = {
  readonly client: ClusterClient;
  readonly namespace: string;
  readonly pod: string;
  readonly command: readonly string[];
  readonly input: AsyncIterable<Uint8Array>;
  /** A server that is gone does not close its socket: it answers no ping. */
  readonly pingMs: number;
  /** What it waits for is waited for before more is read. */
  readonly onOutput: (bytes: Buffer) => Promise<void> | void;
  readonly signal: AbortSignal;
};

export type ExecEnd = { readonly exitCode: number; readonly complaint: string };

/** Rejects with a `ClusterError` where it could not be started, or was cut; with the signal's reason on abort. */
export async function execInPod(exec: PodExec): Promise<ExecEnd> {
  const { client, signal } = exec;
  signal.throwIfAborted();
  const socket = await connect(exec);
  const cut = new AbortController();
  let complaint = "";
  let status: Readonly<Record<string, unknown>> | null = null;
  let fault: { readonly cause: unknown } | null = null;
  let taken: Promise<void> = Promise.resolve();
  let isAlive = true;
  let silentPings = 0;
  const ping = setInterval(() => {
    // Nothing is read while somebody works on what was read before.
    if (socket.isPaused) return;
    if (!isAlive || silentPings === SILENT_PINGS) return socket.terminate();
    isAlive = false;
    silentPings += 1;
    socket.ping();
  }, exec.pingMs).unref();
  const abort = () => socket.terminate();
  signal.addEventListener("abort", abort, { once: true });
  socket.on("pong", () => {
    isAlive = true;
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", (cause) => {
    fault ??= { cause: away(cause) };
  });
  socket.on("message", (data: Buffer) => {
    isAlive = true;
    silentPings = 0;
    const [channel, ...rest] = [data[0], data.subarray(1)] as const;
    const [bytes] = rest;
    if (channel === channels.complaint)
      complaint = (complaint + bytes.toString("utf8")).slice(-MAX_COMPLAINT_CHARS);
    else if (channel === channels.status) status = parseObject(bytes.toString("utf8"));
    else if (channel === channels.output && bytes.length > 0) {
      socket.pause();
      taken = taken
        .then(() => exec.onOutput(bytes))
        .catch((cause: unknown) => {
          fault ??= { cause };
          socket.terminate();
        })
        .finally(() => socket.resume());
    }
  });
  try {
    const sending = send(socket, exec.input, { closed, isCut: cut.signal }).catch((cause: unknown) => {
      fault ??= { cause };
      socket.terminate();
    });
    await closed;
    cut.abort();
    await Promise.all([taken, sending]);
    signal.throwIfAborted();
    const end = status === null ? null : exitCodeOf(status);
    // A program that has ended need not have read its input.
    if (end !== null && !(fault !== null && isOwn(fault))) return { exitCode: end, complaint };
    if (fault !== null) throw (fault as { readonly cause: unknown }).cause;
    if (status !== null) throw errorOf(status, 500);
    throw new ClusterError(`The connection to the pod at ${new URL(client.url).host} was cut.`, {
      status: null,
    });
  } finally {
    clearInterval(ping);
    signal.removeEventListener("abort", abort);
    socket.terminate();
  }
}

/** Whether it is of whoever takes the output, or gives the input. */
function isOwn({ cause }: { readonly cause: unknown }): boolean {
  return !(cause instanceof ClusterError);
}

async function connect({ client, namespace, pod, command, signal }: PodExec): Promise<WebSocket> {
  const { headers, ca } = await client.headersAndCa();
  const url = new URL(client.url.replace(/^http/, "ws"));
  url.pathname = `${url.pathname.replace(/\/$/, "")}/api/v1/namespaces/${namespace}/pods/${pod}/exec`;
  const query = [...command.map((word) => ["command", word]), ["stdin", "true"], ["stdout", "true"]];
  url.search = new URLSearchParams([...query, ["stderr", "true"]] as [string, string][]).toString();
  const socket = new WebSocket(url, [PROTOCOL], {
    headers,
    ca,
    handshakeTimeout: CONNECT_MS,
    maxPayload: MAX_RECEIVED_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
  });
  const abort = () => socket.terminate();
  signal.addEventListener("abort", abort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", (cause) => reject(away(cause)));
      socket.once("unexpected-response", (_, answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => {
          text = (text + chunk).slice(0, MAX_REFUSAL_CHARS);
        });
        const refuse = () => reject(errorOf(parseObject(text) ?? { message: text }, answer.statusCode ?? 0));
        answer.once("end", refuse);
        answer.once("close", refuse);
      });
    });
  } catch (cause) {
    // It tells of its own end, too.
    socket.on("error", () => {});
    socket.terminate();
    signal.throwIfAborted();
    throw cause;
  } finally {
    signal.removeEventListener("abort", abort);
  }
  return socket;
}

async function send(
  socket: WebSocket,
  input: AsyncIterable<Uint8Array>,
  { closed, isCut }: { readonly closed: Promise<void>; readonly isCut: AbortSignal },
): Promise<void> {
  const pieces = input[Symbol.asyncIterator]();
  for (;;) {
    // Whoever gives it may have nothing to give for a long time.
    const next = await Promise.race([pieces.next(), closed.then(() => null)]);
    if (next === null) return void pieces.return?.().catch(() => {});
    if (next.done === true) break;
    const bytes = next.value;
    for (let at = 0; at < bytes.length; at += MAX_MESSAGE_BYTES) {
      if (isCut.aborted) return;
      await sendOn(socket, channels.input, bytes.subarray(at, at + MAX_MESSAGE_BYTES));
    }
  }
  if (!isCut.aborted) await sendOn(socket, channels.close, Uint8Array.of(channels.input));
}

/** Resolves once it is on its way. A socket that is closed tells so by itself. */
async function sendOn(socket: WebSocket, channel: number, bytes: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.send(Buffer.concat([Uint8Array.of(channel), bytes]), () => resolve());
  });
}

/** Null where the status is of no program: it did not start. */
function exitCodeOf(status: Readonly<Record<string, unknown>>): number | null {
  if (status.status === "Success") return 0;
  const { details } = status;
  if (!isObject(details) || !Array.isArray(details.causes)) return null;
  for (const one of details.causes)
    if (isObject(one) && one.reason === "ExitCode" && typeof one.message === "string")
      return Number(one.message);
  return null;
}
