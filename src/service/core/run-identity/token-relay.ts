// The port to the relays at which commands of runs ask for ID tokens. Implemented in egress/token-relay.ts. Types only.

import type { Result } from "../../../base/result.ts";
import type { CommandIdentity } from "../ports/command-identity.ts";
import type { CommandMintRefusal, MintedToken } from "./mint-token.ts";

/** The relay of one run. Nothing listens before it is needed. */
export interface TokenRelay extends CommandIdentity {
  /** Ends every connection, and removes what was made. Safe to repeat. */
  close(): Promise<void>;
}

export type TokenRelayRun = {
  /** What its commands have to show. */
  readonly secret: string;
  /** Aborts once the run is no longer this worker's: nobody gets a token from then on. */
  readonly signal: AbortSignal;
  mint(audience: string): Promise<Result<MintedToken, CommandMintRefusal>>;
};

export interface TokenRelays {
  /** It is to be closed when the run has ended. */
  open(run: TokenRelayRun): TokenRelay;
}
