// The network policy of a run against whoever sits in its sandbox, over real sockets.

import { access, readdir } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EgressFixture, readUntil, rest } from "./egress-fixture.ts";

let net: EgressFixture;
beforeEach(async () => {
  net = new EgressFixture();
  await net.start();
});
afterEach(() => net.close());

const at = (host: string) => `${host}:${net.port}`;

describe("a run's proxy", () => {
  it("passes on TLS to a host of the policy, and counts it", async () => {
    const egress = net.open(["registry.example:PORT"]);
    expect(await net.get(egress, at("registry.example"), { path: "/package" })).toContain("hello");
    expect(net.arrived).toEqual([`${at("registry.example")}/package`]);
    const { allowed, blocked } = egress.record();
    expect(allowed).toEqual([{ host: at("registry.example"), connections: 1, bytes: expect.any(Number) }]);
    expect(allowed[0]?.bytes).toBeGreaterThan(500);
    expect(blocked).toEqual([]);
  });

  it("counts each byte that it carries, the first ones too", async () => {
    const egress = net.open(["registry.example:PORT"]);
    const socket = await net.raw(egress, `CONNECT ${at("registry.example")} HTTP/1.1\r\n\r\n`);
    await readUntil(socket, "\r\n\r\n");
    const before = socket.bytesRead + socket.bytesWritten;
    const tls = await net.secure(socket, "registry.example");
    tls.write(`GET / HTTP/1.1\r\nHost: ${at("registry.example")}\r\nConnection: close\r\n\r\n`);
    expect(await rest(tls)).toContain("hello");
    await expect
      .poll(() => egress.record().allowed[0]?.bytes)
      .toBe(socket.bytesRead + socket.bytesWritten - before);
  });

  it("blocks every other host, says which are allowed, and counts it", async () => {
    const egress = net.open(["registry.example:PORT"]);
    for (let times = 0; times < 3; times += 1) {
      const { status, body } = await net.ask(egress, "evil.example:443");
      expect(status).toBe(403);
      expect(body).toBe(
        `The host evil.example is blocked: the network policy of this run does not name it. This run may reach ${at("registry.example")}.\n`,
      );
    }
    expect(egress.record()).toEqual({
      allowed: [],
      blocked: [{ host: "evil.example", times: 3, reason: "not_allowed" }],
    });
    expect(net.asked).toEqual([]);
  });

  it("takes a star for every host below, and no other", async () => {
    const egress = net.open(["*.wild.example:PORT"]);
    expect(await net.get(egress, at("a.wild.example"))).toContain("hello");
    for (const host of ["wild.example", "notwild.example", "a.wild.example.evil.example", "*.wild.example"])
      expect((await net.ask(egress, at(host))).status, host).toBe(403);
  });

  it("takes a host in capitals and with the root's dot for the same host", async () => {
    const egress = net.open(["registry.example:PORT"]);
    expect(await net.get(egress, at("REGISTRY.example"), { servername: "registry.example" })).toContain(
      "hello",
    );
    expect(await net.get(egress, at("registry.example."), { servername: "registry.example" })).toContain(
      "hello",
    );
    expect(egress.record().allowed).toMatchObject([{ host: at("registry.example"), connections: 2 }]);
    expect((await net.ask(egress, at("registry.example.."))).status).toBe(403);
  });

  it("has no socket where the phase may reach nothing", async () => {
    const egress = net.open(["setup"]);
    expect(await egress.socket("agent")).toBeNull();
    expect(await egress.socket("setup")).not.toBeNull();
    expect(await net.open([]).socket("setup")).toBeNull();
  });

  it("is the same for a phase each time, alone in its folder, and gone with the run", async () => {
    const egress = net.open(["registry.example:PORT"]);
    const path = (await egress.socket("agent")) ?? "";
    expect(await egress.socket("agent")).toBe(path);
    expect(await readdir(dirname(path))).toEqual(["egress.sock"]);
    const held = await net.raw(egress, "CONN");
    const ended = new Promise((resolve) => held.once("close", resolve));
    await Promise.all([egress.close(), egress.close()]);
    await ended;
    await expect(access(dirname(path))).rejects.toThrow("ENOENT");
    await expect(egress.socket("agent")).rejects.toThrow("The run has ended");
  });

  it("ends what is under way with the run", async () => {
    net.respond = (_request, response) => void response.write("beginning");
    const egress = net.open(["registry.example:PORT"]);
    const socket = await net.raw(egress, `CONNECT ${at("registry.example")} HTTP/1.1\r\n\r\n`);
    await readUntil(socket, "\r\n\r\n");
    const tls = await net.secure(socket, "registry.example");
    tls.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await readUntil(tls, "beginning");
    const ended = new Promise((resolve) => tls.once("close", resolve));
    await egress.close();
    await ended;
  });

  it("keeps the policies of two runs apart", async () => {
    const one = net.open(["registry.example:PORT"]);
    const other = net.open(["other.example:PORT"]);
    expect(await net.get(one, at("registry.example"))).toContain("hello");
    expect(await net.get(other, at("other.example"))).toContain("hello");
    expect((await net.ask(one, at("other.example"))).status).toBe(403);
    expect((await net.ask(other, at("registry.example"))).status).toBe(403);
    expect(one.record().blocked).toMatchObject([{ host: at("other.example") }]);
  });
});

