// Lets an agent in a network of its own reach its model: a program inside the sandbox that listens on its loopback, passes
// each connection on to a unix socket of the service, and starts the agent beside itself.

/** Where the relay listens, in the agent's own network. */
export const RELAY_PORT = 4141;
const INNER_FOLDER = "/run/model";
const INNER_NODE = "/run/model-relay/node";

/** CommonJS, for `node --eval`. It knows no secret. */
const program = `
const { connect, createServer } = require("node:net");
const { spawn } = require("node:child_process");
const [socket, port, program, ...args] = process.argv.slice(1);
const server = createServer({ allowHalfOpen: true }, (client) => {
  const service = connect({ path: socket, allowHalfOpen: true });
  for (const [from, to] of [[client, service], [service, client]]) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }
});
server.listen(Number(port), "127.0.0.1", () => {
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

/** Options of bubblewrap: the socket's folder, and the Node that this service runs on, which may lie anywhere. */
export function relayBinds(socketFolder: string): readonly string[] {
  return ["--ro-bind", socketFolder, INNER_FOLDER, "--ro-bind", process.execPath, INNER_NODE];
}

/** The agent's command, started by the relay. */
export function relayed(argv: readonly string[], socketName: string): readonly string[] {
  return [INNER_NODE, "--eval", program, "--", `${INNER_FOLDER}/${socketName}`, `${RELAY_PORT}`, ...argv];
}
