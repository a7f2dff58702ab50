import { describe, expect, it } from "vitest";
import { createCapability } from "../../src/action/capability.ts";
import type { CiJob } from "../../src/ci/provider.ts";
import { exchangeResponseSchema } from "../../src/contract/exchange.ts";
import { exchangeBody } from "../client/run-fixtures.ts";

function open() {
  const order: string[] = [];
  let minted = 0;
  const capability = createCapability({
    provider: {
      job: {} as CiJob,
      mintIdToken: async (audience) => `id-token-${++minted}-for-${audience}`,
    },
    audience: "agents.example.com",
    account: "acme",
    exchange: async ({ subjectToken, account }) => {
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
  it("masks each token before it is used or told of", async () => {
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
});
