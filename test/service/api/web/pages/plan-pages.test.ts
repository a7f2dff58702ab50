// What an account and the operator read of its plan and its credits, where the rates sell any.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endPlan, setPlan } from "../../../../../src/service/core/accounts/subscriptions.ts";
import { decodeRates } from "../../../../../src/service/settings/rates-file.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { signInOperator } from "../../../../support/operators.ts";
import { tablesOf } from "../../../../support/page-tables.ts";
import { ratesDocument } from "../../../../support/rates-document.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { call } from "../../../../support/service-client.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const LOW = "There are few credits left. Runs end once there are none.";

describe("the pages about a plan", () => {
  let core: CoreFixture;
  let api: HttpApi;
  let account: TestAccount;

  beforeAll(async () => {
    const rates = decodeRates(ratesDocument());
    if (!rates.ok) throw new Error(rates.refusal.join("\n"));
    core = await startFixture({
      level: "core",
      rates: rates.value,
      policy: { webUrl: "http://localhost" },
    });
    api = await openHttpApi(core);
    account = await makeAccount(core);
  });

  afterAll(() => api.close());

  const textOf = (html: string) => html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  const creditsPage = async () => {
    const { cookie } = await signInTo(core.core, account.id);
    return (await call(`${api.url}/settings/credits`, { headers: { cookie } })).text;
  };
  const operatorPlan = async () => {
    const { cookie } = await signInOperator(core.core);
    const page = await call(`${api.url}/operator/accounts`, { headers: { cookie } });
    const row = new RegExp(`<tr><td><a href="/operator/accounts/${account.id}">.*?</tr>`, "s").exec(
      page.text,
    );
    return [...(row?.[0] ?? "").matchAll(/<td[^>]*>(.*?)<\/td>/gs)][2]?.[1];
  };
  const order = (changes: Partial<Parameters<typeof setPlan>[1]> = {}) =>
    setPlan(core.core, {
      accountId: account.id,
      sku: "monthly",
      status: "active",
      cancelAtPeriodEnd: false,
      ...changes,
    });

  it("say what is sold, and that few credits are left", async () => {
    const page = await creditsPage();
    expect(textOf(page)).toMatch(/Balance 3 credits Plan free/);
    expect(textOf(page)).toContain(LOW);
    expect(textOf(page)).toContain("Plans Name Credits US dollars monthly 2,600 a month 20.00");
    expect(textOf(page)).toContain("Credit packs Name Credits US dollars small 600 5.00");
    expect(tablesOf(page).map(({ head, widths }) => [head.length, widths])).toEqual([
      [3, [3]],
      [3, [3]],
    ]);
    expect(await operatorPlan()).toBe("free");
  });

  it("say of a subscription when it renews, or ends", async () => {
    const begun = await order();
    if (!begun.ok) expect.unreachable(begun.refusal.reason);
    const day = new Date(begun.value.subscription?.periodEnd ?? 0).toISOString().slice(0, 10);
    const page = textOf(await creditsPage());
    expect(page).toContain(`Balance 2,603 credits Plan monthly, 2,600 credits a month, renews on ${day}`);
    expect(page).not.toContain(LOW);
    expect(await operatorPlan()).toBe(`monthly, 2600 credits a month, active, renews on ${day}`);

    await order({ cancelAtPeriodEnd: true });
    expect(textOf(await creditsPage())).toContain(`a month, ends on ${day}`);
    expect(await operatorPlan()).toBe(`monthly, 2600 credits a month, active, ends on ${day}`);
    await order({ status: "past_due" });
    expect(textOf(await creditsPage())).toContain(`a month, ends on ${day}`);
    expect(await operatorPlan()).toBe(`monthly, 2600 credits a month, past_due, ends on ${day}`);

    expect(await endPlan(core.core, account.id)).toMatchObject({ ok: true });
    expect(await operatorPlan()).toMatch(
      /^monthly, 2600 credits a month, cancelled, ends on \d{4}-\d\d-\d\d$/,
    );
  });
});
