// The gateway of one run: the MCP server that its coding agent is given in the place of the run's own. It has the servers, their secrets
// and their grants; the agent has an address, and a token that is good for this run alone.
// Why: docs/decisions/185-coding-agents-have-the-runs-servers.md

import type { FileHandle } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { McpServer } from "@agentclientprotocol/sdk";
import type { Random } from "../../../../../base/ids.ts";
import { isSameSecret, makeSecretToken } from "../../../../../base/secret-token.ts";
import { listenInFolder } from "../../../../../base/unix-socket.ts";
import type { Checkout } from "../../../../core/checkouts/checkout.ts";
import type { BareTask, RepositoryTask } from "../../../backend.ts";
import type { RunServers } from "../../../tools/mcp/run-servers.ts";
import type { AcpSettings, AgentHomes } from "../settings.ts";
import { GatewayCalls } from "./gateway-calls.ts";
import { GATEWAY_NAME, MAX_GATEWAY_TOOL_CHARS } from "./gateway-name.ts";
import { STDIO_PATH, STDIO_UPGRADE, stdioRelay } from "./stdio-relay.ts";

const TOKEN_PREFIX = "svc_tools_";
const HTTP_PATH = "/mcp";
const SOCKET_NAME = "tools.sock";
const MAX_CONNECTIONS = 64;
const REQUEST_MS = 30_000;

export type ToolGateway = {
  /** Null where the run has no tool of a server. */
  readonly calls: GatewayCalls | null;
  /** A unix socket, absolute and alone in its folder. Null: a port of this machine's loopback, or there is none. */
  readonly socket: string | null;
  /** For the prompt: which servers there are, and which are not. "" where the run has none. */
  readonly text: string;
  /** As a session is told of it: by HTTP where the agent takes that, else by a program that it starts. */
  serversFor(agent: { readonly takesHttp: boolean }): readonly McpServer[];
  /** Revokes the token, ends what is under way and the run's servers. Never rejects. Safe to repeat. */
  close(): Promise<void>;
};

type GatewayParts = {
  readonly settings: Pick<AcpSettings, "openServers" | "gateway" | "homes">;
  readonly task: RepositoryTask | BareTask;
  readonly checkout: Checkout;
  readonly random: Random;
};

/** Opens the run's servers, and a gateway where they have a tool. Rejects with the signal's reason, with nothing left open. */
export async function openToolGateway({
  settings,
  task,
  checkout,
  random,
}: GatewayParts): Promise<ToolGateway> {
  const { openServers, gateway, homes } = settings;
  // Runs of coding agents are not parked: a server that asks people is told that nobody can be asked.
  const servers = await openServers?.({
    task,
    checkout,
    elicitations: null,
    maxNameChars: MAX_GATEWAY_TOOL_CHARS,
  });
  if (servers === undefined || servers.tools.length === 0) return withoutTools(servers ?? null);
  try {
    const { text: token } = makeSecretToken(TOKEN_PREFIX, random.bytes(32));
    task.secrets.add(token);
    const calls = new GatewayCalls({ tools: servers.tools, task, checkout });
    const listening = await openListener({ token, calls, folders: gateway.port === null ? null : homes });
    const at = { port: gateway.port ?? listening.port ?? 0, token };
    let closed: Promise<void> | null = null;
    const close = async () => {
      await calls.pause();
      await listening.close();
      await servers.close();
    };
    return {
      calls,
      socket: listening.socket,
      text: `${servers.text ?? ""}\n\nYou have these tools by the MCP server "${GATEWAY_NAME}".`.trim(),
      serversFor: ({ takesHttp }) => [
        takesHttp
          ? { name: GATEWAY_NAME, ...httpServer(at) }
          : { name: GATEWAY_NAME, ...stdioRelay({ ...at, node: gateway.node }) },
      ],
      close: () => {
        closed ??= close();
        return closed;
      },
    };
  } catch (cause) {
    await servers.close();
    throw cause;
  }
}

function withoutTools(servers: RunServers | null): ToolGateway {
  return {
    calls: null,
    socket: null,
    text: servers?.text ?? "",
    serversFor: () => [],
    close: async () => {
      await servers?.close();
    },
  };
}

function httpServer({ port, token }: { readonly port: number; readonly token: string }) {
  return {
    type: "http" as const,
    url: `http://127.0.0.1:${port}${HTTP_PATH}`,
    headers: [{ name: "Authorization", value: `Bearer ${token}` }],
  };
}

type Listening = {
  readonly socket: string | null;
  readonly port: number | null;
  close(): Promise<void>;
};

type ListenerParts = {
  readonly token: string;
  readonly calls: GatewayCalls;
  /** For the socket; null: a port on loopback. */
  readonly folders: AgentHomes | null;
};

async function openListener({ token, calls, folders }: ListenerParts): Promise<Listening> {
  const { gatewayProtocol } = await import("./gateway-protocol.ts");
  const protocol = gatewayProtocol(calls);
  const attached = new Set<{ close(): Promise<void> }>();
  const upgraded = new Set<Duplex>();
  let isClosed = false;
  const isAdmitted = (request: IncomingMessage) => !isClosed && shows(request, token);
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      if (!isAdmitted(request)) {
        const headers = {
          "content-type": "application/json",
          "www-authenticate": "Bearer",
          connection: "close",
        };
        response.writeHead(401, headers).end(JSON.stringify({ error: "The token is not that of this run." }));
      } else if (request.url !== HTTP_PATH) {
        const error = `Only ${HTTP_PATH} is answered here.`;
        response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ error }));
      } else void protocol.listen(request, response);
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on("upgrade", (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    connection.on("error", () => undefined);
    const isKnown = request.url === STDIO_PATH && request.headers.upgrade === STDIO_UPGRADE;
    if (!isAdmitted(request) || !isKnown) {
      const status = isAdmitted(request) ? "404 Not Found" : "401 Unauthorized";
      connection.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    connection.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${STDIO_UPGRADE}\r\n\r\n`,
    );
    connection.unshift(head);
    const speaking = protocol.attach(connection);
    attached.add(speaking);
    upgraded.add(connection);
    connection.once("close", () => {
      attached.delete(speaking);
      upgraded.delete(connection);
    });
  });
  const place = await listen(server, folders);
  return {
    ...place,
    close: async () => {
      isClosed = true;
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.allSettled([...attached].map((speaking) => speaking.close()));
      for (const connection of upgraded) connection.destroy();
      server.closeAllConnections();
      await closed;
      await place.close();
    },
  };
}

async function listen(server: Server, folders: AgentHomes | null): Promise<Listening> {
  if (folders === null) {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    return { socket: null, port: (server.address() as AddressInfo).port, close: async () => undefined };
  }
  const folder = await folders.make();
  let handle: FileHandle;
  try {
    handle = await listenInFolder(server, { folder, name: SOCKET_NAME });
  } catch (cause) {
    await folders.remove(folder);
    throw cause;
  }
  const close = async () => {
    await handle.close();
    await folders.remove(folder);
  };
  return { socket: join(folder, SOCKET_NAME), port: null, close };
}

function shows({ headers }: IncomingMessage, token: string): boolean {
  const shown = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  return shown !== undefined && isSameSecret(shown, token);
}
