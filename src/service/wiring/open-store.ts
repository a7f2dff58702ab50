// The store of a node, by its settings: PostgreSQL where there is a DATABASE_URL, else the embedded one.

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import { OperatorError } from "../../base/operator-error.ts";
import type { Store } from "../core/ports/store.ts";
import type { Config } from "../settings/config.ts";
import { holdDataFolder } from "../store/data-folder.ts";
import { openSqliteStore } from "../store/sqlite.ts";

type Opening = {
  readonly config: Config;
  readonly log: Logger;
  readonly signal?: AbortSignal | undefined;
  /** A test's. */
  readonly clock?: Clock | undefined;
};

/** Rejects with an OperatorError where a setting names what the store does not have. */
export async function openStore(opening: Opening): Promise<Store> {
  const store = await openConfigured(opening);
  try {
    await expectRoleAccount(store, opening.config);
    return store;
  } catch (cause) {
    await store.close();
    throw cause;
  }
}

/** An account is made beside the service, and before groups lead to it. */
async function expectRoleAccount({ committed }: Store, { signIn }: Config): Promise<void> {
  for (const provider of signIn.providers) {
    const accountId = provider.id === "oidc" ? (provider.roles?.accountId ?? null) : null;
    if (accountId === null || (await committed.accounts.find(accountId)) !== null) continue;
    throw new OperatorError(
      `ROLE_ACCOUNT names account ${accountId}, which this store does not have. "agent-service accounts list" shows those that are there, "agent-service keys create" opens one.`,
    );
  }
}

/** Rejects as the store does, and once `signal` aborts while it waits for the database. */
async function openConfigured({ config, log, signal, clock }: Opening): Promise<Store> {
  if (config.databaseUrl === null) {
    const keepsRunSecrets = config.secretKeys !== null;
    const ofTest = clock === undefined ? {} : { clock };
    return await openSqliteStore({ folder: config.dataDir, keepsRunSecrets, ...ofTest });
  }
  // It holds the checkouts of this node. A node that only answers requests has none.
  const hold = config.role === "api" ? null : holdDataFolder(config.dataDir);
  try {
    const { openPostgresStore } = await import("../store/postgres.ts");
    const store = await openPostgresStore({
      url: config.databaseUrl,
      waitMs: config.databaseWaitSeconds * 1000,
      onWait: (reason, leftSeconds) => {
        log.warn({ reason, left_seconds: leftSeconds }, "waiting for the database at DATABASE_URL");
      },
      signal,
      clock,
    });
    return { ...store, close: () => store.close().finally(() => hold?.release()) };
  } catch (cause) {
    hold?.release();
    throw cause;
  }
}
