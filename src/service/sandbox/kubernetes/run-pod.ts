// The pod of one run: claimed at its first command, given the checkout's changes before each and giving its own back after each, and
// deleted with the checkout.

import { isAbsolute } from "node:path";
import { type Clock, WOKEN } from "../../../base/clock.ts";
import { isObject } from "../../../base/json.ts";
import type { Logger } from "../../../base/log.ts";
import type {
  RunningProgram,
  SandboxCommand,
  SandboxedCheckout,
  SandboxedProgram,
  SandboxResult,
} from "../../core/ports/sandbox.ts";
import { BoundedOutput } from "../bounded-output.ts";
import { identityVariables, identityWay } from "../identity-way.ts";
import { EGRESS_PORT, proxyVariables } from "../relay.ts";
import type { SandboxConfig } from "../sandbox-config.ts";
import { SandboxError } from "../sandbox-error.ts";
import { argvOf } from "../supervise.ts";
import { type ClaimedPod, type Claims, claimPod, deleteClaim } from "./claim.ts";
import { type Frame, FrameError, frameKinds } from "./frames.ts";
import { LocalTree, type TreeChanges } from "./local-tree.ts";
import { callPod, framed, type PodCall, PodLostError, type PodPlace } from "./pod-call.ts";
import { endOf, variablesOf } from "./pod-command.ts";
import { startInPod } from "./pod-program-call.ts";
import { PodRelay } from "./pod-relay.ts";

/** Whoever writes more than this has no reader in mind. It lies on the pod's disk. */
const MAX_WRITTEN_BYTES = 256 * 1024 * 1024;
/** Entries that one command may change. */
const MAX_CHANGED_ENTRIES = 500_000;
/** What a stopped run's command is given to end, and its files to be read. */
const LAST_MS = 10_000;
/** What a command whose time is over is given to end. */
const END_MS = 30_000;

export type RunPodParts = {
  readonly claims: () => Promise<Claims>;
  readonly config: Pick<SandboxConfig, "limits" | "network" | "passed">;
  readonly awayMs: number;
  readonly pingMs: number;
  /** The longest that a run may take. */
  readonly runLimitMs: number;
  readonly clock: Clock;
  readonly log: Logger;
};

export type RunPodPlace = {
  /** Of the claim. */
  readonly name: string;
  readonly checkout: Pick<SandboxedCheckout, "root" | "gitFolder" | "covered">;
  /** Told once, when the pod is lost: nobody can execute anything for this run any more. */
  readonly onLost: (why: string) => void;
};

type Work = { readonly command: SandboxCommand; readonly within: string; readonly keepsHome: boolean };

type Variables = Readonly<Record<string, string>>;

export class RunPod {
  readonly #parts: RunPodParts;
  readonly #place: RunPodPlace;
  readonly #tree: LocalTree;
  /** Of files: one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #opened: PodPlace | null = null;
  #lost: PodLostError | null = null;
  #isClosed = false;
  readonly #closing = new AbortController();
  #copy = 0;
  #commands = 0;
  #running = 0;
  /** By the port that they have in the pod. */
  readonly #relays = new Map<number, PodRelay>();
  #ended: string[] = [];

  constructor(parts: RunPodParts, place: RunPodPlace) {
    this.#parts = parts;
    this.#place = place;
    this.#tree = new LocalTree(place.checkout);
  }

