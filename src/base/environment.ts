// The environment of a process as an argument: environment variables by their names.

export type Environment = Readonly<Record<string, string | undefined>>;
