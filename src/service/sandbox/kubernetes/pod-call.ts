// Calls of the service's program in a pod: repeated while the server is away or cuts the connection, until the pod itself is gone.

import type { Clock } from "../../../base/clock.ts";
import { parseObject } from "../../../base/json.ts";
import { type ClaimedPod, type Claims, NoPodError, type PodState, podState } from "./claim.ts";
import { ClusterError } from "./cluster-client.ts";
import { execInPod } from "./exec-socket.ts";
import { encodeFrame, type Frame, FrameReader, frameKinds } from "./frames.ts";
import { podLoader, podProgram } from "./pod-program.ts";

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 3_000;
/** What no later try changes. */
const refusing: ReadonlySet<number | null> = new Set([0, 403]);
const RIGHTS =
  'The service account needs "get" and "create" of pods/exec. Tell the operator of this service.';
const COMMAND = ["node", "-e", podLoader] as const;

/** The pod is gone, or cannot be reached any more. The message is for the log. */
export class PodLostError extends Error {
  override readonly name = "PodLostError";
}

export type PodPlace = Pick<Claims, "client" | "namespace"> & {
  readonly clock: Clock;
  readonly pod: ClaimedPod;
  /** The time for which the server may be away until the pod counts as lost. */
  readonly awayMs: number;
  /** The program says as often that it is alive. */
  readonly pingMs: number;
};

export type PodCall = {
  /** Asked for anew at each try: a command goes on where its output was cut. */
  header(): object;
  /** Bytes behind the header. */
  body?(): AsyncIterable<Uint8Array>;
  take?(frame: Frame): Promise<void> | void;
  /** Called before each try. */
  begin?(): void;
  readonly signal: AbortSignal;
};

/** What the program answered at last. Rejects with a `PodLostError`, or with the signal's reason. */
export async function callPod(place: PodPlace, call: PodCall): Promise<Readonly<Record<string, unknown>>> {
  const { clock, awayMs } = place;
  let failingSince: number | null = null;
  let delayMs = FIRST_DELAY_MS;
  for (;;) {
    call.signal.throwIfAborted();
    const triedAt = clock.monotonic();
    try {
      return await callOnce(place, call);
    } catch (cause) {
      call.signal.throwIfAborted();
      if (!isOfConnection(cause)) throw cause;
      if (cause instanceof ClusterError && refusing.has(cause.status))
        throw new NoPodError(`Commands cannot be executed in pods. ${cause.message} ${RIGHTS}`, { cause });
      // A connection that was there for a while, and was cut, is no outage.
      if (failingSince === null || clock.monotonic() - triedAt > MAX_DELAY_MS)
        failingSince = clock.monotonic();
      const state = await stateOf(place, call.signal);
      if (state !== null && !state.isThere)
        throw new PodLostError(`The pod ${place.pod.pod} is gone: ${state.why}.`, { cause });
      if (clock.monotonic() - failingSince > awayMs)
        throw new PodLostError(`The pod ${place.pod.pod} cannot be reached. ${messageOf(cause)}`, { cause });
    }
    await clock.sleep(delayMs, call.signal);
    delayMs = Math.min(MAX_DELAY_MS, delayMs * 2);
  }
}

/** Null where the server does not say. */
async function stateOf(place: PodPlace, signal: AbortSignal): Promise<PodState | null> {
  return await podState(place, place.pod, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    if (cause instanceof ClusterError) return null;
    throw cause;
  });
}

function isOfConnection(cause: unknown): boolean {
  return cause instanceof ClusterError || cause instanceof CutError;
}

/** The program has not got all of its input, or has not said all. */
class CutError extends Error {
  override readonly name = "CutError";
}

async function callOnce(
  { client, namespace, pod, pingMs }: PodPlace,
  call: PodCall,
): Promise<Readonly<Record<string, unknown>>> {
  const reader = new FrameReader();
  let answer: Readonly<Record<string, unknown>> | null = null;
  call.begin?.();
  const end = await execInPod({
    client,
    namespace,
    pod: pod.pod,
    command: COMMAND,
    input: inputOf(call, pingMs),
    pingMs,
    signal: call.signal,
    onOutput: async (bytes) => {
      for (const frame of reader.push(bytes)) {
        if (frame.kind === frameKinds.end) answer = parseObject(frame.content.toString("utf8"));
        else if (frame.kind !== frameKinds.alive) await call.take?.(frame);
      }
    },
  });
  if (answer !== null) return answer;
  if (end.exitCode === 3) throw new CutError("The call was cut.");
  const said = end.complaint.trim() === "" ? "it gave no reason" : end.complaint.trim();
  throw new PodLostError(`The program in the pod ended with exit code ${end.exitCode}: ${said}`);
}

async function* inputOf(call: PodCall, pingMs: number): AsyncGenerator<Uint8Array> {
  const program = Buffer.from(podProgram);
  yield Buffer.concat([
    Buffer.from(`${program.length}\n`),
    program,
    Buffer.from(`${JSON.stringify({ ...call.header(), aliveMs: pingMs / 2 })}\n`),
  ]);
  if (call.body !== undefined) yield* call.body();
}

/** Frames, and the one that ends them, in pieces that are worth a message. */
export async function* framed(frames: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const frame of frames) {
    held.push(frame);
    bytes += frame.length;
    if (bytes < 64 * 1024) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  held.push(encodeFrame({ kind: frameKinds.end }));
  yield Buffer.concat(held);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "";
}
