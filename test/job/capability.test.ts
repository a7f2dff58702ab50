import { describe, expect, it } from "vitest";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { createCapability } from "../../src/job/capability.ts";
import { exchangeBody } from "../client/run-fixtures.ts";

function open(tokens: { tokenLimit?: number; moreTokens?: string } = {}) {
  const order: string[] = [];
  let minted = 0;
  const capability = createCapability({
    provider: {
      ...tokens,
      mintIdToken: async (audience) => `id-token-${++minted}-for-${audience}`,
    },
    audience: "agents.example.com",
    account: "acme",
    sha: "a".repeat(40),
    exchange: async ({ subjectToken, account, sha }) => {
      expect(sha).toBe("a".repeat(40));
      order.push(`exchange ${await subjectToken()} ${account}`);
      return exchangeResponseSchema.parse({ ...exchangeBody, access_token: `capability-${minted}` });
    },
    setSecret: (secret) => {
      order.push(`mask ${secret}`);
    },
    onGrant: (grant) => {
      order.push(`grant ${grant.access_token}`);
    },
  });
  return { capability, order };
}

describe("capability", () => {
  it("masks each token before its first use", async () => {
    const { capability, order } = open();
    expect(capability.token()).toBeNull();
    await capability.grant();
    expect(capability.token()).toBe("capability-1");
    expect(order).toEqual([
      "mask id-token-1-for-agents.example.com",
      "exchange id-token-1-for-agents.example.com acme",
      "mask capability-1",
      "grant capability-1",
    ]);
  });

  it("mints and exchanges once for two refreshes at once, and again for a later one", async () => {
    const { capability, order } = open();
    await Promise.all([capability.refresh(), capability.refresh()]);
    expect(capability.token()).toBe("capability-1");
    await capability.refresh();
    expect(capability.token()).toBe("capability-2");
    expect(order.filter((line) => line.startsWith("exchange"))).toHaveLength(2);
  });

  it("stops at the job's token limit, and says how to get more tokens", async () => {
    const { capability, order } = open({ tokenLimit: 2, moreTokens: "Give it a third." });
    await capability.grant();
    await capability.refresh();
    await expect(capability.refresh()).rejects.toMatchObject({
      code: "id_tokens_used_up",
      message:
        "The job cannot prove itself any more: its 2 ID tokens are used up, and the run goes on without it. Give it a third.",
    });
    expect(order.filter((line) => line.startsWith("exchange"))).toHaveLength(2);
  });

  it("rejects with the provider's error where there is no token at all", async () => {
    const { capability } = open({ tokenLimit: 0 });
    await expect(capability.grant()).resolves.toMatchObject({ access_token: "capability-1" });
  });
});
