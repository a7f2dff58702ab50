// What a job advises where the service is older and refuses a field: for each field that a submission may have, by both faces.

import { expect, it } from "vitest";
import { submitRunRequestSchema } from "../../src/contract/runs/run-requests.ts";
import { flagWords, inputWords, olderServiceText } from "../../src/report/older-service.ts";

const unknown = (...fields: string[]) => fields.map((field) => ({ field, reason: "unknown_field" }));

it("advises for each field", async () => {
  const lines = Object.keys(submitRunRequestSchema.shape).flatMap((field) => [
    `${field}\n  ${olderServiceText(unknown(field), inputWords)}\n  ${olderServiceText(unknown(field), flagWords)}\n`,
  ]);
  await expect(lines.join("")).toMatchFileSnapshot("./golden/older-service.txt");
});

it("names all fields, each advice once, and only what keeps all of them from being sent", () => {
  expect(olderServiceText(unknown("egress", "egress.allow", "setup"), inputWords)).toBe(
    'The service is older than this version of the Action: it does not know "egress", "egress.allow", "setup". Leave out the input "egress" and leave out the input "setup", or let its operator update it.',
  );
  expect(olderServiceText(unknown("egress", "message"), inputWords)).toBe(
    'The service is older than this version of the Action: it does not know "egress", "message". Let its operator update it.',
  );
});

it("says nothing of other refusals, and nothing untrue of a field that nobody here sends", () => {
  expect(olderServiceText([{ field: "message", reason: "too_long" }], inputWords)).toBeNull();
  expect(olderServiceText([], inputWords)).toBeNull();
  expect(olderServiceText(unknown("toString"), flagWords)).toBe(
    'The service is older than this version of the command: it does not know "toString". Let its operator update it.',
  );
});
