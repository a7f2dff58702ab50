// Forward only. What a person's runs may cost a day, what those under such a cap have reserved, and who made a schedule.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable("memberships").addColumn("day_cap_micro_usd", "bigint").execute();
  for (const name of ["account_id", "person_id"] as const)
    await schema.alterTable("cost_reservations").addColumn(name, "text").execute();
  await schema
    .createIndex("cost_reservations_person")
    .on("cost_reservations")
    .columns(["person_id", "day"])
    .execute();
  await schema.alterTable("schedules").addColumn("made_by", "text").execute();
}
