// Runs, events and pages as the service sends them.

import type { CiRunPage } from "../../src/contract/ci/run-page.ts";
import type { Run } from "../../src/contract/runs/run.ts";
import { json, type Reply } from "./scripted-server.ts";

export const RUN_ID = "0197a1b2-0000-7000-8000-000000000001";
export const AGENT_ID = "0197a1b2-0000-7000-8000-00000000000a";
export const SESSION_ID = "0197a1b2-0000-7000-8000-00000000000b";
const AT = "2026-01-15T10:00:00.000Z";

const identity = { id: RUN_ID, agent_id: AGENT_ID, thread_id: SESSION_ID, origin: "user" as const };
const started = { started_at: AT, last_heartbeat_at: AT };

export const runningRun = {
  status: "running",
  ...identity,
  credits: null,
  tokens: null,
  ...started,
} satisfies Run;
export const completedRun = {
  status: "completed",
  ...identity,
  ...started,
  credits: 3,
  tokens: 1200,
  ended_at: AT,
  stop_reason: "end_turn",
} satisfies Run;
export const cancelledRun = {
  status: "cancelled",
  ...identity,
  ...started,
  credits: 0,
  tokens: 10,
  ended_at: AT,
  cause: "user_stop",
} satisfies Run;

export function eventOf(seq: number): CiRunPage["events"][number] {
  return { seq, at: AT, event: { type: "STEP_STARTED", stepName: `step ${seq}` } };
}

/** A page with the events of these numbers. */
export function page(run: Run, seqs: readonly number[], done = false): CiRunPage {
  return { run, events: seqs.map(eventOf), next: seqs.at(-1) ?? 0, done };
}

export function pageReply(run: Run, seqs: readonly number[], done = false): Reply {
  return json(200, page(run, seqs, done));
}

export const exchangeBody = {
  access_token: "svc_ci_first",
  issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
  token_type: "Bearer",
  expires_in: 900,
  scope: "ci:run",
  agent_id: AGENT_ID,
  repository: { provider: "github", id: "1", owner_id: "2", name: "octo/repo", visibility: "public" },
  quota: { audience: "anon", credits_remaining: 100, resets_at: AT },
  claim_url: null,
};
