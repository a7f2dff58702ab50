// The backends that execute the runs of a node, by its settings, and the sandbox that they work in.

import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import type { Logger } from "../../base/log.ts";
import type { MintIdToken } from "../../federation/mcp/server-grant.ts";
import type { FederatedAccess } from "../../federation/provider.ts";
import type { Sandbox } from "../core/ports/sandbox.ts";
import type { TaskOrigin } from "../core/runs/shell-policy.ts";
import { type Backend, BackendFailure } from "../executor/backend.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { SandboxError } from "../sandbox/sandbox-error.ts";
import type { Config } from "../settings/config.ts";
import { openOperatorAccess } from "./operator-access.ts";

export type MachineParts = {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
};

export type BackendParts = MachineParts & {
  readonly sandbox: () => Promise<Sandbox>;
  /** By whose account the model is reached. Default: by the key of the configuration. */
  readonly modelAccess?: FederatedAccess | null;
  /** ID tokens of the job that this process is in, for the authorization servers of MCP servers. Default: it is in none. */
  readonly mintIdToken?: MintIdToken | null;
  /** Whether the author of what a run works on may execute commands on this machine anyway. Default: never. */
  readonly isTrusted?: (origin: TaskOrigin) => boolean;
};

/** Looked for once; again after a failure. */
export function sandboxOf({ config, log, clock, random }: MachineParts): () => Promise<Sandbox> {
  let found: Promise<Sandbox> | null = null;
  return () => {
    found ??= findSandbox(config.sandbox, log, { clock, random }).catch((cause: unknown) => {
      found = null;
      throw cause;
    });
    return found;
  };
}

/** Loaded only where a model or another agent is configured, on a node that executes runs. */
export async function openAgentsOf(parts: BackendParts): Promise<Backend[]> {
  const { config, log, clock, random, isTrusted = () => false } = parts;
  const { acp, model, rates, role } = config;
  if ((acp === null && model === null) || role === "api") return [];
  // What it looks for on the disk is found while the model's client is loaded.
  const opening = parts.sandbox();
  const { mcp } = config;
  const { mintIdToken = null } = parts;
  if (acp !== null) {
    const [{ openAcp }, sandbox] = await Promise.all([import("./acp.ts"), opening]);
    const access = parts.modelAccess ?? null;
    const servers = { sandbox, mcp, mintIdToken, isTrusted, clock, random };
    return [await openAcp({ config: acp, access, sandboxConfig: config.sandbox, rates, log, ...servers })];
  }
  if (model === null) return [];
  const [{ openModel }, sandbox] = await Promise.all([import("./model.ts"), opening]);
  const isSandboxOff = config.sandbox.mode === "off";
  const { identity } = model;
  const own = identity === null ? null : openOperatorAccess({ identity, clock, random, log });
  const access = parts.modelAccess ?? own;
  return [
    openModel({
      config: model,
      access,
      rates,
      mcp,
      mintIdToken,
      clock,
      random,
      sandbox,
      isSandboxOff,
      isTrusted,
    }),
  ];
}

/** The backend of runs that bring their own access to a model: loaded, and its sandbox looked for, at the first of them. */
export function broughtBackendOf(parts: BackendParts): () => Promise<Backend> {
  const { config, log, clock, random, isTrusted = () => false } = parts;
  const open = async () => {
    const { openBroughtModel } = await import("./model.ts");
    const sandbox = await parts.sandbox();
    const isSandboxOff = config.sandbox.mode === "off";
    const { brought, mcp } = config;
    const { mintIdToken = null } = parts;
    return openBroughtModel({
      config: brought,
      mcp,
      mintIdToken,
      clock,
      random,
      sandbox,
      isSandboxOff,
      isTrusted,
    });
  };
  let opened: Promise<Backend> | null = null;
  return () => {
    opened ??= open().catch((cause: unknown) => {
      opened = null;
      if (!(cause instanceof SandboxError)) throw cause;
      log.error({ err: cause }, "the sandbox of runs that bring access to a model does not start");
      const text = "The sandbox of this service does not start: its log says why. Tell its operator.";
      throw new BackendFailure(text, { reason: "misconfigured", isRetryable: false, cause });
    });
    return opened;
  };
}
