// agent-service mcp: the service's MCP server on standard input and output.

import { line } from "../base/settings/kinds.ts";
import { SETS_PARAMETER, toolSets } from "../contract/tool-sets.ts";
import { openAccess, serviceUrlFlag } from "./account.ts";
import { command } from "./command.ts";
import { valueFlag } from "./flags.ts";
import { forwardStdio } from "./mcp-stdio.ts";
import { version } from "./version.ts";

export const mcp = command({
  summary: "Be an MCP server on standard input and output, in front of the service.",
  notes: [
    "For MCP clients that start programs. Others reach the service's /mcp themselves.",
    "Whatever the key, the client is an AI client: it confirms, approves and activates nothing.",
  ],
  flags: {
    url: serviceUrlFlag,
    sets: valueFlag({
      kind: line({ maxChars: 200 }),
      fallback: null,
      takes: "<names>",
      description: `The sets of tools that are listed, with commas: ${toolSets.join(", ")}, or all.`,
      shownDefault: "what the service lists without it",
    }),
  },
  examples: ["mcp", "mcp --url https://agents.example.com --sets agents,workspaces"],
  run: async ({ flags }) => {
    const { baseUrl, key } = openAccess(flags);
    const url = new URL(`${baseUrl}/mcp`);
    if (flags.sets !== null) url.searchParams.set(SETS_PARAMETER, flags.sets);
    await forwardStdio({
      url,
      key,
      userAgent: `agent-service/${version}`,
      input: process.stdin,
      output: process.stdout,
    });
    return 0;
  },
});
