// One authenticated socket: its frames, answered one after another, its credential, its pings, its end.

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { assertNever } from "../../../base/assert-never.ts";
import type { Logger } from "../../../base/log.ts";
import type { ApiScope } from "../../../contract/oauth/scopes.ts";
import type { Role } from "../../../contract/roles.ts";
import { type ClientFrame, clientFrameSchema } from "../../../contract/sessions/client-frames.ts";
import { closeCodes, FRAMES_PER_MINUTE } from "../../../contract/sessions/socket.ts";
import { type Caller, needRole, needScopes } from "../../core/accounts/caller.ts";
import type { Core } from "../../core/core.ts";
import type { SocketRefusal } from "../../core/limits/refusals.ts";
import { invalidRequest } from "../../core/ports/problem.ts";
import type { RunViewer } from "../../core/runs/run-view.ts";
import type { RunSubmitter } from "../../core/runs/submit-run.ts";
import { type AdmitRefusal, chargeCaller } from "../shared/admit-caller.ts";
import { decode } from "../shared/decode.ts";
import { problemOfThrown } from "../shared/problems/thrown-problem.ts";
import { type Refusal, toProblem } from "../shared/problems/to-problem.ts";
import { TokenBucket } from "../shared/token-buckets.ts";
import { answerCancel, answerSubmit } from "./answers.ts";
import type { ConnectionSlot } from "./connection-limit.ts";
import { type Held, SocketCredential } from "./credential.ts";
import { SendBuffer } from "./send-buffer.ts";
import { Subscriptions } from "./subscriptions.ts";
import type { WorkTurns } from "./work-turns.ts";

const PING_MS = 30_000;
/** The time that a peer has to answer our close. */
const CLOSE_MS = 2_000;
/** Frames that may wait for their answer before we stop reading. */
const MAX_WAITING_FRAMES = 16;

/** As the routes that do the same. */
function roleFor({ type }: Exclude<ClientFrame, { type: "auth" }>): Role {
  return type === "submit" || type === "cancel" ? "member" : "viewer";
}

/** Scopes that an access token has to have. */
function scopesOf(frame: Exclude<ClientFrame, { type: "auth" }>): readonly ApiScope[] {
  switch (frame.type) {
    case "subscribe":
      return frame.workspace_id === undefined ? ["runs:read"] : ["workspaces:read"];
    case "unsubscribe":
      return [];
    case "submit":
    case "cancel":
      return ["runs:write"];
    default:
      return assertNever(frame);
  }
}

type ConnectionParts = {
  readonly core: Core;
  readonly submitter: RunSubmitter;
  readonly socket: WebSocket;
  /** The stream that the socket writes to. */
  readonly connection: Duplex;
  readonly log: Logger;
  readonly requestId: string;
  /** The address that it comes from. */
  readonly address: string;
  readonly slot: ConnectionSlot;
  /** Shared by all sockets of the node. */
  readonly turns: WorkTurns;
  /** Who the upgrade's Authorization header said it is; null where it had none. */
  readonly admitted: Held | null;
};

