// Keys of accounts, made as their operator would, on a place that nobody serves from at the moment: two users of one
// SQLite file in one process would wait for each other with the only thread.

import { type KeyRequest, type Operator, openOperator } from "../../src/service/operator/operator.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import type { StorePlace } from "./stores/stores.ts";

/** Works on the place's store for as long as `work` takes. */
export async function operateOn<Value>(
  place: StorePlace,
  work: (operator: Operator) => Promise<Value>,
): Promise<Value> {
  const { dataDir, databaseUrl } = place.settings;
  const config = readConfig(
    { DATA_DIR: dataDir, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) },
    {},
  );
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  const operator = await openOperator(config.value);
  try {
    return await work(operator);
  } finally {
    await operator.close();
  }
}

export type TestKey = { readonly id: string; readonly accountId: string; readonly secret: string };

/** Makes a key: of a new account on the free plan, and for its owner, unless told. */
export async function makeTestKey(place: StorePlace, request: Partial<KeyRequest> = {}): Promise<TestKey> {
  const made = await operateOn(place, (operator) =>
    operator.createKey({
      owner: { plan: "registered_free" },
      callerClass: "owner",
      name: "test",
      ...request,
    }),
  );
  if (!made.ok) throw new Error(`The key was refused: ${made.refusal}`);
  return { id: made.value.key.id, accountId: made.value.key.accountId, secret: made.value.secret };
}
