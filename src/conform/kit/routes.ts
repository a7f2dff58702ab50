// Every route of the specification: its callers and its body. Written from the specification, not from our contract: what is
// compared must not come from what it is compared with.

/** Who may call: everybody, accounts (an owner or an AI client), jobs of CI, or some of them. */
type Callers = "everybody" | "accounts" | "owners" | "jobs" | "jobs_and_accounts";

export type RouteFact = {
  readonly section: string;
  readonly method: string;
  /** Parameters in braces, as the specification spells them. */
  readonly path: string;
  readonly callers: Callers;
  /** The body that it takes: JSON that it must have or may have, bytes, or none. */
  readonly body: "json" | "optional_json" | "bytes" | "none";
};

type Line = readonly [
  section: string,
  method: string,
  path: string,
  callers?: Callers,
  body?: RouteFact["body"],
];

const WORKSPACE = "/v1/workspaces/{workspaceID}";

const lines: readonly Line[] = [
  ["4.1", "POST", "/v1/agents", "accounts", "json"],
  ["4.1", "GET", "/v1/agents"],
  ["4.1", "GET", "/v1/agents/{agentID}"],
  ["4.1", "PATCH", "/v1/agents/{agentID}", "accounts", "json"],
  ["4.1", "POST", "/v1/agents/{agentID}/stop"],
  ["4.1", "POST", "/v1/agents/{agentID}/retire"],
  ["4.2", "POST", "/v1/agents/{agentID}/runs", "jobs_and_accounts", "json"],
  ["4.2", "GET", "/v1/agents/{agentID}/runs", "jobs_and_accounts"],
  ["4.2", "GET", "/v1/agents/{agentID}/runs/{runID}", "jobs_and_accounts"],
  ["4.2", "POST", "/v1/agents/{agentID}/runs/{runID}/cancel", "jobs_and_accounts"],
  ["4.3", "POST", "/v1/agents/{agentID}/schedules", "accounts", "json"],
  ["4.3", "GET", "/v1/agents/{agentID}/schedules"],
  ["4.3", "GET", "/v1/agents/{agentID}/schedules/{scheduleID}"],
  ["4.3", "POST", "/v1/agents/{agentID}/schedules/{scheduleID}/confirm", "owners"],
  ["4.3", "DELETE", "/v1/agents/{agentID}/schedules/{scheduleID}"],
  ["4.4", "GET", "/v1/users/{userID}/credits"],
  ["4.4", "GET", "/v1/pricing/models", "everybody"],
  ["4.4", "GET", "/v1/pricing/tools", "everybody"],
  ["4.5", "POST", "/v1/ci/oidc/exchange", "everybody", "json"],
  ["4.5", "POST", "/v1/ci/claim", "owners", "json"],
  ["4.5", "GET", "/v1/ci/runs/{runID}", "jobs_and_accounts"],
  ["4.5", "POST", "/v1/workflows/{id}/activate", "owners", "optional_json"],
  ["4.5", "POST", "/v1/workflows/{id}/executions", "accounts", "optional_json"],
  ["4.6", "GET", "/v1/workspaces"],
  ["4.6", "POST", "/v1/workspaces", "accounts", "optional_json"],
  ["4.6", "GET", "/v1/workspaces/by-agent/{agentID}"],
  ["4.6", "GET", WORKSPACE],
  ["4.6", "PATCH", WORKSPACE, "accounts", "json"],
  ["4.6", "DELETE", WORKSPACE],
  ["4.6", "GET", `${WORKSPACE}/members`],
  ["4.6", "POST", `${WORKSPACE}/members`, "accounts", "json"],
  ["4.6", "DELETE", `${WORKSPACE}/members/{memberID}`],
  ["4.6", "GET", `${WORKSPACE}/threads`],
  ["4.6", "POST", `${WORKSPACE}/threads`, "accounts", "optional_json"],
  ["4.6", "GET", `${WORKSPACE}/runs`],
  ["4.6", "POST", `${WORKSPACE}/runs`, "accounts", "json"],
  ["4.6", "GET", `${WORKSPACE}/costs`],
  ["4.6", "GET", `${WORKSPACE}/context-items`],
  ["4.6", "POST", `${WORKSPACE}/context-items`, "accounts", "json"],
  ["4.6", "DELETE", `${WORKSPACE}/context-items/{contextItemID}`],
  ["4.6", "POST", `${WORKSPACE}/storage/adopt`, "owners", "json"],
  ["4.6", "GET", `${WORKSPACE}/storage/adoption`],
  ["4.6", "POST", `${WORKSPACE}/storage/adoption/cancel`],
  ["4.6", "POST", `${WORKSPACE}/storage/adoption/rollback`, "owners"],
  ["4.6", "POST", `${WORKSPACE}/checkpoints`, "accounts", "optional_json"],
  ["4.6", "GET", `${WORKSPACE}/copies`],
  ["4.6", "POST", `${WORKSPACE}/copies`, "accounts", "optional_json"],
  ["4.6", "GET", `${WORKSPACE}/copies/{workingCopyID}`],
  ["4.6", "DELETE", `${WORKSPACE}/copies/{workingCopyID}`],
  ["4.6", "GET", `${WORKSPACE}/revisions`],
  ["4.6", "GET", `${WORKSPACE}/revisions/{revisionID}`],
  ["4.6", "DELETE", `${WORKSPACE}/revisions/{revisionID}`],
  ["4.6", "GET", `${WORKSPACE}/operations/{operationID}`],
  ["4.6", "GET", `${WORKSPACE}/retention`],
  ["4.6", "POST", `${WORKSPACE}/retention/pins`, "accounts", "json"],
  ["4.6", "DELETE", `${WORKSPACE}/retention/pins/{pinID}`],
  ["4.6", "GET", `${WORKSPACE}/review-actions/{actionID}`],
  ["4.6", "GET", `${WORKSPACE}/changesets`],
  ["4.6", "POST", `${WORKSPACE}/changesets`, "accounts", "json"],
  ["4.6", "GET", `${WORKSPACE}/changesets/{changesetID}`],
  ["4.6", "POST", `${WORKSPACE}/changesets/{changesetID}/reject`, "accounts", "optional_json"],
  ["4.6", "POST", `${WORKSPACE}/changesets/{changesetID}/accept`, "accounts", "json"],
  ["4.6", "POST", `${WORKSPACE}/changesets/{changesetID}/resolve`, "accounts", "json"],
  ...readsOf(`${WORKSPACE}/revisions/{revisionID}/files`),
  ...readsOf(`${WORKSPACE}/copies/{workingCopyID}/files`),
  ...writesOf(`${WORKSPACE}/copies/{workingCopyID}/files`),
  ...readsOf(`${WORKSPACE}/files`),
  ...writesOf(`${WORKSPACE}/files`),
  ["4.6", "GET", `${WORKSPACE}/workers`],
  ["4.6", "POST", `${WORKSPACE}/workers`, "accounts", "json"],
  ["4.6", "GET", `${WORKSPACE}/workers/{workerRequestID}`],
  ["4.6", "GET", `${WORKSPACE}/task-groups`],
  ["4.6", "POST", `${WORKSPACE}/task-groups`, "accounts", "json"],
  ["4.6", "GET", "/v1/task-groups/{taskGroupID}"],
  ["4.6", "GET", "/v1/task-groups/{taskGroupID}/costs"],
  ["4.6", "POST", "/v1/task-groups/{taskGroupID}/stop"],
  ["4.6", "GET", `${WORKSPACE}/site`],
  ["4.6", "PUT", `${WORKSPACE}/site`, "accounts", "optional_json"],
  ["4.6", "POST", `${WORKSPACE}/site/open`, "accounts", "optional_json"],
  ["4.6", "GET", `${WORKSPACE}/inbound-email`],
  ["4.6", "GET", `${WORKSPACE}/schedules`],
  ["4.6", "POST", `${WORKSPACE}/schedules`, "accounts", "json"],
  ["4.6", "GET", `${WORKSPACE}/schedules/{scheduleID}`],
  ["4.6", "DELETE", `${WORKSPACE}/schedules/{scheduleID}`],
  ["4.6", "GET", `${WORKSPACE}/workflows`],
  ["4.6", "PUT", `${WORKSPACE}/workflows/{workflowID}`, "accounts", "json"],
  ["4.6", "DELETE", `${WORKSPACE}/workflows/{workflowID}`],
];

