// The client library as `npm run docs` reads it of the sources (`client-library.json`), and where the reference has what. Pure.

export const CLIENT_SLUG = "client-library";
export const METHODS_SLUG = "client-methods";

export function memberId(exported: string): string {
  return `client-${exported}`;
}

export function methodId({ noun, name }: Pick<LibraryMethod, "noun" | "name">): string {
  return `method-${noun}-${name}`;
}

/** Operations are named as the methods: `client.runs.submit` is `runsSubmit`. */
export function operationIdOf({ noun, name }: Pick<LibraryMethod, "noun" | "name">): string {
  return noun + name.charAt(0).toUpperCase() + name.slice(1);
}

/** A call as it is written: `client.runs.submit({ agentId, body })`. */
export function callText({ noun, name, options }: LibraryMethod): string {
  return `client.${noun}.${name}(${options.length === 0 ? "" : `{ ${options.join(", ")} }`})`;
}

/** A member of a class or of a type. */
export type ExportMember = {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly about: string;
};

export type LibraryExport = {
  readonly name: string;
  /** `class`, `function`, `type`, or `wire`: a type whose fields are those of a schema of the API. */
  readonly kind: string;
  readonly about: string;
  readonly signature: string;
  /** The schema's name, of a type of the wire. */
  readonly schema: string | null;
  readonly members: readonly ExportMember[];
};

export type LibraryMethod = {
  readonly noun: string;
  readonly name: string;
  /** With a question mark where it may be left out. */
  readonly options: readonly string[];
};

export type ClientLibrary = {
  readonly exports: readonly LibraryExport[];
  readonly methods: readonly LibraryMethod[];
};
