import { describe, expect, it } from "vitest";
import { checkClock } from "../../src/doctor/check-clock.ts";

const NOW = Date.parse("2026-03-09T10:00:00.500Z");

/** `service` and `issuer` are seconds ahead of the runner. */
function check(service: number, issuer: number | null) {
  const date = new Date(NOW + service * 1000).toUTCString();
  const minted = issuer === null ? null : { issuedAt: NOW / 1000 + issuer, receivedAt: NOW };
  return checkClock({ date, sentAt: NOW, receivedAt: NOW }, minted);
}

describe("the clocks", () => {
  it.each([
    [0, "ok"],
    [30, "ok"],
    [-30, "ok"],
    [31, "warning"],
    [60, "warning"],
    [61, "fault"],
    [-61, "fault"],
  ])("%d s apart are %s", (seconds, state) => {
    expect(check(seconds, null).state).toBe(state);
  });

  it.each([
    [90, 0, "The token's issuer agrees with this runner: the service's operator sets its clock by NTP."],
    [90, 88, "The token's issuer agrees with the service: set this runner's clock by NTP."],
    [90, -90, "Neither agrees with the token's issuer: set both clocks by NTP."],
    [0, 104_551_486, "Neither agrees with the token's issuer: set both clocks by NTP."],
    [90, null, "Set the clock that is wrong, the service's or this runner's, by NTP."],
  ])("are judged by the issuer's: %d and %s", (service, issuer, text) => {
    expect(check(service, issuer).fixes).toEqual([{ text }]);
  });

  it.each([
    [31, "warning"],
    [-599, "ok"],
    [-600, "fault"],
    [104_551_486, "fault"],
  ])("are judged by a token's issuer that is %d s off, though service and runner agree", (issuer, state) => {
    const found = check(0, issuer);
    expect(found.state).toBe(state);
    const text = /^The token issuer's clock is (31 s ahead of|600 s behind|1210 days ahead of) this/;
    if (state !== "ok") expect(found.found).toMatch(text);
  });

  it("are compared with the issuer's alone where there is no service", () => {
    const of = (issuer: number) => checkClock(null, { issuedAt: NOW / 1000 + issuer, receivedAt: NOW });
    expect(of(0)).toMatchObject({
      state: "ok",
      found: "This runner's clock agrees with the token issuer's.",
    });
    expect(of(104_551_486)).toMatchObject({
      state: "fault",
      fixes: [{ text: "Set this runner's clock by NTP." }],
    });
  });

  it("allow for half of the way", () => {
    const date = new Date(NOW).toUTCString();
    const found = checkClock({ date, sentAt: NOW - 9_000, receivedAt: NOW + 9_000 }, null);
    expect(found.facts).toEqual([{ name: "the service's", value: "as this runner's" }]);
  });

  it("are not compared where the service does not say", () => {
    expect(checkClock({ date: null, sentAt: NOW, receivedAt: NOW }, null).state).toBe("skipped");
  });
});
