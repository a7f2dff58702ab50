// The program by which an agent that takes no MCP server by HTTP reaches the gateway: it passes on what comes by its standard input and
// output. It is started by the agent, inside of the agent's sandbox.

/** The path at which the gateway speaks as by standard input and output, once the connection is upgraded to it. */
export const STDIO_PATH = "/stdio";
export const STDIO_UPGRADE = "mcp-stdio";

const PORT_VARIABLE = "RUN_GATEWAY_PORT";
const TOKEN_VARIABLE = "RUN_GATEWAY_TOKEN";

/** CommonJS, for `node --eval`. The token is in its environment, and in no argument. */
const program = `
const { request } = require("node:http");
const { env } = require("node:process");
const fail = (why) => { console.error("The gateway of this run " + why + "."); process.exit(1); };
const call = request({
  host: "127.0.0.1",
  port: env.${PORT_VARIABLE},
  path: "${STDIO_PATH}",
  headers: { authorization: "Bearer " + env.${TOKEN_VARIABLE}, connection: "Upgrade", upgrade: "${STDIO_UPGRADE}" },
});
call.on("upgrade", (_answer, socket, head) => {
  socket.unshift(head);
  socket.pipe(process.stdout);
  process.stdin.pipe(socket);
  socket.on("error", () => fail("is gone"));
  socket.on("close", () => process.exit(0));
});
call.on("response", (answer) => fail("refused this connection: " + answer.statusCode));
call.on("error", (cause) => fail("cannot be reached: " + cause.code));
call.end();
`;

/** `node`: the program of Node as the agent sees it, absolute. */
export function stdioRelay({
  node,
  port,
  token,
}: {
  readonly node: string;
  readonly port: number;
  readonly token: string;
}) {
  return {
    command: node,
    args: ["--eval", program],
    env: [
      { name: PORT_VARIABLE, value: String(port) },
      { name: TOKEN_VARIABLE, value: token },
    ],
  };
}
