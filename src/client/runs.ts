// Runs of an agent, by an account or by a CI job.

import * as endpoints from "../contract/endpoints.ts";
import type { runRoutes } from "../contract/runs/routes.ts";
import type { CiClient } from "./ci.ts";
import { type FollowedRun, type FollowOptions, followRun } from "./follow.ts";
import { callRoute, type NounClient, nounClient, type RouteOptions } from "./noun-client.ts";
import type { ApiConnection } from "./request.ts";

/** The options of `runs.submit`. */
export type SubmitRunOptions = RouteOptions<(typeof runRoutes)["submit"]>;

/** The run that `runs.submit` began, found again by its key, or continued. */
export type SubmittedRun = {
  /** The run's id. */
  readonly runId: string;
  /** The id of its session. */
  readonly sessionId: string;
  /** An earlier request with this key had started the run. */
  readonly replayed: boolean;
  /** The session's parked run goes on: the `seq` of its last event before. Null for a new run, and a replay. */
  readonly continuedAfter: number | null;
};

/** Runs of an agent. */
export type RunClient = Omit<NounClient<typeof runRoutes>, "submit"> & {
  /** POST /v1/agents/{agentID}/runs. Repeated on failure under its key: the option's, the body's, or a random one. */
  submit(options: SubmitRunOptions): Promise<SubmittedRun>;
  /** Every event of a run from a cursor on, each once and in order, until the run has ended. */
  follow(options: FollowOptions): FollowedRun;
};

/** Makes the methods of `client.runs`. */
export function runClient(connection: ApiConnection, { readRun }: Pick<CiClient, "readRun">): RunClient {
  return {
    ...nounClient<typeof runRoutes>(connection, endpoints.runs),
    submit: (options) => submit(connection, options),
    follow: (options) => followRun({ ...connection, readRun }, options),
  };
}

async function submit(connection: ApiConnection, options: SubmitRunOptions): Promise<SubmittedRun> {
  const endpoint = endpoints.runs.submit;
  const { value, header } = await callRoute<(typeof runRoutes)["submit"]>(connection, { endpoint, options });
  const replayed = header("x-svc-idempotent-replay") === "true";
  return {
    runId: value.run_id,
    sessionId: value.session_id,
    replayed,
    continuedAfter: value.continued_after ?? null,
  };
}
