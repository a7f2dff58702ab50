// Workflows of an account: the version that runs, and its executions.

import * as endpoints from "../contract/endpoints.ts";
import type { workflowRoutes } from "../contract/workflows.ts";
import { callRoute, type NounClient, nounClient } from "./noun-client.ts";
import type { ApiConnection } from "./request.ts";

/** Workflows of an account. */
export type WorkflowClient = NounClient<typeof workflowRoutes>;

/** Makes the methods of `client.workflows`. */
export function workflowClient(connection: ApiConnection): WorkflowClient {
  return {
    ...nounClient<typeof workflowRoutes>(connection, endpoints.workflows),
    activate: async (options) => {
      const { value } = await callRoute<(typeof workflowRoutes)["activate"]>(connection, {
        endpoint: endpoints.workflows.activate,
        options,
        // A named version is the same one the next time.
        overrides: options.body?.version === undefined ? {} : { effect: "repeatable" },
      });
      return value;
    },
  };
}
