// Wires the MCP servers of runs: which there are, where their programs are started, and what gives their access tokens. Of the
// built-in agent's runs and of coding agents' alike.

import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import type { MintIdToken } from "../../federation/mcp/server-grant.ts";
import type { Sandbox } from "../core/ports/sandbox.ts";
import type { TaskOrigin } from "../core/runs/shell-policy.ts";
import { type OpenServers, openRunServers } from "../executor/tools/mcp/run-servers.ts";
import { serversOfRun } from "../executor/tools/mcp/servers-of-run.ts";
import type { McpConfig } from "../settings/mcp-config.ts";

export type ServerParts = {
  readonly sandbox: Sandbox;
  /** Whether the author of what a run works on may execute commands on this machine anyway. */
  readonly isTrusted: (origin: TaskOrigin) => boolean;
  readonly mcp: McpConfig;
  /** Of the job that this process is in. */
  readonly mintIdToken: MintIdToken | null;
  readonly clock: Clock;
  readonly random: Random;
};

/** The protocol is loaded where a run has a server. */
export function openServersOf({
  sandbox,
  isTrusted: trusts,
  mcp,
  mintIdToken,
  clock,
  random,
}: ServerParts): OpenServers {
  return async ({ task, checkout, elicitations, maxNameChars }) => {
    const { servers: operators, usesRepositorys: isAlways, repositoryVariables: variables } = mcp;
    const found = await serversOfRun({ operators, repositorys: { isAlways, variables }, task, checkout });
    return await openRunServers({
      load: () => import("../executor/tools/mcp/mcp-session.ts"),
      ...found,
      tokens: {
        load: () => import("../../federation/mcp/server-access.ts"),
        mintIdToken,
        clock,
        random: () => random.fraction(),
      },
      sandbox,
      place: { gitFolder: checkout.gitFolder ?? null, covered: checkout.covered, isTrusted: trusts(task) },
      task,
      checkout,
      elicitations,
      ...(maxNameChars === undefined ? {} : { maxNameChars }),
    });
  };
}
