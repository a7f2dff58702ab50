// The port to what a run reaches of the internet: one policy for its setup, its commands, its agent and the pages that it
// reads. Implemented in egress/.

import type { Result } from "../../../base/result.ts";
import type { EgressPhase, EgressRules } from "./rules.ts";

const egressBlocks = [
  "not_allowed",
  "port",
  "address",
  "private_address",
  "plain_http",
  "name_mismatch",
  "not_tls",
  "too_many_connections",
  "too_many_bytes",
] as const;

/**
 * Why a connection is blocked: the host or its port is none of the policy's, it is given as an address, it has an address
 * that is not on the public internet, it is not TLS, or its TLS names another host; or a limit of the run is reached.
 */
export type EgressBlock = (typeof egressBlocks)[number];

export type ReachedHost = { readonly host: string; readonly connections: number; readonly bytes: number };
export type BlockedHost = { readonly host: string; readonly times: number; readonly reason: EgressBlock };

/** Names are as they were requested, in the order of their first request; `host:port` where the port is not 443. */
export type EgressRecord = {
  readonly allowed: readonly ReachedHost[];
  readonly blocked: readonly BlockedHost[];
};

/** The refusal of a connection, and the text for whoever asked: one line, no host in it that is longer than a name may be. */
export type EgressRefusal =
  | { readonly reason: "blocked"; readonly block: EgressBlock; readonly detail: string }
  | { readonly reason: "unreachable"; readonly detail: string };

/** A connection that may be made, and is counted until it is closed. */
export type AdmittedConnection = {
  /** Checked, at least one. Connect to these and resolve nothing again. */
  readonly addresses: readonly string[];
  /** Counts bytes of either direction. False once the run has used its bytes: then the connection has to end. */
  count(bytes: number): boolean;
  /** Safe to repeat. */
  close(): void;
};

export type EgressTarget = {
  readonly phase: EgressPhase;
  /** As requested. */
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
};

/** Network access of one run. Nothing listens before it is needed. */
export interface RunEgress {
  readonly rules: EgressRules;
  /**
   * The path of a unix socket, alone in its folder, of an HTTP proxy that lets through what the phase may reach. Null where
   * that is nothing. The same one at every call of a phase. Rejects once closed.
   */
  socket(phase: EgressPhase): Promise<string | null>;
  /** Decides on one connection, and resolves its host once. Rejects with the signal's reason on abort. */
  admit(target: EgressTarget): Promise<Result<AdmittedConnection, EgressRefusal>>;
  /** Hosts that were reached and blocked so far. */
  record(): EgressRecord;
  /** Ends every connection and removes the sockets. Safe to repeat. */
  close(): Promise<void>;
}

export interface EgressProvider {
  /** Returns what one run may reach. It is to be closed when the run has ended. */
  open(run: { readonly runId: string; readonly rules: EgressRules }): RunEgress;
}
