// The owner's decisions in a real browser: the pages are for everybody, and the answer reaches the application through the
// page's own policy.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../support/browser/open-browser.ts";
import { signInTo } from "../../../support/web-sign-in.ts";
import { authorizePath, makeProof, type OAuthFixture, openOAuthFixture } from "./oauth-fixture.ts";

describe("allowing an application with a browser", { tags: ["chromium"] }, () => {
  let oauth: OAuthFixture;
  let browser: TestBrowser;
  let application: Server;
  let redirect: string;

  beforeAll(async () => {
    oauth = await openOAuthFixture();
    Object.assign(oauth.fixture.core.policy, { baseUrl: oauth.api.url, webUrl: oauth.api.url });
    application = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end("<!doctype html><title>Back</title>");
    }).listen(0, "127.0.0.1");
    await once(application, "listening");
    redirect = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    application.closeAllConnections();
    application.close();
    await oauth.close();
  });

  const signIn = async (page: Page) => {
    const { secret } = await signInTo(oauth.fixture.core, oauth.account.id);
    await page.context().addCookies([{ name: "session", value: secret, url: oauth.api.url }]);
  };

  it.each(looks)(
    "is for everybody, and leads back to the application, in $colorScheme at $width",
    async (look) => {
      const page = await browser.openPage(look);
      await signIn(page);
      const clientId = await oauth.register([redirect]);
      const parameters = {
        client_id: clientId,
        code_challenge: makeProof().challenge,
        redirect_uri: redirect,
      };
      await page.goto(oauth.api.url + authorizePath(parameters));
      await expectAccessible(page);
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      await page.waitForURL((url) => url.href.startsWith(redirect));
      expect(new URL(page.url()).searchParams.get("code")).not.toBeNull();
      for (const path of [
        "/settings/apps",
        "/device",
        "/oauth/consent/nothing",
        "/oauth/authorize?client_id=x",
      ]) {
        await page.goto(oauth.api.url + path);
        await expectAccessible(page);
      }
      expect(browser.faults).toEqual([]);
    },
  );
});
