// A connection as one run uses it: who may, and the access token of each request, renewed before its end by one node at a time.
// Why: docs/decisions/181-connections-of-the-account.md

import { msUntil } from "../../../base/clock.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { readHostEntry } from "../../../contract/egress.ts";
import type { Agent } from "../agents/agent.ts";
import type { Core } from "../core.ts";
import { allows } from "../egress/rules.ts";
import type { RunEgress } from "../egress/run-egress.ts";
import { trustOf } from "../run-identity/run-trust.ts";
import { isOfOwner } from "../runs/owner-of-run.ts";
import type { RunInput, RunRecord } from "../runs/run-record.ts";
import { connectionsUrl } from "./addresses.ts";
import {
  type ConnectionKey,
  type ConnectionSecrets,
  type McpConnection,
  type SignInReason,
  signInText,
} from "./connection.ts";
import { findSignInReason, hostsOf, isStillMember } from "./connections.ts";
import { revokeGiven } from "./revoke-tokens.ts";
import { openSecrets, sealSecrets } from "./sealed-secrets.ts";

/** A token is renewed so long before its end. */
const RENEWED_BEFORE_MS = 60_000;
/** Longer than a request for tokens takes. After it another node tries. */
const LEASE_MS = 60_000;
const WAIT_MS = 200;
/** A token that is refused so soon after it was given: another one would be refused, too. */
const FRESH_MS = 30_000;

const OTHER_OWNER = "connections are an account's, and this run's agent is not of the run's account any more";

/** One sentence, without its first letter in upper case, for the model and the run's readers. */
export type NotAvailable = { readonly reason: string };
type Token = Result<string, NotAvailable>;

export type OpenedConnection = {
  readonly serverUrl: string;
  readonly issuer: string;
  /** For the next request. Rejects with the signal's reason alone. */
  token(): Promise<Token>;
  /** Another one after an answer of 401 to `refusedToken`. */
  renew(refusedToken: string): Promise<Token>;
};

type Using = {
  readonly run: RunRecord;
  readonly input: RunInput;
  readonly agent: Pick<Agent, "accountId">;
  readonly egress: Pick<RunEgress, "admit" | "rules">;
  readonly signal: AbortSignal;
};

type Named = {
  readonly name: string;
  /** What the run says. Null: the connection's. */
  readonly url: string | null;
};

/** Whether the run may use it. Nothing is asked of others yet. */
export async function openConnection(
  core: Core,
  { run, input, agent, egress, signal }: Using,
  { name, url }: Named,
): Promise<Result<OpenedConnection, NotAvailable>> {
  const { accountId } = agent;
  const where = connectionsUrl(core.policy);
  if (accountId === null)
    return refused({ reason: "connections are an account's, and this run's agent has no owner" });
  if (!isOfOwner(run, agent)) return refused({ reason: OTHER_OWNER });
  if ((await trustOf(core.store.committed, { run, input })) === "untrusted")
    return refused({
      reason:
        "others than writers of the repository can have a say in this run, and connections of the account are for runs where nobody else can",
    });
  if (core.connections.sealingKeys === null)
    return refused({ reason: "this service keeps no connections: its operator sets RUN_SECRETS_KEY" });
  const key = { accountId, name };
  const connection = await core.store.committed.mcpConnections.find(key);
  if (connection === null)
    return refused({
      reason: `the account has no connection "${name}": an owner or admin of it connects one at ${where}`,
    });
  if (url !== null && !isSameServer(url, connection.serverUrl))
    return refused({
      reason: `the connection "${name}" is with ${connection.serverUrl}, and the run names another server: leave "url" out`,
    });
  const blocked = hostsOf(connection).filter((host) => !isAllowed(egress, host));
  if (blocked.length > 0)
    return refused({
      reason: `the run may not reach ${blocked.join(" and ")}: add ${blocked.join(", ")} to egress`,
    });
  const tokens = new ConnectionTokens(core, { key, run, egress, signal });
  const { serverUrl, issuer } = connection;
  return ok({
    serverUrl,
    issuer,
    token: () => tokens.current(serverUrl),
    renew: (refusedToken) => tokens.renew(serverUrl, refusedToken),
  });
}

function isAllowed({ rules }: Pick<RunEgress, "rules">, host: string): boolean {
  const entry = readHostEntry(host);
  return entry !== null && allows(rules.agent, entry);
}

function isSameServer(one: string, other: string): boolean {
  return new URL(one).href === new URL(other).href;
}

type TokensOf = Pick<Using, "run" | "egress" | "signal"> & { readonly key: ConnectionKey };

class ConnectionTokens {
  readonly #core: Core;
  readonly #of: TokensOf;

  constructor(core: Core, of: TokensOf) {
    this.#core = core;
    this.#of = of;
  }

