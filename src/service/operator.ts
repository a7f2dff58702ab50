// What an operator does to the store directly, beside a process that serves from it: accounts, keys, credits.

import { resolve } from "node:path";
import { systemClock } from "../base/clock.ts";
import { systemRandom } from "../base/ids.ts";
import { ok, type Result, refused } from "../base/result.ts";
import type { Config } from "./config.ts";
import { grantCredits, makeApiKey, openAccount, revokeApiKey } from "./core/keys.ts";
import type { Store } from "./core/ports/store.ts";
import type { ApiKey, CallerClass, Plan } from "./core/records.ts";
import { openPostgresStore } from "./store/postgres.ts";
import { openSqliteStore } from "./store/sqlite.ts";

export { type ApiKey, type CallerClass, type Plan, plans } from "./core/records.ts";

/** For an account that exists, or for one that is opened with this plan. */
export type KeyOwner = { readonly accountId: string } | { readonly plan: Plan };

export type KeyRequest = {
  readonly owner: KeyOwner;
  readonly callerClass: CallerClass;
  readonly name: string;
};

export type Operator = {
  /** Where it works, for people. Holds no password. */
  readonly place: string;
  /** Makes a key. Its secret is returned here and kept nowhere. */
  createKey(request: KeyRequest): Promise<Result<{ key: ApiKey; secret: string }, "account_not_found">>;
  /** An account's keys, or everybody's, oldest first. */
  listKeys(accountId: string | null): Promise<readonly ApiKey[]>;
  /** Ends a key at once. */
  revokeKey(id: string): Promise<Result<ApiKey, "key_not_found" | "key_revoked">>;
  /** Gives an account credits. False when there is no such account. */
  grant(grant: { accountId: string; credits: number }): Promise<boolean>;
  close(): Promise<void>;
};

/** Opens the configured store without holding it, and makes it where there is none. */
export async function openOperator(config: Config): Promise<Operator> {
  const store = await openStore(config);
  const core = { store, clock: systemClock, random: systemRandom, rates: config.rates };
  return {
    place: config.databaseUrl === null ? resolve(config.dataDir) : "the database at DATABASE_URL",
    createKey: async ({ owner, callerClass, name }) => {
      const accountId = "plan" in owner ? (await openAccount(core, owner.plan)).id : owner.accountId;
      if ((await store.committed.findAccount(accountId)) === null) return refused("account_not_found");
      return ok(await makeApiKey(core, { accountId, callerClass, name }));
    },
    listKeys: (accountId) => store.committed.listApiKeys(accountId),
    revokeKey: async (id) => {
      const isRevoked = await revokeApiKey(core, id);
      const key = (await store.committed.listApiKeys(null)).find((candidate) => candidate.id === id);
      if (key === undefined) return refused("key_not_found");
      return isRevoked ? ok(key) : refused("key_revoked");
    },
    grant: (grant) => grantCredits(core, grant),
    close: () => store.close(),
  };
}

async function openStore(config: Config): Promise<Store> {
  if (config.databaseUrl === null) return await openSqliteStore({ folder: config.dataDir, hold: "none" });
  return await openPostgresStore({ url: config.databaseUrl });
}
