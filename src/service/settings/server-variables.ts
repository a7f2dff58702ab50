// The variables that MCP servers take their secrets from: an operator's own environment, or that of a job. Pure.
// Why: docs/decisions/055-mcp-servers-in-the-sandbox.md

import type { Environment } from "../../base/environment.ts";
import { isJobCredential } from "../../contract/ci/job-credentials.ts";
import type { ServerVariables } from "../executor/tools/mcp/server-definition.ts";
import { sandboxSettings } from "../sandbox/sandbox-config.ts";
import { acpSettings } from "./acp-config.ts";
import { modelSettings } from "./model-config.ts";
import { serviceSettings } from "./service-settings.ts";

/** Of the runner and of this Action: their values are for nobody else. */
const runnersOwn = /^(ACTIONS_|INPUT_)/i;
const settings: ReadonlySet<string> = new Set([
  ...Object.keys({ ...serviceSettings, ...modelSettings, ...acpSettings, ...sandboxSettings }),
  "EGRESS",
  "MCP_SERVERS",
]);

export function variablesOfOperator(environment: Environment): ServerVariables {
  return { values: environment, isWithheld: (name) => runnersOwn.test(name) };
}

/** Without credentials that the job itself needs, and without settings of the service inside it, such as the key of its model. */
export function variablesOfJob(environment: Environment): ServerVariables {
  const isWithheld = (name: string) =>
    isJobCredential(name) || settings.has(name.toUpperCase()) || name.startsWith("OTEL_");
  const kept = Object.entries(environment).filter(([name]) => !isWithheld(name));
  return { values: Object.fromEntries(kept), isWithheld };
}
