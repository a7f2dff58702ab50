// Tags of the routes, in the order in which the documents show them. Pure.

export const tags = [
  {
    name: "CI jobs",
    description: "A job exchanges its OIDC token for a capability, and reads its run's events.",
  },
  { name: "Agents", description: "Long-lived workers. An account has as many as its plan allows." },
  { name: "Runs", description: "What an agent is asked to do. A run is queued, read and cancelled." },
  { name: "Schedules", description: "A run at a later time, once." },
  { name: "Workflows", description: "A prompt with versions, one of which its owner has activated." },
  {
    name: "Approvals",
    description: "What only the account's owner may do and others asked for, and what runs asked people.",
  },
  {
    name: "Workspaces",
    description: "One body of files on which several agents and people work at once, and who they are.",
  },
  {
    name: "Work in workspaces",
    description: "Threads, runs, schedules and workflows of a workspace, and what its agents are told.",
  },
  {
    name: "Files of workspaces",
    description: "Files of the canonical copy, and addresses to download from.",
  },
  {
    name: "Files of copies and revisions",
    description: "Files of working copies and of what was saved of them.",
  },
  {
    name: "Copies and revisions",
    description: "Copies to work in, what was saved of them, and what is kept how long.",
  },
  { name: "Changesets", description: "What a copy changes, reviewed and brought into the canonical copy." },
  { name: "Workers", description: "Runs in copies, in groups with a budget." },
  { name: "People", description: "The account and its name, who is in it, as what, and who is invited." },
  { name: "Credits and pricing", description: "What an account has, and what things cost." },
  { name: "Sessions", description: "Events as they happen, over a WebSocket." },
  { name: "AG-UI", description: "Runs for clients of the AG-UI protocol, as server-sent events." },
  { name: "Operating the service", description: "For whoever runs it: health." },
] as const;
export type Tag = (typeof tags)[number]["name"];
