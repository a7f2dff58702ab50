// Passkeys in a real browser, with Chromium's virtual authenticator: added, used, suggested, copied, removed.

import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTestKey, type TestKey } from "../../../../support/account-key.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import type { ServiceFixture } from "../../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";

type Device = { readonly page: Page; readonly cdp: CDPSession; readonly authenticatorId: string };

describe("passkeys in a browser", { tags: ["chromium"] }, () => {
  let fixture: ServiceFixture;
  let browser: TestBrowser;
  let key: TestKey;

  beforeAll(async () => {
    // Browsers make no passkey for an IP address.
    fixture = await startFixture({ level: "service", config: { backend: "noop", host: "localhost" } });
    await fixture.stop();
    key = await makeTestKey(fixture.place);
    await fixture.restart();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await fixture.close();
  });

  /** A browser with an authenticator of its own, whose person always agrees. */
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
        automaticPresenceSimulation: false,
      },
    });
    return { page, cdp, authenticatorId };
  };
  /** Its person touches it. */
  const touch = async ({ cdp, authenticatorId }: Device, enabled = true) =>
    await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
  const open = (page: Page, path: string) => page.goto(fixture.url + path);
  const at = (page: Page, path: string) => page.waitForURL(({ pathname }) => pathname === path);
  const signInByKey = async (page: Page) => {
    await open(page, "/sign-in?to=/settings/passkeys");
    await page.getByLabel("A key of your account").fill(key.secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await at(page, "/settings/passkeys");
  };
  const addPasskey = async (device: Device, name: string) => {
    await signInByKey(device.page);
    await touch(device);
    await device.page.getByLabel("Name").fill(name);
    await device.page.getByRole("button", { name: "Add passkey" }).click();
    await device.page.getByText(name, { exact: true }).waitFor();
  };
  const signOut = async (page: Page) => {
    await page.getByRole("button", { name: "Sign out" }).click();
    await at(page, "/sign-in");
  };
  const passkeys = () => fixture.place.query("select * from passkeys order by created_at, name");

  it("are added, and sign in from then on", async () => {
    const device = await openDevice();
    const { page } = device;
    // A browser that suggests nothing by itself.
    await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
    await addPasskey(device, "the laptop");
    await expectAccessible(page);
    const [added] = await passkeys();
    expect(added).toMatchObject({
      person_id: expect.any(String),
      name: "the laptop",
      transports: '["internal"]',
    });
    await open(page, "/settings/sessions");
    await signOut(page);
    await open(page, "/sign-in?to=/settings/sessions");
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await at(page, "/settings/sessions");
    expect(await page.getByText("by passkey").count()).toBeGreaterThan(0);
    const [used] = await passkeys();
    expect(Number(used?.counter)).toBeGreaterThan(Number(added?.counter));
  });

  it("are suggested by the browser where somebody signs in", async () => {
    const device = await openDevice();
    await addPasskey(device, "suggested");
    // The page that follows the signing out would be answered, too. A request that meets an untouched authenticator
    // is not answered later, so the page that asks is opened once its person touches it.
    await touch(device, false);
    await signOut(device.page);
    await device.page.goto("about:blank");
    await touch(device);
    await open(device.page, "/sign-in?to=/settings/keys");
    await at(device.page, "/settings/keys");
  });

  it("are refused once they were copied: their counter does not go up", async () => {
    const device = await openDevice();
    await addPasskey(device, "copied");
    const { cdp, authenticatorId, page } = device;
    const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
    const [credential] = credentials;
    if (credential === undefined) throw new Error("The authenticator has no passkey.");
    await page.context().clearCookies();
    await open(page, "/sign-in?to=/settings/keys");
    await at(page, "/settings/keys");
    await page.context().clearCookies();
    await cdp.send("WebAuthn.clearCredentials", { authenticatorId });
    await cdp.send("WebAuthn.addCredential", {
      authenticatorId,
      credential: { ...credential, signCount: 0 },
    });
    await open(page, "/sign-in");
    await page.getByRole("alert").filter({ hasText: "not registered here" }).waitFor();
  });

  it("are one a device, and sign nobody in once they are removed", async () => {
    const device = await openDevice();
    const { page } = device;
    await addPasskey(device, "twice");
    await page.getByRole("button", { name: "Add passkey" }).click();
    expect(await page.getByRole("alert").innerText()).toContain("has a passkey of this account already");
    await page.getByRole("button", { name: "Remove passkey twice" }).click();
    await page.getByText("twice", { exact: true }).waitFor({ state: "detached" });
    await page.context().clearCookies();
    await open(page, "/sign-in");
    await page.getByRole("alert").filter({ hasText: "not registered here" }).waitFor();
  });

  it.each(looks)("have a page for everybody, in $colorScheme at $width", async (look) => {
    const { page } = await openDevice(look);
    await signInByKey(page);
    await expectAccessible(page);
    await page.context().clearCookies();
    await open(page, "/sign-in");
    await page.getByRole("button", { name: "Use a passkey" }).waitFor();
    await expectAccessible(page);
  });

  it("leave nothing that the content policy refuses", () => {
    expect(browser.faults).toEqual([]);
  });
});
