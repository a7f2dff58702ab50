// Leads from a network that has a loopback alone to unix sockets of the service, and to the ports of other sandboxes of the same run: a
// program inside the sandbox that listens on ports, passes each connection on to the socket of its port, and starts the confined
// program beside itself.

import { basename, dirname } from "node:path";

/** A port on the sandbox's own loopback, and the socket behind it: absolute, alone in its folder. */
export type RelayedSocket = { readonly port: number; readonly socket: string };

/** The port at which an agent finds its model. */
export const MODEL_PORT = 4141;
/** The port at which everything finds the proxy to the rest of the network. */
export const EGRESS_PORT = 4142;
/** The port at which an agent finds the MCP server of its run's tools. */
export const GATEWAY_PORT = 4144;
/** The port at which commands ask for ID tokens of their run. */
export const IDENTITY_PORT = 4143;

/** Processes and threads of the relay itself, and its memory: the limits are for what it starts. */
export const RELAY_PROCESSES = 16;
export const RELAY_MEMORY_BYTES = 128 * 1024 * 1024;

const INNER_FOLDER = "/run/relay";
/** The Node that this service runs on, in a sandbox that has a relay or was given the program. */
export const INNER_NODE = "/run/relay-program/node";

const INNER_LOOPBACK = "/run/loopback";

/**
 * The loopback of several sandboxes. `folder` holds a socket of each that is executed in the background; `own` is the name of this
 * one's socket, null where it has none.
 */
export type SharedLoopback = { readonly folder: string; readonly own: string | null };

/** Everything that a relay leads to. Default of `loopback`: nothing else's. */
type Relayed = {
  readonly sockets: readonly RelayedSocket[];
  readonly loopback?: SharedLoopback | null;
};

/**
 * CommonJS, for `node --eval`. It knows no secret. With a loopback, it answers at its own socket: to the line "ports" with the ports
 * that are listened on here, to a port with a connection to it. Of the other sockets' ports, it listens on each here.
 */
const program = `
const { connect, createServer } = require("node:net");
const { spawn } = require("node:child_process");
const { readdirSync, readFileSync } = require("node:fs");
const [listed, program, ...args] = process.argv.slice(1);
const { sockets, loopback } = JSON.parse(listed);
const taken = new Map(sockets.map(([port]) => [port, null]));

const pass = (client, service) => {
  for (const [from, to] of [[client, service], [service, client]]) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }
};
const listen = (port, open) => new Promise((resolve, reject) => {
  const server = createServer({ allowHalfOpen: true }, (client) => pass(client, open()));
  server.on("error", reject);
  server.listen(port, "127.0.0.1", () => resolve(server));
});

const heard = () => {
  const found = new Set();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    let lines = [];
    try { lines = readFileSync(table, "latin1").split("\\n").slice(1); } catch {}
    for (const line of lines) {
      const [, local = "", , state] = line.trim().split(/\\s+/);
      const port = parseInt(local.split(":")[1], 16);
      if (state === "0A" && !taken.has(port)) found.add(port);
    }
  }
  return [...found].slice(0, 64);
};
const serve = (path) => new Promise((resolve) => {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on("error", () => {});
    client.once("data", (data) => {
      const end = data.indexOf(10);
      const word = data.subarray(0, end).toString();
      if (word === "ports") return client.end(JSON.stringify(heard()));
      client.pause();
      const service = connect({ port: Number(word) || 1, host: "localhost", allowHalfOpen: true });
      service.write(data.subarray(end + 1));
      pass(client, service);
    });
  });
  server.on("error", () => resolve());
  server.listen(path, resolve);
});

const portsOf = (path) => new Promise((resolve) => {
  let text = "";
  const client = connect(path, () => client.write("ports\\n"));
  client.setTimeout(500, () => client.destroy());
  client.on("data", (data) => { text += data; if (text.length > 4096) client.destroy(); });
  client.on("error", () => {});
  client.on("close", () => {
    try { resolve(JSON.parse(text).filter((port) => Number.isInteger(port) && port > 0 && port < 65536)); } catch { resolve([]); }
  });
});
const forwarded = new Map();
const follow = async ({ folder, own }) => {
  let names = [];
  try { names = readdirSync(folder).filter((name) => name !== own); } catch {}
  const wanted = new Map();
  for (const name of names)
    for (const port of await portsOf(folder + "/" + name)) if (!wanted.has(port)) wanted.set(port, folder + "/" + name);
  for (const [port, { path, server }] of forwarded) {
    if (wanted.get(port) === path) continue;
    server.close();
    forwarded.delete(port);
    taken.delete(port);
  }
  for (const [port, path] of wanted) {
    if (taken.has(port)) continue;
    taken.set(port, path);
    const open = () => {
      const service = connect({ path, allowHalfOpen: true });
      service.write(port + "\\n");
      return service;
    };
    // Something of this sandbox's own listens there.
    try { forwarded.set(port, { path, server: await listen(port, open) }); } catch { taken.delete(port); }
  }
};
const goOnFollowing = () => setTimeout(() => follow(loopback).then(goOnFollowing), 200);

const start = () => {
  const child = spawn(program, args, { stdio: "inherit" });
  child.on("error", (cause) => {
    console.error(program + " could not be started: " + cause.code);
    process.exit(127);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.kill(process.pid, signal);
  });
};
(async () => {
  await Promise.all(sockets.map(([port, path]) => listen(port, () => connect({ path, allowHalfOpen: true }))));
  if (loopback !== null) {
    if (loopback.own !== null) await serve(loopback.folder + "/" + loopback.own);
    await follow(loopback);
    goOnFollowing();
  }
  start();
})();
`;

