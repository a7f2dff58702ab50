import { expect, it } from "vitest";
import { listRunsQuerySchema } from "../../../../src/contract/runs/run-requests.ts";
import { decode } from "../../../../src/service/api/shared/decode.ts";

it("names every field that is wrong and what is allowed, and the first in its message", () => {
  const decoded = decode(listRunsQuerySchema, { limit: "many", session_key: "" }, "The query");
  expect(decoded).toMatchObject({
    ok: false,
    refusal: {
      status: 400,
      code: "invalid_request",
      message: expect.stringContaining('"session_key" is not valid: '),
      fields: {
        fields: [
          { field: "session_key", allowed: expect.any(String) },
          { field: "limit", allowed: "must be a whole number from 1 to 100" },
        ],
      },
    },
  });
});

it("says what it could not read where no field is to blame", () => {
  const decoded = decode(listRunsQuerySchema, null, "The query");
  expect(decoded).toMatchObject({ ok: false, refusal: { message: expect.stringMatching(/^The query is /) } });
});
