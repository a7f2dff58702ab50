// The pod of one run: claimed at its first command, given the checkout's changes before each and giving its own back after each, and
// deleted with the checkout.

import { isAbsolute } from "node:path";
import { type Clock, WOKEN } from "../../../base/clock.ts";
import { isObject } from "../../../base/json.ts";
import type { Logger } from "../../../base/log.ts";
import type { AgentStart, StartedAgent } from "../../core/ports/agent-start.ts";
import type { PlaceArchive } from "../../core/ports/place-archive.ts";
import type {
  RunningProgram,
  SandboxCommand,
  SandboxedCheckout,
  SandboxedProgram,
  SandboxResult,
} from "../../core/ports/sandbox.ts";
import { BoundedOutput } from "../bounded-output.ts";
import { GATEWAY_PORT, MODEL_PORT } from "../relay.ts";
import type { SandboxConfig } from "../sandbox-config.ts";
import { SandboxError } from "../sandbox-error.ts";
import { argvOf } from "../supervise.ts";
import { AGENT_HOME, hideInPod, homeCopy, startedAgent } from "./agent-in-pod.ts";
import { type ClaimedPod, type Claims, claimPod, deleteClaim, podImages } from "./claim.ts";
import { type Frame, FrameError, frameKinds } from "./frames.ts";
import { LocalTree } from "./local-tree.ts";
import { placeFacts, podArchive } from "./pod-archive.ts";
import { callPod, type PodCall, PodLostError, type PodPlace } from "./pod-call.ts";
import { endOf, variablesOf } from "./pod-command.ts";
import { PodCopy } from "./pod-copy.ts";
import { type PodProgram, type ProgramHeader, runningProgram, startInPod } from "./pod-program-call.ts";
import { orAborted, PodRelays } from "./pod-relays.ts";

/** Whoever writes more than this has no reader in mind. It lies on the pod's disk. */
const MAX_WRITTEN_BYTES = 256 * 1024 * 1024;
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

export class RunPod {
  readonly #parts: RunPodParts;
  readonly #place: RunPodPlace;
  readonly #tree: PodCopy;
  /** Of files: one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #opened: PodPlace | null = null;
  #lost: PodLostError | null = null;
  #isClosed = false;
  readonly #closing = new AbortController();
  #commands = 0;
  #running = 0;
  readonly #relays: PodRelays;
  #ended: string[] = [];
  /** Programs whose connections were cut, which may not have noticed. */
  #cut: string[] = [];

