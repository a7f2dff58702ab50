// The access token of one MCP server of a run: asked for within what the run may reach, or the one that its job brought.

import type { Clock } from "../../../../base/clock.ts";
import type { openServerAccess } from "../../../../federation/mcp/server-access.ts";
import {
  type MintIdToken,
  ServerAccessError,
  type ServerGrant,
  type ServerToken,
} from "../../../../federation/mcp/server-grant.ts";
import type { BackendTask, TaskConnection } from "../../backend.ts";
import { authorizationFetch } from "./egress-fetch.ts";

export type TokenParts = {
  /** Loads what asks authorization servers. */
  readonly load: () => Promise<{ readonly openServerAccess: typeof openServerAccess }>;
  /** Of the job that this process is in. Null: it is in none, and a run's job brings its tokens. */
  readonly mintIdToken: MintIdToken | null;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
};

/** For people: how a token was got. */
export const grantNames: Readonly<Record<ServerGrant["type"], string>> = {
  client_credentials: "client credentials",
  private_key_jwt: "private key",
  job: "the job's identity",
};

type TokenOfServer = {
  readonly name: string;
  readonly url: string;
  readonly grant: ServerGrant;
  readonly task: Pick<BackendTask, "signal" | "secrets" | "network" | "mcp">;
  readonly ca?: string;
};

/** Asks for nothing before the server does. */
export async function openServerToken(
  { load, mintIdToken, clock, random }: TokenParts,
  server: TokenOfServer,
): Promise<ServerToken> {
  const { url, grant, task, ca } = server;
  if (grant.type === "job" && mintIdToken === null) return broughtToken(server);
  const { openServerAccess: open } = await load();
  return open({
    serverUrl: url,
    grant,
    mintIdToken,
    fetch: authorizationFetch({ egress: task.network.egress, ...(ca === undefined ? {} : { ca }) }),
    clock,
    random,
    onSecret: (secret) => task.secrets.add(secret),
    signal: task.signal,
  });
}

/** Nobody here can get another: the job does, before each ends. */
function broughtToken({ name, task }: Pick<TokenOfServer, "name" | "task">): ServerToken {
  let sent: string | null = null;
  const read = async () => {
    const found = await task.mcp.accessToken(name);
    if (!found.ok) throw new ServerAccessError(found.refusal.reason);
    task.secrets.add(found.value);
    return found.value;
  };
  return {
    token: async () => {
      sent = await read();
      return sent;
    },
    renew: async () => {
      if ((await read()) === sent)
        throw new ServerAccessError("it refuses the access token that the job brought");
    },
    origin: () => (sent === null ? null : "its authorization server, brought by the job"),
  };
}

/** Renewed by the service, for every run that uses the connection. */
export function connectedToken(
  connection: TaskConnection,
  { secrets }: Pick<BackendTask, "secrets">,
): ServerToken {
  let sent = "";
  const use = (found: Awaited<ReturnType<TaskConnection["token"]>>): string => {
    if (!found.ok) throw new ServerAccessError(found.refusal.reason);
    secrets.add(found.value);
    sent = found.value;
    return sent;
  };
  return {
    token: async () => use(await connection.token()),
    renew: async () => void use(await connection.renew(sent)),
    origin: () => connection.issuer,
  };
}
