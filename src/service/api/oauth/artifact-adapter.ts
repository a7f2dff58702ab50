// The library's adapter over the core's port: secrets only as hashes, consumed exactly once, nothing issued under a grant that
// has ended. Grants and access tokens are rows of the service's own.

import { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import { hashSecret } from "../../../base/secret-token.ts";
import { tokenScopes } from "../../../contract/oauth/scopes.ts";
import type { Core } from "../../core/core.ts";
import type { Artifact, ArtifactKey } from "../../core/oauth/artifact.ts";
import { isAlive } from "../../core/oauth/grant.ts";
import { keepAccessToken, keepGrantArtifact, revokeGrant } from "../../core/oauth/grants.ts";

/** A client that registered itself and that nobody has allowed anything within this time is forgotten. */
const UNUSED_CLIENT_SECONDS = 24 * 60 * 60;
/**
 * A code that was used within this time is used at the same moment: refused like every second use, but no theft. A loser
 * could else end the grant before the winner has its tokens. Refresh tokens are not used here: `refresh-tokens.ts`.
 */
const SAME_MOMENT_MS = 3_000;
/** In the past, for the library, whose clock is the machine's. */
const LONG_AGO = 1;

/** One kind of what the library keeps. */
export function adapterOf(core: Core, kind: string): Adapter {
  switch (kind) {
    case "Grant":
      return new GrantAdapter(core);
    case "AccessToken":
      return new AccessTokenAdapter(core);
    default:
      return new ArtifactAdapter(core, kind);
  }
}

type NewArtifact = {
  readonly kind: string;
  readonly id: string;
  readonly payload: AdapterPayload;
  readonly expiresIn: number;
};

/** As it is kept: without its secrets. */
export function artifactOf(
  { clock }: Pick<Core, "clock">,
  { kind, id, payload: { jti: _, userCode, ...payload }, expiresIn }: NewArtifact,
): Artifact {
  return {
    kind,
    idHash: hashSecret(id),
    grantId: payload.grantId ?? null,
    uid: payload.uid ?? null,
    userCodeHash: userCode === undefined ? null : hashSecret(userCode),
    payload: JSON.stringify(payload),
    consumedAt: null,
    successor: null,
    expiresAt: clock.now() + expiresIn * 1000,
  };
}

class ArtifactAdapter implements Adapter {
  readonly #core: Core;
  readonly #kind: string;

  constructor(core: Core, kind: string) {
    this.#core = core;
    this.#kind = kind;
  }

  async upsert(
    id: string,
    payload: AdapterPayload,
    expiresIn: number = UNUSED_CLIENT_SECONDS,
  ): Promise<void> {
    const artifact = artifactOf(this.#core, { kind: this.#kind, id, payload, expiresIn });
    const { grantId } = artifact;
    if (grantId === null || this.#kind === "Interaction") {
      await this.#core.store.transact((tx) => tx.oauthArtifacts.put(artifact));
      return;
    }
    const kept = await keepGrantArtifact(this.#core, { ...artifact, grantId });
    if (!kept.ok) throw grantEnded();
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await this.#find({ kind: this.#kind, idHash: hashSecret(id) });
    return found === undefined || this.#kind === "Client" ? found : { ...found, jti: id };
  }

  /** Only sessions have one: their own id stays unknown. */
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return await this.#find({ kind: this.#kind, uid });
  }

  /** The pages look codes up by themselves, and ask for a decision. */
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(id: string): Promise<void> {
    const use = { kind: this.#kind, idHash: hashSecret(id), now: this.#core.clock.now() };
    const isFirst = await this.#core.store.transact((tx) => tx.oauthArtifacts.consume(use));
    // The library has looked before, but so has everybody who came at the same time.
    if (!isFirst) throw new errors.InvalidGrant("it was used already");
  }

  async destroy(id: string): Promise<void> {
    const artifact = { kind: this.#kind, idHash: hashSecret(id) };
    await this.#core.store.transact((tx) => tx.oauthArtifacts.delete(artifact));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await revokeGrant(this.#core, grantId);
  }

  async #find(key: ArtifactKey): Promise<AdapterPayload | undefined> {
    const artifact = await this.#core.store.committed.oauthArtifacts.find(key);
    if (artifact === null) return undefined;
    const payload = JSON.parse(artifact.payload) as AdapterPayload;
    const now = this.#core.clock.now();
    const isOver = artifact.expiresAt <= now;
    const { consumedAt } = artifact;
    const isRotated = key.kind === "RefreshToken";
    const isUsed = !isRotated && consumedAt !== null && now - consumedAt >= SAME_MOMENT_MS;
    if (isOver && key.kind === "Client") return undefined;
    return {
      ...payload,
      ...(isOver ? { exp: LONG_AGO } : {}),
      ...(isUsed ? { consumed: Math.floor(consumedAt / 1000) } : {}),
    };
  }
}

/** Grants are opened by the consent page alone: the library reads and revokes them. */
class GrantAdapter implements Adapter {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  async upsert(): Promise<void> {
    throw new Error("A grant is opened by the page on which its owner agrees.");
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const grant = await this.#core.store.committed.oauthGrants.find(id);
    if (grant === null || !isAlive(grant, this.#core.clock.now())) return undefined;
    return {
      kind: "Grant",
      jti: id,
      accountId: grant.accountId,
      clientId: grant.clientId,
      resources: { [grant.resource]: grant.scope },
    };
  }

  async destroy(id: string): Promise<void> {
    await revokeGrant(this.#core, id);
  }

  async revokeByGrantId(id: string): Promise<void> {
    await revokeGrant(this.#core, id);
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(): Promise<void> {
    throw new Error("A grant is not consumed.");
  }
}

/** Access tokens are credentials: `authenticate()` reads them without the library, which only issues and revokes them. */
class AccessTokenAdapter implements Adapter {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const { accountId, clientId, grantId, scope, aud } = payload;
    if (
      accountId === undefined ||
      clientId === undefined ||
      grantId === undefined ||
      typeof aud !== "string"
    ) {
      throw new errors.InvalidGrant("the token is bound to no account, client, grant or resource");
    }
    const { clock, random } = this.#core;
    const now = clock.now();
    const granted = new Set(scope?.split(" "));
    const kept = await keepAccessToken(this.#core, {
      id: random.uuid(now),
      hash: hashSecret(id),
      accountId,
      clientId,
      scopes: tokenScopes.filter((name) => granted.has(name)),
      resource: aud,
      grantId,
      createdAt: now,
      lastUsedAt: null,
      expiresAt: now + expiresIn * 1000,
      revokedAt: null,
    });
    if (!kept.ok) throw grantEnded();
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const token = await this.#core.store.committed.credentials.find(hashSecret(id));
    if (token?.kind !== "access_token" || token.revokedAt !== null) return undefined;
    const { accountId, clientId, grantId, scopes, resource } = token;
    return {
      kind: "AccessToken",
      jti: id,
      accountId,
      clientId,
      grantId,
      scope: scopes.join(" "),
      aud: resource,
    };
  }

  async destroy(id: string): Promise<void> {
    const revocation = { hash: hashSecret(id), now: this.#core.clock.now() };
    await this.#core.store.transact((tx) => tx.credentials.revokeToken(revocation));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await revokeGrant(this.#core, grantId);
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(): Promise<void> {
    throw new Error("An access token is not consumed.");
  }
}

export function grantEnded(): Error {
  return new errors.InvalidGrant("the grant has ended");
}
