// An MCP client in a browser, on a page of another origin, as the MCP Inspector is with a direct connection: by the protocol's own
// client, in a real browser that keeps to what the service says of other origins.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestKey } from "../../../support/account-key.ts";
import { openBrowser, type TestBrowser } from "../../../support/browser/open-browser.ts";
import { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { sqliteStore } from "../../../support/stores/stores.ts";

const PROGRAM = `
import { auth, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

globalThis.listTools = async ({ url, bearer }) => {
  const client = new Client({ name: "page", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { Authorization: "Bearer " + bearer } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
};

globalThis.startSignIn = async (url) => {
  const kept = {};
  const provider = {
    redirectUrl: location.origin + "/callback",
    clientMetadata: { client_name: "Page", redirect_uris: [location.origin + "/callback"] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => { kept.client = client; },
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: (page) => { kept.page = page.href; },
    saveCodeVerifier: () => {},
    codeVerifier: () => "",
  };
  const outcome = await auth(provider, { serverUrl: new URL("/mcp", url) });
  return [outcome, kept.page];
};
`;

describe("an MCP client on a page of another origin", { tags: ["chromium"] }, () => {
  let pages: Server;
  let fixture: ServiceFixture;
  let browser: TestBrowser;
  let bearer: string;
  let origin: string;

  beforeAll(async () => {
    const built = await build({
      stdin: { contents: PROGRAM, resolveDir: import.meta.dirname },
      bundle: true,
      format: "esm",
      platform: "browser",
      write: false,
      logLevel: "silent",
    });
    const script = built.outputFiles[0]?.text ?? "";
    pages = createServer(({ url }, response) => {
      const [type, body] =
        url === "/page.js"
          ? ["text/javascript", script]
          : ["text/html", `<script type="module" src="/page.js"></script>`];
      response.setHeader("content-type", type).end(body);
    }).listen(0, "127.0.0.1");
    await once(pages, "listening");
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    const place = await sqliteStore.make();
    bearer = (await makeTestKey(place, { owner: { plan: "subscribed" } })).secret;
    fixture = await ServiceFixture.start({
      store: { ...sqliteStore, make: async () => place },
      config: { corsOrigins: [origin] },
    });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    pages.closeAllConnections();
    pages.close();
    await fixture.close();
  });

  const open = async () => {
    const page = await browser.openPage();
    await page.goto(`${origin}/`);
    await page.waitForFunction("globalThis.startSignIn !== undefined");
    return page;
  };

  it("finds out how to sign in, and registers", async () => {
    const page = await open();
    const [outcome, where] = await page.evaluate<[string, string]>(
      `startSignIn(${JSON.stringify(fixture.url)})`,
    );
    expect([outcome, new URL(where).origin]).toEqual(["REDIRECT", fixture.url]);
  });

  it("connects, and calls what there is", async () => {
    const page = await open();
    const given = JSON.stringify({ url: fixture.url, bearer });
    expect(await page.evaluate(`listTools(${given})`)).toContain("list_agents");
  });
});
