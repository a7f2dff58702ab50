// Every action of the audit trail, done once: an entry of a person's act names the person, whichever way they acted, and the
// application that acted for them.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SignInServer } from "../../../../fakes/mcp-server/sign-in-server.ts";
import { ok } from "../../../../src/base/result.ts";
import { changeAccountName } from "../../../../src/service/core/accounts/account-name.ts";
import { auditRefusedSignIn } from "../../../../src/service/core/accounts/audit-account.ts";
import { type AccountCaller, actorOf } from "../../../../src/service/core/accounts/caller.ts";
import { makeOwnKey, revokeOwnKey } from "../../../../src/service/core/accounts/own-keys.ts";
import { deleteAgent } from "../../../../src/service/core/agent-endings/delete-agent.ts";
import { releaseClaim } from "../../../../src/service/core/agent-endings/release-claim.ts";
import { updateAgent } from "../../../../src/service/core/agents/manage-agent.ts";
import { denyApproval } from "../../../../src/service/core/approvals/decide-approval.ts";
import {
  type AuditAction,
  type AuditEntry,
  auditActions,
} from "../../../../src/service/core/audit/audit-entry.ts";
import { authenticate } from "../../../../src/service/core/authentication/authenticate.ts";
import { completeAsAdministrator } from "../../../../src/service/core/claims/claim-as-administrator.ts";
import { beginConnection, finishConnection } from "../../../../src/service/core/connections/connect.ts";
import { disconnect } from "../../../../src/service/core/connections/connections.ts";
import {
  acceptAsNewPerson,
  inviteToAccount,
  withdrawInvitation,
} from "../../../../src/service/core/members/invitations.ts";
import { changeAccountMember, removeAccountMember } from "../../../../src/service/core/members/members.ts";
import { chooseRepositoryAccess } from "../../../../src/service/core/repository-access/manage-access.ts";
import { setAudiences } from "../../../../src/service/core/run-identity/manage-audiences.ts";
import { mintToken } from "../../../../src/service/core/run-identity/mint-token.ts";
import { revokeRunViews } from "../../../../src/service/core/run-views/run-views.ts";
import { takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import { completeSignIn } from "../../../../src/service/core/sign-in/complete-sign-in.ts";
import { linkIdentity, removeIdentity } from "../../../../src/service/core/sign-in/identities.ts";
import { addPasskey, removePasskey } from "../../../../src/service/core/sign-in/passkeys.ts";
import { endWebSession, personIn } from "../../../../src/service/core/web-sessions/web-sessions.ts";
import { authorizeWrite } from "../../../../src/service/core/write-grants/authorize-write.ts";
import { grantWrites } from "../../../../src/service/core/write-grants/manage-grants.ts";
import { authorizationServers } from "../../../../src/service/wiring/connections.ts";
import { credentialsOf, type PersonsCredentials } from "../../../support/credentials-of-person.ts";
import { ClaimFixture } from "../../../support/fixtures/claim-fixture.ts";
import { loopbackEgress } from "../../../support/mcp/connections-fixture.ts";
import { openPair } from "../../../support/mcp/guarded-server.ts";
import { keptConnection } from "../../../support/mcp/kept-connection.ts";
import { addPerson } from "../../../support/people.ts";
import type { TestAccount } from "../../../support/service-account.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const requestId = "r";
/** Acts of a CI job, which is nobody, and of operators, who are people of no account. */
const nobodys = [
  ...(["exchange", "mint", "revoke", "release"] as const),
  ...([
    "operator_link_made",
    "operator_added",
    "operator_removed",
    "operator_sign_in",
    "operator_sign_out",
  ] as const),
] as const satisfies readonly AuditAction[];
type PersonsAction = Exclude<AuditAction, (typeof nobodys)[number]>;

onEveryStore((kind) => {
  describe("who acted", () => {
    let fixture: ClaimFixture;
    let account: TestAccount;
    let owner: AccountCaller;
    let credentials: PersonsCredentials;

    beforeAll(async () => {
      const remotes = {
        locate: () => ok("https://host.example/repository.git"),
        findHead: () => Promise.reject(new Error("Nothing is fetched here.")),
      };
      fixture = await ClaimFixture.start(kind, { remotes });
      account = await fixture.account();
      owner = personIn({ accountId: account.id, personId: account.personId, role: "owner" });
      const personId = await addPerson(fixture.core.core, { accountId: account.id, role: "owner" });
      credentials = await credentialsOf(fixture.core.core, { accountId: account.id, personId });
    });

    afterAll(() => fixture.api.close());

    /** Entries of one millisecond have no order. */
    const tick = () => fixture.core.clock.advance(1);
    const newest = async (action: AuditAction): Promise<AuditEntry> => {
      const query = { accountId: null, action, repositoryName: null, before: null, limit: 1 };
      const [entry] = await fixture.core.store.committed.audit.list(query);
      tick();
      return entry ?? expect.unreachable(`There is no entry of ${action}.`);
    };
    const done = <Value>(result: { readonly ok: true; readonly value: Value } | { readonly ok: false }) =>
      result.ok ? result.value : expect.unreachable(JSON.stringify(result));
    const claimed = async () => {
      const repository = fixture.repository();
      await fixture.pending(account, repository);
      tick();
      return (await fixture.exchange(repository, { account: account.id })).agent_id;
    };
    const keyOf = async (callerClass: "owner" | "ai_client") => {
      const { id: accountId, personId } = account;
      const made = { accountId, personId, callerClass, name: "key", requestId };
      return done(await makeOwnKey(fixture.core.core, made)).key.id;
    };
    const invited = async () => {
      const made = await inviteToAccount(fixture.core.core, { caller: owner, role: "member", requestId });
      return { id: done(made).invitation.id, token: done(made).url.split("/").at(-1) ?? "" };
    };
    const member = () => addPerson(fixture.core.core, { accountId: account.id, role: "member" });
    const approvalOf = async (server: string) => {
      const request = { runId: "run", agentId: account.agent.id, server, tool: "write" };
      const unnamed = { origin: "repository", isNamed: false, job: null } as const;
      const verdict = await authorizeWrite(fixture.core.core, { ...request, ...unnamed });
      return verdict.isAllowed ? "" : (verdict.approval?.id ?? "");
    };
    const signedIn = async () => {
      const { id: accountId, personId } = account;
      const person = { accountId, personId, method: "link", userAgent: "a browser" } as const;
      return (await completeSignIn(fixture.core.core, { ...person, requestId, earlier: null })).session;
    };
    const identity = { kind: "oidc", issuer: "https://idp.example", subject: "s", name: "n" } as const;
    const passkey = {
      credentialId: "credential",
      name: "laptop",
      publicKey: "key",
      counter: 0,
      transports: [],
      isBackedUp: false,
    };
    const ours = () => ({ accountId: account.id, personId: account.personId, requestId });

    /** Done by the account's first owner, but for who joins. */
    const acts: Readonly<Record<PersonsAction, () => Promise<unknown>>> = {
      async claim() {
        const repository = fixture.repository();
        await fixture.pending(account, repository);
        const { agent_id: agentId } = await fixture.exchange(repository);
        expect(await newest("claim")).toMatchObject({ outcome: "pending", personId: account.personId });
        done(await completeAsAdministrator(fixture.core.core, { caller: owner, agentId, requestId }));
      },
      async policy() {
        const agentId = await claimed();
        const body = { ci_policy: { events: ["push"] } };
        done(await updateAgent(fixture.core.core, { caller: owner, agentId, body, requestId }));
      },
      async revoke_links() {
        const agentId = account.agent.id;
        done(await revokeRunViews(fixture.core.core, { caller: owner, agentId, requestId }));
      },
      async delete_agent() {
        done(await deleteAgent(fixture.core.core, { caller: owner, agentId: await claimed(), requestId }));
      },
      async approval() {
        const approvalId = await approvalOf("by-a-person");
        done(await denyApproval(fixture.core.core, { caller: owner, approvalId, requestId }));
      },
      async write_grant() {
        const change = { caller: owner, agentId: account.agent.id, server: "server", requestId };
        done(await grantWrites(fixture.core.core, change));
      },
      async audiences() {
        const audiences = [{ audience: "sts.amazonaws.com", allowsUntrusted: false }];
        const change = { caller: owner, agentId: account.agent.id, audiences, requestId };
        done(await setAudiences(fixture.core.core, change));
      },
      async run_token() {
        const { core } = fixture.core;
        const agentId = account.agent.id;
        const audience = "sts.amazonaws.com";
        const audiences = [{ audience, allowsUntrusted: false }];
        done(await setAudiences(core, { caller: owner, agentId, audiences, requestId }));
        const body = { message: "go" };
        const submitted = await fixture.core.submitter.submit({
          caller: owner,
          agentId,
          body,
          idempotencyKey: null,
        });
        if (!submitted.ok) throw new Error(submitted.refusal.reason);
        const { runId } = submitted.value;
        const { run } = (await takeRun(core, runId)) ?? expect.unreachable();
        done(await mintToken(core, { run, audience, requestId, by: actorOf(owner) }));
      },
      async repository_access() {
        const change = { caller: owner, agentId: await claimed(), kind: "github_app", requestId } as const;
        done(await chooseRepositoryAccess(fixture.core.core, change));
      },
      sign_in: signedIn,
      async sign_out() {
        const { id } = await signedIn();
        expect(await endWebSession(fixture.core.core, { ...ours(), id })).toBe(true);
      },
      key_made: () => keyOf("owner"),
      async key_revoked() {
        done(await revokeOwnKey(fixture.core.core, { ...ours(), id: await keyOf("ai_client") }));
      },
      async passkey_added() {
        done(await addPasskey(fixture.core.core, { ...ours(), passkey }));
      },
      async passkey_removed() {
        expect(await removePasskey(fixture.core.core, { ...ours(), credentialId: "credential" })).toBe(true);
      },
      async identity_linked() {
        done(await linkIdentity(fixture.core.core, { ...ours(), identity }));
      },
      async identity_removed() {
        const [linked] = await fixture.core.store.committed.identities.list(account.personId);
        expect(await removeIdentity(fixture.core.core, { ...ours(), id: linked?.id ?? "" })).toBe(true);
      },
      member_invited: invited,
      async invitation_withdrawn() {
        const { id } = await invited();
        done(await withdrawInvitation(fixture.core.core, { caller: owner, id, requestId }));
      },
      async member_joined() {
        const { token } = await invited();
        const joined = await acceptAsNewPerson(fixture.core.core, { token, name: "", requestId });
        return done(joined).personId;
      },
      async member_changed() {
        const change = { caller: owner, personId: await member(), role: "viewer", keys: "end" } as const;
        done(await changeAccountMember(fixture.core.core, { ...change, requestId }));
      },
      async member_capped() {
        const change = { caller: owner, personId: await member(), dayCapMicroUsd: 5, keys: "end" } as const;
        done(await changeAccountMember(fixture.core.core, { ...change, requestId }));
      },
      async account_named() {
        const change = { caller: owner, name: "Platform", requestId };
        done(await changeAccountName(fixture.core.core, change));
      },
      async mcp_connected() {
        const pair = await openPair((origins) => new SignInServer({ ...origins }));
        const policy = { ...fixture.core.core.policy, webUrl: "http://localhost:4711" };
        const { clock, log } = fixture.core.core;
        const egress = { ...policy.egress, entries: pair.hosts };
        const parts = { egress: loopbackEgress(), policy: { egress }, clock, log };
        const connections = { ...fixture.core.core.connections, servers: authorizationServers(parts) };
        const core = { ...fixture.core.core, policy, connections };
        const session = await signedIn();
        const { url } = done(await beginConnection(core, { session, name: "linear", serverUrl: pair.url }));
        const answer = await fetch(url, { redirect: "manual" });
        const back = new URL(answer.headers.get("location") ?? "").searchParams;
        const { state, code, iss } = Object.fromEntries(back);
        const query = { state, code, iss, error: undefined, description: undefined };
        done(await finishConnection(core, { session, query, requestId }));
        await pair.close();
      },
      async mcp_disconnected() {
        const { id: accountId, personId: connectedBy } = account;
        const kept = keptConnection({ accountId, connectedBy, name: "sentry" });
        await fixture.core.store.transact((tx) => tx.mcpConnections.put(kept));
        done(await disconnect(fixture.core.core, { caller: owner, name: "sentry", requestId }));
      },
      async member_removed() {
        const removal = { caller: owner, personId: await member(), keys: "end", requestId } as const;
        done(await removeAccountMember(fixture.core.core, removal));
      },
    };

    it.each(Object.entries(acts))("names the person of %s", async (action, act) => {
      const returned = await act();
      const actor = action === "member_joined" ? returned : account.personId;
      const entry = await newest(action as PersonsAction);
      expect([entry.personId, entry.clientId, entry.accountId]).toEqual([actor, null, account.id]);
    });

    it("names whoever made the key, or allowed the application, that decided", async () => {
      for (const [bearer, clientId] of [
        [credentials.ownerKey, null],
        [credentials.aiClientKey, null],
        [credentials.token, "https://app.example/client.json"],
      ] as const) {
        const caller = done(await authenticate(fixture.core.core, bearer));
        if (caller.kind !== "account") throw new Error("It is no account's.");
        const approvalId = await approvalOf(bearer);
        done(await denyApproval(fixture.core.core, { caller, approvalId, requestId }));
        expect(await newest("approval")).toMatchObject({ personId: credentials.personId, clientId });
      }
    });

    it("names nobody where a job or the operator acted, or nobody was proven", async () => {
      const agentId = await claimed();
      expect(await newest("claim")).toMatchObject({ outcome: "claimed", personId: null, clientId: null });
      expect(await newest("exchange")).toMatchObject({ personId: null, clientId: null });
      done(await releaseClaim(fixture.core.core, { agentId, requestId }));
      expect(await newest("release")).toMatchObject({ personId: null, clientId: null });
      await auditRefusedSignIn(fixture.core.core, { reason: "link_over", method: "link", requestId });
      expect(await newest("sign_in")).toMatchObject({ outcome: "link_over", personId: null, clientId: null });
    });

    it("knows of each action who may do it", () => {
      expect([...nobodys, ...Object.keys(acts)].sort()).toEqual([...auditActions].sort());
    });
  });
});
