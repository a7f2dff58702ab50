// The credential of one socket: given by the upgrade or by a frame, checked before every request and now and then,
// gone when it ends or is revoked.

import { msUntil } from "../../../base/clock.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import { AUTH_SECONDS } from "../../../contract/sessions/socket.ts";
import type { AccountCaller } from "../../core/accounts/caller.ts";
import type { AuthRefusal } from "../../core/accounts/refusals.ts";
import { authenticate } from "../../core/authentication/authenticate.ts";
import type { Core } from "../../core/core.ts";
import { findRunViewer } from "../../core/run-views/run-views.ts";
import type { StreamReader } from "../../core/runs/read-run.ts";
import { RUN_VIEW_PREFIX } from "../../core/runs/run-view.ts";
import { findWebSession, personIn, WEB_SESSION_PREFIX } from "../../core/web-sessions/web-sessions.ts";
import { type AdmitRefusal, admitReader } from "../shared/admit-caller.ts";

type CredentialParts = {
  readonly core: Core;
  /** The address that the socket comes from. */
  readonly address: string;
  /** Aborts when the socket closes. */
  readonly signal: AbortSignal;
  /** The credential that was there ended. Another is awaited. */
  readonly onLost: (refusal: AuthRefusal) => void;
  /** None came in time. */
  readonly onMissing: () => void;
};

/** A credential, and who holds it. */
export type Held = { readonly token: string; readonly caller: StreamReader };

export class SocketCredential {
  readonly #parts: CredentialParts;
  #held: Held | null = null;
  /** Ends the timer of what is held, or of what is awaited. */
  #timer = new AbortController();

  constructor(parts: CredentialParts) {
    this.#parts = parts;
  }

  get caller(): StreamReader | null {
    return this.#held?.caller ?? null;
  }

  /** Begins to wait for a first or another credential. */
  await(): void {
    this.#after(AUTH_SECONDS * 1000, () => this.#parts.onMissing());
  }

  /** Who holds this token. It came in time, however long the answer takes. What is held stays held until `accept`. */
  async offer(token: string): Promise<Result<StreamReader, AdmitRefusal>> {
    const { core, address } = this.#parts;
    if (this.#held === null) this.#timer.abort();
    return await admitReader(core, { bearer: token, address });
  }

  /** Takes a credential in the place of the one that is held. Returns when it ends by itself. */
  accept(credential: Held): number | null {
    this.#held = credential;
    const end = endOf(credential.caller);
    if (end === null) {
      this.#timer.abort();
      return null;
    }
    this.#after(msUntil(this.#parts.core.clock, end.expiredAt), () => this.#lose(end));
    return end.expiredAt;
  }

  /** Looks whether what is held is still good. */
  async check(): Promise<StreamReader | null> {
    const held = this.#held;
    if (held === null) return null;
    const caller = await holderOf(this.#parts.core, held.token);
    if (this.#held !== held) return this.caller;
    if (caller.ok) {
      this.#held = { token: held.token, caller: caller.value };
      return caller.value;
    }
    this.#lose(caller.refusal);
    return null;
  }

  #lose(refusal: AuthRefusal): void {
    this.#held = null;
    this.await();
    this.#parts.onLost(refusal);
  }

  #after(ms: number, act: () => void): void {
    this.#timer.abort();
    this.#timer = new AbortController();
    const { core, signal } = this.#parts;
    core.clock.sleep(ms, AbortSignal.any([signal, this.#timer.signal])).then(act, () => {});
  }
}

/** When a credential ends by itself, as it is told then. Null for a key. */
function endOf(caller: StreamReader): Extract<AuthRefusal, { expiredAt: number }> | null {
  switch (caller.kind) {
    case "run_view":
      return null;
    case "ci_job":
      return { reason: "capability_expired", expiredAt: caller.capability.expiresAt };
    case "account": {
      const { accessToken } = caller;
      return accessToken === undefined
        ? null
        : { reason: "access_token_expired", expiredAt: accessToken.expiresAt };
    }
  }
}

async function holderOf(core: Core, token: string): Promise<Result<StreamReader, AuthRefusal>> {
  if (token.startsWith(RUN_VIEW_PREFIX)) return await findRunViewer(core, token);
  if (token.startsWith(WEB_SESSION_PREFIX)) return await findOwner(core, token);
  return await authenticate(core, token);
}

/** Who is signed in. Only the upgrade of a page of our own is let in by its cookie: no frame and no header brings one. */
export async function findOwner(core: Core, secret: string): Promise<Result<AccountCaller, AuthRefusal>> {
  const session = await findWebSession(core, secret);
  return session === null ? refused({ reason: "credential_unknown" }) : ok(personIn(session));
}