  constructor(parts: RunPodParts, place: RunPodPlace) {
    this.#parts = parts;
    this.#place = place;
    this.#relays = new PodRelays(parts.config);
    const { diskBytes: maxBytes } = parts.config.limits;
    this.#tree = new PodCopy({ tree: new LocalTree(place.checkout), name: "tree", passedOver: [], maxBytes });
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
      return withinDisk(result, await this.#inTurn(signal, () => this.#tree.takeBack(place, signal)));
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
    const { argv, env: added } = program;
    try {
      return await this.#beside(async (signal) => {
        const place = await this.#inTurn(signal, () =>
          isTreeShown ? this.#ready(signal) : this.#open(signal),
        );
        const proxy = await this.#relays.proxyOf(place, { ...program, signal });
        const env = variablesOf({ ...this.#parts.config, added, proxy, identity: {} });
        const wanted = { argv, env, isTreeShown, agentHome: null };
        return runningProgram(this.#startProgram(place, wanted, clean));
      });
    } catch (cause) {
      await clean();
      throw cause;
    }
  }

  /** Starts a coding agent in the files of the run. Rejects as `run` does. */
  async startAgent(start: AgentStart): Promise<StartedAgent> {
    const home = homeCopy(start);
    return await this.#beside(async (closing) => {
      const signal = AbortSignal.any([start.signal, closing]);
      const place = await this.#inTurn(signal, async () => {
        const ready = await this.#ready(signal);
        await this.#endCut(ready, signal);
        if (!start.isWriters) await hideInPod(ready, signal);
        await home.give(ready, signal);
        return ready;
      });
      const { modelSocket, gateway } = start;
      if (modelSocket !== null)
        await this.#relays.open(place, { socket: modelSocket, port: MODEL_PORT, signal });
      const tools = gateway?.socket ?? null;
      if (tools !== null) await this.#relays.open(place, { socket: tools, port: GATEWAY_PORT, signal });
      const proxy = await this.#relays.proxyOf(place, { ...start, signal });
      const identity = await this.#relays.identityOf(place, { ...start, signal });
      const env = { ...start.environment, ...proxy, ...identity };
      const wanted = { argv: start.argv, env, isTreeShown: true, agentHome: AGENT_HOME };
      const program = this.#startProgram(place, wanted, async () => {});
      const take = (copy: PodCopy) => (late: AbortSignal) =>
        this.#beside(() =>
          this.#inTurn(late, async () => {
            await this.#endCut(place, late);
            return await copy.takeBack(place, late);
          }),
        );
      return startedAgent(program, { files: { takeHome: take(home), takeTree: take(this.#tree) } });
    });
  }

  /** What setup leaves in the pod. Rejects as `run` does. */
  async archive(signal: AbortSignal): Promise<PlaceArchive> {
    return await this.#beside(async (closing) => {
      const until = AbortSignal.any([signal, closing]);
      const place = await this.#inTurn(until, () => this.#ready(until));
      const [images, machine] = await Promise.all([
        podImages(place, place.pod, until),
        placeFacts(place, until),
      ]);
      return podArchive({
        place,
        facts: [...images, ...machine],
        maxRawBytes: this.#parts.config.limits.diskBytes,
        inTurn: (late, work) => this.#beside(() => this.#inTurn(late, work)),
      });
    });
  }

  #startProgram(
    place: PodPlace,
    wanted: Omit<ProgramHeader, "id" | "maxDiskBytes">,
    clean: () => Promise<void>,
  ): PodProgram {
    this.#commands += 1;
    const id = `${place.pod.podUid}-${this.#commands}`;
    const { diskBytes: maxDiskBytes } = this.#parts.config.limits;
    const program = startInPod(place, {
      header: { ...wanted, id, maxDiskBytes },
      onLost: (cause) => this.#lose(cause),
      clean,
    });
    program.ended.then(({ type }) => {
      if (type === "cut") this.#cut.push(id);
    });
    return program;
  }

  /** What is beside commands goes on until the run ends. */
  async #beside<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    if (this.#lost !== null) throw this.#lose(this.#lost);
    try {
      return await work(this.#closing.signal);
    } catch (cause) {
      if (!(cause instanceof PodLostError) && !(cause instanceof FrameError)) throw cause;
      throw this.#lose(cause);
    }
  }

  /** Ends what is left of programs whose connections were cut. */
  async #endCut(place: PodPlace, signal: AbortSignal): Promise<void> {
    for (const id of [...this.#cut]) {
      await callPod(place, { header: () => ({ call: "stop", id }), signal });
      this.#cut = this.#cut.filter((one) => one !== id);
    }
  }

  /** Deletes the claim, and with it the pod. Safe to repeat. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closing.abort(new Error("The run has ended."));
    const place = this.#opened;
    await this.#relays.stop();
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
    const place = await this.#open(signal);
    await this.#tree.give(place, signal);
    return place;
  }

  async #open(signal: AbortSignal): Promise<PodPlace> {
    if (this.#opened !== null) return this.#opened;
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
    const proxy = await this.#relays.proxyOf(place, command);
    const identity = await this.#relays.identityOf(place, command);
    const taking = isAlone ? this.#tree.taking() : null;
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

  /** Ends a command whose run or caller does not wait for it any more. */
  async #stop(place: PodPlace, id: string): Promise<void> {
    await this.#orLose(async (signal) => {
      await callPod(place, { header: () => ({ call: "stop", id }), signal });
      this.#ended.push(id);
    });
  }

  /** What a command had changed that was stopped. */
  async #keepLast(place: PodPlace): Promise<void> {
    if (this.#lost !== null || this.#isClosed || !this.#tree.isThere) return;
    await this.#orLose(async (signal) => {
      await this.#inTurn(signal, () => this.#tree.takeBack(place, signal));
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

function skippedBytes({ content }: Frame): number {
  const bytes = Number(content.toString("latin1"));
  if (!Number.isSafeInteger(bytes) || bytes < 0)
    throw new FrameError("The pod answered with something else than frames.");
  return bytes;
}
