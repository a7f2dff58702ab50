// A pack goes out as a stream of a known length, again from its start after a failure.

import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { openTransport } from "../../src/action/transport.ts";
import { createJobClient } from "../../src/client/job-client.ts";
import { fetchTransport } from "../../src/client/transport.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";
import { json, openScriptedServer, problem, reset } from "./scripted-server.ts";

const SHA = "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d";
const sent = { sha: SHA, objects: 3, bytes: 2_000 };
const actions = openTransport();
const transports = { "the package": fetchTransport, "the Action": actions.send };

function packOf(chunks: readonly string[]) {
  let opened = 0;
  return {
    size: Buffer.byteLength(chunks.join("")),
    open: async function* () {
      opened += 1;
      for (const chunk of chunks) yield Buffer.from(chunk);
    },
    opened: () => opened,
  };
}

describe.each(Object.entries(transports))("a pack that %s sends", (_name, transport) => {
  const clientOf = (baseUrl: string) =>
    createJobClient({ baseUrl, credential: "svc_ci_a", transport, clock: instantClock(), random: () => 0 });

  it("has its length, its type and its bases", async () => {
    await using server = await openScriptedServer([json(201, sent)]);
    const pack = packOf(["PACK", "…", "more"]);
    const query = { pull_request: 7, base: ["a".repeat(40), "b".repeat(40)] };
    expect(await clientOf(server.url).commits.send({ sha: SHA, query, pack })).toEqual(sent);
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: "PUT", path: `/v1/ci/commits/${SHA}`, body: "PACK…more" });
    expect(seen?.headers).toMatchObject({
      authorization: "Bearer svc_ci_a",
      "content-length": String(pack.size),
      "content-type": "application/x-git-packed-objects",
    });
    expect(seen?.headers["transfer-encoding"]).toBeUndefined();
    expect(Object.fromEntries(seen?.query ?? [])).toEqual({
      pull_request: "7",
      base: `${"a".repeat(40)},${"b".repeat(40)}`,
    });
  });

  it("is sent again after a reset and a 503, and not after a refusal", async () => {
    await using server = await openScriptedServer([
      reset,
      problem(503, "unavailable"),
      problem(422, "pack_refused", { reason: "pack_malformed" }),
    ]);
    const pack = packOf(["PACK"]);
    await expect(clientOf(server.url).commits.send({ sha: SHA, pack })).rejects.toMatchObject({
      code: "pack_refused",
      reason: "pack_malformed",
    });
    expect(server.seen.map(({ body }) => body)).toEqual(["PACK", "PACK", "PACK"]);
    expect(pack.opened()).toBe(3);
  });

  it("ends early where the service refuses it before it has read it", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(413, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify({ error: "no", code: "upload_too_large", request_id: "r" }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    let sentBytes = 0;
    const size = 512 * 1024 * 1024;
    const pack = {
      size,
      open: async function* () {
        for (; sentBytes < size; sentBytes += 1024 * 1024) yield Buffer.alloc(1024 * 1024);
      },
    };
    const sending = clientOf(`http://127.0.0.1:${port}`).commits.send({ sha: SHA, pack });
    await expect(sending).rejects.toMatchObject({ status: 413, code: "upload_too_large" });
    expect(sentBytes).toBeLessThan(size / 2);
    server.closeAllConnections();
    server.close();
  });
});

it("what is held is asked for by the commit", async () => {
  const state = { sha: SHA, present: false, have: [], max_bytes: 100, history: 50 };
  await using server = await openScriptedServer([json(200, state)]);
  const client = createJobClient({ baseUrl: server.url, credential: "svc_ci_a" });
  expect(await client.commits.find({ sha: SHA, query: { pull_request: 7 } })).toEqual(state);
  expect(server.seen[0]).toMatchObject({ method: "GET", path: `/v1/ci/commits/${SHA}` });
});
