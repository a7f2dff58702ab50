// Workflows that a job's token starts. https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event (2026-11-27)

import type { IncomingMessage, ServerResponse } from "node:http";
import { ACTIONS_BOT } from "./comments.ts";
import { sendJson } from "./server.ts";

type Dispatched = { readonly workflow: string; readonly ref: string; readonly at: string };

export class CodeHostDispatches {
  /** Files of workflows with the trigger `workflow_dispatch`. */
  readonly workflows = new Set<string>();
  readonly #all: Dispatched[] = [];

  get all(): readonly Dispatched[] {
    return this.#all;
  }

  /** False for a request that is none of these. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    { url, path, body }: { url: URL; path: string; body: string },
  ): boolean {
    const [, workflow = "", what] = /^\/actions\/workflows\/([^/]+)\/(dispatches|runs)$/.exec(path) ?? [];
    if (what === undefined) return false;
    if (!this.workflows.has(workflow)) {
      sendJson(response, 404, { message: "Not Found", status: "404" });
      return true;
    }
    if (request.method === "POST" && what === "dispatches") {
      const { ref } = JSON.parse(body) as { ref: string };
      this.#all.push({ workflow, ref, at: new Date().toISOString() });
      response.writeHead(204).end();
      return true;
    }
    const runs = this.#all
      .filter((one) => one.workflow === workflow)
      .map(({ at }, index) => ({
        id: index + 1,
        event: "workflow_dispatch",
        created_at: at,
        actor: ACTIONS_BOT,
        html_url: `${url.origin}/runs/${index + 1}`,
      }));
    sendJson(response, 200, { total_count: runs.length, workflow_runs: runs.toReversed() });
    return true;
  }
}
