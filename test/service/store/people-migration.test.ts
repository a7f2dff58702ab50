// An account of a version that knew no people: it has one owner, who holds all that was the account's, and its keys work on.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, it } from "vitest";
import { systemClock } from "../../../src/base/clock.ts";
import { systemRandom } from "../../../src/base/ids.ts";
import { makeSecretToken } from "../../../src/base/secret-token.ts";
import { authenticate } from "../../../src/service/core/authentication/authenticate.ts";
import type { Core } from "../../../src/service/core/core.ts";
import { memberOf } from "../../../src/service/core/sign-in/proven-member.ts";
import { noProviders } from "../../../src/service/core/sign-in/sign-in-policy.ts";
import { undoPeople } from "../../support/stores/before-people.ts";
import { undoDeliveries, undoUsage } from "../../support/stores/before-usage.ts";
import { onEveryStore } from "../../support/stores/on-every-store.ts";
import type { StorePlace } from "../../support/stores/stores.ts";

const ACCOUNT = "01890000-0000-7000-8000-000000000001";
const FAR = 9_000_000_000_000;

onEveryStore((kind) => {
  let place: StorePlace;
  afterEach(() => place.remove());

  it("gives each account one owner, and them what was the account's", async () => {
    place = await kind.make();
    await (await place.open()).close();
    const { dataDir, databaseUrl } = place.settings;
    const run = async (statement: string): Promise<void> => {
      if (databaseUrl !== null) {
        await place.query(statement);
        return;
      }
      const database = new DatabaseSync(join(dataDir, "agent-service.sqlite"));
      database.exec(statement);
      database.close();
    };
    for (const statement of [...undoUsage, ...undoDeliveries, ...undoPeople]) await run(statement);
    await run("delete from kysely_migration where name >= '028'");
    const secret = (prefix: string) => makeSecretToken(prefix, systemRandom.bytes(32));
    const [owner, aiClient, app, job] = [
      secret("svc_sk_"),
      secret("svc_at_"),
      secret("svc_at_"),
      secret("svc_at_"),
    ];
    await run(`insert into accounts (id, plan, created_at) values ('${ACCOUNT}', 'registered_free', 5)`);
    const credential = (hash: string, id: string, values: string) =>
      run(`insert into credentials (hash, id, account_id, kind, name, hint, created_at, client_id, scope, resource, grant_id, expires_at)
        values ('${hash}', '${id}', '${ACCOUNT}', ${values})`);
    await credential(owner.hash, "k1", "'owner_key', 'laptop', 'abcd', 5, null, null, null, null, null");
    await credential(aiClient.hash, "k2", "'ai_client_key', 'chat', 'abcd', 5, null, null, null, null, null");
    const token = (client: string, grant: string) =>
      `'access_token', '', '', 5, '${client}', 'runs:read', 'r', '${grant}', ${FAR}`;
    await credential(app.hash, "t1", token("https://app.example", "g1"));
    await credential(job.hash, "t2", token("ci-agent:a1", "g2"));
    for (const [id, client] of [
      ["g1", "https://app.example"],
      ["g2", "ci-agent:a1"],
    ])
      await run(`insert into oauth_grants (id, account_id, client_id, client_name, scope, resource, created_at, expires_at)
        values ('${id}', '${ACCOUNT}', '${client}', 'c', 'runs:read', 'r', 5, ${FAR})`);
    await run(`insert into identities (id, account_id, kind, issuer, subject, name, created_at)
      values ('i1', '${ACCOUNT}', 'oidc', 'https://id.example', '7', 'ada', 5)`);
    await run(`insert into passkeys (credential_id, account_id, name, public_key, counter, transports, is_backed_up, created_at)
      values ('p1', '${ACCOUNT}', 'laptop', 'x', 0, '[]', 0, 5)`);
    await run(`insert into web_sessions (hash, id, account_id, method, user_agent, created_at, seen_at, authenticated_at, expires_at)
      values ('w1', 's1', '${ACCOUNT}', 'key', '', 5, 5, 5, ${FAR})`);

    const store = await place.open();
    try {
      const { people, identities, webSessions, oauthGrants } = store.committed;
      const [only, ...others] = await people.listMembers(ACCOUNT);
      expect([only?.role, only?.addedAt, others]).toEqual(["owner", 5, []]);
      const personId = only?.personId ?? "";
      const policy = { signIn: noProviders };
      const member = { accountId: ACCOUNT, personId };
      expect(await memberOf({ store, policy }, personId)).toEqual({ ok: true, value: member });
      expect((await identities.list(personId)).map(({ id }) => id)).toEqual(["i1"]);
      expect((await identities.listPasskeys(personId)).map(({ credentialId }) => credentialId)).toEqual([
        "p1",
      ]);
      expect(await webSessions.find("w1")).toMatchObject({ personId, role: "owner" });
      expect([(await oauthGrants.find("g1"))?.personId, (await oauthGrants.find("g2"))?.personId]).toEqual([
        personId,
        null,
      ]);
      const core = { store, clock: systemClock } as unknown as Core;
      const holder = async (bearer: string) => {
        const caller = await authenticate(core, bearer);
        if (!caller.ok || caller.value.kind !== "account") return null;
        const { callerClass, role } = caller.value;
        return [callerClass, caller.value.personId, role];
      };
      expect(await holder(owner.text)).toEqual(["owner", personId, "owner"]);
      expect(await holder(aiClient.text)).toEqual(["ai_client", personId, "owner"]);
      expect(await holder(app.text)).toEqual(["ai_client", personId, "owner"]);
      expect(await holder(job.text)).toEqual(["ai_client", null, "admin"]);
    } finally {
      await store.close();
    }
  });
});
