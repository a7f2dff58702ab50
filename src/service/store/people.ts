// People and their memberships of accounts, in SQL.

import type { Kysely } from "kysely";
import { roles } from "../../contract/roles.ts";
import {
  type AccountPerson,
  type Membership,
  membershipSources,
  type NamedMembership,
  type Person,
} from "../core/accounts/person.ts";
import type { PeopleStore } from "../core/accounts/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, optional, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const personRow = row<Person>("people")({ id: text, name: text, createdAt: integer });

export const membershipRow = row<Membership>("memberships")({
  accountId: text,
  personId: text,
  role: oneOf(roles),
  source: oneOf(membershipSources),
  addedBy: nullable(text),
  addedAt: integer,
  dayCapMicroUsd: optional(integer),
});

declare module "./tables.ts" {
  interface Database {
    people: TableOf<typeof personRow>;
    memberships: TableOf<typeof membershipRow>;
  }
}

export class SqlPeople implements PeopleStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<Person | null> {
    const row = await this.#db.selectFrom("people").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : personRow.read(row);
  }

  async findMember({ accountId, personId }: MemberKey): Promise<AccountPerson | null> {
    const row = await this.#members(accountId).where("person_id", "=", personId).executeTakeFirst();
    return row === undefined ? null : { ...membershipRow.read(row), name: row.name };
  }

  async listMembers(accountId: string): Promise<readonly AccountPerson[]> {
    const rows = await this.#members(accountId).orderBy("added_at").orderBy("person_id").execute();
    return rows.map((row) => ({ ...membershipRow.read(row), name: row.name }));
  }

  async listMemberships(personId: string): Promise<readonly NamedMembership[]> {
    const rows = await this.#db
      .selectFrom("memberships")
      .innerJoin("accounts", "accounts.id", "memberships.account_id")
      .selectAll("memberships")
      .select("accounts.name as account_name")
      .where("person_id", "=", personId)
      .orderBy("added_at")
      .orderBy("account_id")
      .execute();
    return rows.map((row) => ({ ...membershipRow.read(row), accountName: row.account_name }));
  }

  async findFirstOwner(accountId: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("memberships")
      .select("person_id")
      .where("account_id", "=", accountId)
      .where("role", "=", "owner")
      .orderBy("added_at")
      .orderBy("person_id")
      .limit(1)
      .executeTakeFirst();
    return row?.person_id ?? null;
  }

  async insert(person: Person): Promise<void> {
    await this.#db.insertInto("people").values(personRow.write(person)).execute();
  }

  async rename({ id, name }: Pick<Person, "id" | "name">): Promise<void> {
    await this.#db.updateTable("people").set({ name }).where("id", "=", id).execute();
  }

  async addMember(membership: Membership): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto("memberships")
      .values(membershipRow.write(membership))
      .onConflict((conflict) => conflict.columns(["account_id", "person_id"]).doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  async changeMember({
    accountId,
    personId,
    role,
  }: Pick<Membership, "accountId" | "personId" | "role">): Promise<void> {
    await this.#db
      .updateTable("memberships")
      .set(membershipRow.change({ role }))
      .where("account_id", "=", accountId)
      .where("person_id", "=", personId)
      .execute();
  }

  async capMember({ accountId, personId, dayCapMicroUsd }: MemberKey & DayCap): Promise<void> {
    await this.#db
      .updateTable("memberships")
      .set({ day_cap_micro_usd: dayCapMicroUsd })
      .where("account_id", "=", accountId)
      .where("person_id", "=", personId)
      .execute();
  }

  async removeMember({ accountId, personId }: MemberKey): Promise<void> {
    await this.#db
      .deleteFrom("memberships")
      .where("account_id", "=", accountId)
      .where("person_id", "=", personId)
      .execute();
  }

  #members(accountId: string) {
    return this.#db
      .selectFrom("memberships")
      .innerJoin("people", "people.id", "memberships.person_id")
      .selectAll("memberships")
      .select("people.name")
      .where("account_id", "=", accountId);
  }
}

type DayCap = { readonly dayCapMicroUsd: number | null };
type MemberKey = { readonly accountId: string; readonly personId: string };
