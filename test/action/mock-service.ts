// The service's routes and the runner's token endpoint on loopback, answered by a script: for the built Action's own
// tests. What the real service does with it is shown by the scenarios.

import type { RunActionOptions } from "../../fakes/runner/run-action.ts";
import { AGENT_ID, exchangeBody, RUN_ID, SESSION_ID } from "../client/run-fixtures.ts";
import {
  json,
  openScriptedServer,
  problem,
  type Reply,
  type ScriptedServer,
} from "../client/scripted-server.ts";

export type MockService = ScriptedServer & {
  /** The environment of a push job that may mint tokens here. */
  readonly env: Readonly<Record<string, string>>;
  /** "POST /v1/…" of each request so far. */
  calls(): string[];
};

export type MockRoutes = {
  readonly exchange?: Reply;
  readonly submit?: Reply;
  readonly read: Reply;
  readonly cancel?: Reply;
};

export async function openMockService(routes: MockRoutes): Promise<MockService> {
  const {
    exchange = json(200, exchangeBody),
    submit = json(202, { run_id: RUN_ID, session_id: SESSION_ID }),
    read,
    cancel = json(202, { runId: RUN_ID, status: "cancelling" }),
  } = routes;
  const server = await openScriptedServer([
    (request, response) => {
      const { method, path } = request;
      const replies: Record<string, Reply> = {
        "GET /id-token": json(200, { value: "header.id-token.signature" }),
        "POST /v1/ci/oidc/exchange": exchange,
        [`POST /v1/agents/${AGENT_ID}/runs`]: submit,
        [`GET /v1/ci/runs/${RUN_ID}`]: read,
        [`POST /v1/agents/${AGENT_ID}/runs/${RUN_ID}/cancel`]: cancel,
        "DELETE /v1/ci/oidc/exchange": (_request, answer) => answer.writeHead(204).end(),
      };
      (replies[`${method} ${path}`] ?? problem(404, "not_found"))(request, response);
    },
  ]);
  return {
    ...server,
    env: {
      GITHUB_ACTION: "agent",
      GITHUB_EVENT_NAME: "push",
      GITHUB_JOB: "agent",
      GITHUB_REPOSITORY: "octo/repo",
      GITHUB_REPOSITORY_ID: "1",
      GITHUB_RUN_ATTEMPT: "1",
      GITHUB_RUN_ID: "1",
      GITHUB_SHA: "a".repeat(40),
      ACTIONS_ID_TOKEN_REQUEST_URL: `${server.url}/id-token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token",
    },
    calls: () => server.seen.map(({ method, path }) => `${method} ${path}`),
  };
}

/** Options for `runAction` against the mock. */
export function jobOf(service: MockService, more: Partial<RunActionOptions> = {}): RunActionOptions {
  return {
    entry: "main",
    ...more,
    env: { ...service.env, ...more.env },
    inputs: { "base-url": service.url, prompt: "Hello", ...more.inputs },
  };
}
