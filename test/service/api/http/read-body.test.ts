// Bodies as a hostile or broken client sends them, byte by byte.

import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { openHttpApi } from "../../../support/service-api.ts";

describe("a body", () => {
  let fixture: ServiceFixture;

  beforeAll(async () => {
    fixture = await startFixture({ level: "service" });
  });

  afterAll(() => fixture.close());

  const open = () => {
    const { hostname, port } = new URL(fixture.url);
    return connect(Number(port), hostname);
  };

  const head = (...headers: string[]) =>
    ["POST /v1/ci/oidc/exchange HTTP/1.1", "Host: x", "Connection: close", ...headers, "", ""].join("\r\n");

  it("that grows too large without saying so is answered with 413", async () => {
    const socket = open();
    const answer = text(socket);
    socket.write(head("Content-Type: application/json", "Transfer-Encoding: chunked"));
    const chunk = "a".repeat(20_000);
    for (let index = 0; index < 2; index += 1) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it("that says that it is too large is answered with 413 before it is sent", async () => {
    const socket = open();
    const answer = text(socket);
    socket.write(head("Content-Type: application/json", "Content-Length: 40000"));
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it.each([
    ["a wrong key", "POST /v1/agents/x/runs", "Content-Length: 40000", /^HTTP\/1\.1 401 /],
    ["more than is read", "POST /v1/ci/oidc/exchange", "Content-Length: 40000", /^HTTP\/1\.1 413 /],
    [
      "a wrong key for a pack",
      "POST /v1/workspaces/01890000-0000-7000-8000-0000000000aa.git/git-receive-pack",
      "Transfer-Encoding: chunked",
      /^HTTP\/1\.1 401 /,
    ],
  ])("that waits to be asked for is not, with %s", async (_, line, length, told) => {
    const socket = open();
    const answer = text(socket);
    const headers = ["Host: x", "Expect: 100-continue", "Content-Type: application/json"];
    socket.write(
      [`${line} HTTP/1.1`, ...headers, "Authorization: Bearer svc_sk_none", length, "", ""].join("\r\n"),
    );
    expect(await answer).toMatch(told);
    socket.destroy();
  });

  it("that waits to be asked for is asked for where it is read", async () => {
    const socket = open();
    const answer = text(socket);
    const [asked] = await Promise.all([
      once(socket, "data").then(([chunk]) => String(chunk)),
      socket.write(head("Content-Type: application/json", "Expect: 100-continue", "Content-Length: 2")),
    ]);
    expect(asked).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("{}");
    expect(await answer).toMatch(/HTTP\/1\.1 400 /);
  });

  it("that is cut off is not logged as an error of ours", async () => {
    const core = await startFixture({ level: "core" });
    const api = await openHttpApi(core);
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    const asked = once(api.server, "request");
    socket.write(`${head("Content-Type: application/json", "Content-Length: 100")}{"subject_token":`);
    await asked;
    socket.destroy();
    expect((await api.firstAnswer).status).toBe(400);
    expect(core.logs.filter((line) => line.startsWith("error"))).toEqual([]);
    await api.close();
  });

  it("that does not come is not waited for", async () => {
    const core = await startFixture({ level: "core" });
    const api = await openHttpApi(core);
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    const ended = once(socket, "close");
    socket.write(`${head("Content-Type: application/json", "Content-Length: 100")}{"subject_token":`);
    await core.clock.whenSleeping();
    core.clock.advance(5 * 60_000);
    await ended;
    await api.close();
  });
});
