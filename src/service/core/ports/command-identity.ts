// The port to the relay at which commands of a run ask for its ID tokens.

/**
 * The relay at which commands of a run ask for its ID tokens. A sandbox names it in the variables in which GitHub's runner names its own,
 * and leads to it. One whose commands have neither its loopback nor this machine's ignores it.
 */
export type CommandIdentity = {
  /** What a command shows there. Good for this run alone. */
  readonly secret: string;
  /** A unix socket, absolute and alone in its folder: for commands with a loopback of their own. Rejects once the run has ended. */
  socket(): Promise<string>;
  /** A port: for commands with this machine's loopback. Rejects once the run has ended. */
  port(): Promise<number>;
};
