// What any service on Node costs at the least: node:http answering the two requests of a run with fixed JSON.
// Run by the benchmark, as the floor beside the service.

const { createServer } = require("node:http");

const submitted = JSON.stringify({ run_id: "run", session_id: "session" });
const page = JSON.stringify({ run: { status: "completed" }, events: [], next: 0, done: true });

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(request.method === "POST" ? submitted : page);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
process.once("SIGTERM", () => process.exit(0));
