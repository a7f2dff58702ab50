// The commands by name, each with what the help says of it. One is loaded when it is called for.

import type { Command, CommandGroup } from "./command.ts";

const SERVICE = "The service:";
const JOB = "In a CI job, or on a checkout:";
const OPERATOR = "For the operator, in the store itself (--data-dir, DATA_DIR or DATABASE_URL):";
const ACCOUNT = "With an account's key, against any service (AGENT_SERVICE_URL, AGENT_SERVICE_KEY):";

type Entry = {
  readonly section: string;
  readonly summary: string;
  readonly load: () => Promise<Command | CommandGroup>;
};

export const catalogue = {
  init: {
    section: JOB,
    summary: "Write a GitHub workflow for this repository, and check what can be checked from here.",
    load: async () => (await import("./init.ts")).init,
  },
  run: {
    section: JOB,
    summary: "Run an agent by the job's own identity, or on this checkout without a server.",
    load: async () => (await import("./run-command.ts")).runCommand,
  },
  doctor: {
    section: JOB,
    summary: "Explain who this CI job is and how it reaches the service, with a fix for each fault.",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  serve: {
    section: SERVICE,
    summary: "Run the service.",
    load: async () => (await import("./serve.ts")).serve,
  },
  work: {
    section: SERVICE,
    summary: "Execute runs beside other nodes that share DATABASE_URL.",
    load: async () => (await import("./serve.ts")).work,
  },
  keys: {
    section: OPERATOR,
    summary: "Make, list and revoke the keys of accounts.",
    load: async () => (await import("./keys.ts")).keys,
  },
  accounts: {
    section: OPERATOR,
    summary: "List accounts, their agents and runs; make links that sign people in.",
    load: async () => (await import("./accounts.ts")).accounts,
  },
  repositories: {
    section: OPERATOR,
    summary: "List the repositories that have an agent, and which account claimed them.",
    load: async () => (await import("./repositories.ts")).repositories,
  },
  audit: {
    section: OPERATOR,
    summary: "Show the audit trail: exchanges, claims, policies, approvals, sign-ins, keys.",
    load: async () => (await import("./audit.ts")).audit,
  },
  plans: {
    section: OPERATOR,
    summary: "Put accounts on a subscription.",
    load: async () => (await import("./plans.ts")).plans,
  },
  login: {
    section: ACCOUNT,
    summary: "Sign in to a service, so that this machine's commands use your account.",
    load: async () => (await import("./login.ts")).login,
  },
  logout: {
    section: ACCOUNT,
    summary: "End this machine's key of a service.",
    load: async () => (await import("./login.ts")).logout,
  },
  agents: {
    section: ACCOUNT,
    summary: "List, make and show agents, and set which CI jobs may run them.",
    load: async () => (await import("./agents.ts")).agents,
  },
  runs: {
    section: ACCOUNT,
    summary: "Submit, list, show and cancel the runs of an agent.",
    load: async () => (await import("./runs.ts")).runs,
  },
  follow: {
    section: ACCOUNT,
    summary: "Print a run as it goes, until it ends.",
    load: async () => (await import("./follow.ts")).follow,
  },
  schedules: {
    section: ACCOUNT,
    summary: "Make, list, confirm and cancel deferred runs.",
    load: async () => (await import("./schedules.ts")).schedules,
  },
  workflows: {
    section: ACCOUNT,
    summary: "Activate and execute workflows; the operator writes them.",
    load: async () => (await import("./workflows.ts")).workflows,
  },
  mcp: {
    section: ACCOUNT,
    summary: "Be an MCP server on standard input and output, in front of the service.",
    load: async () => (await import("./mcp-command.ts")).mcp,
  },
  credits: {
    section: ACCOUNT,
    summary: "Show the balance; the operator grants credits.",
    load: async () => (await import("./credits.ts")).credits,
  },
  claim: {
    section: ACCOUNT,
    summary: "Claim the repository of a claim link; the operator releases claims.",
    load: async () => (await import("./claim.ts")).claim,
  },
} satisfies Record<string, Entry>;

export type CommandName = keyof typeof catalogue;

export const commandNames = Object.keys(catalogue) as readonly CommandName[];
