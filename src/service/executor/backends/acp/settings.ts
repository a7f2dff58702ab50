// What the operator says of the agent that runs are given to. Types alone.

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

/** One answer for everything an agent asks for, or one a kind. */
export type PermissionPolicy = PermissionAnswer | Readonly<Record<PermissionKind, PermissionAnswer>>;

export type AgentStart = {
  readonly argv: readonly [string, ...string[]];
  /** Absolute, and the only folders that the agent needs to write to. */
  readonly workspace: string;
  readonly home: string;
};

export type AcpSettings = {
  /** Starts the agent; it speaks ACP on its standard input and output. */
  readonly command: readonly [string, ...string[]];
  /** Where its program and its tools are looked for. */
  readonly path: string;
  /** The agent's own keys and settings. Beside them it gets `PATH`, a fresh `HOME` and a locale. */
  readonly environment: Readonly<Record<string, string>>;
  /** Which of the agent's own ways to log in is used; null where its environment is enough. */
  readonly authMethod: string | null;
  readonly permissions: PermissionPolicy;
  /** From its start to its session. */
  readonly startTimeoutMs: number;
  /** Between the steps of an ending: asked to cancel, asked to end, ended. */
  readonly stopGraceMs: number;
  /** How long it may work without a word. */
  readonly idleTimeoutMs: number;
  /** The command line that starts the agent in a sandbox with network. Null: it runs beside the service. */
  readonly confine: ((start: AgentStart) => readonly [string, ...string[]]) | null;
};
