import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  balanceInCredits,
  chargeInCredits,
  EARNED,
  freeCreditsAccount,
  freeCreditsResetAt,
  GRANTS,
  grantInMicroUsd,
  HELD,
  isBillingAccount,
  RUN_FEE_MICRO_USD,
} from "../../../../src/service/core/money/ledger.ts";

describe("the peg of 120 credits a dollar", () => {
  it("makes a grant of n credits pay for n runs, no more and no fewer", () => {
    fc.assert(
      fc.property(fc.nat({ max: 24_000 }), (credits) => {
        let balance = grantInMicroUsd(credits);
        expect(Math.floor(balance / RUN_FEE_MICRO_USD)).toBe(credits);
        expect(balanceInCredits(balance)).toBe(credits);
        balance -= RUN_FEE_MICRO_USD * Math.min(credits, 100);
        expect(balanceInCredits(balance)).toBe(credits - Math.min(credits, 100));
      }),
    );
  });

  it("calls the fee one credit, and a dollar 120", () => {
    expect(RUN_FEE_MICRO_USD).toBe(8333);
    expect([chargeInCredits(RUN_FEE_MICRO_USD), chargeInCredits(1_000_000), chargeInCredits(0)]).toEqual([
      1, 120, 0,
    ]);
  });
});

describe("the account of an owner's free credits", () => {
  const owner = { issuer: "https://issuer.example", ownerId: "7" };

  it("is a month's, by UTC", () => {
    const before = freeCreditsAccount(owner, Date.parse("2026-12-31T23:59:59.999Z"));
    const after = freeCreditsAccount(owner, Date.parse("2027-01-01T00:00:00.000Z"));
    expect([before, after]).toEqual([
      "free:https://issuer.example:7:2026-12",
      "free:https://issuer.example:7:2027-01",
    ]);
    expect(freeCreditsResetAt(Date.parse("2026-12-31T23:59:59.999Z"))).toBe(
      Date.parse("2027-01-01T00:00:00Z"),
    );
  });

  it("may not fall below zero, unlike the service's own", () => {
    expect(isBillingAccount(freeCreditsAccount(owner, 0))).toBe(true);
    expect([GRANTS, HELD, EARNED].some(isBillingAccount)).toBe(false);
  });
});
