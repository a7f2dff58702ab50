// What the document says of a route with bytes: its body, its range, and the refusals that follow from both.

import { expect, it } from "vitest";
import { operationOf } from "../../src/contract/openapi/operation.ts";
import { byteBody, defineRoute, jobsAndAccounts, nounRoutes } from "../../src/contract/route.ts";

const file = { callers: jobsAndAccounts, repeat: "safe", role: "viewer" } as const;
const { write, read } = nounRoutes("files", "Runs", {
  write: defineRoute("PUT /v1/files/{id}", {
    ...file,
    answer: "nothing",
    summary: "Write a file",
    body: byteBody(1024, ["application/octet-stream", "text/plain"]),
    headers: ["If-Match"],
    scopes: ["runs:write"],
    answers: { 204: "Written." },
  }),
  read: defineRoute("GET /v1/files/{id}", {
    ...file,
    answer: "bytes",
    summary: "Read a file",
    headers: ["Range"],
    scopes: ["runs:read"],
    isTagged: true,
    answers: { 200: "The bytes." },
  }),
});
const parts = { examples: {}, nameOf: () => "unused" };

it("takes the body's types, and refuses with 412, 413 and 415", async () => {
  const operation = operationOf(write, parts);
  expect(operation).toMatchObject({
    operationId: "filesWrite",
    requestBody: { content: { "application/octet-stream": {}, "text/plain": {} } },
    parameters: [{ name: "id" }, { name: "If-Match", in: "header" }],
  });
  const statuses = ["204", "400", "401", "403", "404", "412", "413", "415", "429", "431", "500", "503"];
  expect(Object.keys(operation.responses as object)).toEqual(statuses);
});

it("answers with the bytes, a range of them, or that nothing has changed", async () => {
  const operation = operationOf(read, parts);
  expect(Object.keys(operation.responses as object)).toEqual(
    expect.arrayContaining(["200", "206", "304", "416"]),
  );
  expect(operation.responses).toMatchObject({
    200: { content: { "application/octet-stream": {} } },
    206: { headers: { "Content-Range": {}, ETag: {} } },
  });
});
