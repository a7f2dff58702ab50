// Refusals to make or find a pin, and their problems. Pure.

import { invalidRequest, isoTime, notFound, type ProblemTable, type RefusalOf } from "../../ports/problem.ts";

export const retentionProblems = {
  pin_not_found: ({ pinId }: { pinId: string }) => notFound(`The workspace has no retention pin ${pinId}.`),
  pin_time_passed: ({ until, now }: { until: number; now: number }) =>
    invalidRequest(`"until" must not be in the past: it is ${isoTime(until)}, and now is ${isoTime(now)}.`),
} satisfies ProblemTable;

export type PinRefusal = RefusalOf<typeof retentionProblems>;
