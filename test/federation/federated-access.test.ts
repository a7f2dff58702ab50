// Access by a token that ends: one exchange at a time, each with a fresh ID token, renewed before its end.

import { describe, expect, it } from "vitest";
import type { SendExchange } from "../../src/federation/exchange-id-token.ts";
import { openFederatedAccess } from "../../src/federation/federated-access.ts";
import type { ModelFederation } from "../../src/federation/provider.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";

const federation: ModelFederation = {
  provider: "openai",
  identifiers: { identity_provider_id: "idp", service_account_id: "account" },
  audience: "https://api.openai.com/v1",
};

type Answer = { readonly status: number; readonly body?: unknown; readonly retryAfter?: string } | Error;

/** A token endpoint that answers in turn, the last answer again and again, and a job that mints. */
function open(answers: readonly Answer[], { idTokens }: { idTokens?: number } = {}) {
  const clock = instantClock();
  const sent: string[] = [];
  const secrets: string[] = [];
  const notices: string[] = [];
  let minted = 0;
  const send: SendExchange = async ({ body }) => {
    sent.push(JSON.parse(body).subject_token);
    const answer = answers[Math.min(sent.length, answers.length) - 1] ?? new Error("no answer");
    if (answer instanceof Error) throw answer;
    const headers = (name: string) => (name === "retry-after" ? answer.retryAfter : undefined);
    const body200 = { access_token: `access-token-${sent.length}`, expires_in: 600 };
    return { status: answer.status, headers, body: JSON.stringify(answer.body ?? body200) };
  };
  const lifetime = new AbortController();
  const access = openFederatedAccess({
    federation,
    mintIdToken: async (audience) => {
      minted = Math.min(minted + 1, idTokens ?? Number.POSITIVE_INFINITY);
      return `id-token-${minted} for ${audience}`;
    },
    send,
    clock,
    random: () => 0.5,
    onSecret: (secret) => secrets.push(secret),
    onRetry: ({ error }) => notices.push(error.message),
    signal: lifetime.signal,
  });
  return { access, clock, sent, secrets, notices, lifetime };
}

const ok: Answer = { status: 200 };
const minutes = (count: number) => count * 60_000;

describe("access by a token that ends", () => {
  it("exchanges at first use, once for all that ask at a time, and tells of each secret before", async () => {
    const { access, sent, secrets } = open([ok]);
    expect(sent).toEqual([]);
    const tokens = await Promise.all([access.token(), access.token(), access.token()]);
    expect(new Set(tokens)).toEqual(new Set(["access-token-1"]));
    expect(sent).toEqual([`id-token-1 for ${federation.audience}`]);
    expect(secrets).toEqual([sent[0], "access-token-1"]);
    expect(access.known()).toEqual(secrets);
  });

  it("renews two minutes before the end, with another ID token, and again", async () => {
    const { access, clock, sent } = open([ok]);
    expect(await access.token()).toBe("access-token-1");
    expect(access.renewalInMs()).toBe(minutes(8));
    await clock.sleep(minutes(8) - 1);
    expect(await access.token()).toBe("access-token-1");
    await clock.sleep(1);
    expect(await access.token()).toBe("access-token-2");
    await clock.sleep(minutes(9));
    expect(await access.token()).toBe("access-token-3");
    expect(new Set(sent).size).toBe(3);
  });

  it("renews a short life in its last third", async () => {
    const body = { access_token: "a-short-token", expires_in: 30 };
    const { access } = open([{ status: 200, body }]);
    await access.token();
    expect(access.renewalInMs()).toBe(20_000);
  });

  it("tries again with a fresh ID token where the endpoint is down, as long as it asks", async () => {
    const { access, clock, sent, notices } = open([
      new Error("ECONNRESET"),
      { status: 503, body: {}, retryAfter: "3" },
      ok,
    ]);
    expect(await access.token()).toBe("access-token-3");
    expect(new Set(sent).size).toBe(3);
    expect(clock.sleeps).toEqual([375, 3150]);
    expect(notices).toHaveLength(2);
  });

  it("gives up after four tries, and does not try a refusal again", async () => {
    const down = open([{ status: 500, body: {} }]);
    await expect(down.access.token()).rejects.toMatchObject({ code: "federation_unavailable" });
    expect(down.sent).toHaveLength(4);
    const refused = open([{ status: 401, body: { error: "invalid_grant" } }]);
    await expect(refused.access.token()).rejects.toMatchObject({ code: "federation_refused" });
    expect(refused.sent).toHaveLength(1);
  });

  it("bridges an outage with the token that it has, to its end", async () => {
    const { access, clock } = open([ok, { status: 500, body: {} }]);
    await access.token();
    await clock.sleep(minutes(8));
    expect(await access.token()).toBe("access-token-1");
    await clock.sleep(minutes(2));
    await expect(access.token()).rejects.toMatchObject({ code: "federation_unavailable" });
  });

  it("never sends an ID token twice", async () => {
    const { access, clock, sent } = open([ok], { idTokens: 1 });
    await access.token();
    await clock.sleep(minutes(9));
    expect(await access.token()).toBe("access-token-1");
    await clock.sleep(minutes(1));
    await expect(access.token()).rejects.toMatchObject({ code: "federation_token_used" });
    expect(sent).toHaveLength(1);
    const down = open([new Error("ECONNREFUSED")], { idTokens: 1 });
    await expect(down.access.token()).rejects.toMatchObject({ code: "federation_unreachable" });
    expect(down.sent).toHaveLength(1);
  });

  it("lets one who leaves go, and the exchange on for the others", async () => {
    const { access, sent } = open([ok]);
    const leaving = new AbortController();
    const left = access.token(leaving.signal);
    const stays = access.token();
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    expect(await stays).toBe("access-token-1");
    expect(sent).toHaveLength(1);
  });

  it("ends with its owner", async () => {
    const { access, lifetime } = open([{ status: 500, body: {} }]);
    lifetime.abort(new Error("over"));
    await expect(access.token()).rejects.toThrow("over");
  });
});
