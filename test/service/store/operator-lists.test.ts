// What an operator lists across accounts, on each store: pages from the newest on, and what each filter leaves.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountWallet } from "../../../src/service/core/money/ledger.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import {
  accountIds,
  agentIds,
  auditIds,
  idOf,
  insertOperatorRecords,
  runIds,
} from "../../support/operator-records.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

const NOW = 1_000;
const newest = { before: null, limit: 50 };

onEveryStore((kind) => {
  describe("what an operator lists", () => {
    let place: StorePlace;
    let store: Store;

    beforeAll(async () => {
      place = await kind.make();
      store = await place.open();
      await insertOperatorRecords(store, NOW);
    });

    afterAll(async () => {
      await store.close();
      await place.remove();
    });

    it("accounts with their sign-in and the agents that are not retired", async () => {
      const account = { plan: "registered_free", subscription: null };
      expect(await store.committed.accounts.listAll({ ...newest, text: null })).toEqual([
        {
          account: { ...account, id: accountIds[1], name: null, createdAt: NOW },
          signedInAt: null,
          agents: 1,
          members: 0,
        },
        {
          account: { ...account, id: accountIds[0], name: "Platform 100%", createdAt: NOW },
          signedInAt: NOW,
          agents: 1,
          members: 0,
        },
      ]);
    });

    it("accounts a page at a time, without a gap", async () => {
      const page = async (before: string | null) =>
        (await store.committed.accounts.listAll({ text: null, before, limit: 1 })).map(
          ({ account }) => account.id,
        );
      expect(await page(null)).toEqual([accountIds[1]]);
      expect(await page(accountIds[1])).toEqual([accountIds[0]]);
      expect(await page(accountIds[0])).toEqual([]);
    });

    it.each([
      ["form 1", [accountIds[0]]],
      ["PLATFORM", [accountIds[0]]],
      ["0%", [accountIds[0]]],
      // Signs of a pattern are what they are.
      ["P%m", []],
      ["P_atform", []],
      ["\\", []],
      [accountIds[1].slice(-6), [accountIds[1]]],
      [accountIds[1].slice(0, 20), [accountIds[1], accountIds[0]]],
      ["'", []],
    ])("accounts whose name or id has %j", async (text, found) => {
      const listed = await store.committed.accounts.listAll({ ...newest, text });
      expect(listed.map(({ account }) => account.id)).toEqual(found);
    });

    it("balances of those billing accounts that were opened", async () => {
      const [first, second] = accountIds.map(accountWallet);
      expect(await store.committed.ledger.listBalances([first ?? "", second ?? ""])).toEqual(
        new Map([[first, 1_000_000]]),
      );
      expect(await store.committed.ledger.listBalances([])).toEqual(new Map());
    });

    const { helper, retired, claimed, unclaimed } = agentIds;
    it.each([
      [{}, [unclaimed, claimed, retired, helper]],
      [{ before: claimed, limit: 1 }, [retired]],
      [{ accountId: accountIds[0] }, [retired, helper]],
      [{ of: "repositories" }, [unclaimed, claimed]],
      [{ of: "repositories", accountId: accountIds[1] }, [claimed]],
      [{ of: "repositories", accountId: accountIds[0] }, []],
      [{ of: "unclaimed" }, [unclaimed]],
      [{ of: "unclaimed", before: unclaimed }, []],
    ] as const)("agents by %j", async (given, ids) => {
      const query = { ...newest, accountId: null, of: "all", ...given } as const;
      expect((await store.committed.agents.listAll(query)).map(({ id }) => id)).toEqual(ids);
    });

    const { ofHelper, ofUnclaimed, failed } = runIds;
    it.each([
      [{}, [failed, ofUnclaimed, ofHelper]],
      [{ before: failed, limit: 1 }, [ofUnclaimed]],
      [{ accountId: accountIds[0] }, [ofHelper]],
      [{ agentId: unclaimed }, [ofUnclaimed]],
      [{ status: "failed" }, [failed]],
      [{ status: "failed", accountId: accountIds[0] }, []],
      [{ state: "failed" }, [failed]],
      [{ state: "waiting" }, []],
      [{ origin: "user" }, [failed, ofUnclaimed, ofHelper]],
      [{ origin: "schedule" }, []],
      [{ repositoryName: "octo/hello" }, [failed]],
      [{ ids: [ofHelper, "another"] }, [ofHelper]],
      [{ ids: [] }, []],
    ] as const)("runs by %j", async (given, ids) => {
      const query = { ...newest, accountId: null, agentId: null, status: null, ...given };
      expect((await store.committed.runs.listAll(query)).map(({ run }) => run.id)).toEqual(ids);
    });

    it("runs with the agent's name and account, as they are found alone", async () => {
      const query = { ...newest, accountId: null, agentId: claimed, status: null };
      const run = await store.committed.runs.find(failed);
      expect(await store.committed.runs.listAll(query)).toEqual([
        { run, agentName: "octo/hello", accountId: accountIds[1] },
      ]);
    });

    const { exchange, claim, signIn } = auditIds;
    it.each([
      [{}, [signIn, claim, exchange]],
      [{ before: signIn, limit: 1 }, [claim]],
      [{ accountId: accountIds[1] }, [claim]],
      [{ action: "exchange" }, [exchange]],
      [{ repositoryName: "octo/hello" }, [claim, exchange]],
      [{ action: "claim", accountId: accountIds[0] }, []],
      [{ outcome: "token_replayed" }, [exchange]],
      [{ outcome: "ok", action: "exchange" }, []],
    ] as const)("audit entries by %j", async (given, ids) => {
      const query = { ...newest, accountId: null, action: null, repositoryName: null, ...given };
      expect((await store.committed.audit.list(query)).map(({ id }) => id)).toEqual(ids);
    });

    it("runs by how they are, and how they ended since a time", async () => {
      const { runs } = store.committed;
      const unfinished = { queued: 0, running: 0, waiting: 0 };
      expect(await runs.countAll({ since: NOW })).toEqual({
        unfinished,
        ended: [
          { status: "completed", cause: null, count: 2 },
          { status: "failed", cause: "time_limit", count: 1 },
        ],
      });
      expect(await runs.countAll({ since: NOW + 1 })).toEqual({ unfinished, ended: [] });
      const counted = new Map(accountIds.map((id) => [id, 1]));
      expect(await runs.countSubmitted({ accountIds, since: 0 })).toEqual(counted);
      expect(await runs.countSubmitted({ accountIds, since: NOW + 1 })).toEqual(new Map());
      expect(await runs.countSubmitted({ accountIds: [], since: 0 })).toEqual(new Map());
    });

    it("refusals by day, action and reason, and nothing that was done", async () => {
      const { audit } = store.committed;
      const refused = { day: 0, action: "exchange", outcome: "token_replayed", count: 1 };
      expect(await audit.countRefusals({ since: 0 })).toEqual([refused]);
      expect(await audit.countRefusals({ since: NOW + 1 })).toEqual([]);
    });

    it("audit entries as they were written", async () => {
      const entry = {
        id: idOf(40),
        at: 4_000,
        requestId: "request-4",
        action: "passkey_added",
        outcome: "ok",
        issuer: null,
        repositoryId: null,
        repositoryName: null,
        ciRunId: null,
        accountId: accountIds[0],
        method: "passkey",
        personId: idOf(51),
        clientId: "https://app.example/client.json",
        aboutPersonId: idOf(52),
      } as const;
      const query = { ...newest, accountId: null, action: "passkey_added", repositoryName: null } as const;
      await store.transact((tx) => tx.audit.insert(entry));
      expect(await store.committed.audit.list(query)).toEqual([entry]);
    });
  });
});
