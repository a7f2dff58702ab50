import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { type AddressInfo, BlockList } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { selfSigned } from "../../../../fakes/self-signed.ts";
import { isPublicAddress } from "../../../../src/base/public-address.ts";
import { readHostEntry } from "../../../../src/contract/egress.ts";
import type { RunEgress } from "../../../../src/service/core/egress/run-egress.ts";
import { openRunEgress } from "../../../../src/service/egress/run-egress.ts";
import type { PageAccess } from "../../../../src/service/executor/tools/fetch-page.ts";
import { fetchUrlTool } from "../../../../src/service/executor/tools/fetch-url.ts";
import { folderCheckout } from "./folder-checkout.ts";

const identity = selfSigned(["docs.example.com", "other.example.com", "localhost"]);
const checkout = await folderCheckout({});
let server: Server;
let port: number;
let requests: string[];
let respond: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer(identity, (request, response) => {
    requests.push(`${request.headers.host}${request.url}`);
    respond(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  requests = [];
  respond = (_request, response) => response.setHeader("content-type", "text/plain").end("hello");
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await checkout.close();
});

type Changes = Partial<Omit<PageAccess, "egress">> & {
  readonly allow?: readonly string[];
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** No host may have an address of this machine. */
  readonly isGuarded?: boolean;
};

/** The server as the public internet: names resolve to it, and it may be connected to. */
function accessWith(changes: Changes): PageAccess {
  const { allow, resolve = async () => ["127.0.0.1"], isGuarded = false, ...more } = changes;
  const hosts = allow ?? [`docs.example.com:${port}`, `other.example.com:${port}`];
  const agent = hosts.map(readHostEntry).filter((host) => host !== null);
  const addresses = new BlockList();
  addresses.addSubnet("127.0.0.0", 8, "ipv4");
  const privateHosts = isGuarded ? [] : agent.map(({ name }) => ({ name, addresses }));
  const folders = { make: () => Promise.reject(new Error("No socket is needed.")), remove: async () => {} };
  const rules = { setup: agent, agent };
  egress = openRunEgress({ rules, privateHosts, maxBytes: 1_000_000_000, resolve, folders });
  return { egress, ca: identity.cert, ...more };
}

/** Of the latest access. */
let egress: RunEgress;

const fetch = (path: string, changes: Changes = {}, signal = new AbortController().signal) => {
  const url = path.startsWith("/") ? `https://docs.example.com:${port}${path}` : path;
  return fetchUrlTool(accessWith(changes)).run({ url }, { checkout, signal });
};

function answer(type: string, body: string | Buffer, headers: Record<string, string> = {}): void {
  respond = (_request, response) => response.writeHead(200, { "content-type": type, ...headers }).end(body);
}

describe("fetch_url", () => {
  it("fetches a text from an allowed host, without credentials", async () => {
    let headers: IncomingMessage["headers"] = {};
    respond = (request, response) => {
      headers = request.headers;
      response.setHeader("content-type", "text/plain; charset=latin1").end(Buffer.from([0x68, 0xe9, 0]));
    };
    expect((await fetch("/a?b=c#d")).text).toBe(`[https://docs.example.com:${port}/a?b=c#d]\nhé\ufffd`);
    expect(requests).toEqual([`docs.example.com:${port}/a?b=c`]);
    expect(Object.keys(headers).toSorted()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
  });

  it("reduces HTML to what it says", async () => {
    answer("text/HTML; charset=utf-8", "<title>T</title><script>x</script><p>one<p>two");
    expect((await fetch("/")).text).toMatch(/\]\nT\n\none\ntwo$/);
  });

  it("cuts a page that is too long, and does not read on", async () => {
    respond = (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const more = (): void => {
        while (response.write("x".repeat(100_000)));
        response.once("drain", more);
      };
      more();
    };
    const { value, text } = await fetch("/");
    expect(value.text).toHaveLength(2_000_000);
    expect(text).toMatch(
      /x\n\[characters 1 to 28000 of 2000000; next part: offset 28001\]\n\[cut: these are the first 2000000 bytes\]$/,
    );
  });

  it.each([
    ["image/png", {}, 'it is "image/png"'],
    ["", {}, 'it is ""'],
    ["text/plain", { "content-encoding": "gzip" }, "it is encoded by gzip"],
  ])("refuses what is no text: %s", async (type, headers, words) => {
    answer(type, "x", headers);
    await expect(fetch("/")).rejects.toThrow(words);
  });

  it("says what the host answered, when it is no page", async () => {
    respond = (_request, response) => response.writeHead(404).end("nothing");
    await expect(fetch("/")).rejects.toThrow(`The host docs.example.com:${port} answered with 404.`);
  });

  it("says that the host cannot be asked, or does not answer in time", async () => {
    await expect(fetch("/", { ca: selfSigned(["docs.example.com"]).cert })).rejects.toThrow(
      /could not be asked \(/,
    );
    const failing = async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    await expect(fetch("/", { resolve: failing })).rejects.toThrow("could not be resolved (ENOTFOUND)");
    respond = () => {};
    await expect(fetch("/", { timeoutMs: 100 })).rejects.toThrow("did not answer within 0.1 s");
    const never = () => new Promise<never>(() => {});
    await expect(fetch("/", { resolve: never, timeoutMs: 100 })).rejects.toThrow(
      "did not answer within 0.1 s",
    );
  });

  it("ends with the run", async () => {
    const run = new AbortController();
    respond = () => run.abort(new Error("cancelled"));
    await expect(fetch("/", {}, run.signal)).rejects.toThrow("cancelled");
  });
});

describe("what fetch_url refuses before anything is sent", () => {
  it.each([
    ["http://docs.example.com/", "only https:// is fetched"],
    ["http://127.0.0.1/", "only https:// is fetched"],
    ["file:///etc/passwd", "only https:// is fetched"],
    ["https://user:pw@docs.example.com/", "it must not hold credentials"],
    ["https://docs.example.com/", "does not name this port. This run may reach docs.example.com:"],
    ["https://docs.example.com.:443/", "does not name this port"],
    ["https://evil.com/?docs.example.com", "does not name it"],
    ["https://127.0.0.1/", "hosts are reached by their names"],
    ["no url", "The url is none"],
    ["", "The input of fetch_url is wrong"],
  ])("%j", async (url, words) => {
    const { signal } = new AbortController();
    await expect(fetchUrlTool(accessWith({})).run({ url }, { checkout, signal })).rejects.toThrow(words);
    expect(requests).toEqual([]);
  });

  it("shows no credentials in what it says", async () => {
    await expect(fetch("https://user:s3cret@docs.example.com/")).rejects.not.toThrow("s3cret");
  });

  it("any name with an address that is not public, one among others too", async () => {
    const words = "it has an address that is not on the public internet";
    for (const addresses of [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::ffff:127.0.0.1"], ["no address"]]) {
      await expect(fetch("/", { isGuarded: true, resolve: async () => addresses })).rejects.toThrow(words);
    }
    await expect(fetch("/", { resolve: async () => [] })).rejects.toThrow("has no address");
    await expect(
      fetch(`https://localhost:${port}/`, { isGuarded: true, allow: [`localhost:${port}`] }),
    ).rejects.toThrow(words);
    for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "[::1]"]) {
      await expect(fetch(`https://${host}:${port}/`)).rejects.toThrow("hosts are reached by their names");
    }
    expect(requests).toEqual([]);
  });

  it("takes a star for every host below, and no other", async () => {
    const access = { allow: ["*.example.com"], resolve: async () => [] };
    await expect(fetch("https://a.b.example.com/", access)).rejects.toThrow("has no address");
    for (const host of ["example.com", "notexample.com", "a.example.com.evil.com", "a.example.com:444"]) {
      await expect(fetch(`https://${host}/`, access)).rejects.toThrow(
        "is blocked: the network policy of this run does not name",
      );
    }
  });
});

describe("a name whose address changes (DNS rebinding)", () => {
  it("is asked once, and connected to where it was vetted", async () => {
    const answers = [["127.0.0.1"], ["169.254.169.254"]];
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return answers.shift() ?? [];
    };
    expect((await fetch("/", { resolve })).text).toContain("hello");
    expect(asked).toEqual(["docs.example.com"]);
  });

  it("is vetted again at a redirect", async () => {
    respond = (_request, response) => response.writeHead(302, { location: "/next" }).end();
    const answers = [["127.0.0.1"], ["169.254.169.254"]];
    const fetched = fetch("/", {
      resolve: async () => answers.shift() ?? [],
    });
    await expect(fetched).rejects.toThrow("not on the public internet");
    expect(requests).toHaveLength(1);
  });
});

