// The commands of agent-service by name. One is loaded when it is called for.

import type { CommandName } from "./catalogue.ts";
import type { LoadCommand } from "./command.ts";

export const commands: Readonly<Record<CommandName, LoadCommand>> = {
  init: async () => (await import("./init.ts")).init,
  run: async () => (await import("./run-command.ts")).runCommand,
  eval: async () => (await import("./eval-command.ts")).evalCommand,
  attest: async () => (await import("./attest.ts")).attest,
  doctor: async () => (await import("./doctor.ts")).doctor,
  serve: async () => (await import("./serve.ts")).serve,
  work: async () => (await import("./serve.ts")).work,
  keys: async () => (await import("./keys.ts")).keys,
  accounts: async () => (await import("./accounts.ts")).accounts,
  repositories: async () => (await import("./repositories.ts")).repositories,
  audit: async () => (await import("./audit.ts")).audit,
  operators: async () => (await import("./operators.ts")).operators,
  identity: async () => (await import("./identity.ts")).identity,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./backup.ts")).restore,
  store: async () => (await import("./store.ts")).store,
  plans: async () => (await import("./plans.ts")).plans,
  login: async () => (await import("./login.ts")).login,
  logout: async () => (await import("./login.ts")).logout,
  agents: async () => (await import("./agents.ts")).agents,
  runs: async () => (await import("./runs.ts")).runs,
  follow: async () => (await import("./follow.ts")).follow,
  workspaces: async () => (await import("./workspaces/workspaces.ts")).workspaces,
  schedules: async () => (await import("./schedules.ts")).schedules,
  workflows: async () => (await import("./workflows.ts")).workflows,
  connections: async () => (await import("./connections.ts")).connections,
  acp: async () => (await import("./acp/acp.ts")).acp,
  mcp: async () => (await import("./mcp.ts")).mcp,
  conform: async () => (await import("./conform.ts")).conformCommand,
  credits: async () => (await import("./credits.ts")).credits,
  claim: async () => (await import("./claim.ts")).claim,
};
