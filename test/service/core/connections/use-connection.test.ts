// Which runs may use a connection, and how its tokens are renewed: before their end, after a refusal, by one node at a time.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeJob } from "../../../../fakes/records.ts";
import { systemClock } from "../../../../src/base/clock.ts";
import { type SealingKeys, sealingKeyOf } from "../../../../src/base/sealed-text.ts";
import { resealConnections } from "../../../../src/service/core/connections/sealed-secrets.ts";
import {
  type OpenedConnection,
  openConnection,
} from "../../../../src/service/core/connections/use-connection.ts";
import type { Core } from "../../../../src/service/core/core.ts";
import { removeAccountMember } from "../../../../src/service/core/members/members.ts";
import type { RunInput, RunRecord } from "../../../../src/service/core/runs/run-record.ts";
import type { Backend } from "../../../../src/service/executor/backend.ts";
import { authorizationServers } from "../../../../src/service/wiring/connections.ts";
import { type ConnectionsFixture, openConnections } from "../../../support/mcp/connections-fixture.ts";
import { addPerson } from "../../../support/people.ts";
import { makeAccount } from "../../../support/service-account.ts";
import { call } from "../../../support/service-client.ts";
import { dumpPlace } from "../../../support/service-dump.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../support/web-sign-in.ts";

const HOUR_MS = 3_600_000;
const backend: Backend = {
  name: "idle",
  needsCheckout: false,
  run: async () => ({ stopReason: "end_turn" }),
};

