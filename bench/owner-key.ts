// The key that a measurement uses the service with.

import { openOperator } from "../src/service/operator/operator.ts";
import { readConfig } from "../src/service/settings/config.ts";

/** A key of an account that may run as much as it likes, of the service with these settings. */
export async function makeOwnerKey(env: Readonly<Record<string, string>>): Promise<string> {
  const config = readConfig({}, env);
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  const operator = await openOperator(config.value);
  try {
    const owner = { plan: "subscribed" } as const;
    const made = await operator.createKey({ owner, callerClass: "owner", name: "bench" });
    if (!made.ok) throw new Error(`The key was refused: ${made.refusal}`);
    await operator.grant({ accountId: made.value.key.accountId, credits: 1_000_000 });
    return made.value.secret;
  } finally {
    await operator.close();
  }
}