  async current(serverUrl: string): Promise<Token> {
    const read = await this.#read(serverUrl);
    if (!read.ok) return read;
    const { connection, accessToken } = read.value;
    const now = this.#core.clock.now();
    const { expiresAt } = connection;
    if (expiresAt === null || expiresAt > now + RENEWED_BEFORE_MS) return ok(accessToken);
    const renewed = await this.#renew(connection);
    // One that is good for some seconds yet is better than none.
    if (!renewed.ok && renewed.refusal.mayPass && msUntil(this.#core.clock, expiresAt) > 0)
      return ok(accessToken);
    return renewed;
  }

  async renew(serverUrl: string, refusedToken: string): Promise<Token> {
    const read = await this.#read(serverUrl);
    if (!read.ok) return read;
    const { connection, accessToken } = read.value;
    if (accessToken !== refusedToken) return ok(accessToken);
    const now = this.#core.clock.now();
    if (connection.renewedAt !== null && now - connection.renewedAt < FRESH_MS)
      return refused({ reason: "it refuses an access token that was just renewed" });
    return await this.#renew(connection);
  }

  /** The connection as every node sees it now, and whether the run may still use it: asked at each use. */
  async #read(
    serverUrl: string,
  ): Promise<Result<{ connection: McpConnection; accessToken: string }, NotAvailable>> {
    const { key, run } = this.#of;
    const { committed } = this.#core.store;
    const agent = await committed.agents.find(run.agentId);
    if (agent?.accountId !== key.accountId || !isOfOwner(run, agent)) return refused({ reason: OTHER_OWNER });
    const connection = await committed.mcpConnections.find(key);
    if (connection === null || connection.serverUrl !== serverUrl)
      return refused({ reason: `the connection "${key.name}" was ended` });
    const isMember = await isStillMember(committed, connection);
    const reason = findSignInReason(this.#core, { connection, isMember });
    const secrets = openSecrets(this.#core, connection);
    if (reason !== null || !secrets.ok) return refused({ reason: this.#signInText(reason ?? "sealed") });
    return ok({ connection, accessToken: secrets.value.accessToken });
  }

  /** Only one caller asks for the tokens that follow a version; the others wait for what it gets. */
  async #renew({
    id,
    version,
    serverUrl,
  }: McpConnection): Promise<Result<string, NotAvailable & { mayPass?: true }>> {
    const { store, clock } = this.#core;
    const { key, signal } = this.#of;
    const until = clock.monotonic() + LEASE_MS + WAIT_MS;
    for (;;) {
      const held = await store.transact((tx) =>
        tx.mcpConnections.beginRenewal({ id, version, leaseMs: LEASE_MS }),
      );
      if (held !== null) return await this.#refresh(held);
      const read = await this.#read(serverUrl);
      if (!read.ok) return read;
      const { connection, accessToken } = read.value;
      if (connection.id !== id || connection.version !== version) return ok(accessToken);
      if (clock.monotonic() >= until)
        return refused({
          reason: `the token of the connection "${key.name}" is being renewed elsewhere`,
          mayPass: true,
        });
      await clock.sleep(WAIT_MS, signal);
    }
  }

  /** Not ended by the run's signal: an authorization server may take a refresh token once, and its answer has the next one. */
  async #refresh(connection: McpConnection): Promise<Result<string, NotAvailable & { mayPass?: true }>> {
    const { store, clock, connections } = this.#core;
    const { egress } = this.#of;
    const { id, version } = connection;
    const opened = openSecrets(this.#core, connection);
    if (!opened.ok || connections.sealingKeys === null) return await this.#needSignIn(connection, "sealed");
    const { refreshToken, client } = opened.value;
    if (refreshToken === null) return await this.#needSignIn(connection, "ended");
    const given = await connections.servers.refresh({ ...connection, client, refreshToken, egress });
    if (given.ok) {
      const { accessToken, expiresAt, scope } = given.value;
      const secrets = { accessToken, refreshToken: given.value.refreshToken ?? refreshToken, client };
      const sealed = sealSecrets(this.#core, { id, secrets, keys: connections.sealingKeys });
      const renewed = { sealed, expiresAt, renewedAt: clock.now(), scope: scope ?? connection.scope };
      const isKept = await store.transact((tx) => tx.mcpConnections.endRenewal({ id, version, renewed }));
      return isKept ? ok(accessToken) : await this.#takeBack(connection, secrets);
    }
    const { reason, detail } = given.refusal;
    if (reason === "refused") return await this.#needSignIn(connection, "refused");
    await store.transact((tx) => tx.mcpConnections.endRenewal({ id, version, renewed: null }));
    return refused({ reason: detail, mayPass: true });
  }

  /** Somebody has ended the sign-in, or signed in again, while its tokens were renewed: nobody else knows the new ones. */
  async #takeBack(connection: McpConnection, secrets: ConnectionSecrets): Promise<Token> {
    const now = await this.#core.store.committed.mcpConnections.find(this.#of.key);
    // Another node has renewed the tokens of the same sign-in meanwhile: they end together.
    if (now?.id !== connection.id) await revokeGiven(this.#core, { ...connection, ...secrets });
    const read = await this.#read(connection.serverUrl);
    return read.ok ? ok(read.value.accessToken) : read;
  }

  async #needSignIn(
    { id, version, serverUrl }: McpConnection,
    reason: SignInReason,
  ): Promise<Result<string, NotAvailable>> {
    const isTheirs = await this.#core.store.transact((tx) =>
      tx.mcpConnections.needSignIn({ id, version, reason }),
    );
    if (isTheirs) return refused({ reason: this.#signInText(reason) });
    // Somebody has signed in again meanwhile.
    const read = await this.#read(serverUrl);
    return read.ok ? ok(read.value.accessToken) : read;
  }

  #signInText(reason: SignInReason): string {
    const { name } = this.#of.key;
    return `the connection "${name}" needs signing in again, because ${signInText(reason)}: an owner or admin of the account does it at ${connectionsUrl(this.#core.policy)}`;
  }
}
