// The port through which the program of a coding agent is started, wherever it works. Implemented in sandbox/.

import type { PipedProcess } from "../../../base/piped-process.ts";
import type { CommandIdentity } from "./command-identity.ts";
import type { CoveredFiles } from "./covered-files.ts";

/** What of an agent's home is not its own work: it is never brought to this machine. */
export type HomeRules = {
  /** Names of folders, wherever they lie. */
  readonly passedOver: ReadonlySet<string>;
  /** Whether this path, relative to the home, is left out. */
  isLeftOut(path: string): boolean;
  readonly maxBytes: number;
};

export type AgentStart = {
  readonly argv: readonly [string, ...string[]];
  /** Where its program and its tools are looked for on this machine. Elsewhere it has the path of that place. */
  readonly path: string;
  /** All else, but for its home. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute, and the only folders that the agent needs to write to. */
  readonly checkout: string;
  readonly home: string;
  readonly homeRules: HomeRules;
  /** Git's own folder, where it lies outside of the checkout. */
  readonly gitFolder: string | null;
  /** Files of the checkout that it does not get to read, where it is confined. */
  readonly covered: CoveredFiles | undefined;
  /** Whether writers made the tree. Otherwise nothing in its place may configure it that is not in the checkout. */
  readonly isWriters: boolean;
  /**
   * A unix socket, through which alone the agent reaches its model; it has no network of this machine. Null: it has the network of its
   * place.
   */
  readonly modelSocket: string | null;
  /** A unix socket: the proxy to what else the run may reach. Null: nothing. */
  readonly egressSocket: string | null;
  /** The MCP server of the run's tools: its unix socket, null where it is a port of this machine's loopback. Null: there is none. */
  readonly gateway: { readonly socket: string | null } | null;
  /** Where its commands ask for ID tokens of the run. Null: nowhere. */
  readonly identity: CommandIdentity | null;
  /** The run's: a start that waits for a place rejects with its reason. */
  readonly signal: AbortSignal;
};

/** A limit: its kind, its amount, and who sets it. */
export type PassedLimit = {
  readonly limit: "memory" | "processes" | "disk";
  /** Megabytes, or processes and threads. */
  readonly allowed: number;
  readonly setting: string;
};

/**
 * Files of an agent that works elsewhere. Each call brings what was changed there since the last one, and resolves with false where that
 * is more than is taken. Rejects with the signal's reason, and where the place is lost.
 */
export type AgentFiles = {
  takeHome(signal: AbortSignal): Promise<boolean>;
  takeTree(signal: AbortSignal): Promise<boolean>;
};

/** When its first process ends, so does everything that it started. */
export type StartedAgent = PipedProcess & {
  /**
   * Resolves with the first limit that was passed, or with null once `signal` aborts. Rejects where nobody can tell.
   * The agent is left to be ended.
   */
  watch(signal: AbortSignal): Promise<PassedLimit | null>;
  /** Null: it works in the files of this machine. */
  readonly files: AgentFiles | null;
};

/** There is no place for it. The message is for the run's reader: what, why, what to do. */
export class NoPlaceError extends Error {
  override readonly name = "NoPlaceError";
  readonly code = "no_place";

  /** Compares names: a backend in a bundle of its own has its own copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "NoPlaceError";
  }
}

/** Agents in places of their runs' own, which are not this machine. */
export interface AgentPlaces {
  /** Absolute, as agents see them. */
  readonly tree: string;
  readonly home: string;
  /** Whether they reach through the worker's proxy alone what their run may reach. */
  readonly isProxied: boolean;
  /** Rejects with a `NoPlaceError`, with a `SandboxError` where the place is lost, or with the signal's reason. */
  start(agent: AgentStart): Promise<StartedAgent>;
}