/** Whether there is anything to relay. */
export function hasRelay({ sockets, loopback = null }: Relayed): boolean {
  return sockets.length > 0 || loopback !== null;
}

/** Options of bubblewrap: the folders of the sockets, and the Node that this service runs on, which may lie anywhere. */
export function relayBinds({ sockets, loopback = null }: Relayed): readonly string[] {
  if (!hasRelay({ sockets, loopback })) return [];
  const node = nodeBind();
  const folders = sockets.flatMap(({ port, socket }) => ["--ro-bind", dirname(socket), innerFolder(port)]);
  const shared =
    loopback === null
      ? []
      : [loopback.own === null ? "--ro-bind" : "--bind", loopback.folder, INNER_LOOPBACK];
  return [...folders, ...shared, ...node];
}

/** Options of bubblewrap: that Node alone. */
export function nodeBind(): readonly string[] {
  return ["--ro-bind", process.execPath, INNER_NODE];
}

/** The command, started by a relay where there is anything to relay. */
export function relayed(argv: readonly string[], { sockets, loopback = null }: Relayed): readonly string[] {
  if (!hasRelay({ sockets, loopback })) return argv;
  const inner = sockets.map(({ port, socket }) => [port, `${innerFolder(port)}/${basename(socket)}`]);
  const shared = loopback === null ? null : { folder: INNER_LOOPBACK, own: loopback.own };
  const given = JSON.stringify({ sockets: inner, loopback: shared });
  return [INNER_NODE, "--v8-pool-size=0", "--eval", program, "--", given, ...argv];
}

/** Variables by which programs find the proxy. Loopback is the sandbox's own, so it goes around the proxy. */
export function proxyVariables(): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${EGRESS_PORT}`;
  const around = "localhost,127.0.0.1,::1";
  const java = `-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=${EGRESS_PORT} -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=${EGRESS_PORT}`;
  return {
    HTTPS_PROXY: proxy,
    HTTP_PROXY: proxy,
    https_proxy: proxy,
    http_proxy: proxy,
    NO_PROXY: around,
    no_proxy: around,
    // Node reads the variables above only if told to; Yarn 2, Maven and Gradle read others.
    NODE_USE_ENV_PROXY: "1",
    YARN_HTTPS_PROXY: proxy,
    YARN_HTTP_PROXY: proxy,
    MAVEN_OPTS: java,
    GRADLE_OPTS: java,
  };
}

function innerFolder(port: number): string {
  return `${INNER_FOLDER}/${port}`;
}
