// The subscriptions of one socket: added, ended, at most so many.

import type { Logger } from "../../../base/log.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { SubscribeFrame } from "../../../contract/sessions/client-frames.ts";
import { MAX_SUBSCRIPTIONS } from "../../../contract/sessions/socket.ts";
import type { Core } from "../../core/core.ts";
import { invalidRequest } from "../../core/ports/problem.ts";
import { findRunOfSession, findSession } from "../../core/runs/follow-run.ts";
import { findStream, type StreamReader } from "../../core/runs/read-run.ts";
import type { RunRefusal } from "../../core/runs/refusals.ts";
import {
  type FollowRefusal,
  findFeed,
  type WorkspaceFeed,
} from "../../core/workspace-events/follow-workspace.ts";
import { problemOfThrown } from "../shared/problems/thrown-problem.ts";
import { toProblem } from "../shared/problems/to-problem.ts";
import type { SendBuffer } from "./send-buffer.ts";
import { Subscription } from "./subscription.ts";
import type { WorkTurns } from "./work-turns.ts";

type Parts = {
  readonly core: Core;
  readonly sendBuffer: SendBuffer;
  readonly caller: () => StreamReader | null;
  readonly log: Logger;
  readonly turns: WorkTurns;
};

export class Subscriptions {
  readonly #parts: Parts;
  readonly #byId = new Map<string, Subscription>();
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins one, or says why not. */
  async add(frame: SubscribeFrame, caller: StreamReader): Promise<void> {
    const { core, sendBuffer, log } = this.#parts;
    if (this.#byId.has(frame.id)) {
      return sendBuffer.sendProblem(invalidRequest(`Subscription "${frame.id}" is there already.`), frame.id);
    }
    if (this.#byId.size >= MAX_SUBSCRIPTIONS) {
      const message = `A socket may have ${MAX_SUBSCRIPTIONS} subscriptions. End one, or open another socket.`;
      return sendBuffer.sendProblem({ status: 429, code: "capacity_reached", message }, frame.id);
    }
    const found = await findTarget(core, { frame, caller });
    if (!found.ok) {
      log.info({ reason: found.refusal.reason }, "refused");
      return sendBuffer.sendProblem(toProblem(found.refusal), frame.id);
    }
    if (this.#isOver || this.#parts.caller() === null) return;
    const subscription = new Subscription({ ...this.#parts, frame });
    this.#byId.set(frame.id, subscription);
    sendBuffer.send({ type: "subscribed", subscription: frame.id });
    void this.#carry(subscription, frame, found.value);
  }

  remove(id: string): void {
    const subscription = this.#byId.get(id);
    if (subscription === undefined) {
      const message = `There is no subscription "${id}".`;
      this.#parts.sendBuffer.sendProblem({ status: 404, code: "not_found", message }, id);
      return;
    }
    this.#byId.delete(id);
    subscription.end("asked");
  }

  /** Ends all of them, each with its cursor. */
  endAll(why: "unauthorized" | "stopping"): void {
    for (const subscription of this.#byId.values()) subscription.end(why);
    this.#byId.clear();
    if (why === "stopping") this.#isOver = true;
  }

  /** The socket is gone. */
  drop(): void {
    this.#isOver = true;
    for (const subscription of this.#byId.values()) subscription.drop();
    this.#byId.clear();
  }

  async #carry(subscription: Subscription, frame: SubscribeFrame, feed: WorkspaceFeed | null): Promise<void> {
    const { run_id, session_id, workspace_id, after } = frame;
    try {
      if (run_id !== undefined) await subscription.followRun(run_id, typeof after === "number" ? after : 0);
      if (session_id !== undefined) {
        await subscription.followSession(session_id, typeof after === "object" ? after : null);
      }
      if (workspace_id !== undefined && feed !== null) await subscription.followWorkspace(workspace_id, feed);
    } catch (cause) {
      this.#parts.log.error({ err: cause }, "internal error");
      this.#parts.sendBuffer.sendProblem(problemOfThrown(cause), subscription.id);
      subscription.end("refused");
    }
    if (this.#byId.get(subscription.id) === subscription) this.#byId.delete(subscription.id);
  }
}

/** The run or session, and the run of its cursor, for a caller who may read them. Of a workspace, where its events go on. */
async function findTarget(
  core: Core,
  { frame, caller }: { frame: SubscribeFrame; caller: StreamReader },
): Promise<Result<WorkspaceFeed | null, RunRefusal | FollowRefusal>> {
  const { run_id: runId, session_id: sessionId = "", workspace_id: workspaceId, after } = frame;
  if (workspaceId !== undefined)
    return await findFeed(core, { caller, workspaceId, after: typeof after === "number" ? after : null });
  if (runId !== undefined) return noFeed(await findStream(core, { caller, runId }));
  if (caller.kind === "run_view") return refused({ reason: "session_unknown", sessionId });
  const session = await findSession(core, { caller, sessionId });
  if (!session.ok || typeof after !== "object" || after === null) return noFeed(session);
  return noFeed(await findRunOfSession(core, { caller, sessionId, runId: after.run_id }));
}

function noFeed<Refused>(found: Result<unknown, Refused>): Result<null, Refused> {
  return found.ok ? ok(null) : found;
}
