// The identity of one run, as its commands have it: audiences that its agent's owner has granted, and the relay at which they ask for ID
// tokens. Nothing is read or opened for a run that executes no command.
// Why: docs/decisions/170-commands-ask-a-relay-for-id-tokens.md

import { ok, type Result, refused } from "../../base/result.ts";
import { makeSecretToken } from "../../base/secret-token.ts";
import type { Core } from "../core/core.ts";
import {
  type CommandMintRefusal,
  type MintedToken,
  mintForCommand,
  usableAudiences,
} from "../core/run-identity/mint-token.ts";
import type { RunTrust } from "../core/run-identity/run-trust.ts";
import type { TokenRelay, TokenRelays } from "../core/run-identity/token-relay.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { TaskIdentity } from "./backend.ts";
import type { SecretMask } from "./secret-mask.ts";

const SECRET_PREFIX = "svc_run_";
/** Each stays in the mask of the run. */
const MAX_TOKENS = 100;

type RunIdentityParts = {
  readonly core: Core;
  /** Null where commands get no ID tokens. */
  readonly tokenRelays: TokenRelays | null;
  readonly taken: TakenRun;
  readonly secrets: SecretMask;
  readonly signal: AbortSignal;
};

export class RunIdentity {
  readonly #parts: RunIdentityParts;
  #opened: Promise<TaskIdentity | null> | null = null;
  #relay: TokenRelay | null = null;
  #isClosed = false;
  #minted = 0;

  constructor(parts: RunIdentityParts) {
    this.#parts = parts;
  }

  /** By the grants of its first call. Null where the run gets no ID tokens. */
  open(): Promise<TaskIdentity | null> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opened?.catch(() => null);
    const { core, taken } = this.#parts;
    await this.#relay?.close().catch((cause: unknown) => {
      core.log.warn(
        { run_id: taken.run.id, err: cause },
        "the relay of a run's ID tokens could not be closed",
      );
    });
  }

  async #open(): Promise<TaskIdentity | null> {
    const { core, tokenRelays, taken, secrets, signal } = this.#parts;
    if (tokenRelays === null) return null;
    const usable = await usableAudiences(core, taken);
    if (usable === null || this.#isClosed) return null;
    const { audiences, trust } = usable;
    const { text: secret } = makeSecretToken(SECRET_PREFIX, core.random.bytes(32));
    secrets.add(secret);
    const relay = tokenRelays.open({ secret, signal, mint: (audience) => this.#mint(audience, trust) });
    this.#relay = relay;
    return { audiences, commands: relay };
  }

  /** The run's mask knows each before its command does. */
  async #mint(audience: string, trust: RunTrust): Promise<Result<MintedToken, CommandMintRefusal>> {
    const { core, taken, secrets } = this.#parts;
    const { id: runId, fence } = taken.run;
    if (this.#minted >= MAX_TOKENS)
      return refused({ reason: "run_tokens_reached", runId, allowed: MAX_TOKENS });
    const minted = await mintForCommand(core, { runId, fence, audience, trust });
    if (!minted.ok) return minted;
    this.#minted += 1;
    const { token } = minted.value;
    secrets.add(token, token.slice(token.lastIndexOf(".") + 1));
    return ok(minted.value);
  }
}