export const routes: readonly RouteFact[] = lines.map(([section, method, path, callers, body]) => ({
  section,
  method,
  path,
  callers: callers ?? "accounts",
  body: body ?? "none",
}));

function readsOf(files: string): readonly Line[] {
  return ["list", "stat", "read", "download"].map((read) => ["4.6", "GET", `${files}/${read}`]);
}

function writesOf(files: string): readonly Line[] {
  return [
    ["4.6", "PUT", `${files}/write`, "accounts", "json"],
    ["4.6", "POST", `${files}/upload`, "accounts", "bytes"],
    ["4.6", "POST", `${files}/delete`, "accounts", "json"],
    ["4.6", "POST", `${files}/restore`, "accounts", "json"],
    ["4.6", "POST", `${files}/empty-trash`, "accounts", "optional_json"],
    ["4.6", "POST", `${files}/download-url`, "accounts", "json"],
  ];
}

/** `GET /v1/agents/{agentID}`. */
export function nameOf({ method, path }: RouteFact): string {
  return `${method} ${path}`;
}

export function parametersOf({ path }: RouteFact): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
}

/** The address: each parameter by its name, or else by `fallback`. */
export function fill(route: RouteFact, values: Readonly<Record<string, string>>, fallback = ""): string {
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? fallback);
}

/** Whether it is about files of a workspace, which have a gate of their own. */
export function isOfFiles({ path }: RouteFact): boolean {
  return /\/files\/[\w-]+$/.test(path);
}
