// What executes a service's runs, for its log. Pure.

import { basename } from "node:path";
import type { Config } from "./config.ts";

/** Names no key and no address that could hold one. */
export function executesText({ backend, model, acp, role }: Config): string {
  if (role === "api") return "nothing: the workers do";
  if (model !== null) return `the model ${model.models.executor}`;
  if (acp !== null) return `the coding agent ${basename(acp.command[0])}, by ACP`;
  if (backend === "offline") return "no model: runs get a briefing, and conclude as skipped";
  return backend === "noop" ? "nothing: runs end at once (noop)" : backend;
}

/** What to do where runs have no model; null where they have one. */
export function noModelText({ backend, role }: Config): string | null {
  if (backend !== "offline" || role === "api") return null;
  return "No model is configured, so no run does what it is asked for. Set BACKEND=model with MODEL and MODEL_BASE_URL, or BACKEND=acp.";
}
