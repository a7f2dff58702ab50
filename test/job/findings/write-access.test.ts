// Whose reply counts for a decline: that of a person with write access, and nobody else's.

import { describe, expect, it } from "vitest";
import { CodeHostError } from "../../../src/job/code-host/code-host-error.ts";
import type { ReviewsReader } from "../../../src/job/findings/reviews-host.ts";
import { hasWriteAccess } from "../../../src/job/findings/standing-findings.ts";

const asked: unknown[] = [];

function hostThat(answer: () => Promise<boolean>): ReviewsReader {
  const reader: Pick<ReviewsReader, "hasWriteAccess"> = {
    hasWriteAccess: async (account) => {
      asked.push(account);
      return await answer();
    },
  };
  return reader as ReviewsReader;
}

const reply = { login: "maintainer", accountId: 7, isBot: false, body: "Won't fix." };

describe("who wrote a reply", () => {
  it.each([true, false])("has write access where the code host says so: %s", async (answer) => {
    asked.length = 0;
    expect(
      await hasWriteAccess(
        hostThat(async () => answer),
        reply,
      ),
    ).toBe(answer);
    expect(asked).toEqual([{ login: "maintainer", databaseId: 7 }]);
  });

  it.each([
    ["an account that is gone", { login: null }],
    ["a bot", { isBot: true }],
  ])("has none as %s, whatever the code host would say", async (_who, change) => {
    asked.length = 0;
    expect(
      await hasWriteAccess(
        hostThat(async () => true),
        { ...reply, ...change },
      ),
    ).toBe(false);
    expect(asked).toEqual([]);
  });

  it("has none where the code host does not answer; another error is not hidden", async () => {
    const fields = { status: 503, detail: "", cause: null };
    const away = new CodeHostError("code_host_unavailable", "It is away.", fields);
    expect(
      await hasWriteAccess(
        hostThat(() => Promise.reject(away)),
        reply,
      ),
    ).toBe(false);
    const other = new TypeError("A fault of the program.");
    await expect(
      hasWriteAccess(
        hostThat(() => Promise.reject(other)),
        reply,
      ),
    ).rejects.toBe(other);
  });
});
