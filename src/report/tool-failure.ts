// Failed tool calls, by the text of their results: an event has no field for it. Pure.

const ERROR = "error: ";
/** The last line of a command's result; a command that was ended by a signal or a limit has another ending. */
const COMMAND_END = /^\[(exit code -?\d+|ended\b.*)\]$/;
const SUCCESS = "[exit code 0]";
const COMMANDS: ReadonlySet<string> = new Set(["run_command", "setup"]);

/** A tool that fails answers "error: …"; a command fails with another exit code than 0. */
export function isFailedResult(name: string, content: string): boolean {
  if (content.startsWith(ERROR)) return true;
  if (!COMMANDS.has(name)) return false;
  const lastLine = content.slice(content.lastIndexOf("\n") + 1);
  return COMMAND_END.test(lastLine) && lastLine !== SUCCESS;
}
