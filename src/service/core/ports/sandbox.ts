// The port through which a run executes a command on its checkout. Implemented in sandbox/.

import type { Result } from "../../../base/result.ts";
import type { AgentPlaces } from "./agent-start.ts";
import type { CommandIdentity } from "./command-identity.ts";
import type { CoveredFiles } from "./covered-files.ts";
import type { PlaceArchive } from "./place-archive.ts";

export type SandboxKind = "bubblewrap" | "container" | "kubernetes" | "none";

/** The checkout as a command may see it, beside the machine's tools. */
export type SandboxedCheckout = {
  /** Absolute path of the tree. */
  readonly root: string;
  /** Git's own folder where it lies outside of the tree; null where it is `.git` in the tree, or there is none. */
  readonly gitFolder: string | null;
  /** Files of the tree that are not for commands. Without a sandbox, and in containers, nothing covers it. */
  readonly covered?: CoveredFiles | undefined;
  /** True when whoever can write to the repository may execute commands on this machine anyway. */
  readonly isTrusted: boolean;
  /** Absolute path of the home of this run's commands, which stays between them. Default: one for each command. */
  readonly home?: string;
};

export type SandboxCommand = {
  /** `shell` is executed by bash; by /bin/sh where there is no bash in PATH. */
  readonly execute: { readonly shell: string } | { readonly argv: readonly [string, ...string[]] };
  /** Relative to the root of the checkout; "" is the root. */
  readonly cwd: string;
  /** Added to the scrubbed environment. Names that hold secrets by custom are refused. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The unix socket of the proxy to the network, absolute and alone in its folder, which a sandbox without a network names
   * in the usual variables. Null: no network. A sandbox that has a network of its own ignores it.
   */
  readonly egressSocket: string | null;
  /** Where it asks for ID tokens of its run. Default: nowhere. */
  readonly identity?: CommandIdentity | null;
  readonly stdin?: string;
  /** The sandbox's own limit wins when it is shorter. */
  readonly timeoutMs: number;
  /** Takes the place of the sandbox's own limit. */
  readonly longestMs?: number;
  /** Bytes of output that are kept: half from its beginning, half from its end. */
  readonly maxOutputBytes: number;
  /** Told each piece of output as it comes, whether it is kept or not. */
  readonly onOutput?: (piece: Buffer) => void;
  /** Called once it is executed, if it ever is. */
  readonly onStart?: () => void;
  /** The commands beside which it is executed. Default: none. */
  readonly beside?: SandboxCommandGroup;
  readonly signal: AbortSignal;
};

/**
 * Commands of a run that are executed at the same time. Where a sandbox gives each a loopback network of its own, all of a group find
 * the ports there on which those in the background listen.
 */
export type SandboxCommandGroup = {
  /** The name of the group: nobody else's. */
  readonly name: string;
  /** Whether this command goes on in the background: others are executed beside it. */
  readonly isBackground: boolean;
};

export type SandboxLimit = "time" | "output" | "memory" | "processes" | "disk";

export type SandboxResult = {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Standard output and error as they came, control characters included. */
  readonly output: string;
  /** True when bytes from the middle are missing; the text says how many. */
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly durationMs: number;
  /** The limit that ended the command. */
  readonly limit?: SandboxLimit;
};

export type SandboxRefusal = {
  readonly reason: "shell_refused" | "cwd_refused" | "environment_refused";
  /** One line for the agent and the person who reads the run: what, and what to do. */
  readonly detail: string;
};

/** The place where a program works. */
export type ProgramPlace = {
  readonly checkout: SandboxedCheckout;
  /** False: its working folder is an empty one, and nothing of the checkout is in sight where there is a sandbox. */
  readonly isTreeShown: boolean;
  /** The name of a group of commands whose ports in the background it finds on its loopback, too. Default: it finds none. */
  readonly beside?: string;
};

/** A program that goes on until it is ended, and is spoken to through its standard input and output. */
export type SandboxedProgram = {
  readonly argv: readonly [string, ...string[]];
  /** Added to the scrubbed environment. It may hold secrets: nothing else that is executed sees it. */
  readonly env: Readonly<Record<string, string>>;
  /** As of a command. */
  readonly egressSocket: string | null;
};

/** Its standard input. */
export type ProgramInput = {
  readonly destroyed: boolean;
  write(text: string): unknown;
  end(text?: string): unknown;
};

/** Its standard output. */
export type ProgramOutput = {
  on(event: "data", take: (chunk: Buffer) => void): unknown;
  on(event: "error", take: (cause: Error) => void): unknown;
  destroy(): unknown;
};

export type RunningProgram = {
  readonly input: ProgramInput;
  readonly output: ProgramOutput;
  /** The last line that it wrote to its standard error, as it is. "" where there is none. */
  lastComplaint(): string;
  /** Resolves once nothing of it is left, with how it ended in a few words: "it ended with exit code 1". */
  readonly ended: Promise<string>;
  /** Ends it and all that it started, at once. Resolves when nothing is left. Safe to repeat. */
  end(): Promise<void>;
};

/** Facts about the place of commands, to be told to whoever writes them. */
export type SandboxFacts = {
  /** Absolute paths, as commands see them. */
  readonly tree: string;
  readonly home: string;
  readonly hasNetwork: boolean;
  /** Whether package managers find what the job has downloaded. */
  readonly hasJobsCaches: boolean;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** Programs in PATH, some with a version: "node 24.1.0". */
  readonly tools: readonly string[];
};

/** A run's checkout, and what is to be done where its sandbox is lost with what was installed in it. */
export type SandboxedRun = {
  readonly runId: string;
  /** Absolute path of the tree. */
  readonly root: string;
  /** Called once at most. The reason is for the log. */
  readonly onLost: (why: string) => void;
};

/** The places of runs in a sandbox that keeps one for each. */
export interface SandboxPlaces {
  /** Says whose a checkout is, before its first command. What is returned gives its place back; safe to repeat, never rejects. */
  enter(run: SandboxedRun): () => Promise<void>;
}

export interface Sandbox {
  readonly kind: SandboxKind;
  /** Default: each command has a place of its own. */
  readonly places?: SandboxPlaces;
  /**
   * What setup leaves in the place of a run. Default: it is on this machine. Rejects with the signal's reason, or with a `SandboxError`.
   */
  readonly archive?: (
    checkout: SandboxedCheckout,
    signal: AbortSignal,
  ) => Promise<Result<PlaceArchive, SandboxRefusal>>;
  /** Default: coding agents work on this machine. */
  readonly agents?: AgentPlaces;
  /** Null where a sandbox knows little of its inside. Looked up once. */
  facts(signal: AbortSignal): Promise<SandboxFacts | null>;
  /**
   * Executes one command and settles once nothing of it is left. Rejects with the signal's reason on abort, with a
   * `SandboxError` when the sandbox itself failed; a command that failed or met a limit is a result.
   */
  run(checkout: SandboxedCheckout, command: SandboxCommand): Promise<Result<SandboxResult, SandboxRefusal>>;
  /**
   * Starts a program with a home of its own. It is held to the limits of a command, except for the time. Rejects with a
   * `SandboxError` when the sandbox cannot be made; a program that does not start has `ended`.
   */
  start(place: ProgramPlace, program: SandboxedProgram): Promise<Result<RunningProgram, SandboxRefusal>>;
}
