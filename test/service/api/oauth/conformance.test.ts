// The conformance suite's scenarios of authorization servers, driven without a browser: its address is opened, the owner
// allows it, and its callback is called.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../../support/service-client.ts";
import { signInTo } from "../../../support/web-sign-in.ts";
import { Browser, type OAuthFixture, openOAuthFixture } from "./oauth-fixture.ts";

const suite = join(import.meta.dirname, "../../../../node_modules/.bin/conformance");
const BEGIN = /http:\/\/\S+\/oauth\/authorize\?\S+/;

describe("the conformance suite", () => {
  let oauth: OAuthFixture;

  beforeAll(async () => {
    oauth = await openOAuthFixture();
    // The suite reaches the service where the service says that it is.
    Object.assign(oauth.fixture.core.policy, { baseUrl: oauth.api.url, webUrl: oauth.api.url });
  });

  afterAll(() => oauth.close());

  const run = async (more: readonly string[], open: (address: string) => Promise<void>) => {
    const options = ["authorization", "--url", oauth.api.url, ...more];
    const child = spawn(process.execPath, [suite, ...options], { stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    let isOpened = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        const address = BEGIN.exec(text)?.[0];
        if (address === undefined || isOpened || !text.slice(text.indexOf(address)).includes("\n")) return;
        isOpened = true;
        open(address).catch(() => child.kill());
      });
    }
    const [code] = await once(child, "close");
    return { code, text };
  };

  it("takes the metadata, and gets tokens by a code", async () => {
    const port = await freePort();
    const clientId = await oauth.register([`http://127.0.0.1:${port}/callback`]);
    const more = ["--client-id", clientId, "--resource", `${oauth.api.url}/mcp`, "-p", String(port)];
    const { code, text } = await run(more, async (address) => {
      const { cookie } = await signInTo(oauth.fixture.core, oauth.account.id);
      const browser = new Browser(oauth.api.url, oauth.api.url, cookie);
      const page = await browser.follow(await browser.get(address.slice(oauth.api.url.length)));
      const action = /action="(\/oauth\/consent\/[^"]+)"/.exec(page.text)?.[1] ?? "";
      const left = await browser.follow(await browser.post(action, { decision: "allow" }));
      await call(left.headers.get("location") ?? "");
    });
    expect([code, text]).toEqual([0, expect.stringContaining("Total: 3 passed, 0 failed")]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
