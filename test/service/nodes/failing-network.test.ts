// Nodes whose network to PostgreSQL falls silent: nothing is reset, and nobody is told.

import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.ts";
import { healthSchema } from "../../../src/contract/operation.ts";
import { isTerminal } from "../../../src/contract/runs/run.ts";
import { accountWallet } from "../../../src/service/core/money/ledger.ts";
import { openPostgresStore } from "../../../src/service/store/postgres.ts";
import { makeTestKey, operateOn } from "../../support/account-key.ts";
import type { Node, NodesFixture } from "../../support/fixtures/nodes-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { call } from "../../support/service-client.ts";
import type { CiJob } from "../../support/service-job.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { expectValidStream } from "../../support/service-streams.ts";
import { testDatabaseUrl } from "../../support/stores/postgres-schema.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";

const SETTLED = { attempts: 60, firstDelayMs: 20, maxDelayMs: 2_000 };

describe("a network that falls silent", { tags: ["postgres"], timeout: 120_000 }, () => {
  let nodes: NodesFixture;
  let proxy: TcpProxy;

  const start = async (): Promise<void> => {
    proxy = await TcpProxy.start(new URL(testDatabaseUrl ?? ""));
    nodes = await startFixture({
      level: "nodes",
      roles: ["api", "api", "worker"],
      through: (url) => proxy.standBefore(url),
    });
  };

  afterEach(async () => {
    proxy.close();
    await nodes.close();
  });

  /** A run that waits until it is cancelled. */
  const startRun = async (job: CiJob): Promise<string> => {
    const runId = await job.start("wait");
    await job.readUntil(runId, ({ event }) => event.type === "TEXT_MESSAGE_START");
    return runId;
  };

  it("between nodes and their database is overcome by itself, and a run at work goes on", async () => {
    await start();
    const [first, second] = await nodes.jobs();
    const before = await startRun(first);
    proxy.silence();
    const meanwhile = await Promise.all([first, second].map((job, index) => submit(job, `key-${index}`)));
    await expectAllEnded(second, meanwhile);
    for (const { url } of nodes.all) await untilReady(url);
    expect((await second.run(before)).status).toBe("running");
    await second.cancel(before);
    await expectAllEnded(first, [before]);
    await expectSoundLedger(nodes.place);
  });

  it("and swallows new connections is said by /readyz, until it is over", async () => {
    await start();
    const [first, second] = await nodes.jobs();
    const before = await startRun(first);
    proxy.swallow();
    for (const { url } of nodes.all) {
      const ready = await call(`${url}/readyz`);
      expect([ready.status, healthSchema.parse(ready.body).status]).toEqual([503, "unavailable"]);
      expect((await call(`${url}/healthz`)).status).toBe(200);
    }
    const refused = await first.submit({ message: "go" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    proxy.mend();
    await expectAllEnded(first, [await submit(second, "afterwards")]);
    for (const { url } of nodes.all) await untilReady(url);
    await second.cancel(before);
    await expectAllEnded(first, [before]);
    await expectSoundLedger(nodes.place);
  });

  it("holds up no process that is to stop", async () => {
    await start();
    const [first] = await nodes.jobs();
    await startRun(first);
    proxy.swallow();
    const hanging = Promise.allSettled([first.submit({ message: "go" }), first.submit({ message: "go" })]);
    const ended = nodes.all.map(async ({ process }) => {
      process.signal("SIGTERM");
      return (await process.ended).signal;
    });
    expect(await Promise.all(ended)).toEqual([null, null, null]);
    await hanging;
    await proxy.allClosed();
  });

  it("takes one account's locks with it for a moment, and no other account's", async () => {
    proxy = await TcpProxy.start(new URL(testDatabaseUrl ?? ""));
    nodes = await startFixture({ level: "nodes", roles: ["api", "api", "worker"] });
    const [busy, other] = [await makeCustomer(nodes), await makeCustomer(nodes)];
    const silent = await holdLocksSilently(nodes, { proxy, accountId: busy.accountId });

    const waiting = Promise.all(
      Array.from({ length: 40 }, (_, index) => busy.submit(nodes.apis[index % 2], "hello")),
    );
    for (const node of [...nodes.apis, ...nodes.apis, ...nodes.apis]) {
      const submitted = await other.submit(node, "hello");
      expect(submitted.status, submitted.text).toBe(202);
      await other.ended(node, (submitted.body as { run_id: string }).run_id);
    }
    for (const { status, headers, body, text } of await waiting) {
      if (status === 202) await busy.ended(nodes.apis[1], (body as { run_id: string }).run_id);
      // Too many of its runs at once is the account's own limit, once its locks are free.
      else if (status !== 429) expect([status, headers.get("retry-after")], text).toEqual([503, "2"]);
    }
    const again = await busy.submit(nodes.apis[0], "hello");
    expect(again.status, again.text).toBe(202);
    await busy.ended(nodes.apis[1], (again.body as { run_id: string }).run_id);
    await silent.over();
    await expectSoundLedger(nodes.place);
  });
});

/** Locks an account and its wallet in a transaction whose commit never arrives. */
async function holdLocksSilently(
  nodes: NodesFixture,
  { proxy, accountId }: { proxy: TcpProxy; accountId: string },
): Promise<{ over(): Promise<void> }> {
  const url = new URL(nodes.place.settings.databaseUrl ?? "");
  proxy.standBefore(url);
  const store = await openPostgresStore({ url: url.href });
  const sprung = proxy.trap("commit", { when: "before", fails: "silence" });
  const holding = store.transact(async (tx) => {
    await tx.accounts.lock(accountId);
    const hold = {
      id: "silent",
      at: 1,
      billingAccount: accountWallet(accountId),
      microUsd: 1,
      runId: "none",
    };
    expect(await tx.ledger.hold(hold)).toBe(true);
  });
  holding.catch(() => {});
  await sprung;
  return {
    over: async () => {
      await expect(holding).rejects.toMatchObject({ code: "store_unavailable" });
      await store.close();
    },
  };
}

type Customer = {
  readonly accountId: string;
  submit(node: Node | undefined, message: string): ReturnType<typeof call>;
  ended(node: Node | undefined, runId: string): Promise<void>;
};

/** An account with credits, an agent and a key that was used already. */
async function makeCustomer(nodes: NodesFixture): Promise<Customer> {
  const { accountId, secret } = await makeTestKey(nodes.place);
  await operateOn(nodes.place, (operator) => operator.grant({ accountId, credits: 1_000 }));
  const clientOf = (node: Node | undefined) =>
    createClient({ baseUrl: node?.url ?? "", credential: secret, retry: SETTLED });
  const { id: agentId } = await clientOf(nodes.apis[0]).agents.create({ body: { name: "helper" } });
  return {
    accountId,
    submit: (node, message) =>
      call(`${node?.url}/v1/agents/${agentId}/runs`, {
        method: "POST",
        json: { message },
        headers: { authorization: `Bearer ${secret}` },
      }),
    ended: async (node, runId) => {
      for await (const { seq } of clientOf(node).runs.follow({ runId })) expect(seq).toBeGreaterThan(0);
    },
  };
}

/** As a client with an idempotency key does, whatever breaks meanwhile. */
async function submit(job: CiJob, key: string): Promise<string> {
  for (;;) {
    const answer = await job.submit({ message: "load" }, { "idempotency-key": key });
    if (answer.status === 202) return String((answer.body as { run_id: unknown }).run_id);
    expect([409, 503], answer.text).toContain(answer.status);
  }
}

async function untilReady(url: string): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== 200);
}

async function expectAllEnded(job: CiJob, runIds: readonly string[]): Promise<void> {
  await Promise.all(
    runIds.map(async (runId) => {
      await expectValidStream(await job.follow(runId));
      expect(isTerminal((await job.run(runId)).status)).toBe(true);
    }),
  );
}
