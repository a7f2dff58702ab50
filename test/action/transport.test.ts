import { afterAll, describe, expect, it } from "vitest";
import { openTransport } from "../../src/action/transport.ts";
import { ConnectionError, DecodeError, TimeoutError } from "../../src/client/errors.ts";
import { cutOff, json, openScriptedServer, reset, silence } from "../client/scripted-server.ts";

const transport = openTransport();
afterAll(() => transport.close());

function get(url: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  return transport.send({ method: "GET", url, headers: {}, timeoutMs: 5_000, maxBodyBytes: 1_000, ...more });
}

describe("transport of the Action", () => {
  it("sends a body and reads status, headers and text", async () => {
    await using server = await openScriptedServer([json(202, { ö: "ü" }, { "x-one": "1" })]);
    const response = await transport.send({
      method: "POST",
      url: `${server.url}/a?b=c`,
      headers: { authorization: "Bearer t" },
      body: '{"ä":1}',
      timeoutMs: 5_000,
      maxBodyBytes: 1_000,
    });
    expect(response.status).toBe(202);
    expect(response.headers("x-one")).toBe("1");
    expect(response.body).toBe('{"ö":"ü"}');
    expect(server.seen[0]).toMatchObject({ method: "POST", path: "/a", body: '{"ä":1}' });
  });

  it("says that the connection broke: before, and in the middle of an answer", async () => {
    await using server = await openScriptedServer([reset, cutOff]);
    await expect(get(server.url)).rejects.toThrow(ConnectionError);
    await expect(get(server.url)).rejects.toThrow(ConnectionError);
    await expect(get("http://127.0.0.1:1/")).rejects.toThrow(/ECONNREFUSED/);
  });

  it("gives up in time, at the cap, and when it is aborted", async () => {
    await using server = await openScriptedServer([silence, json(200, "x".repeat(2_000)), silence]);
    await expect(get(server.url, { timeoutMs: 50 })).rejects.toThrow(TimeoutError);
    await expect(get(server.url)).rejects.toThrow(DecodeError);
    const controller = new AbortController();
    const aborted = get(server.url, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await expect(get(server.url, { signal: controller.signal })).rejects.toThrow("enough");
  });

  it("does not follow a redirect", async () => {
    await using server = await openScriptedServer([
      (_request, response) => response.writeHead(302, { location: "/elsewhere" }).end(),
    ]);
    expect((await get(server.url)).status).toBe(302);
    expect(server.seen).toHaveLength(1);
  });
});