  /** Rejects with a `NoPodError`, with a `SandboxError` once the pod is lost, or with the signal's reason. */
  async run({ command, within, keepsHome }: Work): Promise<SandboxResult> {
    const { signal } = command;
    const work = { command, within, keepsHome };
    this.#running += 1;
    try {
      // Nothing else is executed: one call is enough for the command and what it changed.
      if (this.#running === 1 && command.beside?.isBackground !== true)
        return await this.#inTurn(
          signal,
          async () => await this.#execute(await this.#ready(signal), work, { isAlone: true }),
        );
      const place = await this.#inTurn(signal, () => this.#ready(signal));
      const result = await this.#execute(place, work, { isAlone: false });
      return withinDisk(result, await this.#inTurn(signal, () => this.#takeBack(place, signal)));
    } catch (cause) {
      if (signal.aborted && this.#opened !== null) await this.#keepLast(this.#opened);
      signal.throwIfAborted();
      if (!(cause instanceof PodLostError) && !(cause instanceof FrameError)) throw cause;
      throw this.#lose(cause);
    } finally {
      this.#running -= 1;
    }
  }

  /** Starts a program beside the commands. Rejects as `run` does. `clean` is called once nothing of it is left. */
  async start(
    program: SandboxedProgram,
    { isTreeShown, clean }: { readonly isTreeShown: boolean; readonly clean: () => Promise<void> },
  ): Promise<RunningProgram> {
    const { signal } = this.#closing;
    try {
      const place = await this.#inTurn(
        signal,
        async () => await (isTreeShown ? this.#ready(signal) : (this.#opened ?? this.#open(signal))),
      );
      this.#commands += 1;
      const id = `${place.pod.podUid}-${this.#commands}`;
      const proxy = await this.#proxyOf(place, { ...program, signal });
      const env = variablesOf({ ...this.#parts.config, added: program.env, proxy, identity: {} });
      return startInPod(place, { header: { id, argv: program.argv, env, isTreeShown }, clean });
    } catch (cause) {
      await clean();
      if (!(cause instanceof PodLostError) && !(cause instanceof FrameError)) throw cause;
      throw this.#lose(cause);
    }
  }

  /** Deletes the claim, and with it the pod. Safe to repeat. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closing.abort(new Error("The run has ended."));
    const place = this.#opened;
    await Promise.all([...this.#relays.values()].map((relay) => relay.stop()));
    if (place !== null) await deleteClaim(place, place.pod);
  }

  #lose(cause: Error): SandboxError {
    if (this.#lost === null) {
      this.#lost = new PodLostError(cause.message, { cause });
      this.#parts.log.warn({ claim: this.#place.name, err: cause }, "the pod of a run is lost");
      this.#place.onLost(cause.message);
      void this.close();
    }
    return new SandboxError("sandbox_not_watched", this.#lost.message, { cause });
  }

  async #inTurn<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    const before = this.#turn;
    const own = Promise.withResolvers<void>();
    this.#turn = own.promise;
    try {
      await orAborted(before, signal);
      return await work();
    } finally {
      void before.then(() => own.resolve());
    }
  }

  /** The pod with what the checkout holds now. */
  async #ready(signal: AbortSignal): Promise<PodPlace> {
    if (this.#lost !== null) throw this.#lost;
    const isNew = this.#opened === null;
    const place = this.#opened ?? (await this.#open(signal));
    const changes = isNew || this.#copy === 0 ? await this.#tree.whole() : await this.#tree.changes();
    if (changes.isEmpty && this.#copy > 0) return place;
    await this.#put(place, { changes, signal, isWhole: this.#copy === 0 });
    return place;
  }

  async #open(signal: AbortSignal): Promise<PodPlace> {
    const { clock, awayMs, pingMs, runLimitMs } = this.#parts;
    const claims = await this.#parts.claims();
    const endsAt = clock.now() + runLimitMs;
    const pod: ClaimedPod = await claimPod(claims, { name: this.#place.name, endsAt, signal });
    const place = { client: claims.client, namespace: claims.namespace, clock, pod, awayMs, pingMs };
    this.#opened = place;
    // The run has ended meanwhile.
    if (this.#isClosed) await deleteClaim(place, pod);
    return place;
  }

  async #put(
    place: PodPlace,
    { changes, signal, isWhole }: { changes: TreeChanges; signal: AbortSignal; isWhole: boolean },
  ): Promise<void> {
    const { diskBytes } = this.#parts.config.limits;
    if (changes.bytes > diskBytes)
      throw new SandboxError("sandbox_not_started", "The checkout is larger than SANDBOX_DISK_MB.");
    const header = { call: "put", isWhole, from: this.#copy, to: this.#copy + 1 };
    await callPod(place, { header: () => header, body: () => framed(changes.frames()), signal });
    changes.keep();
    this.#copy += 1;
  }

  /** False where a command has changed more than may be. */
  async #takeBack(place: PodPlace, signal: AbortSignal): Promise<boolean> {
    const taking = this.#taking();
    const header = { call: "get", ...taking.copy };
    const { begin, take } = taking;
    return await taking.end(await callPod(place, { header: () => header, begin, take, signal }));
  }

  /** To be used in its turn. What a cut call has written is written again. */
  #taking() {
    const { diskBytes: maxBytes } = this.#parts.config.limits;
    const copy = { from: this.#copy, to: this.#copy + 1, maxBytes, maxEntries: MAX_CHANGED_ENTRIES };
    let received = this.#tree.receive();
    let bytes = 0;
    let entries = 0;
    return {
      copy,
      begin: () => {
        received = this.#tree.receive();
        bytes = 0;
        entries = 0;
      },
      take: async (frame: Frame) => {
        bytes += frame.content.length;
        entries += frame.kind === frameKinds.more ? 0 : 1;
        if (bytes > maxBytes || entries > copy.maxEntries)
          throw new FrameError("The pod answers with more than it may hold.");
        await received.take(frame);
      },
      end: async (answer: Readonly<Record<string, unknown>>): Promise<boolean> => {
        await received.keep();
        if (answer.ok !== true) return false;
        this.#copy += 1;
        return true;
      },
    };
  }

  async #execute(
    place: PodPlace,
    { command, within, keepsHome }: Work,
    { isAlone }: { readonly isAlone: boolean },
  ): Promise<SandboxResult> {
    const { config, clock, awayMs } = this.#parts;
    const { signal } = command;
    const timeoutMs = Math.min(command.timeoutMs, command.longestMs ?? config.limits.timeoutMs);
    if (isAbsolute(within)) throw new TypeError("A command's folder is relative.");
    this.#commands += 1;
    const id = `${place.pod.podUid}-${this.#commands}`;
    const output = new BoundedOutput(command.maxOutputBytes);
    const input = Buffer.from(command.stdin ?? "");
    const halfBytes = Math.ceil(command.maxOutputBytes / 2);
    const forgets = this.#ended.splice(0);
    const proxy = await this.#proxyOf(place, command);
    const identity = await this.#identityOf(place, command);
    const taking = isAlone ? this.#taking() : null;
    const late = new AbortController();
    let isStarted = false;
    const take = async (frame: Frame) => {
      if (frame.kind === frameKinds.started && !isStarted) {
        isStarted = true;
        command.onStart?.();
      } else if (frame.kind === frameKinds.output) {
        output.add(frame.content);
        command.onOutput?.(frame.content);
      } else if (frame.kind === frameKinds.skipped) output.skip(skippedBytes(frame));
      else if (frame.kind !== frameKinds.started) await taking?.take(frame);
    };
    const call: PodCall = {
      header: () => ({
        call: "execute",
        id,
        forgets,
        argv: argvOf(command.execute),
        cwd: within,
        env: variablesOf({ ...config, added: command.env, proxy, identity }),
        keepsHome,
        timeoutMs,
        maxWrittenBytes: MAX_WRITTEN_BYTES,
        maxDiskBytes: config.limits.diskBytes,
        inputBytes: input.length,
        offset: output.total,
        headBytes: halfBytes,
        tailBytes: halfBytes,
        isFollowed: command.onOutput !== undefined,
        copy: taking?.copy ?? null,
      }),
      begin: () => taking?.begin(),
      body: async function* () {
        if (input.length > 0) yield input;
      },
      take,
      signal: AbortSignal.any([signal, late.signal]),
    };
    const isDone = new AbortController();
    // A command may stop its own supervisor.
    clock
      .sleep(timeoutMs + awayMs + END_MS, AbortSignal.any([signal, isDone.signal]))
      .then(() => late.abort(new PodLostError("The pod does not end a command whose time is over.")))
      .catch(() => {});
    try {
      const answer = await callPod(place, call);
      if (answer.ok !== true || !isObject(answer.end))
        throw new PodLostError("The container of the pod has started anew: the command is lost.");
      this.#ended.push(id);
      const result = endOf(answer.end, output);
      if (taking === null) return result;
      return withinDisk(result, await taking.end(isObject(answer.copied) ? answer.copied : {}));
    } catch (cause) {
      if (signal.aborted) await this.#stop(place, id);
      throw cause;
    } finally {
      isDone.abort(WOKEN);
    }
  }

  /** Variables that name the proxy of the command's network. Null where it has none. */
  async #proxyOf(
    place: PodPlace,
    { egressSocket, signal }: Pick<SandboxCommand, "egressSocket" | "signal">,
  ): Promise<Variables | null> {
    // With a network of the pod's own there is no relay to ours.
    if (egressSocket === null || this.#parts.config.network === "allowed") return null;
    await this.#relayed(place, { socket: egressSocket, port: EGRESS_PORT, signal });
    return proxyVariables();
  }

  /** Variables that name the relay of the run's ID tokens. */
  async #identityOf(place: PodPlace, command: SandboxCommand): Promise<Variables> {
    const way = await identityWay(command.identity, { loopback: "own" });
    if (way === null || way.socket === null) return {};
    await this.#relayed(place, { socket: way.socket, port: way.port, signal: command.signal });
    return identityVariables(way);
  }

  /** Resolves once what connects to the port in the pod reaches the socket here. */
  async #relayed(
    place: PodPlace,
    { signal, ...way }: { readonly socket: string; readonly port: number; readonly signal: AbortSignal },
  ): Promise<void> {
    let relay = this.#relays.get(way.port);
    if (relay?.socket !== way.socket || relay.isOver) {
      const before = relay;
      relay = new PodRelay(place, way);
      this.#relays.set(way.port, relay);
      await before?.stop();
    }
    await orAborted(relay.isReady, signal);
  }

  /** Ends a command whose run or caller does not wait for it any more. */
  async #stop(place: PodPlace, id: string): Promise<void> {
    await this.#orLose(async (signal) => {
      await callPod(place, { header: () => ({ call: "stop", id }), signal });
      this.#ended.push(id);
    });
  }

  /** What a command had changed that was stopped. */
  async #keepLast(place: PodPlace): Promise<void> {
    if (this.#lost !== null || this.#isClosed || this.#copy === 0) return;
    await this.#orLose(async (signal) => {
      await this.#inTurn(signal, () => this.#takeBack(place, signal));
    });
  }

  /** What cannot be stopped alone is stopped with its pod. */
  async #orLose(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await work(AbortSignal.timeout(LAST_MS));
    } catch (cause) {
      this.#lose(cause instanceof Error ? cause : new Error("The command could not be stopped."));
    }
  }
}

/** A command that has changed more than may be was ended by that. */
function withinDisk(result: SandboxResult, isWithin: boolean): SandboxResult {
  return isWithin ? result : { ...result, exitCode: null, signal: "SIGKILL", limit: "disk" };
}

/** Rejects with the signal's reason when it aborts first. */
function orAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    wait.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function skippedBytes({ content }: Frame): number {
  const bytes = Number(content.toString("latin1"));
  if (!Number.isSafeInteger(bytes) || bytes < 0)
    throw new FrameError("The pod answered with something else than frames.");
  return bytes;
}
