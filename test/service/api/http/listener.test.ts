// The HTTP server's connections, on a real socket.

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
