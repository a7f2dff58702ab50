// The commands by name, each with its help. Pure.

const SERVICE = "The service:";
const JOB = "In a CI job, or on a checkout:";
const OPERATOR = "For the operator, in the store itself (--data-dir, DATA_DIR or DATABASE_URL):";
const ACCOUNT = "With an account's key, against any service (AGENT_SERVICE_URL, AGENT_SERVICE_KEY):";

type Entry = {
  readonly section: string;
  readonly summary: string;
};

export const catalogue = {
  init: {
    section: JOB,
    summary: "Write a GitHub workflow for this repository, and check what can be checked from here.",
  },
  run: {
    section: JOB,
    summary: "Run an agent by the job's own identity, or on this checkout without a server.",
  },
  eval: {
    section: JOB,
    summary:
      "Find out whether changed instructions make an agent better, on tasks of this repository's history.",
  },
  attest: {
    section: JOB,
    summary: "Verify who asked which agent for a commit.",
  },
  doctor: {
    section: JOB,
    summary: "Explain who this CI job is and how it reaches the service, with a fix for each fault.",
  },
  serve: {
    section: SERVICE,
    summary: "Run the service.",
  },
  work: {
    section: SERVICE,
    summary: "Execute runs beside other nodes that share DATABASE_URL.",
  },
  keys: {
    section: OPERATOR,
    summary: "Make, list and revoke the keys of accounts.",
  },
  accounts: {
    section: OPERATOR,
    summary: "List accounts, their agents and runs; make links that sign people in.",
  },
  repositories: {
    section: OPERATOR,
    summary: "List the repositories that have an agent, and which account claimed them.",
  },
  audit: {
    section: OPERATOR,
    summary: "Show the audit trail: exchanges, claims, policies, approvals, sign-ins, keys, operators.",
  },
  operators: {
    section: OPERATOR,
    summary: "Say who may open the operator's pages: make links, list and remove operators.",
  },
  identity: {
    section: OPERATOR,
    summary: "Print the issuer that vouches for runs, and its keys for clouds that do not reach the service.",
  },
  backup: {
    section: OPERATOR,
    summary: "Write a backup of the store and its blobs into a folder, while the service runs.",
  },
  restore: {
    section: OPERATOR,
    summary: "Restore a backup into an empty store and its blobs.",
  },
  store: {
    section: OPERATOR,
    summary: "Compare the store with its blobs, and bring back what is lost.",
  },
  plans: {
    section: OPERATOR,
    summary: "Put accounts on a subscription.",
  },
  login: {
    section: ACCOUNT,
    summary: "Sign in to a service, so that this machine's commands use your account.",
  },
  logout: {
    section: ACCOUNT,
    summary: "End this machine's key of a service.",
  },
  agents: {
    section: ACCOUNT,
    summary: "List, make and show agents, and set which CI jobs may run them.",
  },
  runs: {
    section: ACCOUNT,
    summary: "Submit, list, show and cancel the runs of an agent.",
  },
  follow: {
    section: ACCOUNT,
    summary: "Print a run as it goes, until it ends.",
  },
  workspaces: {
    section: ACCOUNT,
    summary: "Make workspaces, synchronise folders with them, and review changesets.",
  },
  schedules: {
    section: ACCOUNT,
    summary: "Make, list, confirm and cancel deferred runs.",
  },
  workflows: {
    section: ACCOUNT,
    summary: "Activate and execute workflows; the operator writes them.",
  },
  connections: {
    section: ACCOUNT,
    summary: "List and end the account's connections with MCP servers.",
  },
  acp: {
    section: ACCOUNT,
    summary: "Be an agent of an editor: Zed, JetBrains, Neovim, and others of the Agent Client Protocol.",
  },
  mcp: {
    section: ACCOUNT,
    summary: "Be an MCP server on standard input and output, in front of the service.",
  },
  conform: {
    section: ACCOUNT,
    summary: "Ask a deployment whether it does what the API's specification says, statement by statement.",
  },
  credits: {
    section: ACCOUNT,
    summary: "Show the balance; the operator grants credits.",
  },
  claim: {
    section: ACCOUNT,
    summary: "Claim the repository of a claim link; the operator releases claims.",
  },
} satisfies Record<string, Entry>;

/** Names of the commands. */
export type CommandName = keyof typeof catalogue;

export const commandNames = Object.keys(catalogue) as readonly CommandName[];
