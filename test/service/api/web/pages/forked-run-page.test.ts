// The page of a run that can be forked: the links at its turns, and the form by which its owner alone makes a new run there.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RESUMED_EVENT } from "../../../../../src/contract/runs/run-event.ts";
import type { Rates } from "../../../../../src/service/core/money/rates.ts";
import type { Continuation } from "../../../../../src/service/core/runs/run-journal.ts";
import type { Backend } from "../../../../../src/service/executor/backend.ts";
import { defaultRates } from "../../../../../src/service/settings/default-rates.ts";
import { expectAccessible } from "../../../../support/browser/expect-accessible.ts";
import { looks, openBrowser } from "../../../../support/browser/open-browser.ts";
import { type Parking, parkingOf } from "../../../../support/parking.ts";
import { RunPages } from "../../../../support/run-pages.ts";
import { say } from "../../../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { expectSoundLedger } from "../../../../support/service-ledger.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const PAID_MODEL = "paid-model";
const [freeModel] = defaultRates.models;
const rates: Rates = {
  ...defaultRates,
  models: [freeModel, { ...freeModel, id: PAID_MODEL, isFreeTierEligible: false }],
};
const DAY_MS = 24 * 60 * 60 * 1000;

/** Three turns, of which each says its number. A fork begins at its own. */
const threeTurns: Backend = {
  name: "scripted",
  needsCheckout: true,
  keepsJournal: true,
  run: async (task) => {
    const entries = task.journal?.left?.entries ?? [];
    const forked = entries.findLast(({ kind }) => kind === "forked")?.body as Continuation | undefined;
    const first = forked === undefined ? 1 : entries.filter(({ kind }) => kind === "turn").length;
    if (forked !== undefined) {
      const { message, forkedFrom = "" } = forked;
      const value = { turn: first, after: "fork" as const, unknown_calls: [], forked_from: forkedFrom };
      await task.emit({
        type: "CUSTOM",
        name: RESUMED_EVENT,
        value: { ...value, ...(message === null ? {} : { message }) },
      });
    }
    if (forked !== undefined) await say(task, `Asked of ${task.model ?? "the agent's model"}.`);
    task.meter.count({ role: "executor", tokens: 100, microUsd: 10 });
    for (let turn = first; turn <= 3; turn += 1) {
      await task.journal?.keep({ kind: "turn", turn, body: { turn } });
      await say(task, `This is <turn> ${turn}.`);
    }
    return { stopReason: "end_turn" };
  },
};

describe("the page of a run that can be forked", () => {
  let parking: Parking;
  let pages: RunPages;
  let account: TestAccount;
  let cookie: string;
  let secret: string;

  beforeAll(async () => {
    parking = await parkingOf(async () => ({ stopReason: "end_turn" }));
    pages = await RunPages.open({
      ...parking,
      backend: threeTurns,
      rates,
      policy: { journalMs: 7 * DAY_MS },
    });
    account = await makeAccount(pages.fixture);
    ({ cookie, secret } = await signInTo(pages.fixture.core, account.id));
  });

  afterAll(async () => {
    await expectSoundLedger(pages.fixture.place);
    await pages.close();
    await parking.remove();
  });

  const ended = async () => {
    const submitted = await pages.fixture.submitter.submit({
      caller: { kind: "account", accountId: account.id, callerClass: "owner", personId: null, role: "owner" },
      agentId: account.agent.id,
      body: { message: "go" },
      idempotencyKey: null,
    });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    const { runId } = submitted.value;
    await pages.fixture.ended(runId);
    return { runId, path: `/agent/${account.agent.id}/runs/${runId}` };
  };
  const post = (path: string, form: Readonly<Record<string, string>>, headers = { cookie }) =>
    pages.get(path, { method: "POST", form, headers: { origin: pages.url, ...headers } });

  it("has a link at each turn, and makes a new run whose page says where it begins", async () => {
    const { path } = await ended();
    const { text } = await pages.get(path, { headers: { cookie } });
    for (const turn of [1, 2, 3]) {
      expect(text).toContain(`<a class="fork" href="${path}?fork=${turn}#fork"`);
      expect(text).toContain(`>Turn ${turn}: This is &lt;turn&gt; ${turn}.</option>`);
    }
    const chosen = (await pages.get(`${path}?fork=2`, { headers: { cookie } })).text;
    expect(chosen).toContain("<details open>");
    expect(chosen).toMatch(/<option value="2" selected/);

    const sent = await post(`${path}/fork`, { turn: "2", model: "", message: " Shorter. " });
    const next = sent.headers.get("location") ?? "";
    expect([sent.status, next]).toEqual([303, expect.not.stringContaining(path)]);
    await pages.fixture.ended(next.split("/").at(-1) ?? "");
    const forked = (await pages.get(next, { headers: { cookie } })).text;
    expect(forked).toContain("The run begins at turn 2 of another one. It was told: Shorter.");
    expect(forked).not.toContain("This is &lt;turn&gt; 1.");
    // Turns of the other run are not its own.
    expect(forked).toContain('<option value="3"');
    expect(forked).not.toContain('<option value="1"');
  });

  it("asks the model that was chosen, within the account's plan", async () => {
    const { path } = await ended();
    const sent = await post(`${path}/fork`, { turn: "1", model: freeModel.id });
    const next = sent.headers.get("location") ?? "";
    await pages.fixture.ended(next.split("/").at(-1) ?? "");
    expect((await pages.get(next, { headers: { cookie } })).text).toContain(`Asked of ${freeModel.id}.`);
    const refused = await post(`${path}/fork`, { turn: "1", model: PAID_MODEL });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("does not allow model")]);
  });

  it("says what hinders a fork, and has no form for whoever has the link alone", async () => {
    const { path } = await ended();
    const refused: readonly Readonly<Record<string, string>>[] = [
      { turn: "9" },
      { turn: "no" },
      { turn: "1", model: "none" },
    ];
    for (const form of refused) {
      const { status, text } = await post(`${path}/fork`, form);
      expect([status, text]).toEqual([409, expect.stringMatching(/role="alert">[^<]+</)]);
    }
    expect((await post(`${path}/fork`, { turn: "1" }, { cookie: "" })).headers.get("location")).toMatch(
      /^\/sign-in/,
    );
    const linked = await pages.link((await pages.fixture.submit()).toString());
    const shown = await pages.get(linked.path, { headers: { cookie: pages.viewCookie(linked) } });
    expect(shown.text).not.toContain("/fork");
  });

  it("is usable in a browser", { tags: ["chromium"] }, async () => {
    const browser = await openBrowser();
    try {
      const { path } = await ended();
      for (const look of looks) {
        const page = await browser.openPage(look);
        await page.context().addCookies([{ name: "session", value: secret, url: pages.url }]);
        await page.goto(pages.url + path);
        await page.getByRole("link", { name: "Fork at turn 2" }).click();
        await expect.poll(() => page.getByLabel("Begin at").inputValue()).toBe("2");
        await expectAccessible(page);
        await page.getByRole("button", { name: "Fork", exact: true }).click();
        await page.getByText("The run begins at turn 2 of another one.").first().waitFor();
        await page.close();
      }
    } finally {
      await browser.close();
    }
  });
});
