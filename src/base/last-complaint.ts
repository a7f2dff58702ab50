// The line of a failed program's standard error that names the fault. Pure.

/**
 * The last line; where that is Node's version, which ends every report of an error that nobody caught, the error itself.
 * Empty where nothing was said.
 */
export function lastComplaint(said: string): string {
  const lines = said.trimEnd().split("\n");
  const last = lines.at(-1)?.trim() ?? "";
  if (!last.startsWith("Node.js v")) return last;
  return lines.findLast(namesAnError)?.trim() ?? last;
}

/** "TypeError: …" or "Error [ERR_…]: …", at the start of its line. */
function namesAnError(line: string): boolean {
  const [name = ""] = line.split(":", 1);
  return name !== line && (name.endsWith("Error") || name.includes("Error [")) && !name.startsWith(" ");
}
