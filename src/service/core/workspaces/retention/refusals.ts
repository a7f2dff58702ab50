// Why a pin is not made or not found, and what its caller is told. Pure.

import { invalidRequest, isoTime, notFound, type ProblemsOf } from "../../ports/problem.ts";

export type PinRefusal =
  | { readonly reason: "pin_not_found"; readonly pinId: string }
  | { readonly reason: "pin_time_passed"; readonly until: number; readonly now: number };

export const retentionProblems: ProblemsOf<PinRefusal> = {
  pin_not_found: ({ pinId }) => notFound(`The workspace has no retention pin ${pinId}.`),
  pin_time_passed: ({ until, now }) =>
    invalidRequest(`"until" must not be in the past: it is ${isoTime(until)}, and now is ${isoTime(now)}.`),
};
