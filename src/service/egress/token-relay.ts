// The relay at which commands of one run ask for ID tokens, in the way of GitHub's runner: `GET …&audience=<audience>` with a bearer, and
// `{ "value": "<token>" }`. On a unix socket for commands in a sandbox, on a port of this machine's loopback for the others; nothing listens
// before the first of them is started.
// Why: docs/decisions/170-commands-ask-a-relay-for-id-tokens.md

import type { FileHandle } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import * as z from "zod/mini";
import { isSameSecret } from "../../base/secret-token.ts";
import { listenInFolder } from "../../base/unix-socket.ts";
import { idTokenRequestSchema } from "../../contract/run-identity.ts";
import { invalidRequest, type PublicProblem } from "../core/ports/problem.ts";
import type { CommandMintRefusal } from "../core/run-identity/mint-token.ts";
import { REQUEST_PATH } from "../core/run-identity/request-variables.ts";
import type { TokenRelay, TokenRelayRun, TokenRelays } from "../core/run-identity/token-relay.ts";

const SOCKET_NAME = "identity.sock";
const MAX_HEADER_BYTES = 8_192;
const MAX_CLIENTS = 32;
const REQUEST_MS = 10_000;

type RelayParts = {
  /** Folders for sockets, each for one. */
  readonly folders: { make(): Promise<string>; remove(folder: string): Promise<void> };
  readonly describe: (refusal: CommandMintRefusal) => PublicProblem;
};

type Listening<Place> = { readonly place: Place; close(): Promise<void> };

export function tokenRelays(parts: RelayParts): TokenRelays {
  return { open: (run) => openRelay(parts, run) };
}

function openRelay(parts: RelayParts, run: TokenRelayRun): TokenRelay {
  let socket: Promise<Listening<string>> | null = null;
  let port: Promise<Listening<number>> | null = null;
  let closed: Promise<void> | null = null;
  const isOver = () => closed !== null || run.signal.aborted;
  const serve = () => {
    if (closed !== null) throw new Error("The run has ended: its commands get no ID token any more.");
    return tokenServer({ ...parts, ...run, isOver });
  };
  const close = async () => {
    const listening = await Promise.allSettled([socket, port]);
    for (const one of listening) if (one.status === "fulfilled") await one.value?.close();
  };
  return {
    secret: run.secret,
    socket: async () => {
      socket ??= listenOnSocket(serve(), parts.folders);
      return (await socket).place;
    },
    port: async () => {
      port ??= listenOnLoopback(serve());
      return (await port).place;
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

async function listenOnSocket(server: Server, folders: RelayParts["folders"]): Promise<Listening<string>> {
  const folder = await folders.make();
  let handle: FileHandle;
  try {
    handle = await listenInFolder(server, { folder, name: SOCKET_NAME });
  } catch (cause) {
    await folders.remove(folder);
    throw cause;
  }
  const close = async () => {
    await closeServer(server);
    await handle.close();
    await folders.remove(folder);
  };
  return { place: join(folder, SOCKET_NAME), close };
}

async function listenOnLoopback(server: Server): Promise<Listening<number>> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return { place: (server.address() as AddressInfo).port, close: () => closeServer(server) };
}

async function closeServer(server: Server): Promise<void> {
  const isClosed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await isClosed;
}

type Serving = Pick<TokenRelayRun, "secret" | "mint"> &
  Pick<RelayParts, "describe"> & { readonly isOver: () => boolean };

function tokenServer(serving: Serving): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: REQUEST_MS,
    },
    (request, response) => {
      request.resume();
      answerTo(request, serving).then(
        (value) => send(response, 200, { value }),
        (cause: unknown) => {
          // The store is away, for instance: programs try again.
          const { problem } = cause instanceof RefusedError ? cause : { problem: unavailable };
          const { status, code, message } = problem;
          send(response, status, { code, message });
        },
      );
    },
  );
  server.maxConnections = MAX_CLIENTS;
  return server;
}

class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly problem: PublicProblem;

  constructor(problem: PublicProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

const unavailable: PublicProblem = {
  status: 503,
  code: "unavailable",
  message: "No ID token could be made now. Try again.",
};
const wrongSecret: PublicProblem = {
  status: 401,
  code: "unauthorized",
  message: "Show ACTIONS_ID_TOKEN_REQUEST_TOKEN of this run as the bearer.",
};
const runOver: PublicProblem = {
  status: 409,
  code: "run_not_at_work",
  message: "The run is not at work here any more.",
};

async function answerTo(
  { method, url = "", headers }: IncomingMessage,
  { secret, mint, describe, isOver }: Serving,
): Promise<string> {
  const shown = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (shown === undefined || !isSameSecret(shown, secret)) throw new RefusedError(wrongSecret);
  if (isOver()) throw new RefusedError(runOver);
  const [path, query = ""] = url.split("?", 2);
  if (method !== "GET" || path !== REQUEST_PATH)
    throw new RefusedError(invalidRequest(`Only GET ${REQUEST_PATH} is answered here.`));
  const asked = z.safeParse(idTokenRequestSchema, {
    audience: new URLSearchParams(query).get("audience") ?? "",
  });
  if (!asked.success)
    throw new RefusedError(
      invalidRequest('Name the audience of the ID token, of 1 to 255 characters: "&audience=…".'),
    );
  const minted = await mint(asked.data.audience);
  if (!minted.ok) throw new RefusedError(describe(minted.refusal));
  if (isOver()) throw new RefusedError(runOver);
  return minted.value.token;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(JSON.stringify(body));
}
