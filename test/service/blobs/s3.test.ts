// What of S3's own is told and tried again: wrong settings, servers that break off, addresses.

import { createServer, type RequestListener, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { s3Blobs } from "../../../src/service/blobs/s3.ts";
import type { S3Config } from "../../../src/service/blobs/s3-config.ts";
import { blobOf } from "../../support/blob-of.ts";
import { instantClock } from "../../support/clocks/instant-clock.ts";
import { type S3Server, startS3Server } from "../../support/s3-server.ts";

let server: S3Server;
const opened: Server[] = [];

beforeAll(async () => {
  server = await startS3Server();
});

afterAll(async () => {
  await server.stop();
  for (const one of opened) {
    one.closeAllConnections();
    one.close();
  }
});

function blobsOf(changes: Partial<S3Config> = {}) {
  const clock = instantClock();
  const blobs = s3Blobs({ config: { ...server.config, ...changes }, clock, random: () => 0 });
  return { blobs, clock };
}

async function scripted(script: readonly RequestListener[]): Promise<{ endpoint: string; seen: string[] }> {
  const seen: string[] = [];
  const one = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    seen.push(`${request.method} ${request.headers.host} ${request.url} ${bytes}`);
    script[Math.min(seen.length, script.length) - 1]?.(request, response);
  });
  opened.push(one);
  await new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve));
  const address = one.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { endpoint: `http://127.0.0.1:${port}`, seen };
}

const answer =
  (status: number, body = ""): RequestListener =>
  (_, response) => {
    response.writeHead(status);
    response.end(body);
  };

