// agent-service mcp: the service's MCP server on standard input and output.

import { openAccess, serviceUrlFlag } from "./account.ts";
import { command } from "./command.ts";
import { version } from "./version.ts";

export const mcp = command({
  summary: "Be an MCP server on standard input and output, in front of the service.",
  notes: [
    "For MCP clients that start programs. Others reach the service's /mcp themselves.",
    "Whatever the key, the client is an AI client: it confirms, approves and activates nothing.",
  ],
  flags: { url: serviceUrlFlag },
  examples: ["mcp", "mcp --url https://agents.example.com"],
  run: async ({ flags }) => {
    const { baseUrl, key } = openAccess(flags);
    const { forwardStdio } = await import("./mcp-stdio.ts");
    await forwardStdio({
      url: new URL(`${baseUrl}/mcp`),
      key,
      userAgent: `agent-service/${version}`,
      input: process.stdin,
      output: process.stdout,
    });
    return 0;
  },
});
