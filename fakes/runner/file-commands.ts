// Reads GITHUB_OUTPUT and GITHUB_STATE as a runner does. Pure.
// https://github.com/actions/runner: src/Runner.Worker/FileCommandManager.cs

/** `NAME=value` lines and `NAME<<DELIMITER` blocks; the last value of a name wins. Throws as the step would fail. */
export function parseFileCommands(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split(process.platform === "win32" ? /\r?\n/ : "\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line === "") continue;
    const equals = line.indexOf("=");
    const heredoc = line.indexOf("<<");
    if (heredoc >= 0 && (equals < 0 || heredoc < equals)) {
      const name = line.slice(0, heredoc);
      const delimiter = line.slice(heredoc + 2);
      if (name === "" || delimiter === "") throw new Error(`Invalid format '${line}'.`);
      const end = lines.indexOf(delimiter, at + 1);
      if (end < 0) throw new Error(`Matching delimiter not found '${delimiter}'.`);
      values[name] = lines.slice(at + 1, end).join("\n");
      at = end;
    } else if (equals > 0) {
      values[line.slice(0, equals)] = line.slice(equals + 1);
    } else {
      throw new Error(`Invalid format '${line}'.`);
    }
  }
  return values;
}