describe("blobs in S3", () => {
  it("stay when the other one of their folder is deleted at the same time", async () => {
    const { blobs } = blobsOf();
    for (let place = 0; place < 30; place += 1) {
      const [old, key] = [`ws/folder-${place}/old`, `ws/folder-${place}/new`];
      await blobs.put(blobOf(old, "old"));
      await Promise.all([blobs.delete([old]), blobs.put(blobOf(key, "new"))]);
      expect(await blobs.head(key), key).toEqual({ size: 3 });
    }
  });

  it.each([
    ["S3_BUCKET", { bucket: "no-such-bucket" }],
    ["S3_ACCESS_KEY_ID", { accessKeyId: "SOMEBODY" }],
    ["S3_SECRET_ACCESS_KEY", { secretAccessKey: "another" }],
    ["S3_ENDPOINT", { endpoint: "http://127.0.0.1:1" }],
  ])("name %s where it is wrong, and no secret", async (setting, changes) => {
    const { blobs } = blobsOf(changes);
    const failing = blobs.put(blobOf("a/b", "x"));
    await expect(failing).rejects.toMatchObject({ name: "BlobStoreError", code: "blobs_unavailable" });
    await expect(failing).rejects.toThrow(setting);
    await expect(failing).rejects.not.toThrow(/S3RVER|another/);
    await expect(blobs.get("a/b")).rejects.toThrow(setting);
  });

  it("are written again, from their first byte, where the server broke off or was busy", async () => {
    const { endpoint, seen } = await scripted([
      (request) => request.socket.resetAndDestroy(),
      answer(503, "<Error><Code>SlowDown</Code></Error>"),
      answer(500),
      answer(200),
    ]);
    const { blobs, clock } = blobsOf({ endpoint });
    await blobs.put(blobOf("a/b", "hello"));
    expect(seen.map((line) => line.replace(/127\S+/, "host"))).toEqual(
      Array.from({ length: 4 }, () => `PUT host /${server.config.bucket}/a/b 5`),
    );
    expect(clock.sleeps).toEqual([150, 300, 600]);
  });

  it("give up after a few attempts, and at once where it helps nobody to repeat", async () => {
    const busy = await scripted([answer(503)]);
    await expect(blobsOf({ endpoint: busy.endpoint }).blobs.put(blobOf("a", "x"))).rejects.toThrow("503");
    expect(busy.seen).toHaveLength(5);
    const refusing = await scripted([answer(403, "<Error><Code>AccessDenied</Code></Error>")]);
    await expect(blobsOf({ endpoint: refusing.endpoint }).blobs.head("a")).rejects.toThrow("403");
    expect(refusing.seen).toHaveLength(1);
    const moved = await scripted([answer(301)]);
    await expect(blobsOf({ endpoint: moved.endpoint }).blobs.get("a")).rejects.toThrow(/S3_REGION/);
    expect(moved.seen).toHaveLength(1);
  });

  const credentials = ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "S3_BUCKET"];
  it.each([
    [404, "NoSuchBucket", ["S3_BUCKET"]],
    [403, "InvalidAccessKeyId", ["S3_ACCESS_KEY_ID"]],
    [403, "SignatureDoesNotMatch", ["S3_SECRET_ACCESS_KEY", "S3_REGION"]],
    [400, "AuthorizationHeaderMalformed", ["S3_REGION", "S3_ENDPOINT"]],
    [301, "PermanentRedirect", ["S3_REGION", "S3_ENDPOINT"]],
    [401, "", credentials],
    [403, "AccessDenied", credentials],
    [307, "", ["S3_ENDPOINT", "S3_PATH_STYLE"]],
    [400, "InvalidArgument", []],
  ])("say what to look at after a status of %i %s", async (status, code, settings) => {
    const { endpoint } = await scripted([answer(status, `<Error><Code>${code}</Code></Error>`)]);
    const refused = await blobsOf({ endpoint })
      .blobs.put(blobOf("a", "x"))
      .then(() => expect.unreachable(), String);
    const [advice = ""] = /(Look|Redirects).*$/s.exec(refused) ?? [];
    expect([...new Set(advice.match(/S3_[A-Z_]+/g))].sort()).toEqual([...settings].sort());
  });

  it("wait no longer for a server that is silent, and leave it alone for a while", async () => {
    const { endpoint, seen } = await scripted([() => {}, () => {}, () => {}, answer(200)]);
    const clock = instantClock();
    const blobs = s3Blobs({ config: { ...server.config, endpoint }, clock, random: () => 0, silenceMs: 400 });
    for (let calls = 1; calls <= 3; calls += 1) {
      expect(blobs.health?.()).toEqual({ isAvailable: true, failures: calls - 1 });
      await expect(blobs.put(blobOf("a", "x"))).rejects.toThrow("it does not answer");
      expect(seen).toHaveLength(calls);
    }
    expect(blobs.health?.()).toEqual({ isAvailable: false, failures: 3 });
    await expect(blobs.put(blobOf("a", "x"))).rejects.toMatchObject({ code: "blobs_unavailable" });
    expect(seen).toHaveLength(3);
    await clock.sleep(5_000);
    await blobs.put(blobOf("a", "x"));
    expect(seen).toHaveLength(4);
    expect(blobs.health?.()).toEqual({ isAvailable: true, failures: 3 });
  });

  it("end a reading in which the server falls silent", async () => {
    const { endpoint } = await scripted([
      (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write("half");
      },
    ]);
    const config = { ...server.config, endpoint };
    const blobs = s3Blobs({ config, clock: instantClock(), random: () => 0, silenceMs: 400 });
    const blob = await blobs.get("a");
    const reading = (async () => {
      for await (const _ of blob?.content ?? []);
    })();
    await expect(reading).rejects.toMatchObject({ name: "BlobStoreError" });
    expect(blobs.health?.().failures).toBe(1);
  });

  it("are not counted as away by who went away before an answer", async () => {
    const { endpoint } = await scripted([() => {}]);
    const { blobs } = blobsOf({ endpoint });
    const leave = new AbortController();
    const waiting = blobs.put({ ...blobOf("a", "x"), signal: leave.signal });
    leave.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    expect(blobs.health?.()).toEqual({ isAvailable: true, failures: 0 });
  });

  it("say so where a reading breaks off", async () => {
    const { endpoint } = await scripted([
      (_, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write("half", () => response.destroy());
      },
    ]);
    const blob = await blobsOf({ endpoint }).blobs.get("a");
    const reading = (async () => {
      for await (const _ of blob?.content ?? []);
    })();
    await expect(reading).rejects.toMatchObject({ name: "BlobStoreError" });
  });

  it("have their bucket in the host's name, unless the settings say otherwise", async () => {
    const config = { ...server.config, endpoint: "https://s3.example.com" };
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(new Request(input).url);
      return new Response(null, { status: 404 });
    };
    for (const pathStyle of [false, true]) {
      const options = { config: { ...config, pathStyle }, clock: instantClock(), random: () => 0, fetch };
      expect(await s3Blobs(options).head("packs/ab/one.pack")).toBeNull();
    }
    expect(asked).toEqual([
      "https://packs-of-tests.s3.example.com/packs/ab/one.pack",
      "https://s3.example.com/packs-of-tests/packs/ab/one.pack",
    ]);
  });
});
