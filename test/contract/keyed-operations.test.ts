// Idempotency keys of every operation that takes one, on every store: where a key may be, which one wins, and that a repeated
// request gives the same thing and says so.
// Why: docs/decisions/123-one-reader-of-idempotency-keys.md

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantCredits } from "../../src/service/core/accounts/keys.ts";
import { CheckoutFixture, REPOSITORY } from "../service/checkouts/checkout-fixture.ts";
import { ClaimFixture } from "../support/fixtures/claim-fixture.ts";
import { type Fields, KeyedWorld, keyedCases, routesById } from "../support/keyed-operations.ts";
import { makeAccount } from "../support/service-account.ts";
import type { Answer } from "../support/service-client.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

it("has a case for every operation that takes a key, and for no other", () => {
  const keyed = [...routesById.values()].filter(({ repeat }) => repeat === "keyed");
  const ids = keyed.map(({ operationId }) => operationId).sort();
  expect([...new Set(keyedCases.map(({ operationId }) => operationId))].sort()).toEqual(ids);
});

onEveryStore((kind) => {
  let world: KeyedWorld;
  let fixture: ClaimFixture;
  let git: CheckoutFixture;

  beforeAll(async () => {
    git = await CheckoutFixture.make();
    const sha = git.repository.commit({ files: { "README.md": "Hello\n" } });
    fixture = await ClaimFixture.start(kind, {
      checkouts: git.provider(),
      freeCredits: 1_000,
      keepsJournals: true,
    });
    const account = await makeAccount(fixture.core, "subscribed");
    await grantCredits(fixture.core.core, { accountId: account.id, credits: 100_000 });
    const job = { repository: REPOSITORY, sha, cloneUrl: `${git.server.url}/${REPOSITORY}.git` };
    world = new KeyedWorld({ fixture, account, job });
  });

  afterAll(async () => {
    await fixture.api.close();
    await git.close();
  });

  describe.each(keyedCases)("$operationId (header: $header)", (one) => {
    const { operationId, prepare, header, isOnce = false } = one;
    const opened = async () => {
      const { params, asked, other } = await prepare(world);
      const send = async (json: Record<string, unknown>, headers: Fields = {}) =>
        await world.answer(operationId, { params, json, headers });
      const unique = crypto.randomUUID();
      const named = (name: string) => `${name} ${unique}`;
      return { asked, other, send, named, key: (name: string) => ({ "idempotency-key": named(name) }) };
    };

    it("does each request without a key", async () => {
      const { asked, send } = await opened();
      const first = await send(asked);
      if (header === "needed") return expectCode(first, 400, "invalid_request");
      expectNew(first);
      const second = await send(asked);
      if (isOnce) return expect([second.status, replayOf(second)]).toEqual([409, null]);
      expectNew(second);
      expect(idOf(second)).not.toBe(idOf(first));
    });

    it("refuses an empty header that no key of the body stands in for", async () => {
      const { asked, send } = await opened();
      expectCode(await send(asked, EMPTY), 400, "invalid_request");
    });

    it("does what the header's key names once, and says so of each repetition", async () => {
      const { asked, other, send, key } = await opened();
      const first = await send(asked, key("in-header"));
      expectNew(first);
      for (let times = 0; times < 2; times += 1) expectReplay(await send(asked, key("in-header")), first);
      expectCode(await send(other, key("in-header")), 422, "idempotency_key_reused");
    });

    if (header === undefined) {
      it("takes the body's key where the header has none", async () => {
        const { asked, other, send, key, named } = await opened();
        const keyed = { ...asked, idempotency_key: named("in-body") };
        const first = await send(keyed);
        expectNew(first);
        expectReplay(await send(keyed), first);
        expectReplay(await send(keyed, EMPTY), first);
        expectReplay(await send(asked, key("in-body")), first);
        expectCode(
          await send({ ...other, idempotency_key: named("in-body") }),
          422,
          "idempotency_key_reused",
        );
      });

      it("takes the header's key before the body's", async () => {
        const { asked, send, key, named } = await opened();
        const first = await send({ ...asked, idempotency_key: named("body") }, key("header"));
        expectNew(first);
        expectReplay(await send({ ...asked, idempotency_key: named("another") }, key("header")), first);
        const byBody = await send({ ...asked, idempotency_key: named("header") }, key("body"));
        if (isOnce) return expect([byBody.status, replayOf(byBody)]).toEqual([409, null]);
        expectNew(byBody);
      });
    } else {
      it("refuses a key in the body", async () => {
        const { asked, send, named } = await opened();
        expectCode(await send({ ...asked, idempotency_key: named("in-body") }), 400, "invalid_request");
      });
    }
  });
});

const EMPTY = { "idempotency-key": "" };
const replayOf = ({ headers }: Answer) => headers.get("x-svc-idempotent-replay");

function idOf({ body }: Answer): unknown {
  const { id, run_id } = body as Fields;
  return run_id ?? id;
}

function expectNew(answer: Answer): void {
  expect(answer.status, answer.text).toBeLessThan(300);
  expect(replayOf(answer)).toBeNull();
}

function expectReplay(answer: Answer, first: Answer): void {
  expect(answer.status, answer.text).toBeLessThan(300);
  expect([idOf(answer), replayOf(answer)]).toEqual([idOf(first), "true"]);
}

function expectCode(answer: Answer, status: number, code: string): void {
  expect([answer.status, (answer.body as Fields).code], answer.text).toEqual([status, code]);
}
