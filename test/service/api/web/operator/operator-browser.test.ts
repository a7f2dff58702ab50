// The operator's pages in a real browser: registered with a passkey by a link, signed in and out with it, removed; by axe's rules in every
// look and by the keyboard alone.

import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestKey, operateOn, type TestKey } from "../../../../support/account-key.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import type { ServiceFixture } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { call } from "../../../../support/service-client.ts";

type Device = { readonly page: Page; readonly cdp: CDPSession; readonly authenticatorId: string };

const pages = [
  "/operator",
  "/operator/accounts",
  "/operator/repositories",
  "/operator/runs",
  "/operator/queue",
  "/operator/refusals",
  "/operator/audit",
  "/operator/settings",
];

describe("the operator's pages in a browser", { tags: ["chromium"] }, () => {
  let fixture: ServiceFixture;
  let browser: TestBrowser;
  let key: TestKey;

  beforeAll(async () => {
    // Browsers make no passkey for an IP address.
    fixture = await startFixture({ level: "service", config: { backend: "noop", host: "localhost" } });
    await fixture.stop();
    key = await makeTestKey(fixture.place);
    await fixture.restart();
    const { body } = await call(`${fixture.url}/v1/agents`, {
      method: "POST",
      bearer: key.secret,
      json: { name: "helper" },
    });
    const { id } = body as { readonly id: string };
    await call(`${fixture.url}/v1/agents/${id}/runs`, {
      method: "POST",
      bearer: key.secret,
      json: { message: "canaryMessage" },
    });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await fixture.close();
  });

  /** A browser with an authenticator of its own, whose person agrees once they touch it. */
  const openDevice = async (look: Parameters<TestBrowser["openPage"]>[0] = {}): Promise<Device> => {
    const page = await browser.openPage(look);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("WebAuthn.enable");
    const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return { page, cdp, authenticatorId };
  };
  const open = (page: Page, path: string) => page.goto(fixture.url + path);
  const at = (page: Page, path: string) => page.waitForURL(({ pathname }) => pathname === path);
  const linkPath = async () =>
    `/operator/link/${(await operateOn(fixture.place, (operator) => operator.makeOperatorLink())).token}`;
  const register = async ({ page }: Device, name: string): Promise<string> => {
    const path = await linkPath();
    await open(page, path);
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Register a passkey" }).click();
    await at(page, "/operator");
    return path;
  };

  it("are registered for by a link, once, and signed in to with the passkey from then on", async () => {
    const device = await openDevice();
    const { page } = device;
    const path = await register(device, "Ada, laptop");
    await page.getByText("Ada, laptop").waitFor();
    await open(page, path);
    await page.getByRole("heading", { name: "This link is not valid" }).waitFor();
    await open(page, "/operator");
    await page.getByRole("button", { name: "Sign out" }).click();
    await at(page, "/operator/sign-in");
    await open(page, "/operator/runs?state=completed");
    await at(page, "/operator/sign-in");
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await at(page, "/operator/runs");
    expect(new URL(page.url()).search).toBe("?state=completed");
    expect(await page.content()).not.toContain("canaryMessage");
    const [operator] = await fixture.place.query("select * from operators where name = 'Ada, laptop'");
    expect([Number(operator?.counter) > 1, operator?.last_used_at !== null]).toEqual([true, true]);
  });

  it("refuse a passkey of an account, one that was copied, and one of who was removed", async () => {
    const device = await openDevice();
    const { page, cdp, authenticatorId } = device;
    await open(page, "/sign-in?to=/settings/passkeys");
    await page.getByLabel("A key of your account").fill(key.secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await at(page, "/settings/passkeys");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("button", { name: /Remove passkey/ }).waitFor();
    const signIn = async () => {
      await open(page, "/operator/sign-in");
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await page.getByRole("alert").filter({ hasText: "no operator" }).waitFor();
    };
    await signIn();
    await cdp.send("WebAuthn.clearCredentials", { authenticatorId });
    await register(device, "Bob");
    const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
    const [credential] = credentials;
    if (credential === undefined) throw new Error("The authenticator has no passkey.");
    // The copy counts from the registration on, and the original has signed in since.
    await page.context().clearCookies();
    await open(page, "/operator/sign-in");
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await at(page, "/operator");
    await page.context().clearCookies();
    await cdp.send("WebAuthn.clearCredentials", { authenticatorId });
    await cdp.send("WebAuthn.addCredential", {
      authenticatorId,
      credential: { ...credential, signCount: 0 },
    });
    await signIn();
    await cdp.send("WebAuthn.clearCredentials", { authenticatorId });
    await register(device, "Cleo");
    const [removed] = await fixture.place.query("select id from operators where name = 'Cleo'");
    await operateOn(fixture.place, (operator) => operator.removeOperator(String(removed?.id)));
    await open(page, "/operator/audit");
    await at(page, "/operator/sign-in");
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByRole("alert").filter({ hasText: "no operator" }).waitFor();
  });

  it.each(looks)("are for everybody, in $colorScheme at $width, by the keyboard alone", async (look) => {
    const device = await openDevice(look);
    const { page } = device;
    await open(page, await linkPath());
    await expectAccessible(page);
    await page.getByLabel("Name").focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(`${look.colorScheme} at ${look.width}`);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await at(page, "/operator");
    const [account] = await fixture.place.query("select id from accounts");
    for (const path of [...pages, `/operator/accounts/${account?.id}`, "/operator/nothing"]) {
      await open(page, path);
      await expectAccessible(page);
    }
    await open(page, "/operator");
    // Past the link to the content and the name of the service.
    for (const _key of [1, 2, 3, 4]) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await at(page, "/operator/accounts");
    await page.locator("tbody a").first().focus();
    await page.keyboard.press("Enter");
    await at(page, `/operator/accounts/${account?.id}`);
    await open(page, "/operator/runs");
    await page.getByLabel("State").focus();
    await page.keyboard.press("End");
    await page.getByRole("button", { name: "Show" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(({ search }) => search.includes("state=cancelled"));
    await page.getByRole("button", { name: "Sign out" }).focus();
    await page.keyboard.press("Enter");
    await at(page, "/operator/sign-in");
    await page.getByRole("button", { name: "Use a passkey" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Use a passkey" }).focus();
    await page.keyboard.press("Enter");
    await at(page, "/operator");
  });

  it("leave nothing that the content policy refuses", () => {
    expect(browser.faults).toEqual([]);
  });
});
