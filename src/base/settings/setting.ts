// A setting of any source (environment variable, input of the Action, flag of the command): declared once, decoded here.
// Pure. No schema library: the Action's step reads its inputs before the job has an identity, and must start quickly
// (docs/decisions/031-settings-are-declared-once.md).

import type { Environment } from "../environment.ts";
import { ok, type Result, refused } from "../result.ts";
import { visibleText } from "../untrusted-text.ts";

/** A kind of setting: the texts that it may have, and the value that one is decoded to. */
export type Kind<Value> = {
  /** Completes the sentence "PORT must be …". */
  readonly allowed: string;
  /** A secret's text is never shown, not even a wrong one. */
  readonly isSecret?: boolean;
  /**
   * Gets trimmed text that is not empty. A refusal lists the faults inside the text, each beginning with its place, such
   * as `[0].issuer must be a URL`. An empty list: the text as a whole is not allowed.
   */
  readonly decode: (text: string) => Result<Value, readonly string[]>;
};

export type Setting<Value> = {
  readonly kind: Kind<Value>;
  /** The value where the setting is missing or empty. */
  readonly fallback: Value;
  /** True where a missing or empty text is wrong too. */
  readonly isRequired?: boolean;
};

export type DescribedSetting<Value> = Setting<Value> & {
  /** For the documentation: one line of Markdown. */
  readonly description: string;
  /** For the documentation, where the value alone says too little or depends on the machine. */
  readonly shownDefault?: string;
};

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type ValuesOf<Declared extends Settings> = {
  readonly [Name in keyof Declared]: Declared[Name] extends Setting<infer Value> ? Value : never;
};

/** The source of texts, and the name of a setting in messages. */
type SettingSource<Name> = {
  readonly textOf: (name: Name) => string | undefined;
  readonly titleOf: (name: Name) => string;
};

const MAX_SHOWN_CHARS = 100;

/** Environment variables, each called by its name. */
export function variablesOf(environment: Environment): SettingSource<string> {
  return { textOf: (name) => environment[name], titleOf: (name) => name };
}

/** A kind whose `parse` returns undefined for text that is not allowed. */
export function kind<Value>(allowed: string, parse: (text: string) => Value | undefined): Kind<Value> {
  return {
    allowed,
    decode: (text) => {
      const value = parse(text);
      return value === undefined ? refused([]) : ok(value);
    },
  };
}

export function setting<Value, const Fallback extends NoInfer<Value> | null>(
  kind: Kind<Value>,
  fallback: Fallback,
): Setting<Value | Fallback> {
  return { kind, fallback };
}

export function described<Value, const Fallback extends NoInfer<Value> | null>(
  given: Omit<DescribedSetting<Value>, "fallback"> & { readonly fallback: Fallback },
): DescribedSetting<Value | Fallback> {
  return given;
}

/**
 * Reads all settings that are declared. Each wrong one adds a line to `problems`, and has its fallback among the values:
 * the values are good for further checks only, unless `problems` is empty.
 */
export function readSettings<const Declared extends Settings>(
  declared: Declared,
  source: SettingSource<keyof Declared & string>,
): { readonly values: ValuesOf<Declared>; readonly problems: string[] } {
  const problems: string[] = [];
  const entries = Object.entries(declared).map(([name, one]) => {
    const text = (source.textOf(name) ?? "").trim();
    if (text === "" && one.isRequired !== true) return [name, one.fallback];
    const decoded = text === "" ? refused([]) : one.kind.decode(text);
    if (decoded.ok) return [name, decoded.value];
    problems.push(...problemsOf(source.titleOf(name), { kind: one.kind, text, faults: decoded.refusal }));
    return [name, one.fallback];
  });
  return { values: Object.fromEntries(entries) as ValuesOf<Declared>, problems };
}

function problemsOf(
  title: string,
  wrong: { readonly kind: Kind<unknown>; readonly text: string; readonly faults: readonly string[] },
): readonly string[] {
  const { kind, text, faults } = wrong;
  if (faults.length === 0) return [`${title} must be ${kind.allowed}, got ${shown(text, kind)}.`];
  return faults.map((fault) => `${title}${/^[.[]/.test(fault) ? "" : " "}${fault}.`);
}

function shown(text: string, { isSecret = false }: Kind<unknown>): string {
  if (text === "") return "nothing";
  if (isSecret) return "something else";
  // A URL's credentials are a secret wherever they stand.
  const withoutCredentials = text.slice(0, MAX_SHOWN_CHARS).replace(/\/\/[^/@]*@/g, "//…@");
  return visibleText(JSON.stringify(withoutCredentials));
}