onEveryStore((store) => {
  describe("a run and a connection of its account", () => {
    let fixture: ConnectionsFixture;
    let run: RunRecord;
    let input: RunInput;

    async function start(options: Parameters<typeof openConnections>[0] = {}): Promise<void> {
      fixture = await openConnections({ store, backend, ...options });
      fixture.core.executor.start();
      const { account, api, core } = fixture;
      const answer = await call(`${api.url}/v1/agents/${account.agent.id}/runs`, {
        method: "POST",
        bearer: account.owner,
        json: { message: "Go on." },
      });
      expect(answer.status, answer.text).toBe(202);
      const { run_id: runId } = answer.body as { run_id: string };
      run = await core.ended(runId);
      input = (await core.store.committed.runs.findInput(runId)) ?? expect.unreachable();
    }

    beforeEach(async () => {
      await start();
      await fixture.connect();
    });
    afterEach(() => fixture.close());

    type Opening = {
      readonly core?: Core;
      readonly input?: Partial<RunInput>;
      readonly accountId?: string | null;
      readonly name?: string;
      readonly url?: string | null;
      readonly hosts?: readonly string[];
    };

    const open = (opening: Opening = {}) => {
      const { accountId = fixture.account.id, name = "linear", url = null } = opening;
      const { core = fixture.core.core, hosts = fixture.pair.hosts } = opening;
      return openConnection(
        core,
        {
          run,
          input: { ...input, ...opening.input },
          agent: { accountId },
          egress: fixture.egressOf(hosts),
          signal: new AbortController().signal,
        },
        { name, url },
      );
    };
    const opened = async (opening: Opening = {}): Promise<OpenedConnection> => {
      const found = await open(opening);
      return found.ok ? found.value : expect.unreachable(found.refusal.reason);
    };
    const refused = async (opening: Opening) => {
      const found = await open(opening);
      return found.ok ? "opened" : found.refusal.reason;
    };
    const textOf = (token: Awaited<ReturnType<OpenedConnection["token"]>>) =>
      token.ok ? token.value : token.refusal.reason;
    const refreshes = () => fixture.server.asked.filter(({ form }) => form.grant_type === "refresh_token");
    const states = async () =>
      await fixture.core.place.query("select state, reason, version from mcp_connections");

    it("uses it in its account, where nobody else has a say, and reaches both hosts", async () => {
      const { pair } = fixture;
      const { serverUrl, issuer, token } = await opened();
      expect([serverUrl, issuer]).toEqual([pair.url, pair.issuer]);
      expect(textOf(await token())).toMatch(/^access-/);
      expect((await opened({ url: pair.url })).serverUrl).toBe(pair.url);
      expect(await refused({ url: "https://mcp.example.com/mcp" })).toContain(
        `the connection "linear" is with ${pair.url}, and the run names another server`,
      );
      expect(await refused({ name: "sentry" })).toContain('the account has no connection "sentry"');
      expect(await refused({ accountId: null })).toContain("this run's agent has no owner");
      expect(await refused({ accountId: "01890000-0000-7000-8000-0000000000ff" })).toContain(
        "is not of the run's account any more",
      );
      expect(await refused({ hosts: pair.hosts.slice(0, 1) })).toBe(
        `the run may not reach ${pair.hosts[1]}: add ${pair.hosts[1]} to egress`,
      );
      expect(await refused({ hosts: [] })).toContain(pair.hosts.join(" and "));
    });

    it("has it as long as its agent is of the account that it is of, asked at each use", async () => {
      const { core, account } = fixture;
      const give = (accountId: string | null) =>
        core.store.transact((tx) => tx.agents.update(account.agent.id, { accountId }));
      const told = "this run's agent is not of the run's account any more";
      const { token, renew } = await opened();
      const first = textOf(await token());
      const other = (await makeAccount(core)).id;
      for (const accountId of [null, other]) {
        await give(accountId);
        expect(textOf(await token())).toContain(told);
        expect(textOf(await renew(first))).toContain(told);
      }
      // Nor the other account's, where another worker takes the run up.
      const mine = await core.store.committed.mcpConnections.find({ accountId: account.id, name: "linear" });
      if (mine === null) expect.unreachable();
      await core.store.transact((tx) => tx.mcpConnections.put({ ...mine, id: "another", accountId: other }));
      expect(await refused({ accountId: other })).toContain(told);
      await give(account.id);
      expect(textOf(await token())).toBe(first);
      expect(refreshes()).toEqual([]);
    });

    it("is of no use to a run whose agent is deleted meanwhile", async () => {
      const { core, account, api } = fixture;
      const { token } = await opened();
      const deleted = await call(`${api.url}/v1/agents/${account.agent.id}`, {
        method: "DELETE",
        bearer: account.owner,
      });
      expect(deleted.status, deleted.text).toBe(204);
      expect(textOf(await token())).toContain("is not of the run's account any more");
      expect(core.logs.join("\n")).not.toMatch(/access-|refresh-/);
    });

    it.each([
      ["signed in again", () => fixture.connect(), 1, /^access-/],
      [
        "ended the connection",
        () => fixture.post("/settings/connections/disconnect", { name: "linear" }),
        0,
        /the connection "linear" was ended/,
      ],
    ] as const)(
      "leaves no tokens behind where somebody has %s while they are renewed",
      async (_, act, living, told) => {
        const { core, server } = fixture;
        const { servers } = core.core.connections;
        const answered = Promise.withResolvers<void>();
        const given = Promise.withResolvers<void>();
        const slow: Core = {
          ...core.core,
          connections: {
            ...core.core.connections,
            servers: {
              ...servers,
              refresh: async (asked) => {
                const tokens = await servers.refresh(asked);
                given.resolve();
                await answered.promise;
                return tokens;
              },
            },
          },
        };
        const { token } = await opened({ core: slow });
        core.clock.advance(HOUR_MS);
        const renewing = token();
        await given.promise;
        await act();
        answered.resolve();
        expect(textOf(await renewing)).toMatch(told);
        expect(server.living).toBe(living);
      },
    );

    it("is told why it may not where others can have a say in it", async () => {
      const job = makeJob();
      const told = "others than writers of the repository can have a say in this run";
      const pullRequest = { number: 1, headRef: "x", headSha: "0".repeat(40), baseRef: "main" };
      expect(await refused({ input: { pullRequest } })).toContain(told);
      for (const event of ["pull_request", "pull_request_target", "issue_comment"])
        expect(await refused({ input: { job: { ...job, event } } }), event).toContain(told);
      expect(await refused({ input: { job: { ...job, event: "push" } } })).toBe("opened");
    });

    it("gets newer tokens before the end of these, and the refresh token is another each time", async () => {
      const { token } = await opened();
      const first = textOf(await token());
      fixture.core.clock.advance(HOUR_MS - 61_000);
      expect(textOf(await token())).toBe(first);
      fixture.core.clock.advance(2_000);
      const second = textOf(await token());
      expect(second).toMatch(/^access-/);
      expect(second).not.toBe(first);
      fixture.core.clock.advance(HOUR_MS);
      expect(textOf(await token())).not.toBe(second);
      expect(refreshes().map(({ error, form }) => [error, form.resource])).toEqual([
        [null, fixture.pair.url],
        [null, fixture.pair.url],
      ]);
      expect(await states()).toMatchObject([{ state: "connected", reason: null }]);
      const dump = (await dumpPlace(fixture.core.place)) + fixture.core.logs.join("\n");
      for (const secret of fixture.server.issued) expect(dump).not.toContain(secret);
    });

    it("replaces a token that the server refuses, once", async () => {
      const { token, renew } = await opened();
      const first = textOf(await token());
      const second = textOf(await renew(first));
      expect(second).not.toBe(first);
      // Another call of the run was refused with the earlier one: the newer is there.
      expect(textOf(await renew(first))).toBe(second);
      expect(textOf(await renew(second))).toBe("it refuses an access token that was just renewed");
      fixture.core.clock.advance(30_000);
      expect(textOf(await renew(second))).toMatch(/^access-/);
      expect(refreshes()).toHaveLength(2);
    });

    it("says so where the authorization server refuses, and nobody asks it again", async () => {
      const { token } = await opened();
      fixture.server.endAll();
      fixture.core.clock.advance(HOUR_MS);
      const told = `the connection "linear" needs signing in again, because its authorization server takes the refresh token no more: an owner or admin of the account does it at http://localhost:4711/settings/connections`;
      expect(textOf(await token())).toBe(told);
      expect(textOf(await token())).toBe(told);
      expect(textOf(await (await opened()).token())).toBe(told);
      expect(refreshes()).toHaveLength(1);
      expect(await states()).toMatchObject([{ state: "sign_in_needed", reason: "refused" }]);
      expect((await fixture.get("/settings/connections")).text).toContain("needs signing in again");
      await fixture.connect();
      expect(textOf(await token())).toMatch(/^access-/);
    });

    it("goes on with a token that is good yet where its authorization server is away", async () => {
      const { token } = await opened();
      const first = textOf(await token());
      fixture.core.clock.advance(HOUR_MS - 30_000);
      const away = { status: 503, body: "{}" };
      fixture.server.faults.push(away);
      expect(textOf(await token())).toBe(first);
      fixture.core.clock.advance(30_000);
      fixture.server.faults.push(away);
      expect(textOf(await token())).toContain("gives no tokens now (503)");
      fixture.server.faults.push({ status: 400, body: '{"error":"invalid_request"}' });
      expect(textOf(await token())).toContain("refused the refresh token (400, invalid_request)");
      expect(await states()).toMatchObject([{ state: "connected" }]);
      expect(textOf(await token())).toMatch(/^access-/);
    });

    it("is signed in to again where there are no refresh tokens, once its token is refused", async () => {
      await fixture.close();
      await start({ signIn: { refreshes: false, lifeSeconds: null } });
      await fixture.connect();
      const { token, renew } = await opened();
      const first = textOf(await token());
      fixture.core.clock.advance(24 * HOUR_MS);
      expect(textOf(await token())).toBe(first);
      expect(textOf(await renew(first))).toContain(
        "its access token has ended, and the authorization server gave no",
      );
      expect(await states()).toMatchObject([{ state: "sign_in_needed", reason: "ended" }]);
    });

    it("loses it with its end, and with the person who signed in", async () => {
      const { core, account } = fixture;
      const { token, renew } = await opened();
      await fixture.post("/settings/connections/disconnect", { name: "linear" });
      expect(textOf(await token())).toBe('the connection "linear" was ended');
      expect(textOf(await renew("any"))).toBe('the connection "linear" was ended');
      const personId = await addPerson(core.core, { accountId: account.id, role: "admin" });
      await fixture.connect({ cookie: (await signInTo(core.core, account.id, personId)).cookie });
      expect(textOf(await token())).toMatch(/^access-/);
      const removed = await removeAccountMember(core.core, {
        caller: {
          kind: "account",
          accountId: account.id,
          callerClass: "owner",
          personId: account.personId,
          role: "owner",
        },
        personId,
        keys: "end",
        requestId: "r",
      });
      expect(removed.ok).toBe(true);
      expect(textOf(await token())).toContain("whoever signed in is no member of the account any more");
    });

    it("cannot read it with another key", async () => {
      const keys = { current: sealingKeyOf(Buffer.alloc(32, 9)), previous: null };
      const core = {
        ...fixture.core.core,
        connections: { ...fixture.core.core.connections, sealingKeys: keys },
      };
      const { token } = await opened({ core });
      expect(textOf(await token())).toContain("its tokens were sealed with another RUN_SECRETS_KEY");
      // The earlier key opens it, and the next tokens are sealed with the new one.
      const own = fixture.core.core.connections.sealingKeys?.current ?? expect.unreachable();
      const both = { ...keys, previous: own };
      const later = { ...core, connections: { ...core.connections, sealingKeys: both } };
      const again = await opened({ core: later });
      fixture.core.clock.advance(HOUR_MS);
      expect(textOf(await again.token())).toMatch(/^access-/);
      expect(textOf(await token())).toMatch(/^access-/);
      expect(
        await refused({ core: { ...core, connections: { ...core.connections, sealingKeys: null } } }),
      ).toContain("its operator sets RUN_SECRETS_KEY");
    });

    it("is sealed anew by a node that starts with both keys", async () => {
      const own = fixture.core.core.connections.sealingKeys?.current ?? expect.unreachable();
      const current = sealingKeyOf(Buffer.alloc(32, 9));
      const having = (sealingKeys: SealingKeys): Core => ({
        ...fixture.core.core,
        connections: { ...fixture.core.core.connections, sealingKeys },
      });
      const { token } = await opened();
      const first = textOf(await token());
      await resealConnections(having({ current, previous: null }));
      expect(textOf(await token())).toBe(first);
      await resealConnections(having({ current, previous: own }));
      const later = await opened({ core: having({ current, previous: null }) });
      expect(textOf(await later.token())).toBe(first);
      expect(textOf(await token())).toContain("sealed with another RUN_SECRETS_KEY");
    });

    it("is renewed by one of two nodes, whose answer all of them use", async () => {
      const hold = Promise.withResolvers<void>();
      const { core: one, place } = fixture.core;
      // SQLite has one process, in which the same holds.
      const isShared = store.name === "PostgreSQL";
      const second = isShared ? await place.open(fixture.core.clock) : one.store;
      const nodes = [one.store, second].map((own): Core => ({ ...one, store: own, clock: realTime() }));
      fixture.core.clock.advance(HOUR_MS);
      fixture.server.hold = hold.promise;
      const connections = await Promise.all([...nodes, ...nodes, ...nodes].map((core) => opened({ core })));
      const asking = connections.map((connection) => connection.token());
      await expect.poll(() => fixture.server.waiting).toBe(1);
      hold.resolve();
      const tokens = (await Promise.all(asking)).map(textOf);
      expect(new Set(tokens).size).toBe(1);
      expect(tokens[0]).toMatch(/^access-/);
      expect(refreshes()).toHaveLength(1);
      // All of them are refused at once: one renewal again.
      const renewed = await Promise.all(connections.map((connection) => connection.renew(tokens[0] ?? "")));
      expect(new Set(renewed.map(textOf)).size).toBe(1);
      expect(fixture.server.living).toBe(1);
      if (isShared) await second.close();
    });

    it("is renewed by another node once the one that began is gone", async () => {
      const { core } = fixture.core;
      fixture.core.clock.advance(HOUR_MS);
      const [row] = await core.store.committed.mcpConnections.list(fixture.account.id);
      const { id, version } = row ?? expect.unreachable();
      const begin = { id, version, leaseMs: 60_000 };
      expect(await core.store.transact((tx) => tx.mcpConnections.beginRenewal(begin))).not.toBeNull();
      expect(await core.store.transact((tx) => tx.mcpConnections.beginRenewal(begin))).toBeNull();
      const { token } = await opened();
      const asked = token();
      await fixture.core.clock.whenSleeping();
      expect(refreshes()).toHaveLength(0);
      fixture.core.clock.advance(60_000);
      expect(textOf(await asked)).toMatch(/^access-/);
      // A node that comes too late changes nothing.
      const late = { sealed: "late", expiresAt: null, renewedAt: 0, scope: "" };
      const isKept = await core.store.transact((tx) =>
        tx.mcpConnections.endRenewal({ id, version, renewed: late }),
      );
      expect(isKept).toBe(false);
    });

    /** The fixture's dates, with waits that pass. */
    function realTime() {
      return { ...systemClock, now: fixture.core.clock.now };
    }
  });
});

it("sends requests of a run through what the run may reach alone", async () => {
  const fixture = await openConnections();
  const servers = authorizationServers({
    egress: { open: () => fixture.egressOf(fixture.pair.hosts) },
    policy: fixture.core.core.policy,
    clock: systemClock,
    log: fixture.core.core.log,
  });
  const given = await servers.refresh({
    issuer: fixture.pair.issuer,
    clientId: "c",
    client: { method: "none", secret: null },
    resource: fixture.pair.url,
    tokenEndpoint: `${fixture.pair.issuer}/token`,
    refreshToken: "r",
    egress: fixture.egressOf(["other.example.com"]),
  });
  expect(given).toMatchObject({ ok: false, refusal: { reason: "failed" } });
  expect(JSON.stringify(given)).toContain("Add localhost:");
  expect(fixture.server.asked).toEqual([]);
  await fixture.close();
});
