// Reads a step's log as a runner does: which lines are commands, what they do, and what a reader then sees. Pure.
// https://github.com/actions/runner: src/Runner.Worker/ActionCommandManager.cs, src/Runner.Common/ActionCommand.cs

export type Annotation = {
  readonly level: "error" | "warning" | "notice";
  readonly message: string;
  readonly title: string | undefined;
  /** Where it is shown in the repository. */
  readonly file: string | undefined;
  readonly line: string | undefined;
  readonly endLine: string | undefined;
};

export type ProcessedLog = {
  readonly log: string;
  readonly annotations: readonly Annotation[];
  readonly masks: readonly string[];
  readonly groups: readonly string[];
  readonly injectedCommands: readonly string[];
};

type Command = {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
};

const known = [
  "add-mask",
  "add-matcher",
  "add-path",
  "debug",
  "echo",
  "endgroup",
  "error",
  "group",
  "internal-set-repo-path",
  "notice",
  "remove-matcher",
  "save-state",
  "set-env",
  "set-output",
  "stop-commands",
  "warning",
];

/** Commands that the Action gives through files, or never. */
const unexpected = new Set([
  "add-matcher",
  "add-path",
  "echo",
  "internal-set-repo-path",
  "remove-matcher",
  "save-state",
  "set-env",
  "set-output",
]);

const BARE_CR_OR_LF = /\r\n|\r|\n/;

export function processLog(rawLog: string): ProcessedLog {
  const registered = new Set(known);
  const annotations: Annotation[] = [];
  const masks: string[] = [];
  const groups: string[] = [];
  const injectedCommands: string[] = [];
  const seen: string[] = [];
  let indent = "";
  const show = (line: string) => seen.push(indent + line);
  let stopToken: string | null = null;

  const obey = (line: string, { name, properties, data }: Command) => {
    if (unexpected.has(name)) injectedCommands.push(line);
    switch (name) {
      case "add-mask":
        masks.push(data, ...data.split(BARE_CR_OR_LF).filter((part) => part !== ""));
        return;
      case "error":
      case "warning":
      case "notice": {
        const { title, file, line: at, endLine } = properties;
        annotations.push({ level: name, message: data, title, file, line: at, endLine });
        show(`##[${name}]${data}`);
        return;
      }
      case "group":
        groups.push(data);
        seen.push(`▼ ${data}`);
        indent = "  ";
        return;
      case "endgroup":
        indent = "";
        return;
      default:
        return;
    }
  };

  for (const line of rawLog.split(BARE_CR_OR_LF)) {
    const command = parseCommand(line, registered);
    if (command === null) {
      show(line);
    } else if (stopToken !== null) {
      if (command.name === stopToken) {
        registered.delete(stopToken);
        stopToken = null;
      } else {
        show(line);
      }
    } else if (command.name === "stop-commands") {
      const token = command.data.toLowerCase();
      if (token === "" || token === "pause-logging" || registered.has(token)) injectedCommands.push(line);
      stopToken = token;
      registered.add(token);
      if (token.length > 6) masks.push(command.data);
    } else {
      obey(line, command);
    }
  }
  if (stopToken !== null) injectedCommands.push("(a fence was left open)");
  return { log: mask(seen.join("\n"), masks), annotations, masks, groups, injectedCommands };
}

/** `::name key=value::data` at the start of a line, or the older `##[name key=value]data` anywhere in it. */
function parseCommand(line: string, registered: ReadonlySet<string>): Command | null {
  const trimmed = line.trimStart();
  const end = trimmed.indexOf("::", 2);
  if (trimmed.startsWith("::") && end >= 0) {
    const command = commandOf(trimmed.slice(2, end), { separator: ",", data: trimmed.slice(end + 2) });
    if (registered.has(command.name)) return command;
  }
  const start = line.indexOf("##[");
  const close = line.indexOf("]", start);
  if (start < 0 || close < 0) return null;
  const command = commandOf(line.slice(start + 3, close), { separator: ";", data: line.slice(close + 1) });
  return registered.has(command.name) ? command : null;
}

function commandOf(info: string, rest: { separator: string; data: string }): Command {
  const [name = "", ...words] = info.split(" ");
  const properties: Record<string, string> = {};
  for (const pair of words.join(" ").trim().split(rest.separator)) {
    const equals = pair.indexOf("=");
    if (equals > 0) properties[pair.slice(0, equals)] = unescapeProperty(pair.slice(equals + 1));
  }
  return { name: name.toLowerCase(), properties, data: unescapeData(rest.data) };
}

function unescapeData(text: string): string {
  return text.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%");
}

function unescapeProperty(text: string): string {
  return unescapeData(text.replaceAll("%3A", ":").replaceAll("%2C", ","));
}

function mask(text: string, masks: readonly string[]): string {
  const longestFirst = [...masks].filter((value) => value.trim() !== "").sort((a, b) => b.length - a.length);
  return longestFirst.reduce((masked, value) => masked.replaceAll(value, "***"), text);
}
