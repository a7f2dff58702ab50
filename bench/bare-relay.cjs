// What any service between a model and a reader costs at the least: node:http that asks the model at argv[2] for a
// stream and pipes it on. Run by the benchmark, as the floor beside the service.

const { createServer, request } = require("node:http");

const [, , modelUrl, model] = process.argv;
const question = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Speak" }] });
const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(question) };

const server = createServer((_, response) => {
  request(modelUrl, { method: "POST", headers }, (answer) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    answer.pipe(response);
  }).end(question);
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
process.once("SIGTERM", () => process.exit(0));
