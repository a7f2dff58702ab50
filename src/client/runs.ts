// Runs of an agent, by an account or by a CI job.

import type { CancelRunResponse, Run, SubmitRunRequest } from "../contract/runs/run.ts";
import type { CallOptions } from "./ci.ts";
import { randomIdempotencyKey } from "./idempotency-key.ts";
import { type Connection, request, requestValue } from "./request.ts";

export type SubmitRunOptions = CallOptions & {
  readonly agentId: string;
  readonly body: SubmitRunRequest;
  /**
   * What makes the call one run, however often it is sent. Left out: the body's, or else a random one. The call is
   * repeated on failure in any case.
   */
  readonly idempotencyKey?: string | undefined;
};

/** `replayed`: an earlier request with this key had started the run. */
export type SubmittedRun = { readonly runId: string; readonly sessionId: string; readonly replayed: boolean };

export type RunAddress = CallOptions & { readonly agentId: string; readonly runId: string };

export type ListRunsOptions = CallOptions & {
  readonly agentId: string;
  /** Of the session that this key names; none where it names no session. */
  readonly sessionKey?: string | undefined;
  /** The id of the run that the page comes after: the last one of the page before. */
  readonly before?: string | undefined;
  /** Runs at most, 1 to 100. */
  readonly limit?: number | undefined;
};

export type RunClient = {
  /** POST /v1/agents/{agentId}/runs. */
  submitRun(options: SubmitRunOptions): Promise<SubmittedRun>;
  /** GET /v1/agents/{agentId}/runs: one page, newest first. */
  listRuns(options: ListRunsOptions): Promise<readonly Run[]>;
  /** GET /v1/agents/{agentId}/runs/{runId}. */
  getRun(options: RunAddress): Promise<Run>;
  /** POST /v1/agents/{agentId}/runs/{runId}/cancel. ApiError `run_finished` when it had ended. Safe to repeat. */
  cancelRun(options: RunAddress): Promise<CancelRunResponse>;
};

export function runClient(connection: Connection): RunClient {
  return {
    submitRun: (options) => submit(connection, options),
    listRuns: ({ agentId, sessionKey, before, limit, signal }) =>
      requestValue(connection, {
        path: runsPath(agentId),
        query: {
          ...(sessionKey === undefined ? {} : { session_key: sessionKey }),
          ...(before === undefined ? {} : { before }),
          ...(limit === undefined ? {} : { limit }),
        },
        decoder: async () => (await import("../contract/runs/run.ts")).runListSchema,
        signal,
      }),
    getRun: (run) =>
      requestValue(connection, {
        path: runPath(run),
        decoder: async () => (await import("../contract/runs/run.ts")).runSchema,
        signal: run.signal,
      }),
    cancelRun: (run) =>
      requestValue(connection, {
        method: "POST",
        path: `${runPath(run)}/cancel`,
        decoder: async () => (await import("../contract/runs/run.ts")).cancelRunResponseSchema,
        signal: run.signal,
      }),
  };
}

async function submit(connection: Connection, options: SubmitRunOptions): Promise<SubmittedRun> {
  const { agentId, body, signal } = options;
  const key = options.idempotencyKey ?? body.idempotency_key ?? randomIdempotencyKey();
  const { value, header } = await request(connection, {
    method: "POST",
    path: runsPath(agentId),
    body,
    headers: { "idempotency-key": key },
    effect: "repeatable",
    credential: "renewable",
    decoder: async () => (await import("../contract/runs/run.ts")).submitRunResponseSchema,
    signal,
  });
  const replayed = header("x-svc-idempotent-replay") === "true";
  return { runId: value.run_id, sessionId: value.session_id, replayed };
}

function runsPath(agentId: string): string {
  return `/v1/agents/${encodeURIComponent(agentId)}/runs`;
}

function runPath({ agentId, runId }: RunAddress): string {
  return `${runsPath(agentId)}/${encodeURIComponent(runId)}`;
}
