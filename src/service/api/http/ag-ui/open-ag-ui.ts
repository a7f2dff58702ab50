// /v1/agents/{agentID}/ag-ui: a run for an AG-UI client, its events, and what the agent can do.

import { ok, type Result, refused } from "../../../../base/result.ts";
import { agUiRoutes, capabilitiesOf, EVENT_STREAM_TYPE } from "../../../../contract/ag-ui/routes.ts";
import type { AccountCaller } from "../../../core/accounts/caller.ts";
import { findFollowed, startAgUiRun } from "../../../core/ag-ui/start-run.ts";
import { reachAgent } from "../../../core/agents/reach-agent.ts";
import type { Core } from "../../../core/core.ts";
import { invalidRequest, type PublicProblem } from "../../../core/ports/problem.ts";
import { cancelRun } from "../../../core/runs/cancel-run.ts";
import { findStream } from "../../../core/runs/read-run.ts";
import { ConnectionLimit } from "../../socket/connection-limit.ts";
import type { ByteContent } from "../bytes/answer-bytes.ts";
import type { FaceParts } from "../face.ts";
import { type NounHandlers, shown } from "../handler.ts";
import type { OpenedRoutes } from "../route-face.ts";
import { openedRoutes } from "../serve-routes.ts";
import { submittedHeaders } from "../submitted-headers.ts";
import { finishedEvent, frameOf, startedEvent } from "./frames.ts";
import { streamRun } from "./stream-run.ts";

/** Of one account on this node. */
const MAX_STREAMS = 100;

const noBuffering = { "X-Accel-Buffering": "no" } as const;

export function openAgUi(parts: FaceParts): OpenedRoutes {
  return openedRoutes({ agUi: agUiRoutes }, { agUi: agUiHandlers(parts) });
}

function agUiHandlers({ core, submitter }: FaceParts): NounHandlers<typeof agUiRoutes> {
  const streams = new ConnectionLimit(MAX_STREAMS);
  return {
    run: async ({ caller, callerNow, params, body, requestId, signal }) => {
      const full = streams.refusalOf(caller);
      if (full !== null) return refused(full);
      const agentId = params.agentID;
      const started = await startAgUiRun(core, submitter, { caller, agentId, input: body, requestId });
      if (!started.ok) return started;
      const client = {
        threadId: body.threadId,
        runId: body.runId,
        protocolVersion: body.protocolVersion ?? null,
      };
      const { run, isReplay } = started.value;
      if (run === null) {
        const text = frameOf(startedEvent(client)) + frameOf(finishedEvent(client, { type: "success" }));
        return ok({ headers: noBuffering, body: contentOf(() => once(text)) });
      }
      const kept = await findStream(core, { caller, runId: run.runId });
      if (!kept.ok) return kept;
      const isToCancel = body.forwardedProps?.on_disconnect === "cancel";
      const stop = isToCancel ? cancelOnAbort(core, { caller, agentId, runId: run.runId, signal }) : () => {};
      const stream = { client, run, cursor: 0, caller, callerNow, signal };
      return ok({
        headers: { ...noBuffering, ...submittedHeaders(run) },
        isReplay,
        body: contentOf(() => counted(streams, caller, streamRun(core, stream), stop)),
      });
    },
    capabilities: async ({ caller, params }) =>
      shown(await reachAgent(core, { caller, agentId: params.agentID }), capabilitiesOf),
    follow: async ({ caller, callerNow, params, query, lastEventId, signal }) => {
      const full = streams.refusalOf(caller);
      if (full !== null) return refused(full);
      const cursor = cursorOf(lastEventId, query.after);
      if (!cursor.ok) return cursor;
      const found = await findFollowed(core, { caller, agentId: params.agentID, runId: params.runID });
      if (!found.ok) return found;
      const run = found.value;
      const kept = await findStream(core, { caller, runId: run.runId });
      if (!kept.ok) return kept;
      const client = {
        threadId: query.thread_id ?? run.sessionId,
        runId: params.runID,
        protocolVersion: query.protocol_version ?? null,
      };
      const stream = { client, run, cursor: cursor.value, caller, callerNow, signal };
      return ok({
        headers: { ...noBuffering, ...submittedHeaders(run) },
        body: contentOf(() => counted(streams, caller, streamRun(core, stream))),
      });
    },
  };
}

function cursorOf(lastEventId: string | null, after: number): Result<number, PublicProblem> {
  if (lastEventId === null || lastEventId === "") return ok(after);
  const seq = Number(lastEventId);
  if (Number.isSafeInteger(seq) && seq >= 0) return ok(seq);
  return refused(
    invalidRequest("The header Last-Event-ID must be the `id` of an event of this run: a whole number."),
  );
}

/** `open` is called once, and nothing is read before. */
function contentOf(open: () => AsyncIterable<string>): ByteContent {
  return { contentType: EVENT_STREAM_TYPE, size: null, etag: null, open: () => encoded(open()) };
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/** The stream as one of its account, for as long as it is read. */
async function* counted(
  streams: ConnectionLimit,
  caller: AccountCaller,
  texts: AsyncIterable<string>,
  atEnd: () => void = () => {},
): AsyncGenerator<string> {
  const slot = streams.newcomer();
  slot.take(caller);
  try {
    yield* texts;
    atEnd();
  } finally {
    slot.leave();
  }
}

/** Cancels the run when the client goes away. A service that stops closes connections, too: that is no wish of the client. */
function cancelOnAbort(
  core: Core,
  { signal, ...run }: { caller: AccountCaller; agentId: string; runId: string; signal: AbortSignal },
): () => void {
  const cancel = () => {
    if (core.signals.isClosed) return;
    cancelRun(core, run).catch((cause: unknown) => {
      core.log.error(
        { err: cause, run_id: run.runId },
        "a run whose client went away could not be cancelled",
      );
    });
  };
  signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}
