// Flags and arguments of a command, declared by the settings kit.

import { flag, listOf, text } from "../base/settings/kinds.ts";
import {
  type DescribedSetting,
  described,
  type Kind,
  readSettings,
  type ValuesOf,
} from "../base/settings/setting.ts";

/** The command was called wrongly: its message is the answer, and the exit code is 2. */
export class UsageError extends Error {
  readonly code = "usage";
}

export type Flag<Value> = DescribedSetting<Value> & {
  /** The name of its value in the help, such as `<n>`. Null: a flag without a value. */
  readonly takes: string | null;
  /** True where it may be given more than once. */
  readonly isRepeatable?: boolean;
};
export type Flags = Readonly<Record<string, Flag<unknown>>>;

export type Argument<Value> = DescribedSetting<Value> & {
  /** Takes all that is left, none included. */
  readonly isVariadic?: boolean;
};
export type Arguments = Readonly<Record<string, Argument<unknown>>>;

/** Values that were given: a text, several, or none. */
export type Given = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** No argument of a process can hold it. */
const BETWEEN = "\0";

export const anyText: Kind<string> = text("text");

export function valueFlag<Value, const Fallback extends NoInfer<Value> | null>(
  given: Omit<Flag<Value>, "fallback" | "takes"> & { readonly takes: string; readonly fallback: Fallback },
): Flag<Value | Fallback> {
  return given;
}

/** A flag that must be given. */
export function requiredFlag<Value>(given: {
  readonly kind: Kind<Value>;
  readonly takes: string;
  readonly description: string;
}): Flag<Value> {
  return { ...required(given), takes: given.takes };
}

export function switchFlag(description: string): Flag<boolean> {
  return { kind: flag, fallback: false, description, takes: null };
}

/** A flag that may be given more than once. Null where it is not given. */
export function listFlag(given: {
  readonly takes: string;
  readonly description: string;
}): Flag<readonly string[] | null> {
  return { ...given, kind: manyTexts, fallback: null, isRepeatable: true };
}

/** An argument that must be given. */
export function argument<Value>(kind: Kind<Value>, description: string): Argument<Value> {
  return required({ kind, description });
}

/** `readValues` throws where it is missing, so that nobody meets the fallback. */
function required<Value>(given: {
  readonly kind: Kind<Value>;
  readonly description: string;
}): DescribedSetting<Value> {
  return { ...given, fallback: null, isRequired: true } as unknown as DescribedSetting<Value>;
}

export function variadicArgument(description: string): Argument<readonly string[]> {
  return { ...described({ kind: manyTexts, fallback: [], description }), isVariadic: true };
}

/** Decodes what was given. Throws UsageError, with a line for each that is wrong. */
export function readValues<const Declared extends Flags | Arguments>(
  declared: Declared,
  { given, titleOf }: { readonly given: Given; readonly titleOf: (name: string) => string },
): ValuesOf<Declared> {
  const textOf = (name: string) => {
    const value = given[name];
    return typeof value === "object" ? value.join(BETWEEN) : value === undefined ? undefined : String(value);
  };
  // An empty text on the command line is more often a variable that is not set than one left out on purpose.
  const required = Object.entries(declared).map(([name, one]) => [
    name,
    given[name] === "" ? { ...one, isRequired: true } : one,
  ]);
  const { values, problems } = readSettings<Declared>(Object.fromEntries(required), { textOf, titleOf });
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return values;
}

const manyTexts: Kind<readonly string[]> = listOf({
  allowed: "text",
  separator: new RegExp(BETWEEN),
  item: (given) => given,
});
