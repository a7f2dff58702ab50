// Whose clock is wrong: the service's, this runner's or the token issuer's. Pure.

import type { DoctorCheck } from "../report/doctor-page.ts";
import type { TimedAnswer } from "./check-service.ts";
import { found, notTried } from "./examination.ts";

export const CLOCK_HEADING = { id: "clock", title: "Clocks" };

const WARNING_SECONDS = 30;
/** The difference that a service allows between the clock of a token's issuer and its own. */
const TOLERANCE_SECONDS = 60;
/** A provider's tool may give a token that it has kept for some minutes: then its issuer only seems to be behind. */
const KEPT_SECONDS = 600;

/** When a token was issued just now: by its issuer's clock in seconds, by this runner's in milliseconds. */
export type IssuedToken = { readonly issuedAt: number; readonly receivedAt: number };

/** `answer` is null where no service is named, `minted` where no token was issued just now. */
export function checkClock(answer: TimedAnswer | null, minted: IssuedToken | null): DoctorCheck {
  const skew = answer === null ? null : skewOf(answer);
  if (answer !== null && skew === null) return notTried(CLOCK_HEADING, "the service's answer has no Date");
  const issuerSkew = minted === null ? null : Math.round(minted.issuedAt - minted.receivedAt / 1000);
  const isKept = issuerSkew !== null && issuerSkew < 0 && issuerSkew > -KEPT_SECONDS;
  const size = Math.max(Math.abs(skew ?? 0), isKept ? 0 : Math.abs(issuerSkew ?? 0));
  return found(CLOCK_HEADING, {
    state: size > TOLERANCE_SECONDS ? "fault" : size > WARNING_SECONDS ? "warning" : "ok",
    found: size > WARNING_SECONDS ? differenceText(skew, issuerSkew) : agreementText(skew),
    facts: {
      "the service's": skew === null ? null : offsetText(skew),
      "the token issuer's": issuerSkew === null ? null : offsetText(issuerSkew),
    },
    fixes: size > WARNING_SECONDS ? [{ text: fixFor(skew, issuerSkew) }] : [],
  });
}

/** In seconds, positive where the service is ahead of this runner. Null where it does not say. */
function skewOf({ date, sentAt, receivedAt }: TimedAnswer): number | null {
  const at = Date.parse(date ?? "");
  // The header has whole seconds: what it stands for is on average half of one later.
  return Number.isNaN(at) ? null : Math.round((at + 500 - (sentAt + receivedAt) / 2) / 1000);
}

function agreementText(skew: number | null): string {
  return skew === null
    ? "This runner's clock agrees with the token issuer's."
    : "The service's clock and this runner's agree.";
}

function differenceText(skew: number | null, issuerSkew: number | null): string {
  const takes = `a service takes tokens within ${TOLERANCE_SECONDS} s`;
  if (skew !== null && isOff(skew))
    return `The service's clock is ${ownOffset(skew)} this runner's; ${takes}.`;
  return `The token issuer's clock is ${ownOffset(issuerSkew ?? 0)} this runner's; ${takes}.`;
}

function isOff(seconds: number): boolean {
  return Math.abs(seconds) > WARNING_SECONDS;
}

function fixFor(skew: number | null, issuerSkew: number | null): string {
  if (skew === null) return "Set this runner's clock by NTP.";
  if (issuerSkew === null) return "Set the clock that is wrong, the service's or this runner's, by NTP.";
  if (!isOff(issuerSkew)) {
    return "The token's issuer agrees with this runner: the service's operator sets its clock by NTP.";
  }
  return isOff(skew - issuerSkew)
    ? "Neither agrees with the token's issuer: set both clocks by NTP."
    : "The token's issuer agrees with the service: set this runner's clock by NTP.";
}

function offsetText(seconds: number): string {
  if (seconds === 0) return "as this runner's";
  return `${amountText(seconds)} ${seconds > 0 ? "ahead" : "behind"}`;
}

function ownOffset(seconds: number): string {
  return `${amountText(seconds)} ${seconds > 0 ? "ahead of" : "behind"}`;
}

function amountText(seconds: number): string {
  const size = Math.abs(seconds);
  return size < 2 * SECONDS_A_DAY ? `${size} s` : `${Math.round(size / SECONDS_A_DAY)} days`;
}

const SECONDS_A_DAY = 24 * 60 * 60;
