// Declarations of commands, from which parsing, help and the reference page follow.

import type { ValuesOf } from "../base/settings/setting.ts";
import { type Arguments, type Flags, type Given, readValues } from "./flags.ts";

type Declaration<Taken extends Arguments, Declared extends Flags> = {
  /** One sentence. */
  readonly summary: string;
  /** Further notes of its help, a paragraph each. */
  readonly notes?: readonly string[];
  readonly arguments?: Taken;
  readonly flags: Declared;
  /** The words after "agent-service" on the line, whole. */
  readonly examples: readonly [string, ...string[]];
};

/** A command that does something. */
export type Command = Declaration<Arguments, Flags> & {
  /** Resolves to the exit code. Throws UsageError, before anything is done. */
  readonly execute: (given: { readonly arguments: Given; readonly flags: Given }) => Promise<number>;
  /** Its subcommands: `credits grant` below `credits`. */
  readonly commands?: Readonly<Record<string, Command>>;
};

/** A command that only holds others. */
export type CommandGroup = {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Command | CommandGroup>>;
};

/** Loads what one command needs. */
export type LoadCommand = () => Promise<Command | CommandGroup>;

export function command<const Taken extends Arguments, const Declared extends Flags>(
  given: Declaration<Taken, Declared> & {
    readonly commands?: Readonly<Record<string, Command>>;
    readonly run: (values: {
      readonly arguments: ValuesOf<Taken>;
      readonly flags: ValuesOf<Declared>;
    }) => Promise<number>;
  },
): Command {
  const { run, ...declaration } = given;
  const taken = declaration.arguments ?? ({} as Taken);
  return {
    ...declaration,
    execute: (texts) =>
      run({
        arguments: readValues(taken, { given: texts.arguments, titleOf: (name) => `<${name}>` }),
        flags: readValues(declaration.flags, { given: texts.flags, titleOf: (name) => `--${name}` }),
      }),
  };
}