export class SocketConnection {
  /** Resolves once the socket is closed. */
  readonly closed: Promise<void>;
  readonly #parts: ConnectionParts;
  readonly #sendBuffer: SendBuffer;
  readonly #credential: SocketCredential;
  readonly #subscriptions: Subscriptions;
  readonly #over = new AbortController();
  readonly #frames: TokenBucket;
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const { core, socket, connection, requestId, log, address, turns } = parts;
    this.#frames = new TokenBucket({ perMinute: FRAMES_PER_MINUTE, now: core.clock.monotonic() });
    this.#sendBuffer = new SendBuffer({ socket, connection, clock: core.clock, requestId });
    this.#credential = new SocketCredential({
      core,
      address,
      signal: this.#over.signal,
      onLost: (refusal) => this.#loseCredential(refusal),
      onMissing: () => socket.close(closeCodes.unauthorized, "Not authenticated in time."),
    });
    const caller = () => this.#credential.caller;
    this.#subscriptions = new Subscriptions({ core, sendBuffer: this.#sendBuffer, caller, log, turns });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.on("message", (data, isBinary) => this.#receive(data.toString(), isBinary));
    socket.on("pong", () => this.#sendBuffer.markMoved());
    // The close that follows says all that matters.
    socket.on("error", (cause) => log.debug({ err: cause }, "socket error"));
    socket.on("close", (code) => {
      this.#over.abort();
      parts.slot.leave();
      this.#subscriptions.drop();
      log.debug({ code }, "socket closed");
      resolve();
    });
    if (parts.admitted !== null) this.#admit(parts.admitted);
    else this.#credential.await();
    void this.#keepAlive();
  }

  /** Tells every subscription its cursor, and closes. */
  async stop(): Promise<void> {
    const { core, socket } = this.#parts;
    this.#subscriptions.endAll("stopping");
    socket.close(closeCodes.serviceRestart, "The service stops.");
    const isLate = core.clock.sleep(CLOSE_MS, this.#over.signal).catch(() => {});
    await Promise.race([this.closed, isLate]);
    socket.terminate();
    await this.closed;
  }

  #receive(text: string, isBinary: boolean): void {
    const { socket } = this.#parts;
    this.#sendBuffer.markMoved();
    if (isBinary) {
      socket.close(closeCodes.unsupportedData, "Frames are text.");
      return;
    }
    this.#waiting += 1;
    if (this.#waiting >= MAX_WAITING_FRAMES) socket.pause();
    this.#turn = this.#turn.then(() => this.#take(text));
  }

  async #take(text: string): Promise<void> {
    const { socket, log } = this.#parts;
    try {
      await this.#pace();
      if (socket.readyState === socket.OPEN) await this.#answer(text);
    } catch (cause) {
      log.error({ err: cause }, "internal error");
      this.#sendBuffer.sendProblem(problemOfThrown(cause), null);
      // Whether the credential is good is not known: that is no refusal, and the next frames would need it.
      if (this.#credential.caller === null) socket.close(closeCodes.tryAgainLater, "Connect again later.");
    }
    this.#waiting -= 1;
    if (this.#sendBuffer.isFull && !(await this.#sendBuffer.hasRoom(this.#over.signal))) {
      socket.close(closeCodes.policyViolation, "Answers are not read.");
    }
    if (socket.isPaused && this.#waiting < MAX_WAITING_FRAMES) socket.resume();
  }

  /** A client that sends too much is read more slowly: while a frame waits, no others are read. */
  async #pace(): Promise<void> {
    const { clock } = this.#parts.core;
    for (;;) {
      const waitMs = this.#frames.take({ perMinute: FRAMES_PER_MINUTE, now: clock.monotonic() });
      if (waitMs === 0) return;
      await clock.sleep(waitMs, this.#over.signal).catch(() => {});
      if (this.#over.signal.aborted) return;
    }
  }

  async #answer(text: string): Promise<void> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#sendBuffer.sendProblem(invalidRequest("The frame is not valid JSON."), null);
    }
    const frame = decode(clientFrameSchema, value, "The frame");
    if (!frame.ok) return this.#sendBuffer.sendProblem(frame.refusal, idOf(value));
    if (frame.value.type === "auth") return await this.#authenticate(frame.value.token);
    const held = this.#credential.caller;
    const excess = held === null ? null : chargeCaller(this.#parts.core, held);
    if (excess !== null) return this.#sendBuffer.sendProblem(toProblem(excess), frame.value.id);
    const caller = await this.#credential.check();
    if (caller?.kind === "run_view") return await this.#obeyViewer(frame.value, caller);
    if (caller !== null) return await this.#obey(frame.value, caller);
    this.#sendBuffer.sendProblem(toProblem({ reason: "credential_missing" }), idOf(value));
  }

  async #obey(frame: Exclude<ClientFrame, { type: "auth" }>, caller: Caller): Promise<void> {
    const { core, submitter, log } = this.#parts;
    const granted = needScopes(caller, scopesOf(frame));
    const held = granted.ok ? needRole(caller, roleFor(frame)) : granted;
    if (!held.ok) return this.#sendBuffer.sendProblem(toProblem(held.refusal), frame.id);
    const to = { sendBuffer: this.#sendBuffer, log };
    switch (frame.type) {
      case "subscribe":
        return await this.#subscriptions.add(frame, caller);
      case "unsubscribe":
        return this.#subscriptions.remove(frame.id);
      case "submit":
        return await answerSubmit(submitter, { frame, caller, to });
      case "cancel":
        return await answerCancel(core, { frame, caller, to });
      default:
        return assertNever(frame);
    }
  }

  /** Who has the link to a run follows that run, and does nothing else. */
  async #obeyViewer(frame: Exclude<ClientFrame, { type: "auth" }>, viewer: RunViewer): Promise<void> {
    if (frame.type === "unsubscribe") return this.#subscriptions.remove(frame.id);
    if (frame.type === "subscribe" && frame.run_id !== undefined)
      return await this.#subscriptions.add(frame, viewer);
    this.#sendBuffer.sendProblem(toProblem({ reason: "link_reads_one_run" }), frame.id);
  }

  async #authenticate(token: string): Promise<void> {
    const caller = await this.#credential.offer(token);
    if (this.#over.signal.aborted) return;
    if (caller.ok) return this.#admit({ token, caller: caller.value });
    this.#refuse(caller.refusal);
  }

  #refuse(refusal: AdmitRefusal | SocketRefusal): void {
    const { socket, log } = this.#parts;
    const problem = toProblem(refusal);
    log.info({ reason: refusal.reason }, "refused");
    this.#sendBuffer.sendProblem(problem, null);
    if (problem.status === 429) socket.close(closeCodes.tooMany, "Too many: connect again later.");
    else socket.close(closeCodes.unauthorized, "The credential is refused.");
  }

  #admit(admitted: Held): void {
    const replaced = this.#parts.slot.take(admitted.caller);
    if (replaced !== null) {
      this.#refuse(replaced);
      return;
    }
    const expiresAt = this.#credential.accept(admitted);
    this.#sendBuffer.send({
      type: "ready",
      expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    });
  }

  #loseCredential(refusal: Refusal): void {
    this.#sendBuffer.sendProblem(toProblem(refusal), null);
    this.#subscriptions.endAll("unauthorized");
  }

  /** Ends a peer that is dead, and one whose credential was revoked. */
  async #keepAlive(): Promise<void> {
    const { core, socket, log } = this.#parts;
    for (;;) {
      try {
        await core.clock.sleep(PING_MS, this.#over.signal);
      } catch {
        return;
      }
      if (!this.#sendBuffer.takeMoved()) return socket.terminate();
      if (socket.readyState === socket.OPEN) socket.ping();
      await this.#credential.check().catch((cause: unknown) => log.warn({ err: cause }, "check failed"));
    }
  }
}

function idOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null;
  return typeof value.id === "string" && value.id.length <= 64 ? value.id : null;
}
