// Whose clock is wrong: the service's, this runner's or the token issuer's. Pure.

import type { DoctorCheck } from "../report/doctor-page.ts";
import type { TimedAnswer } from "./check-service.ts";
import { found, notTried } from "./examination.ts";

export const CLOCK_HEADING = { id: "clock", title: "Clocks" };

const WARNING_SECONDS = 30;
/** What a service allows between the clock of a token's issuer and its own. */
const TOLERANCE_SECONDS = 60;

/** `issuedAt`: when a token was issued just now, by its issuer's clock and by this runner's; null where none was. */
export function checkClock(
  answer: TimedAnswer,
  minted: { readonly issuedAt: number; readonly receivedAt: number } | null,
): DoctorCheck {
  const date = Date.parse(answer.date ?? "");
  if (Number.isNaN(date)) return notTried(CLOCK_HEADING, "the service's answer has no Date");
  // The header has whole seconds: what it stands for is on average half of one later.
  const skew = Math.round((date + 500 - (answer.sentAt + answer.receivedAt) / 2) / 1000);
  const issuerSkew = minted === null ? null : Math.round(minted.issuedAt - minted.receivedAt / 1000);
  const size = Math.abs(skew);
  return found(CLOCK_HEADING, {
    state: size > TOLERANCE_SECONDS ? "fault" : size > WARNING_SECONDS ? "warning" : "ok",
    found:
      size > WARNING_SECONDS
        ? `The service's clock is ${size} s ${skew > 0 ? "ahead of" : "behind"} this runner's; it takes tokens within ${TOLERANCE_SECONDS} s.`
        : "The service's clock and this runner's agree.",
    facts: {
      "the service's": offsetText(skew),
      "the token issuer's": issuerSkew === null ? null : offsetText(issuerSkew),
    },
    fixes: size > WARNING_SECONDS ? [{ text: fixFor(skew, issuerSkew) }] : [],
  });
}

function fixFor(skew: number, issuerSkew: number | null): string {
  if (issuerSkew === null) return "Set the clock that is wrong, the service's or this runner's, by NTP.";
  if (Math.abs(issuerSkew) <= WARNING_SECONDS) {
    return "The token's issuer agrees with this runner: the service's operator sets its clock by NTP.";
  }
  return Math.abs(skew - issuerSkew) <= WARNING_SECONDS
    ? "The token's issuer agrees with the service: set this runner's clock by NTP."
    : "Neither agrees with the token's issuer: set both clocks by NTP.";
}

function offsetText(seconds: number): string {
  if (seconds === 0) return "as this runner's";
  return `${Math.abs(seconds)} s ${seconds > 0 ? "ahead" : "behind"}`;
}