describe("what a run's proxy blocks, whatever the policy says", () => {
  it.each([
    "127.0.0.1",
    "169.254.169.254",
    "10.0.0.1",
    "8.8.8.8",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "0x7f.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[fd00:ec2::254]",
    "127.0.0.1.",
  ])("an address: %s", async (address) => {
    const egress = net.open(["*.example:PORT", "registry.example:PORT"]);
    const { status, body } = await net.ask(egress, at(address));
    expect([status, body]).toEqual([403, expect.stringContaining("hosts are reached by their names")]);
    expect(egress.record().blocked).toMatchObject([{ reason: "address", times: 1 }]);
    expect(net.asked).toEqual([]);
  });

  it.each([
    ["127.0.0.1"],
    ["169.254.169.254"],
    ["8.8.8.8", "10.0.0.1"],
    ["::ffff:127.0.0.1"],
    ["fe80::1%lo"],
    ["64:ff9b::7f00:1"],
    ["no address"],
  ])("a name with an address that is not public, one among others too: %s", async (...addresses) => {
    const egress = net.open(["registry.example:PORT"], { privateHosts: [] });
    net.names["registry.example"] = addresses;
    const { status, body } = await net.ask(egress, at("registry.example"));
    expect([status, body]).toEqual([403, expect.stringContaining("not on the public internet")]);
    expect(egress.record().blocked).toMatchObject([{ reason: "private_address" }]);
  });

  it("a name of the operator's network with an address outside of what the operator has named for it", async () => {
    const egress = net.open(["registry.example:PORT"]);
    net.names["registry.example"] = ["169.254.169.254"];
    expect((await net.ask(egress, at("registry.example"))).status).toBe(403);
    net.names["registry.example"] = ["127.0.0.1", "10.0.0.1"];
    expect((await net.ask(egress, at("registry.example"))).status).toBe(403);
  });

  it("a name whose address changes (DNS rebinding): it is resolved once, and connected to where it was checked", async () => {
    const answers = [["127.0.0.1"], ["169.254.169.254"], ["169.254.169.254"]];
    const asked: string[] = [];
    const egress = net.open(["registry.example:PORT"], {
      resolve: async (name) => {
        asked.push(name);
        return answers.shift() ?? [];
      },
    });
    expect(await net.get(egress, at("registry.example"))).toContain("hello");
    expect(asked).toEqual(["registry.example"]);
    expect((await net.ask(egress, at("registry.example"))).status).toBe(403);
  });

  it("other ports, which are named apart", async () => {
    const egress = net.open(["registry.example:PORT", "files.example"]);
    for (const authority of [
      "registry.example:22",
      "registry.example:443",
      "files.example:22",
      "files.example:80",
    ])
      expect(await net.ask(egress, authority)).toMatchObject({
        status: 403,
        body: expect.stringContaining("does not name this port"),
      });
    expect(egress.record().blocked.map(({ reason }) => reason)).toEqual(["port", "port", "port", "port"]);
  });

  it.each([
    ["", "no name"],
    ["evil.example", "another name"],
    ["a.registry.example", "a name below"],
  ])("TLS that names %j: %s", async (servername) => {
    const egress = net.open(["registry.example:PORT"]);
    await expect(net.get(egress, at("registry.example"), { servername })).rejects.toThrow();
    expect(net.arrived).toEqual([]);
    expect(egress.record()).toEqual({
      allowed: [],
      blocked: [{ host: at("registry.example"), times: 1, reason: "name_mismatch" }],
    });
  });

  it.each([
    "SSH-2.0-client\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\u0016\u0003\u0001\u0000\u0005hello",
  ])("what is no TLS: %j", async (text) => {
    const egress = net.open(["registry.example:PORT"]);
    const socket = await net.raw(egress, `CONNECT ${at("registry.example")} HTTP/1.1\r\n\r\n`);
    await readUntil(socket, "\r\n\r\n");
    socket.write(Buffer.from(text, "latin1"));
    expect(await rest(socket)).toBe("");
    expect(egress.record()).toMatchObject({ allowed: [], blocked: [{ reason: "not_tls" }] });
  });

  it("what is no TLS also where it is sent before the answer", async () => {
    const egress = net.open(["registry.example:PORT"]);
    const socket = await net.raw(
      egress,
      `CONNECT ${at("registry.example")} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
    );
    expect(await rest(socket)).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
    expect(egress.record()).toMatchObject({ allowed: [], blocked: [{ reason: "not_tls" }] });
  });

  it("plain http, with the words of what to do", async () => {
    const egress = net.open(["registry.example:PORT", "registry.example:80"]);
    const socket = await net.raw(
      egress,
      "GET http://registry.example/package HTTP/1.1\r\nHost: registry.example\r\n\r\n",
    );
    const answer = await rest(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain(
      "The request to registry.example:80 is blocked: it is not encrypted. Use https.",
    );
    expect(egress.record().blocked).toEqual([
      { host: "registry.example:80", times: 1, reason: "plain_http" },
    ]);
  });

  it.each([
    "GET / HTTP/1.1\r\nHost: registry.example\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n",
    "GET ws://registry.example/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\u0005\u0001\u0000",
    "CONNECT registry.example HTTP/1.1\r\n\r\n",
    "CONNECT user:pw@registry.example:443 HTTP/1.1\r\n\r\n",
    "CONNECT registry.example:443/path HTTP/1.1\r\n\r\n",
    "CONNECT https://registry.example:443 HTTP/1.1\r\n\r\n",
    "CONNECT registry.example:99999999 HTTP/1.1\r\n\r\n",
  ])("whatever is no CONNECT to a host and a port: %j", async (text) => {
    const egress = net.open(["registry.example:PORT"]);
    const socket = await net.raw(egress, Buffer.from(text, "latin1"));
    expect(await rest(socket)).toMatch(/^HTTP\/1\.1 (400|403) /);
    expect(egress.record().allowed).toEqual([]);
  });

  it.each(["régistry.example", "registry.example\u00a0", "xn--rgistry-bya.example", "registry_example"])(
    "a name that is another one, in whatever letters: %j",
    async (host) => {
      const egress = net.open(["registry.example:PORT"]);
      const { status } = await net.ask(egress, at(host));
      expect(status === 403 || status === 400).toBe(true);
      for (const { host: shown } of egress.record().blocked) expect(shown).toMatch(/^[a-z0-9.?:_-]+$/);
    },
  );

  it("headers that do not end", async () => {
    const egress = net.open(["registry.example:PORT"]);
    const { status } = await net.ask(egress, at("registry.example"), `X-Long: ${"a".repeat(10_000)}\r\n`);
    expect(status).toBe(431);
  });
});

describe("who keeps a run's proxy waiting", () => {
  const times = { headersMs: 200, helloMs: 200, idleMs: 200 };

  it.each(["", "CONNECT registry.exam", "CONNECT a:443 HTTP/1.1\r\nX: "])(
    "is hung up on: %j",
    async (text) => {
      const egress = net.open(["registry.example:PORT"], { times });
      const socket = await net.raw(egress, text);
      expect(await rest(socket)).toMatch(/^(HTTP\/1\.1 408 |$)/);
    },
  );

  it("is hung up on where its TLS does not begin, or does not go on", async () => {
    const egress = net.open(["registry.example:PORT"], { times });
    for (const text of ["", "\u0016\u0003\u0001\u0002"]) {
      const socket = await net.raw(egress, `CONNECT ${at("registry.example")} HTTP/1.1\r\n\r\n${text}`);
      expect(await rest(socket)).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
    }
  });

  it("is hung up on where nothing is said any more", async () => {
    net.respond = () => {};
    const egress = net.open(["registry.example:PORT"], { times });
    expect(await net.get(egress, at("registry.example"))).toBe("");
  });

  it("is not hung up on while anything is said, however long that takes", async () => {
    const answering = Promise.withResolvers<ServerResponse>();
    net.respond = (_request, response) => answering.resolve(response.writeHead(200));
    const egress = net.open(["registry.example:PORT"], {
      times: { headersMs: 60_000, helloMs: 60_000, idleMs: 1_000 },
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const socket = await net.raw(egress, `CONNECT ${at("registry.example")} HTTP/1.1\r\n\r\n`);
      await readUntil(socket, "\r\n\r\n");
      const tls = await net.secure(socket, "registry.example");
      tls.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const response = await answering.promise;
      for (const word of ["first", "second", "third"]) {
        vi.advanceTimersByTime(900);
        response.write(word);
        expect(await readUntil(tls, word)).toContain(word);
      }
      vi.advanceTimersByTime(1_001);
      expect(await rest(tls)).not.toContain("third");
    } finally {
      vi.useRealTimers();
    }
  });

  it("has its answer also where it has closed its own half", async () => {
    const egress = net.open(["registry.example:PORT"]);
    net.respond = (_request, response) => response.end("x".repeat(500_000));
    const socket = await net.raw(egress, `CONNECT ${at("registry.example")} HTTP/1.1\r\n\r\n`);
    await readUntil(socket, "\r\n\r\n");
    const tls = await net.secure(socket, "registry.example");
    tls.end("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect((await rest(tls)).length).toBeGreaterThan(500_000);
  });

  it("has so many connections at a time, and as many again once they are closed", async () => {
    const egress = net.open(["registry.example:PORT"]);
    const held = [];
    for (let count = 0; count < 64; count += 1) {
      const socket = await net.raw(egress, `CONNECT ${at("registry.example")} HTTP/1.1\r\n\r\n`);
      await readUntil(socket, "\r\n\r\n");
      held.push(socket);
    }
    expect(await net.ask(egress, at("registry.example"))).toMatchObject({
      status: 403,
      body: expect.stringContaining("this run has 64 already"),
    });
    for (const socket of held) socket.destroy();
    await expect.poll(() => net.get(egress, at("registry.example")).catch(() => "")).toContain("hello");
  });

  it("has so many bytes", async () => {
    net.respond = (_request, response) => response.end("x".repeat(500_000));
    const egress = net.open(["registry.example:PORT"], { maxBytes: 100_000 });
    expect((await net.get(egress, at("registry.example")).catch(() => "")).length).toBeLessThan(400_000);
    expect(await net.ask(egress, at("registry.example"))).toMatchObject({
      status: 403,
      body: expect.stringContaining("as much as it may"),
    });
    expect(egress.record().blocked).toMatchObject([{ reason: "too_many_bytes", times: 2 }]);
  });

  it("fills no memory with the names that it asks for", async () => {
    const egress = net.open(["registry.example:PORT"]);
    for (let count = 0; count < 120; count += 1) await net.ask(egress, `n${count}.evil.example:443`);
    const { blocked } = egress.record();
    expect(blocked).toHaveLength(101);
    expect(blocked.at(-1)).toEqual({ host: "other hosts", times: 20, reason: "not_allowed" });
  });
});

it("says that a host cannot be reached, and why", async () => {
  const egress = net.open(["registry.example:PORT", "files.example:1"]);
  net.names["registry.example"] = [];
  expect(await net.ask(egress, at("registry.example"))).toEqual({
    status: 502,
    body: `The host ${at("registry.example")} has no address.\n`,
  });
  expect(await net.ask(egress, "files.example:1")).toEqual({
    status: 502,
    body: "The host could not be reached (ECONNREFUSED).\n",
  });
  const failing = net.open(["registry.example:PORT"], {
    resolve: async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
  });
  expect((await net.ask(failing, at("registry.example"))).body).toContain(
    "could not be resolved (ENOTFOUND)",
  );
  expect(egress.record()).toEqual({ allowed: [], blocked: [] });
});
