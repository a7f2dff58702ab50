// The words of a command line: flags, arguments, and what is said when they are wrong.

import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

/** The command was called wrongly: its message is the answer, and the exit code is 2. */
export class UsageError extends Error {
  readonly code = "usage";
}

type Read<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; strict: true; allowPositionals: true }>
>;

/** Reads flags and arguments. Throws UsageError for a flag that there is not, or without its value. */
export function readFlags<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
): Read<Options> {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(faultOf(args, options), { cause });
  }
}

/** The first flag that is wrong, and what there is instead. */
function faultOf(args: readonly string[], options: ParseArgsOptionsConfig): string {
  const lenient = { args: [...args], options, strict: false, allowPositionals: true } as const;
  const { tokens } = parseArgs({ ...lenient, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) {
      const names = Object.keys(options).map((known) => `--${known}`);
      return `There is no flag ${rawName} here. There are ${names.join(", ")}; text that begins with "-" goes after "--".`;
    }
    if (option.type === "boolean" && value !== undefined) return `${rawName} takes no value.`;
    // A value that looks like a flag is refused too: it is more often a value that was left out.
    if (option.type === "string" && (value === undefined || (!token.inlineValue && value.startsWith("-")))) {
      return `${rawName} is without its value. One that begins with "-" is written ${rawName}=<value>.`;
    }
  }
  return "The flags cannot be read.";
}

/** The arguments, exactly one for each name of the usage line: `keys revoke <key>`. Throws UsageError. */
export function takeArguments(usage: string, given: readonly string[]): readonly string[] {
  const names = usage.match(/<[^>]+>/g) ?? [];
  const missing = names[given.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing: agent-service ${usage}`);
  const extra = given[names.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one too many: agent-service ${usage}`);
  return given;
}

/** A whole number between the bounds, or undefined where the flag was not given. Throws UsageError. */
export function readWholeNumber(
  text: string | undefined,
  allowed: { readonly name: string; readonly min: number; readonly max: number },
): number | undefined {
  if (text === undefined) return undefined;
  const { name, min, max } = allowed;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`${name} must be a whole number from ${min} to ${max}, got "${text}".`);
}

/** One of the names, or undefined where the flag was not given. Throws UsageError. */
export function readOneOf<const Name extends string>(
  text: string | undefined,
  allowed: { readonly name: string; readonly values: readonly Name[] },
): Name | undefined {
  if (text === undefined) return undefined;
  const found = allowed.values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new UsageError(`${allowed.name} must be one of ${allowed.values.join(", ")}, got "${text}".`);
}

/** What a noun can do. Gets the words after its name; resolves to the exit code. */
export type Verbs = Readonly<Record<string, (args: readonly string[]) => Promise<number>>>;

/** Runs the verb that the first word names. Throws UsageError where there is none. */
export async function runVerb(noun: string, verbs: Verbs, args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const names = Object.keys(verbs).join(", ");
  if (name === undefined) throw new UsageError(`agent-service ${noun} takes one of ${names}.`);
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) {
    throw new UsageError(`agent-service ${noun} takes one of ${names}, got "${name}".`);
  }
  return await verb(rest);
}
