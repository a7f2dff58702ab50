// The operator's MCP servers: the setting, and the secrets that it takes from the operator's environment. Pure.

import type { Environment } from "../../base/environment.ts";
import { text } from "../../base/settings/kinds.ts";
import { described, readSettings, variablesOf } from "../../base/settings/setting.ts";
import {
  type McpServer,
  readServerText,
  type ServerVariables,
} from "../executor/tools/mcp/server-definition.ts";
import { variablesOfOperator } from "./server-variables.ts";

export type McpConfig = {
  /** Of every run that a model executes. */
  readonly servers: readonly McpServer[];
  /** Whether runs have the servers of their repository's own `.mcp.json`, whatever its owner says: in a job of its own alone. */
  readonly usesRepositorys: boolean;
  /** Variables that those take their secrets from. Null: they have none. */
  readonly repositoryVariables: ServerVariables | null;
};

/** By the names of their environment variables, in the order of the documentation. */
export const mcpSettings = {
  MCP_SERVERS: described({
    kind: {
      ...text('JSON, such as {"docs": {"url": "https://mcp.example.com/mcp", "tools": ["search*"]}}'),
      isSecret: true,
    },
    fallback: null,
    description: `MCP servers of every run, in the form that other tools have (\`mcpServers\`). In values of \`env\` and \`headers\`, \`\${NAME}\` stands for a variable of the service's environment.`,
    shownDefault: "none",
  }),
};

/** Adds a line to `problems` for each server that is wrong. `ofJob`: what servers that a job names take their secrets from. */
export function readMcpConfig(
  environment: Environment,
  {
    ofJob,
    problems,
  }: {
    readonly ofJob: ServerVariables | null;
    readonly problems: string[];
  },
): McpConfig {
  const { values, problems: faults } = readSettings(mcpSettings, variablesOf(environment));
  problems.push(...faults);
  const none = { servers: [], usesRepositorys: false, repositoryVariables: null };
  if (values.MCP_SERVERS === null) return none;
  const read = readServerText(values.MCP_SERVERS, {
    origin: ofJob === null ? "operator" : "workflow",
    variables: ofJob ?? variablesOfOperator(environment),
  });
  problems.push(...read.problems.map((problem) => `MCP_SERVERS: ${problem}.`));
  return { ...none, servers: read.servers };
}
