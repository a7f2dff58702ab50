import { afterEach, describe, expect, it } from "vitest";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import { gitChanges } from "../../../../src/service/executor/tools/git-changes.ts";
import { gitLog } from "../../../../src/service/executor/tools/git-log.ts";
import { folderCheckout } from "./folder-checkout.ts";

const signal = new AbortController().signal;
let opened: Checkout[] = [];
afterEach(async () => {
  for (const checkout of opened) await checkout.close();
  opened = [];
});

async function make(
  files: Record<string, string | Buffer>,
  parts: Partial<Checkout> = {},
): Promise<Checkout> {
  const checkout = { ...(await folderCheckout(files)), ...parts };
  opened.push(checkout);
  return checkout;
}

describe("git_log and git_changes", () => {
  it("list commits by day, and files by what became of them", async () => {
    const commit = { sha: "a".repeat(40), author: "Ada", at: Date.UTC(2024, 1, 29, 23, 59), subject: "leap" };
    const undated = { ...commit, at: Number.MAX_VALUE };
    const files = [{ path: "a b", status: "added", additions: 3, deletions: 0 } as const];
    const checkout = await make(
      {},
      {
        recentCommits: async () => [commit, undated],
        changesSinceBase: async () => ({ baseSha: "b0", files }),
      },
    );
    const log = await gitLog.run({}, { checkout, signal });
    expect(log.text).toBe("aaaaaaaaaaaa 2024-02-29 Ada: leap\naaaaaaaaaaaa unknown Ada: leap");
    const changes = await gitChanges.run({}, { checkout, signal });
    expect(changes.text).toBe("base b0, 1 files\nadded +3 -0 a b");
  });

  it("say when there is nothing", async () => {
    const checkout = await make({});
    expect((await gitLog.run({}, { checkout, signal })).text).toBe("[no commits in reach]");
    expect((await gitChanges.run({}, { checkout, signal })).text).toContain("[no base to compare with");
  });
});
