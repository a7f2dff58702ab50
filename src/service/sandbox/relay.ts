// Leads from a network that has a loopback alone to unix sockets of the service: a program inside the sandbox that listens
// on ports, passes each connection on to the socket of its port, and starts the confined program beside itself.

import { basename, dirname } from "node:path";

/** A port on the sandbox's own loopback, and the socket behind it: absolute, alone in its folder. */
export type RelayedSocket = { readonly port: number; readonly socket: string };

/** The port at which an agent finds its model. */
export const MODEL_PORT = 4141;
/** The port at which everything finds the proxy to the rest of the network. */
export const EGRESS_PORT = 4142;

/** Processes and threads of the relay itself, and its memory: the limits are for what it starts. */
export const RELAY_PROCESSES = 16;
export const RELAY_MEMORY_BYTES = 128 * 1024 * 1024;

const INNER_FOLDER = "/run/relay";
const INNER_NODE = "/run/relay-program/node";

/** CommonJS, for `node --eval`. It knows no secret. */
const program = `
const { connect, createServer } = require("node:net");
const { spawn } = require("node:child_process");
const [listed, program, ...args] = process.argv.slice(1);
const relayed = JSON.parse(listed);
const listening = relayed.map(([port, socket]) => new Promise((resolve) => {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const service = connect({ path: socket, allowHalfOpen: true });
    for (const [from, to] of [[client, service], [service, client]]) {
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  server.listen(port, "127.0.0.1", resolve);
}));
Promise.all(listening).then(() => {
  const child = spawn(program, args, { stdio: "inherit" });
  child.on("error", (cause) => {
    console.error(program + " could not be started: " + cause.code);
    process.exit(127);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.kill(process.pid, signal);
  });
});
`;

/** Options of bubblewrap: the folders of the sockets, and the Node that this service runs on, which may lie anywhere. */
export function relayBinds(sockets: readonly RelayedSocket[]): readonly string[] {
  if (sockets.length === 0) return [];
  const folders = sockets.flatMap(({ port, socket }) => ["--ro-bind", dirname(socket), innerFolder(port)]);
  return [...folders, "--ro-bind", process.execPath, INNER_NODE];
}

/** The command, started by a relay where there is anything to relay. */
export function relayed(argv: readonly string[], sockets: readonly RelayedSocket[]): readonly string[] {
  if (sockets.length === 0) return argv;
  const inner = sockets.map(({ port, socket }) => [port, `${innerFolder(port)}/${basename(socket)}`]);
  return [INNER_NODE, "--v8-pool-size=0", "--eval", program, "--", JSON.stringify(inner), ...argv];
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
