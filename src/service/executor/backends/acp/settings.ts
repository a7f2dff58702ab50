// The operator's settings of an ACP agent. Types only.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Rates } from "../../../core/money/rates.ts";
import type { CoveredFiles } from "../../../core/ports/covered-files.ts";
import type { CommandIdentity } from "../../../core/ports/sandbox.ts";
import type { ModelAccess } from "./model-proxy/model-access.ts";

export const permissionKinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "other",
] as const;
export type PermissionKind = (typeof permissionKinds)[number];

export type PermissionAnswer = "allow" | "reject";

/** One answer for all permission requests, or one a kind. */
export type PermissionPolicy = PermissionAnswer | Readonly<Record<PermissionKind, PermissionAnswer>>;

export type AgentStart = {
  readonly argv: readonly [string, ...string[]];
  /** All of it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute, and the only folders that the agent needs to write to. */
  readonly checkout: string;
  readonly home: string;
  /** Git's own folder, where it lies outside of the checkout. */
  readonly gitFolder: string | null;
  /** Files of the checkout that it does not get to read, where it is confined. */
  readonly covered: CoveredFiles | undefined;
  /**
   * A unix socket, through which alone the agent reaches its model; it has no network of this machine. Null: it has this
   * machine's network.
   */
  readonly modelSocket: string | null;
  /** A unix socket: the proxy to what else the run may reach. Null: nothing. */
  readonly egressSocket: string | null;
  /** Where its commands ask for ID tokens of the run. Null: nowhere. */
  readonly identity: CommandIdentity | null;
};

/** A limit: its kind, its amount, and the setting that defines it. */
export type PassedLimit = {
  readonly limit: "memory" | "processes" | "disk";
  /** Megabytes, or processes and threads. */
  readonly allowed: number;
  readonly setting: string;
};

export type ConfinedAgent = {
  /** The leader of a process group of its own. When it ends, so does everything in its sandbox. */
  readonly child: ChildProcessWithoutNullStreams;
  /**
   * Resolves with the first limit that was passed, or with null once `signal` aborts. Rejects where nobody can tell.
   * The agent is left to be ended.
   */
  watch(signal: AbortSignal): Promise<PassedLimit | null>;
};

/** Folders of agents: each has one as its home, and maybe one for the socket to its model. */
export type AgentHomes = {
  /** `earlier` is the name that one had; the new one has it where it is free. */
  make(earlier?: string): Promise<string>;
  /** Ends whoever still has it as its home, and removes it. Safe to repeat. */
  remove(folder: string): Promise<void>;
};

export type AcpSettings = {
  /** The agent's name in messages. */
  readonly title: string;
  /** Starts the agent; it speaks ACP on its standard input and output. */
  readonly command: readonly [string, ...string[]];
  /** The path in which its program and its tools are looked for. */
  readonly path: string;
  /** The agent's own settings. Beside them it gets `PATH`, a fresh `HOME` and a locale. */
  readonly environment: Readonly<Record<string, string>>;
  /** Those that `environment` holds, for the masking of what the agent says. */
  readonly secrets: readonly string[];
  /** Access of runs to the agent's model without its key. Null: the agent reaches it by itself. */
  readonly model: ModelAccess | null;
  /** Which of the agent's own ways to log in is used; null where its environment is enough. */
  readonly authMethod: string | null;
  /** The mode that its session is put into; null: the one that it begins in. */
  readonly mode: string | null;
  /** Whether it reads and writes files by asking the service. False: by itself, in its checkout. */
  readonly asksForFiles: boolean;
  /** Whether a turn that ends with the text "Error: …" has failed: its model answered with an error. */
  readonly answersWithErrors: boolean;
  readonly permissions: PermissionPolicy;
  /** From its start to its session. */
  readonly startTimeoutMs: number;
  /** Between the steps of an ending: asked to cancel, asked to end, ended. */
  readonly stopGraceMs: number;
  /** The time that it may work without a word. */
  readonly idleTimeoutMs: number;
  /** Between two entries of a run's journal. */
  readonly keepEveryMs: number;
  readonly homes: AgentHomes;
  /** Rates of the model's tokens. */
  readonly rates: Rates;
  /** The port at which an agent in a network of its own finds its model. Null: it has this machine's network. */
  readonly relayPort: number | null;
  /** Starts the agent in a sandbox, held to its limits. Null: it runs beside the service. */
  readonly confine: ((start: AgentStart) => Promise<ConfinedAgent>) | null;
};
