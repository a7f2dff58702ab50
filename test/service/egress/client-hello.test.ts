import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { connect } from "node:tls";
import { describe, expect, it } from "vitest";
import { readClientHello } from "../../../src/service/egress/client-hello.ts";

/** The first message of Node's own TLS. */
async function helloOf(options: {
  servername?: string;
  maxVersion?: "TLSv1.2";
  ALPNProtocols?: string[];
}): Promise<Buffer> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const arrived = once(server, "connection");
  const client = connect({ port, host: "127.0.0.1", ...options });
  client.on("error", () => {});
  const [socket] = (await arrived) as [Socket];
  socket.on("error", () => {});
  const [bytes] = (await once(socket, "data")) as [Buffer];
  client.destroy();
  server.close();
  return bytes;
}

const sized = (bytes: 1 | 2 | 3, ...parts: readonly Buffer[]) => {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(bytes);
  length.writeUIntBE(content.length, 0, bytes);
  return Buffer.concat([length, content]);
};
const extension = (type: number, content: Buffer) =>
  Buffer.concat([Buffer.from([0, type]), sized(2, content)]);
const serverName = (...names: readonly string[]) =>
  extension(
    0,
    sized(
      2,
      ...names.map((name) => Buffer.concat([Buffer.from([0]), sized(2, Buffer.from(name, "latin1"))])),
    ),
  );
const record = (content: Buffer) => Buffer.concat([Buffer.from([22, 3, 1]), sized(2, content)]);

function message(extensions: Buffer | null): Buffer {
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    sized(1, Buffer.alloc(32)),
    sized(2, Buffer.from([0x13, 1])),
    sized(1, Buffer.from([0])),
    ...(extensions === null ? [] : [sized(2, extensions)]),
  ]);
  return Buffer.concat([Buffer.from([1]), sized(3, body)]);
}

describe("the server's name in a TLS client's first message", () => {
  it.each<{ servername?: string; maxVersion?: "TLSv1.2"; ALPNProtocols?: string[] }>([
    { servername: "registry.example" },
    { servername: "registry.example", maxVersion: "TLSv1.2" },
    { servername: "a.b-c.example", ALPNProtocols: ["h2", "http/1.1"] },
    {},
  ])("is read from Node's own: %j", async (options) => {
    const bytes = await helloOf(options);
    expect(readClientHello(bytes)).toEqual({ state: "complete", name: options.servername ?? null });
    for (let length = 0; length < bytes.length; length += 1)
      expect(readClientHello(bytes.subarray(0, length))).toEqual({ state: "incomplete" });
    // What follows in records of its own is not looked at.
    expect(readClientHello(Buffer.concat([bytes, Buffer.from("anything")])).state).toBe("complete");
  });

  it("is read from a message in many records", () => {
    const whole = message(serverName("registry.example"));
    for (const size of [1, 2, 3, 7, 50]) {
      const parts: Buffer[] = [];
      for (let at = 0; at < whole.length; at += size) parts.push(record(whole.subarray(at, at + size)));
      expect(readClientHello(Buffer.concat(parts))).toEqual({ state: "complete", name: "registry.example" });
    }
  });

  it.each<[string, Buffer]>([
    ["no TLS", Buffer.from("GET / HTTP/1.1\r\n")],
    ["SSLv2", Buffer.from([0x80, 0x2e, 1, 3, 1])],
    ["another version", Buffer.from([22, 2, 0, 0, 5])],
    ["an alert", Buffer.from([21, 3, 1, 0, 2, 1, 0])],
    ["an empty record", Buffer.from([22, 3, 1, 0, 0])],
    ["a record that is too long", Buffer.from([22, 3, 1, 0xff, 0xff])],
    ["another message", record(Buffer.from([2, 0, 0, 1, 0]))],
    ["a message that is too long", record(Buffer.from([1, 0xff, 0xff, 0xff]))],
    ["more in the record", record(Buffer.concat([message(serverName("a.example")), Buffer.from([0])]))],
    ["two names in one extension", record(message(serverName("a.example", "b.example")))],
    ["two extensions", record(message(Buffer.concat([serverName("a.example"), serverName("b.example")])))],
    ["no name in the extension", record(message(extension(0, sized(2))))],
    ["another kind of name", record(message(extension(0, sized(2, Buffer.from([1, 0, 1, 97])))))],
    ["more after the names", record(message(extension(0, Buffer.concat([sized(2), Buffer.from([0])]))))],
    ["an extension that is cut", record(message(Buffer.from([0, 0, 0, 9, 0])))],
    ["a body that is cut", record(Buffer.concat([Buffer.from([1]), sized(3, Buffer.from([3, 3]))]))],
    [
      "more than a message may have",
      Buffer.concat(Array.from({ length: 4000 }, () => record(Buffer.from([1])))),
    ],
  ])("is refused with %s", (_what, bytes) => {
    expect(readClientHello(bytes)).toEqual({ state: "malformed" });
  });

  it("is none where there are no extensions", () => {
    expect(readClientHello(record(message(null)))).toEqual({ state: "complete", name: null });
    expect(readClientHello(record(message(Buffer.alloc(0))))).toEqual({ state: "complete", name: null });
  });

  it("survives every change of one byte", () => {
    const whole = record(
      message(Buffer.concat([extension(43, Buffer.from([2, 3, 4])), serverName("registry.example")])),
    );
    for (let at = 0; at < whole.length; at += 1) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(whole);
        changed[at] = value;
        expect(["complete", "incomplete", "malformed"]).toContain(readClientHello(changed).state);
      }
    }
  });
});