describe("a redirect", () => {
  it.each([200, 201, 304, 404])("is none with status %d, whatever Location says", async (status) => {
    respond = (_request, response) => {
      response
        .writeHead(status, { location: "/next", "content-type": "text/plain" })
        .end(status === 304 ? "" : "here");
    };
    const fetched = await fetch("/", {}).then(
      ({ text }) => text,
      (cause: Error) => cause.message,
    );
    expect(fetched).toContain(status === 200 ? "here" : `answered with ${status}`);
    expect(requests).toHaveLength(1);
  });

  const redirect = (location: (path: string) => string | null) => {
    respond = (request, response) => {
      const to = location(request.url ?? "");
      if (to === null) response.setHeader("content-type", "text/plain").end("there");
      else response.writeHead(301, { location: to }).end("moved");
    };
  };

  it("is followed to an allowed host, three times at most", async () => {
    redirect((path) =>
      path === "/3" ? null : `https://other.example.com:${port}/${Number(path.slice(1)) + 1}`,
    );
    expect((await fetch("/0")).text).toBe(`[https://other.example.com:${port}/3]\nthere`);
    redirect(() => "/again");
    await expect(fetch("/")).rejects.toThrow("redirects more than 3 times");
  });

  it.each([
    ["https://evil.com/", "redirects there. The host"],
    ["http://docs.example.com/", "redirects there, and only https:// is fetched"],
    ["//169.254.169.254/latest", "redirects there. The address"],
    ["https://a:b@docs.example.com/", "redirects there, and it must not hold credentials"],
    ["https://", "The url is none"],
  ])("to %s is refused", async (location, words) => {
    redirect(() => location);
    await expect(fetch("/")).rejects.toThrow(words);
    expect(requests).toHaveLength(1);
  });
});

describe("isPublicAddress", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "192.0.1.1",
    "2606:4700:4700::1111",
    "2a00::1",
  ])("takes %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.9.9.9",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "168.63.129.16",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:8.8.8.8",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2606:4700::1%1",
    "localhost",
    "8.8.8",
    "0x8.8.8.8",
    "",
  ])("does not take %j", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
