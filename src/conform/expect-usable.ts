// Before the first statement: whether the deployment answers, and takes the keys that were given.

import { OperatorError } from "../base/operator-error.ts";
import type { World, WorldCaller } from "./kit/world.ts";

const settings: Readonly<Record<Exclude<WorldCaller, "nobody">, string>> = {
  owner: "AGENT_SERVICE_KEY",
  other: "AGENT_SERVICE_OTHER_KEY",
  ai: "AGENT_SERVICE_AI_KEY",
  empty: "AGENT_SERVICE_EMPTY_KEY",
  capped: "AGENT_SERVICE_CAPPED_KEY",
};

/** Throws an OperatorError where nothing answers, or a key is refused: every statement would differ for that one reason. */
export async function expectUsable(world: World): Promise<void> {
  for (const caller of ["owner", "other", "ai", "empty", "capped"] as const) {
    if (world.credential(caller) === undefined) continue;
    // Requests go to the addresses in turn, so that each is asked once.
    for (const baseUrl of world.connection.baseUrls) {
      const { status, json } = await world.get("/v1/agents", caller);
      if (status === 401) {
        throw new OperatorError(
          `${baseUrl} refuses the key of ${settings[caller]} (401). Give it a key of this service that is in use.`,
        );
      }
      if (status === 404 || json === undefined) {
        const what = json === undefined ? `${status}, without JSON` : String(status);
        throw new OperatorError(
          `${baseUrl} is not the service's address: GET /v1/agents is answered ${what}. Give the address alone, without a path of a page.`,
        );
      }
    }
  }
}
