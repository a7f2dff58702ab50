// Commands as the library for command lines has them: parsing, help, and suggestions for what is misspelled.
// docs/decisions/032-commander-reads-the-command-line.md

import { CommanderError, Option, Command as Parser } from "commander";
import { catalogue, commandNames } from "./catalogue.ts";
import type { Command, CommandGroup } from "./command.ts";
import { reportFailure } from "./command-error.ts";
import { commands } from "./commands.ts";
import { type Argument, type Flag, UsageError } from "./flags.ts";
import { version } from "./version.ts";

const CLOSING = `
Every other setting is an environment variable: see docs/self-hosting/settings.md.

Exit codes:
  0  done; for "run", "follow" and "--follow": the run completed
  1  failed: the service refused or was not reached, or the run failed or was cancelled
  2  called wrongly, or a setting is wrong`;

/** Runs the command that the arguments name. Resolves to the exit code. Rejects only with what is a bug. */
export async function runProgram(args: readonly string[]): Promise<number> {
  return await runArguments(args).catch(reportFailure);
}

/** Throws UsageError, and what the command throws. */
async function runArguments(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === "help") return await runArguments([...rest, "--help"]);
  if (first === undefined) return await runArguments(["--help"]);
  const exit = { code: 0 };
  const program = await createProgram(first, exit);
  try {
    await program.parseAsync([...args], { from: "user" });
    return exit.code;
  } catch (cause) {
    if (cause instanceof CommanderError && cause.exitCode === 0) return 0;
    const text = usageText(cause);
    if (text === null) throw cause;
    throw new UsageError(`${text}\nSee ${nameOf(program, args)} --help.`, { cause });
  }
}

/** The command that the arguments name, as far as it is one. */
function nameOf(program: Parser, args: readonly string[]): string {
  const words = [program.name()];
  let parser: Parser | undefined = program;
  for (const word of args) {
    parser = parser.commands.find((one) => one.name() === word);
    if (parser === undefined) break;
    words.push(word);
  }
  return words.join(" ");
}

/** The program, in which only the named command is loaded. */
async function createProgram(name: string, exit: { code: number }): Promise<Parser> {
  const program = base(new Parser("agent-service"))
    .description("Run an AI agent on your repository from CI, with no secret stored anywhere.")
    .version(version, "-V, --version", "print the version")
    .addHelpText("after", CLOSING);
  for (const known of commandNames) {
    program.commandsGroup(catalogue[known].section);
    if (known === name) addCommand(program, { name, declared: await commands[known](), exit });
    else program.command(known).summary(catalogue[known].summary);
  }
  program.commandsGroup("");
  program.command("version", { hidden: true }).action(() => void process.stdout.write(`${version}\n`));
  return program;
}

/** Settings that commands do not inherit. */
function base(parser: Parser): Parser {
  return (
    parser
      .exitOverride()
      .configureOutput({
        writeOut: (text) => void process.stdout.write(text),
        writeErr: (text) => void process.stderr.write(text),
        // The message is in the error.
        outputError: () => {},
      })
      .configureHelp({
        subcommandTerm: (one) => [one.name(), ...one.registeredArguments.map(argumentTerm)].join(" "),
      })
      .helpOption("-h, --help", "print this help")
      .helpCommand(false)
      // What stands behind a subcommand is its own: `workflows show <workflow> --version 1`.
      .enablePositionalOptions()
      .allowExcessArguments(false)
  );
}

function argumentTerm(one: { name(): string; required: boolean; variadic: boolean }): string {
  const name = `${one.name()}${one.variadic ? "..." : ""}`;
  return one.required ? `<${name}>` : `[${name}]`;
}

function addCommand(
  parent: Parser,
  { name, declared, exit }: { name: string; declared: Command | CommandGroup; exit: { code: number } },
): void {
  const parser = base(parent.command(name)).summary(declared.summary);
  if ("execute" in declared) describe(parser, { declared, exit });
  else parser.description(declared.summary);
  for (const [below, one] of Object.entries(declared.commands ?? {})) {
    addCommand(parser, { name: below, declared: one, exit });
  }
}

function describe(parser: Parser, { declared, exit }: { declared: Command; exit: { code: number } }): void {
  const { summary, notes = [], flags, examples } = declared;
  parser.description([summary, ...notes].join("\n\n"));
  const names = Object.keys(declared.arguments ?? {});
  for (const [name, one] of Object.entries(declared.arguments ?? {})) {
    parser.argument(one.isVariadic === true ? `[${name}...]` : `<${name}>`, explanation(one));
  }
  for (const [name, one] of Object.entries(flags)) parser.addOption(optionOf(name, one));
  parser.addHelpText(
    "after",
    `\nExamples:\n${examples.map((line) => `  $ agent-service ${line}`).join("\n")}`,
  );
  parser.action(async () => {
    const given = Object.fromEntries(names.map((name, index) => [name, parser.processedArgs[index]]));
    exit.code = await declared.execute({ arguments: given, flags: flagTexts(parser, flags) });
  });
}

function optionOf(name: string, one: Flag<unknown>): Option {
  const { takes } = one;
  const option = new Option(takes === null ? `--${name}` : `--${name} ${takes}`, explanation(one));
  if (takes === null) return option;
  if (one.isRepeatable !== true) return option;
  return option.argParser<readonly string[]>((text, before) => [...(before ?? []), text]);
}

/** By the names of the declaration; the library's are in camel case. */
function flagTexts(parser: Parser, flags: Command["flags"]) {
  const options = new Map(parser.options.map((option) => [option.name(), option.attributeName()]));
  const entries = Object.keys(flags).map((name) => {
    const value: unknown = parser.getOptionValue(options.get(name) ?? name);
    // A value that is itself a flag is more often one that was left out.
    if (typeof value === "string" && parser.options.some(({ long }) => long === value)) {
      throw new UsageError(`--${name} has no value: "${value}" is a flag.`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(entries) as Parameters<Command["execute"]>[0]["flags"];
}

/** The description, what is allowed and the default, as plain text. */
function explanation(one: Flag<unknown> | Argument<unknown>): string {
  const { description, kind, fallback, shownDefault } = one;
  const isSwitch = "takes" in one && one.takes === null;
  const usual = shownDefault ?? (fallback === null || typeof fallback === "object" ? "" : String(fallback));
  const more = [
    ...(isSwitch || kind.allowed === "text" ? [] : [kind.allowed]),
    ...("takes" in one && one.isRequired === true ? ["required"] : []),
    ...(isSwitch || usual === "" ? [] : [`default: ${usual}`]),
  ];
  return `${description}${more.length === 0 ? "" : ` (${more.join("; ")})`}`.replaceAll("`", "");
}

/** The fault of the words on the command line. Null where that is not the failure. */
function usageText(cause: unknown): string | null {
  if (cause instanceof UsageError) return cause.message;
  if (!(cause instanceof CommanderError)) return null;
  const { code, message } = cause;
  if (code === "commander.help") return "A command is missing.";
  const text = message.replace(/^error: ./, (start) => start.slice(-1).toUpperCase());
  return code === "commander.unknownOption" ? `${text}\nText that begins with "-" goes after "--".` : text;
}
