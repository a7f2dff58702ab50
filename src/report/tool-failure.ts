// Failed tool calls, by the text of their results: an event has no field for it. Pure.

const ERROR = "error: ";
/** The last line of a command's result; a command that was ended by a signal or a limit has another ending. */
const COMMAND_END = /^\[(exit code -?\d+|ended\b.*)\]$/;
const SUCCESS = "exit code 0";
const COMMANDS: ReadonlySet<string> = new Set(["run_command", "setup"]);

/** A tool that fails answers "error: …"; a command fails with another exit code than 0. */
export function isFailedResult(name: string, content: string): boolean {
  if (content.startsWith(ERROR)) return true;
  const ending = commandEnding(name, content);
  return ending !== null && ending !== SUCCESS;
}

/** How the command ended, by the last line of its result: "exit code 1". Null of another tool, and where it does not say it. */
export function commandEnding(name: string, content: string): string | null {
  if (!COMMANDS.has(name)) return null;
  return COMMAND_END.exec(content.slice(content.lastIndexOf("\n") + 1))?.[1] ?? null;
}
