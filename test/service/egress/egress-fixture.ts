// A TLS server on loopback that plays the internet, and what a run may reach of it.

import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { selfSigned } from "../../../fakes/self-signed.ts";
import { readEgressEntries } from "../../../src/contract/egress.ts";
import { rulesOf } from "../../../src/service/core/egress/rules.ts";
import type { RunEgress } from "../../../src/service/core/egress/run-egress.ts";
import { readEgressConfig } from "../../../src/service/egress/egress-config.ts";
import { openRunEgress, type RunEgressOptions } from "../../../src/service/egress/run-egress.ts";

export const HOSTS = ["registry.example", "files.example", "other.example", "evil.example"] as const;

export type Answered = { readonly status: number; readonly body: string };

export class EgressFixture {
  readonly identity = selfSigned([...HOSTS, "*.wild.example", "localhost"]);
  /** `host/path` of each request that has arrived. */
  readonly arrived: string[] = [];
  /** Addresses by name; every other name is on loopback. */
  readonly names: Record<string, readonly string[]> = {};
  readonly asked: string[] = [];
  respond: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    response.end("hello");
  readonly #folder = mkdtempSync(join(tmpdir(), "egress-test-"));
  readonly #opened: { close(): unknown }[] = [];
  #server: Server | null = null;
  port = 0;

  async start(): Promise<void> {
    const server = createServer(this.identity, (request, response) => {
      this.arrived.push(`${request.headers.host}${request.url}`);
      this.respond(request, response);
    });
    this.#server = server;
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as AddressInfo).port;
  }

  /** `HOST` in an entry stands for the port of the server. */
  open(entries: readonly string[], options: Partial<RunEgressOptions> = {}): RunEgress {
    const read = readEgressEntries(entries.map((entry) => entry.replace("PORT", `${this.port}`)));
    if (read === null) throw new Error(`No entries: ${entries.join(", ")}`);
    const problems: string[] = [];
    const loopback = [...HOSTS, "a.wild.example"].map((host) => `${host}=127.0.0.0/8`).join(",");
    const config = readEgressConfig({ EGRESS_PRIVATE_HOSTS: loopback }, { problems });
    if (problems.length > 0) throw new Error(problems.join("\n"));
    const registries = [{ name: "registry.example", port: this.port }];
    const egress = openRunEgress({
      rules: rulesOf(read, registries),
      privateHosts: config.privateHosts,
      maxBytes: config.maxBytes,
      resolve: async (name) => {
        this.asked.push(name);
        return this.names[name] ?? ["127.0.0.1"];
      },
      folders: {
        make: () => mkdtemp(join(this.#folder, "socket-")),
        remove: (folder) => rm(folder, { recursive: true, force: true }),
      },
      ...options,
    });
    this.#opened.push(egress);
    return egress;
  }

  /** A connection to the run's proxy, on which `text` is sent as it is. */
  async raw(egress: RunEgress, text: string | Buffer): Promise<Socket> {
    const path = await egress.socket("agent");
    if (path === null) throw new Error("The run has no network.");
    const socket = connect({ path });
    this.#opened.push({ close: () => socket.destroy() });
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(text);
    return socket;
  }

  /** CONNECT alone: the proxy's status and its words. */
  async ask(egress: RunEgress, authority: string, more = ""): Promise<Answered> {
    const socket = await this.raw(
      egress,
      `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${more}\r\n`,
    );
    const head = await readUntil(socket, "\r\n\r\n");
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0);
    const body = status === 200 ? "" : await rest(socket);
    return { status, body: (head.split("\r\n\r\n")[1] ?? "") + body };
  }

  /** A whole request by TLS through the proxy. Rejects where it does not get through. */
  async get(
    egress: RunEgress,
    authority: string,
    { servername = authority.split(":")[0] ?? "", path = "/" }: { servername?: string; path?: string } = {},
  ): Promise<string> {
    const socket = await this.raw(egress, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
    const head = await readUntil(socket, "\r\n\r\n");
    if (!head.startsWith("HTTP/1.1 200")) throw new Error(head + (await rest(socket)));
    const tls = await this.secure(socket, servername);
    tls.write(`GET ${path} HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`);
    return (await rest(tls)).split("\r\n\r\n").slice(1).join("\r\n\r\n");
  }

  async secure(socket: Socket, servername: string): Promise<TLSSocket> {
    const options = servername === "" ? {} : { servername };
    const tls = connectTls({
      socket,
      ca: this.identity.cert,
      checkServerIdentity: () => undefined,
      ...options,
    });
    this.#opened.push({ close: () => tls.destroy() });
    await once(tls, "secureConnect");
    tls.on("error", () => {});
    return tls;
  }

  async close(): Promise<void> {
    for (const opened of this.#opened.splice(0)) await opened.close();
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** What has come by the time that `end` has; all of it where the connection ends before. */
export async function readUntil(socket: Socket, end: string): Promise<string> {
  let text = "";
  for (;;) {
    if (text.includes(end) || socket.readableEnded || socket.destroyed) return text;
    const chunk: Buffer | null = socket.read();
    if (chunk === null) await moved(socket);
    else text += chunk.toString("latin1");
  }
}

function moved(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const move = () => {
      socket.off("readable", move).off("close", move);
      resolve();
    };
    socket.on("readable", move).on("close", move);
  });
}

/** What comes until the connection has ended. */
export function rest(socket: Socket): Promise<string> {
  return readUntil(socket, "\0no end\0");
}
