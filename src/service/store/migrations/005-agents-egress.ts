// Forward only. What an agent's runs may reach of the network, as its owner says.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable("agents").addColumn("egress", "text").execute();
}
