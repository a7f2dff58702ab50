// The page of a run that is parked, and goes on, while a browser shows it: its owner's, and that of somebody with the link.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import { askPeople, type Parking, parkingOf } from "../../../../support/parking.ts";
import { RunPages } from "../../../../support/run-pages.ts";
import { say } from "../../../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

describe("the page of a parked run in a browser", { tags: ["chromium"] }, () => {
  let browser: TestBrowser;
  let parking: Parking;
  let pages: RunPages;
  let account: TestAccount;
  let secret: string;
  let mayAsk = Promise.withResolvers<void>();
  let mayEnd = Promise.withResolvers<void>();

  beforeAll(async () => {
    parking = await parkingOf(async (task, { continued }) => {
      if (continued === 0) {
        await say(task, "I look at both.");
        await mayAsk.promise;
        return await askPeople(task, "Which **one**?");
      }
      await mayEnd.promise;
      await say(task, "Done.");
      return { stopReason: "end_turn" };
    });
    [browser, pages] = await Promise.all([openBrowser(), RunPages.open(parking)]);
    account = await makeAccount(pages.fixture);
    ({ secret } = await signInTo(pages.fixture.core, account.id));
  });

  afterAll(async () => {
    await browser.close();
    await pages.close();
    await parking.remove();
  });

  const hold = () => {
    mayAsk = Promise.withResolvers<void>();
    mayEnd = Promise.withResolvers<void>();
  };
  const signedIn = async (look = {}): Promise<Page> => {
    const page = await browser.openPage(look);
    await page.context().addCookies([{ name: "session", value: secret, url: pages.url }]);
    return page;
  };
  const owned = async () => {
    const submitted = await pages.fixture.submitter.submit({
      caller: { kind: "account", accountId: account.id, callerClass: "owner", personId: null, role: "owner" },
      agentId: account.agent.id,
      body: { message: "go", may_park: true },
      idempotencyKey: null,
      canBeAnswered: true,
    });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    const { runId } = submitted.value;
    return { runId, path: `/agent/${account.agent.id}/runs/${runId}` };
  };
  /** What a reader sees, without what moves by itself. */
  const contents = async (page: Page) => [
    await page.title(),
    await page.locator("#verdict").textContent(),
    ...(await Promise.all(["parked", "reply"].map((id) => page.locator(`#${id}`).innerHTML()))),
    await page.locator("#entries > li").evaluateAll((entries) => entries.map((entry) => entry.outerHTML)),
  ];

  it("gets a form when the run is parked, and loses it when the run goes on", async () => {
    hold();
    const run = await owned();
    await pages.fixture.until(run.runId, ({ lastSeq }) => lastSeq >= 4);
    const page = await signedIn();
    await page.goto(pages.url + run.path);
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.title()).toBe("▶️ Running");
    mayAsk.resolve();
    await page.getByRole("button", { name: "the first" }).waitFor();
    await page.getByText("Parked. This page shows when it goes on").waitFor();
    expect(await page.title()).toBe("⏸️ Waits for an answer");
    expect(await page.locator("#run").getAttribute("data-tone")).toBe("warn");
    await expectAccessible(page);
    const drawn = await contents(page);
    const again = await signedIn();
    await again.goto(pages.url + run.path);
    await again.getByText("Parked. This page shows when it goes on").waitFor();
    expect(await contents(again)).toEqual(drawn);

    await again.getByLabel("Answer").fill("neither");
    await again.getByRole("button", { name: "Answer", exact: true }).click();
    await again.getByText("Live", { exact: true }).waitFor();
    // Nobody has loaded this one again.
    await page.getByText("The run was continued at turn 2. It was told: neither").waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.title()).toBe("▶️ Running");
    expect(await page.locator("#parked").innerHTML()).toBe("");
    mayEnd.resolve();
    for (const one of [page, again]) await one.getByText("The run has ended").waitFor();
    expect(browser.faults).toEqual([]);
  });

  it.each(looks)("has no fault in $colorScheme at $width, with its form and without it", async (look) => {
    hold();
    mayAsk.resolve();
    const run = await owned();
    await pages.fixture.until(run.runId, ({ parked }) => parked !== undefined);
    const page = await signedIn(look);
    await page.goto(pages.url + run.path);
    await page.getByLabel("Answer").waitFor();
    await expectAccessible(page);
    const submitted = await pages.fixture.trySubmit({ message: "go", may_park: true });
    const runId = submitted.ok ? submitted.value.runId : "";
    await pages.fixture.until(runId, ({ parked }) => parked !== undefined);
    const { path, token } = await pages.link(runId);
    const linked = await browser.openPage(look);
    await linked.goto(`${pages.url}${path}?view=${token}`);
    await linked.getByText("Waits for an answer").waitFor();
    expect(await linked.locator("#run form").count()).toBe(0);
    await expectAccessible(linked);
    expect(browser.faults).toEqual([]);
  });
});
