// Clients that are named by a document on the web: where it may be, what it may say, and that reading it reaches nothing else.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { selfSigned } from "../../../../fakes/self-signed.ts";
import { isPublicAddress } from "../../../../src/base/public-address.ts";
import { documentFetcher, publicDocuments } from "../../../../src/service/api/oauth/client-document.ts";
import {
  authorize,
  authorizePath,
  makeProof,
  type OAuthFixture,
  openOAuthFixture,
  redemption,
} from "./oauth-fixture.ts";

const HOST = "app.example.com";
const identity = selfSigned([HOST, "xn--cursr-4ve.example"]);
const PUBLIC = "93.184.216.34";

describe("a client's document", () => {
  let server: Server;
  let port: number;
  let asked: string[];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let oauth: OAuthFixture | undefined;

  beforeAll(async () => {
    server = createServer(identity, (request, response) => {
      asked.push(request.url ?? "");
      answer(request, response);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  });

  beforeEach(() => {
    asked = [];
    answer = (request, response) => response.end(JSON.stringify(documentAt(request.url ?? "")));
  });

  afterEach(async () => {
    await oauth?.close();
    oauth = undefined;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const idAt = (path: string) => `https://${HOST}:${port}${path}`;
  const documentAt = (path: string, more: object = {}) => ({
    client_id: idAt(path),
    client_name: "Editor",
    redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
    ...more,
  });
  /** The test's server as the public internet. */
  const reachable = { resolve: async () => ["127.0.0.1"], isAllowed: () => true, ca: identity.cert };
  const open = async () => {
    oauth = await openOAuthFixture({ documents: reachable });
    return oauth;
  };
  const begin = async (clientId: string) => {
    const { ask } = oauth ?? (await open());
    return await ask(authorizePath({ client_id: clientId, code_challenge: makeProof().challenge }));
  };

  it("names a client without registration, at any port of its loopback addresses", async () => {
    const { ask, browser } = await open();
    const clientId = idAt("/client.json");
    const authorized = await authorize(
      { browser: await browser() },
      { client_id: clientId, redirect_uri: "http://localhost:51234/callback" },
    );
    const form = { ...redemption(clientId, authorized), redirect_uri: "http://localhost:51234/callback" };
    expect((await ask("/oauth/token", { method: "POST", form })).status).toBe(200);
    expect(asked).toEqual(["/client.json"]);
  });

  it("is shown with the host that vouches for it, in ASCII, and loads nothing that it names", async () => {
    const { browser } = await open();
    answer = (_request, response) =>
      response.end(
        JSON.stringify({
          ...documentAt("/client.json"),
          client_id: `https://xn--cursr-4ve.example:${port}/client.json`,
          client_name: "Cursor\u202e <b>official</b>",
          logo_uri: "https://169.254.169.254/logo.png",
        }),
      );
    const someone = await browser();
    const clientId = `https://xn--cursr-4ve.example:${port}/client.json`;
    const started = await someone.get(
      authorizePath({ client_id: clientId, code_challenge: makeProof().challenge }),
    );
    const page = await someone.follow(started);
    expect(page.text).toContain("xn--cursr-4ve.example");
    expect(page.text).toContain("Cursor &lt;b&gt;official&lt;/b&gt;");
    expect(page.text).not.toMatch(/logo|\u202e/);
    expect(page.text).not.toContain("named itself");
    expect(asked).toEqual(["/client.json"]);
  });

  it.each([
    [
      "is of another client",
      (path: string) => JSON.stringify({ ...documentAt(path), client_id: idAt("/other") }),
    ],
    ["wants a secret", (path: string) => JSON.stringify({ ...documentAt(path), client_secret: "x" })],
    [
      "authenticates by a secret",
      (path: string) =>
        JSON.stringify({ ...documentAt(path), token_endpoint_auth_method: "client_secret_post" }),
    ],
    ["is no JSON", () => "<html>"],
    ["is an array", () => "[]"],
    ["is too large", (path: string) => JSON.stringify({ ...documentAt(path), more: "x".repeat(6_000) })],
    [
      "leads elsewhere",
      (path: string) => JSON.stringify(documentAt(path, { redirect_uris: ["http://evil.example/"] })),
    ],
  ])("is refused when it %s", async (_what, text) => {
    answer = (request, response) => response.end(text(request.url ?? ""));
    const refused = await begin(idAt("/client.json"));
    expect([refused.status, refused.headers.get("location")]).toEqual([400, null]);
  });

  it.each([
    "https://user@app.example.com/",
    "https://app.example.com;x/",
    "view-source:https://a.example/",
    "ws://a.example/",
  ])("is refused when it leads to %s", async (uri) => {
    answer = (request, response) =>
      response.end(
        JSON.stringify(documentAt(request.url ?? "", { redirect_uris: [uri, "http://127.0.0.1/"] })),
      );
    const { ask } = await open();
    const path = authorizePath({
      client_id: idAt("/client.json"),
      redirect_uri: "http://127.0.0.1/",
      code_challenge: makeProof().challenge,
    });
    const refused = await ask(path);
    expect([refused.status, refused.headers.get("location")]).toEqual([400, null]);
    expect(asked).toEqual(["/client.json"]);
  });

  it.each<[string, () => Promise<string>]>([
    [
      "refuses the connection",
      async () => {
        const gone = createServer(identity).listen(0, "127.0.0.1");
        await once(gone, "listening");
        const { port: free } = gone.address() as AddressInfo;
        gone.close();
        await once(gone, "close");
        return `https://${HOST}:${free}/client.json`;
      },
    ],
    ["has another's certificate", async () => `https://other.example:${port}/client.json`],
    [
      "breaks off",
      async () => {
        answer = (_request, response) => response.socket?.destroy();
        return idAt("/client.json");
      },
    ],
  ])("is refused, with an answer, where its host %s", async (_what, idOf) => {
    expect((await begin(await idOf())).status).toBe(400);
  });

  it("is not looked for where the host redirects to, nor in a body without end", async () => {
    answer = (request, response) => {
      if (request.url === "/client.json") response.writeHead(302, { location: "/real.json" }).end();
      else response.end(JSON.stringify(documentAt("/client.json")));
    };
    expect((await begin(idAt("/client.json"))).status).toBe(400);
    expect(new Set(asked)).toEqual(new Set(["/client.json"]));
    const closed = Promise.withResolvers<void>();
    answer = (_request, response) => {
      response.once("close", () => closed.resolve());
      const send = (): void => {
        if (!response.destroyed) response.write("x".repeat(4_096), () => send());
      };
      send();
    };
    expect((await begin(idAt("/endless.json"))).status).toBe(400);
    await closed.promise;
  });

  it("is asked for at the address that was checked, and at no private one", async () => {
    const names: string[] = [];
    const resolve = async (name: string) => {
      names.push(name);
      // The second answer would be another: DNS rebinding.
      return names.length === 1 ? [PUBLIC] : ["127.0.0.1"];
    };
    const connected: string[] = [];
    const isAllowed = (address: string) => {
      connected.push(address);
      return isPublicAddress(address) && address !== PUBLIC;
    };
    await expect(documentFetcher({ resolve, isAllowed })(idAt("/client.json"))).rejects.toThrow(/public/);
    expect([names, connected]).toEqual([[HOST], [PUBLIC]]);
    const mixed = documentFetcher({ resolve: async () => [PUBLIC, "10.0.0.1"], isAllowed: isPublicAddress });
    await expect(mixed(idAt("/client.json"))).rejects.toThrow(/public/);
    const fetchPublic = documentFetcher(publicDocuments);
    const hosts = [
      "127.0.0.1",
      "[::1]",
      "169.254.169.254",
      "[fd00::1]",
      "[::ffff:10.0.0.1]",
      "localhost",
      "10.1.2.3",
    ];
    for (const host of hosts) {
      await expect(fetchPublic(`https://${host}:${port}/client.json`)).rejects.toThrow(/public/);
    }
    await expect(fetchPublic(`http://${HOST}/client.json`)).rejects.toThrow(/https/);
    await expect(fetchPublic(`https://user:secret@${HOST}/client.json`)).rejects.toThrow(/credentials/);
    expect(asked).toEqual([]);
  });

  it("has an id that is an address without tricks", async () => {
    for (const id of [
      `http://${HOST}/client.json`,
      `https://${HOST}/a/../client.json`,
      `https://${HOST}/client.json#x`,
      `https://user@${HOST}/client.json`,
    ]) {
      expect([id, (await begin(id)).status]).toEqual([id, 400]);
    }
    expect(asked).toEqual([]);
  });

  it("is neither promised nor asked for where the operator reads none: applications register themselves", async () => {
    oauth = await openOAuthFixture({ documents: reachable, policy: { readsClientDocuments: false } });
    const metadata = await oauth.ask("/.well-known/oauth-authorization-server");
    expect(metadata.body).not.toHaveProperty("client_id_metadata_document_supported");
    expect(metadata.body).toHaveProperty("registration_endpoint");
    expect((await begin(idAt("/client.json"))).status).toBe(400);
    expect(asked).toEqual([]);
    const authorized = await authorize(
      { browser: await oauth.browser() },
      { client_id: await oauth.register() },
    );
    expect(authorized.location.searchParams.get("code")).not.toBeNull();
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ["has another's certificate", async () => `https://other.example:${port}/client.json`, /other\.example/],
    [
      "refuses it",
      async () => {
        answer = (_request, response) => response.writeHead(403).end();
        return idAt("/client.json");
      },
      /app\.example\.com.*"status":403/,
    ],
  ])("is named in the log and on the page where its host %s", async (_what, idOf, logged) => {
    const { fixture } = await open();
    const refused = await begin(await idOf());
    const [line] = fixture.logs.filter((entry) => entry.includes("OAUTH_CLIENT_DOCUMENTS=off"));
    expect(line).toMatch(/^warn/);
    expect(line).toMatch(logged);
    expect(refused.text).toMatch(/whoever runs this service/);
  });
});
