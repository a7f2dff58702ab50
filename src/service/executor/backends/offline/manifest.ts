// What a manifest can tell about its project, and how its reader is described. Pure.

export const purposes = ["install", "build", "test", "check", "run", "other"] as const;
export type Purpose = (typeof purposes)[number];

export type Command = {
  readonly purpose: Purpose;
  readonly command: string;
  /** What the command stands for, where the manifest says so. */
  readonly detail?: string;
};

export type EntryPoint = { readonly kind: string; readonly target: string };

export type ManifestFacts = {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly licence?: string | undefined;
  readonly commands?: readonly Command[];
  readonly entries?: readonly EntryPoint[];
};

/** The tracked files as readers need them. */
export type ProjectFiles = {
  readonly paths: readonly string[];
  /** Those that lie in no folder. */
  readonly rootPaths: readonly string[];
  has(path: string): boolean;
  /** The first of the paths that is there. */
  firstOf(...paths: readonly string[]): string | undefined;
};

export type ManifestReader =
  /** Its presence says it all. */
  | {
      readonly file: RegExp;
      readonly needsText: false;
      read(project: ProjectFiles, path: string): ManifestFacts;
    }
  | {
      readonly file: RegExp;
      readonly needsText: true;
      read(project: ProjectFiles, text: string): ManifestFacts;
    };

export type FoundManifest = { readonly path: string; readonly facts: ManifestFacts };

export function projectFiles(paths: readonly string[]): ProjectFiles {
  const known = new Set(paths);
  return {
    paths,
    rootPaths: paths.filter((path) => !path.includes("/")),
    has: (path) => known.has(path),
    firstOf: (...wanted) => wanted.find((path) => known.has(path)),
  };
}

/** Names that can be typed into a shell as they are: what a reader offers as a command holds nothing else. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z0-9][\w.:/@+-]{0,63}$/.test(name);
}

const wellKnown: readonly (readonly [Purpose, RegExp])[] = [
  ["install", /^(install|setup|bootstrap|deps)$/],
  ["build", /^(build|compile|all|bundle|dist|package)([:-].+)?$/],
  ["test", /^(test|tests|spec|e2e|unit|coverage)([:-].+)?$/],
  ["check", /^(check|lint|fmt|format|types?|typecheck|type-check|verify|ci)([:-].+)?$/],
  ["run", /^(start|dev|serve|run|watch|preview)([:-].+)?$/],
];

/** What a script or target of this name is for, by custom. */
export function purposeOf(name: string): Purpose {
  return wellKnown.find(([, pattern]) => pattern.test(name))?.[0] ?? "other";
}
