import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAccount } from "../../../../src/service/core/accounts/keys.ts";
import { readCredits } from "../../../../src/service/core/accounts/read-credits.ts";
import { monthsAfter } from "../../../../src/service/core/accounts/subscription-machine.ts";
import {
  endPlan,
  findCurrentAccount,
  type PlanOrder,
  renewDueAccounts,
  setPlan,
} from "../../../../src/service/core/accounts/subscriptions.ts";
import { accountWallet, balanceInCredits } from "../../../../src/service/core/money/ledger.ts";
import { decodeRates } from "../../../../src/service/settings/rates-file.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { ratesDocument } from "../../../support/rates-document.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const MONTHLY = 2600;
const FIRST = 3;

onEveryStore((kind) => {
  describe("a subscription", () => {
    let fixture: CoreFixture;
    let accountId: string;

    const order = (change: Partial<PlanOrder> = {}): PlanOrder => {
      return { accountId, sku: "monthly", status: "active", cancelAtPeriodEnd: false, ...change };
    };
    const read = async () => {
      const caller = {
        kind: "account",
        accountId,
        callerClass: "owner",
        personId: null,
        role: "owner",
      } as const;
      const credits = await readCredits(fixture.core, { caller, userId: accountId });
      if (!credits.ok) throw new Error(credits.refusal.reason);
      return credits.value;
    };
    const balance = async () =>
      balanceInCredits((await fixture.store.committed.ledger.findBalance(accountWallet(accountId))) ?? 0);
    const toNextPeriod = async () => {
      const account = await fixture.store.committed.accounts.find(accountId);
      fixture.clock.advance((account?.subscription?.periodEnd ?? 0) - fixture.clock.now());
    };

    beforeEach(async () => {
      const rates = decodeRates(ratesDocument());
      if (!rates.ok) throw new Error(rates.refusal.join("\n"));
      fixture = await startFixture({ level: "core", store: kind, rates: rates.value });
      accountId = (await openAccount(fixture.core, "registered_free")).id;
    });

    afterEach(() => fixture.close());

    it("begins with its credits, and is what the account's plan is from then on", async () => {
      expect((await setPlan(fixture.core, order())).ok).toBe(true);
      expect(await read()).toMatchObject({
        balance: FIRST + MONTHLY,
        audience: "subscribed",
        active_plan: {
          sku: "monthly",
          monthly_credits: MONTHLY,
          status: "active",
          current_period_end: new Date(monthsAfter(fixture.clock.now(), 1)).toISOString(),
          cancel_at_period_end: false,
        },
      });
    });

    it("that is set again gives nothing again", async () => {
      await setPlan(fixture.core, order());
      await setPlan(fixture.core, order({ cancelAtPeriodEnd: true }));
      expect(await read()).toMatchObject({
        balance: FIRST + MONTHLY,
        active_plan: { cancel_at_period_end: true },
      });
    });

    it("gives each period's credits once, however many look at once", async () => {
      await setPlan(fixture.core, order());
      await toNextPeriod();
      expect(await balance()).toBe(FIRST + MONTHLY);
      await Promise.all([
        ...Array.from({ length: 10 }, () => findCurrentAccount(fixture.core, accountId)),
        ...Array.from({ length: 10 }, () => renewDueAccounts(fixture.core)),
      ]);
      expect(await balance()).toBe(FIRST + 2 * MONTHLY);
      await expectSoundLedger(fixture.place);
    });

    it("grants the credits of periods without a request", async () => {
      await setPlan(fixture.core, order());
      fixture.clock.advance(100 * 24 * 60 * 60_000);
      await renewDueAccounts(fixture.core);
      expect(await balance()).toBe(FIRST + 4 * MONTHLY);
    });

    it("is renewed by a run that is submitted first", async () => {
      const { agentId } = (await fixture.caller()).capability;
      await fixture.store.transact((tx) => tx.agents.update(agentId, { accountId }));
      await setPlan(fixture.core, order());
      await toNextPeriod();
      await fixture.submit();
      expect(await balance()).toBe(FIRST + 2 * MONTHLY - 1);
    });

    it.each([
      ["cancelled at its period's end", { cancelAtPeriodEnd: true }],
      ["past due", { status: "past_due" }],
    ] as const)("that is %s ends there, and the account is free", async (_, change) => {
      await setPlan(fixture.core, order(change));
      expect((await read()).audience).toBe("subscribed");
      await toNextPeriod();
      const credits = { active_plan: null, audience: "registered_free", balance: FIRST + MONTHLY };
      expect(await read()).toMatchObject(credits);
      expect(await fixture.store.committed.accounts.listDue({ now: fixture.clock.now(), limit: 9 })).toEqual(
        [],
      );
    });

    it("ends at once when it is asked to, and leaves the credits", async () => {
      await setPlan(fixture.core, order());
      expect((await endPlan(fixture.core, accountId)).ok).toBe(true);
      const credits = { active_plan: null, audience: "registered_free", balance: FIRST + MONTHLY };
      expect(await read()).toMatchObject(credits);
      expect(await endPlan(fixture.core, accountId)).toMatchObject({
        refusal: { reason: "plan_not_subscribed" },
      });
    });

    it("is one of the rates, of an account that there is", async () => {
      expect(await setPlan(fixture.core, order({ sku: "gold" }))).toMatchObject({
        refusal: { reason: "sku_unknown" },
      });
      expect(await setPlan(fixture.core, order({ accountId: "nobody" }))).toMatchObject({
        refusal: { reason: "account_not_found" },
      });
    });
  });
});

describe("a month later", () => {
  it.each([
    ["2026-01-31T10:00:00.001Z", 1, "2026-02-28T10:00:00.001Z"],
    ["2026-01-31T10:00:00.001Z", 2, "2026-03-31T10:00:00.001Z"],
    ["2027-12-31T23:59:59.999Z", 2, "2028-02-29T23:59:59.999Z"],
    ["2026-11-15T00:00:00.000Z", 14, "2028-01-15T00:00:00.000Z"],
  ])("than %s, %i times, is %s", (start, months, end) => {
    expect(new Date(monthsAfter(Date.parse(start), months)).toISOString()).toBe(end);
  });
});
