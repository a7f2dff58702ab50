// The MCP servers that a job names: as a service inside the job reads them, and the part of them that another service takes.
// Pure.

import { isObject, parseObject } from "../base/json.ts";
import { type Kind, kind } from "../base/settings/setting.ts";
import type { SubmitRunRequest } from "../contract/runs/run-requests.ts";

/** In the place of servers: those that the repository itself names. */
const REPOSITORY_FILE = ".mcp.json";
/** The grade by the job's own identity. */
const JOB = "job";
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export type NamedServers = {
  /** As it was written; MCP_SERVERS of a service inside the job. */
  readonly text: string;
  /** By their names, not checked. Null: the repository's own. */
  readonly servers: Readonly<Record<string, unknown>> | null;
};

export const mcpServers: Kind<NamedServers> = {
  ...kind(`a JSON object of MCP servers by their names, or ${REPOSITORY_FILE}`, (text) => {
    if (text.trim() === REPOSITORY_FILE) return { text: text.trim(), servers: null };
    const value = parseObject(text);
    const inner = value === null || !("mcpServers" in value) ? value : value.mcpServers;
    return isObject(inner) ? { text, servers: inner } : undefined;
  }),
  // Its values may be secrets.
  isSecret: true,
};

/** Obstacles to sending them to a service, each with the fix: a part of the run that is stored has no secrets. */
export function faultsOfSentServers({ servers }: NamedServers): readonly string[] {
  if (servers === null)
    return [
      `${REPOSITORY_FILE} is for a run without a server. On a service the agent's owner allows it: agents policy --mcp-servers repository`,
    ];
  return Object.entries(servers).flatMap(([name, server]) => {
    const field = ["command", "env", "headers"].find((one) => isObject(server) && one in server);
    if (field === undefined) return faultsOfAuth(name, server);
    return [
      `"${name.slice(0, 100)}" has "${field}": a service takes servers that are reached by https without secrets. Ask its operator to add this one (MCP_SERVERS), or run without a server`,
    ];
  });
}

function faultsOfAuth(name: string, server: unknown): readonly string[] {
  const auth = isObject(server) ? server.auth : undefined;
  if (auth === undefined || (isObject(auth) && auth.type === JOB)) return [];
  return [
    `"${name.slice(0, 100)}" has "auth" with a secret: to a service the job brings an access token by its own identity ("auth": {"type": "${JOB}"}). Ask its operator to add this server (MCP_SERVERS), or run without a server`,
  ];
}

/** A server to which the job proves itself, as it was written. */
export type JobsServer = { readonly name: string; readonly url: string; readonly auth: unknown };

export function jobsServers({ servers }: NamedServers): readonly JobsServer[] {
  return Object.entries(servers ?? {}).flatMap(([name, server]) => {
    if (!isObject(server) || server.auth === undefined || server.disabled === true) return [];
    return [{ name, url: typeof server.url === "string" ? server.url : "", auth: server.auth }];
  });
}

/** The field of a submission. The service checks it. How the job gets a token is the job's alone. */
export function sentServers({ servers }: NamedServers): SubmitRunRequest["mcp_servers"] {
  const sent = Object.entries(servers ?? {}).map(([name, server]) => [
    name,
    isObject(server) && server.auth !== undefined ? { ...server, auth: { type: JOB } } : server,
  ]);
  return Object.fromEntries(sent) as SubmitRunRequest["mcp_servers"];
}

/** The variables whose values they take. */
export function variablesIn({ text }: NamedServers): readonly string[] {
  return [...text.matchAll(REFERENCE)].map(([, name = ""]) => name);
}
