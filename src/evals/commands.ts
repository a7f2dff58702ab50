// The port through which an eval executes commands of a repository: setups and tests. Types only.

export type CommandEnd =
  | { readonly type: "exited"; readonly exitCode: number; readonly output: string }
  /** It took too long, or passed another limit. */
  | { readonly type: "limited"; readonly limit: string; readonly output: string };

type CommandCall = {
  /** The root of the checkout, in which it is executed by a shell. */
  readonly root: string;
  readonly command: string;
  readonly timeoutMs: number;
  /** Whether package registries can be reached. */
  readonly isSetup: boolean;
  readonly signal: AbortSignal;
};

export interface Commands {
  /** Rejects with the signal's reason on abort, and where commands are not executed here. */
  run(call: CommandCall): Promise<CommandEnd>;
}
