// Makes the tables of before migration 028 again, where a test begins with a store of an earlier version.

/** Statements for both databases, in their order. */
export const undoPeople: readonly string[] = [
  "drop table people",
  "drop table memberships",
  "drop table invitations",
  ...["identities", "passkeys"].flatMap((table) => [
    `drop index if exists ${table}_person`,
    `alter table ${table} rename column person_id to account_id`,
    `create index ${table}_account on ${table} (account_id)`,
  ]),
  "drop index if exists web_sessions_person",
  "alter table web_sessions drop column ends_at",
  ...["web_sessions", "sign_in_links", "credentials", "oauth_grants", "audit_entries"].map(
    (table) => `alter table ${table} drop column person_id`,
  ),
  ...["client_id", "about_person_id"].map((column) => `alter table audit_entries drop column ${column}`),
];
