// The line of a service's log about the execution of its runs, and missing parts. Pure.

import type { Config } from "./config.ts";

/** Names no key and no address that could hold one. */
export function executesText({ backend, model, acp, role }: Config): string {
  if (role === "api") return "nothing: the workers do";
  if (model !== null) return `the model ${model.models.executor}`;
  if (acp !== null) return `the coding agent ${acp.title}, by ACP`;
  if (backend === "offline") return "no model: runs get a briefing, and conclude as skipped";
  return backend === "noop" ? "nothing: runs end at once (noop)" : backend;
}

/** The advice where runs have no model; null where they have one. */
export function noModelText({ backend, role }: Config): string | null {
  if (backend !== "offline" || role === "api") return null;
  return "No model is configured: only runs that bring access to one do what they are asked for. Set BACKEND=model with MODEL and MODEL_BASE_URL, or BACKEND=acp.";
}

/** The way in which an operator makes the first account. */
export function firstKeyText(config: Config): string {
  return `There is no account yet. Make one, and its first key, with${commandText(config, "keys create")}`;
}

/** The way to the pages for the people of accounts. */
export function firstSignInText(config: Config): string {
  return `Nobody has signed in to the pages yet. Make a link that signs in once, with${commandText(config, "accounts sign-in-link <account>")}`;
}

/** The address of a database may hold a password, so it is not shown. */
function commandText({ databaseUrl, dataDir }: Config, command: string): string {
  return databaseUrl === null
    ? `: agent-service ${command} --data-dir ${JSON.stringify(dataDir)}`
    : ` the same DATABASE_URL and: agent-service ${command}`;
}
