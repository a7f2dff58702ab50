// The HTTP server's connections, on a real socket.

import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import { HttpListener } from "../../../../src/service/api/http/listener.ts";

describe("an idle connection", () => {
  let listener: HttpListener;
  let url: string;
  beforeEach(async () => {
    listener = new HttpListener();
    url = await listener.listen({ host: "127.0.0.1", port: 0 });
    listener.serve({ app: { fetch: () => new Response("here") }, sockets: null });
  });
  afterEach(() => listener.closeConnections());

  it("stays open longer than a reverse proxy keeps it", async () => {
    const answer = await fetch(url);
    expect(await answer.text()).toBe("here");
    expect(answer.headers.get("keep-alive")).toBe("timeout=130");
  });

  it("ends at once where the listener stops", async () => {
    await (await fetch(url)).text();
    await listener.stop().closed;
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });
});

describe("a listener", () => {
  it("sends requests away until it has an application, and answers those that come while it is made ready", async () => {
    const listener = new HttpListener();
    const url = await listener.listen({ host: "127.0.0.1", port: 0 });
    try {
      const early = await fetch(url, { method: "POST", body: "early" });
      expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(problemSchema.parse(await early.json())).toMatchObject({
        code: "unavailable",
        error: "The service is starting. Try again in a second.",
      });
      const app = { fetch: async (request: Request) => new Response(`${await request.text()} here`) };
      listener.serve({ app, sockets: null });
      const bodies = ["one", "two", "three"].map(async (body) =>
        (await fetch(url, { method: "POST", body })).text(),
      );
      expect(await Promise.all(bodies)).toEqual(["one here", "two here", "three here"]);
    } finally {
      listener.closeConnections();
    }
  });
});

describe("a client that waits to be asked for its body", () => {
  let listener: HttpListener;
  let url: URL;
  beforeEach(async () => {
    listener = new HttpListener();
    url = new URL(await listener.listen({ host: "127.0.0.1", port: 0 }));
  });
  afterEach(() => listener.closeConnections());

  /** What is answered until the connection ends, or `until` has come. */
  const ask = async (path: string, { until = /$^/, body = "" } = {}) =>
    await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(url.port), url.hostname);
      let text = "";
      socket.on("error", reject);
      socket.on("close", () => resolve(text));
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.endsWith("100 Continue\r\n\r\n")) socket.write(body);
        if (until.test(text)) socket.end();
      });
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
    });

  it("is asked once it is read, and keeps its connection", async () => {
    const readers: Record<string, (request: Request) => Promise<string>> = {
      "/text": (request) => request.text(),
      "/stream": async (request) => String((await request.body?.getReader().read())?.value?.length),
    };
    const fetch = async (request: Request) =>
      new Response(`read ${await readers[new URL(request.url).pathname]?.(request)}`);
    listener.serve({ app: { fetch }, sockets: null });
    const text = await ask("/text", { body: "hello", until: /read hello/ });
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(text).not.toMatch(/^connection: close/im);
    expect(await ask("/stream", { body: "hello", until: /read 5/ })).toContain("100 Continue");
  });

  it("is refused without it, and its connection ends", async () => {
    const early = await ask("/", { body: "x".repeat(1_000) });
    expect(early).toMatch(/^HTTP\/1\.1 503 .*\r\n/);
    listener.serve({ app: { fetch: () => new Response("no", { status: 401 }) }, sockets: null });
    const text = await ask("/", { body: "x".repeat(1_000) });
    expect(text).toMatch(/^HTTP\/1\.1 401 .*\r\n/);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(`${early}${text}`).not.toContain("100 Continue");
  });
});
