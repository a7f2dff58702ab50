// agent-service connections: the MCP servers in which a person has signed in for the account, over the API. Signing in takes a browser.

import { matching } from "../base/settings/kinds.ts";
import { kind } from "../base/settings/setting.ts";
import type { Connection } from "../contract/connections.ts";
import { MCP_SERVER_NAME_FORM, mcpServerNamePattern } from "../contract/runs/mcp-server-name.ts";
import { faultOfServerUrl } from "../contract/runs/mcp-servers.ts";
import { openClient, readServiceUrl, serviceFlags } from "./account.ts";
import { command } from "./command.ts";
import { anyText, argument, valueFlag } from "./flags.ts";
import { printJson, printTable } from "./print.ts";

/** The page of connections, at the service's address. */
const PAGE = "/settings/connections";

const serverUrl = kind("the https:// address of an MCP server, without credentials and variables", (text) =>
  faultOfServerUrl(text) === null ? text : undefined,
);

const add = command({
  summary: "Print the link to the page on which an owner or admin connects a server.",
  notes: ["Nothing is sent. The page asks before it leads to the place where you sign in."],
  arguments: { "server-url": argument(serverUrl, "The address of the MCP server.") },
  flags: {
    ...serviceFlags,
    name: valueFlag({
      kind: matching(MCP_SERVER_NAME_FORM, mcpServerNamePattern),
      fallback: null,
      takes: "<name>",
      description: "What runs are to call it.",
      shownDefault: "asked on the page",
    }),
  },
  examples: ["connections add https://mcp.linear.app/mcp --name linear"],
  run: async ({ arguments: { "server-url": server }, flags: { url, name, json } }) => {
    const page = new URL((url ?? readServiceUrl("--url")) + PAGE);
    if (name !== null) page.searchParams.set("name", name);
    page.searchParams.set("server", server);
    if (json) printJson({ url: page.href });
    else process.stdout.write(`Open this page, and press "Connect":\n\n    ${page.href}\n`);
    return 0;
  },
});

const remove = command({
  summary: "End a connection: its tokens are deleted, and taken back at its authorization server.",
  arguments: { name: argument(anyText, 'The connection\'s name, as "connections" shows it.') },
  flags: serviceFlags,
  examples: ["connections remove linear"],
  run: async ({ arguments: { name: connection }, flags }) => {
    const ended = await openClient(flags).connections.remove({ connection });
    if (flags.json) printJson(ended);
    else {
      const then = ended.revoked
        ? "Its authorization server has taken the tokens back."
        : "Its authorization server was not told, or has no way to be: remove the service among the connected applications there.";
      process.stdout.write(`${ended.name} is disconnected. ${then}\n`);
    }
    return 0;
  },
});

export const connections = command({
  summary: "List the account's connections with MCP servers.",
  flags: serviceFlags,
  examples: ["connections", "connections --json"],
  commands: { add, remove },
  run: async ({ flags }) => {
    const found = await openClient(flags).connections.list();
    if (flags.json) printJson(found);
    else if (found.length === 0)
      process.stderr.write(
        'Nothing is connected. "agent-service connections add <server-url>" says where.\n',
      );
    else
      printTable(
        ["NAME", "SERVER", "STATE", "EGRESS", "SINCE"],
        found.map((one) => [one.name, one.server_url, stateText(one), one.hosts.join(","), one.connected_at]),
      );
    return 0;
  },
});

function stateText({ state, reason }: Connection): string {
  return reason === null ? state : `${state} (${reason})`;
}
