// Protection of git against a repository that nobody has reviewed: the whole environment of its process, and the configuration
// that wins over every file. The only such list: service and job differ by the options below. Pure.
// Why: docs/decisions/026-git-obeys-nobody.md

import { devNull } from "node:os";

/** The variables that git may inherit: where programs are, how the network and its certificates are reached. */
const inherited = [
  "PATH",
  "SYSTEMROOT",
  "http_proxy",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
  "no_proxy",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
] as const;

/** Blobs above this are streamed and never compared line by line. */
const BIG_FILE = "32m";

/** Faults that `fsck` reports in old, honest histories and that endanger nobody. */
const toleratedFaults = [
  "badDate",
  "badDateOverflow",
  "badEmail",
  "badName",
  "badTimezone",
  "gitmodulesName",
  "gitmodulesParse",
  "gitmodulesPath",
  "gitmodulesUpdate",
  "gitmodulesUrl",
  "missingEmail",
  "missingNameBeforeEmail",
  "missingSpaceBeforeDate",
  "missingSpaceBeforeEmail",
  "multipleAuthors",
  "zeroPaddedDate",
  "zeroPaddedFilemode",
];

/** For `git index-pack`, which reads no configuration for it. */
export const strictOption = `--strict=${toleratedFaults.map((fault) => `${fault}=ignore`).join(",")}`;

const configuration = [
  // No program that a repository or its configuration names is executed.
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  `core.attributesFile=${devNull}`,
  `core.excludesFile=${devNull}`,
  "core.askPass=",
  "credential.helper=",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
  "push.gpgSign=false",
  "commit.gpgSign=false",
  "log.showSignature=false",
  "safe.bareRepository=explicit",
  "http.followRedirects=false",
  // What arrives is checked, and lies on the disk as it lies in the commit.
  "fetch.fsckObjects=true",
  ...toleratedFaults.map((fault) => `fetch.fsck.${fault}=ignore`),
  "fetch.unpackLimit=1",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.autocrlf=false",
  `core.bigFileThreshold=${BIG_FILE}`,
  // No process outlives its command.
  "gc.auto=0",
  "maintenance.auto=false",
  "core.untrackedCache=false",
  // A mailmap is a file of the tree, which may be a pipe.
  "log.mailmap=false",
  // A shallow history's oldest commit looks as if it had added every file.
  "log.showRoot=false",
  // A merge keeps each path where it is, and compares the bytes as they are.
  "merge.directoryRenames=false",
  "merge.renormalize=false",
];

/**
 * Attributes that win over every `.gitattributes`: no filter, no recoding, no say in what counts as text. They are
 * written to `info/attributes` of a git folder of our own.
 */
export const overridingAttributes =
  "* -text !eol !filter !ident !working-tree-encoding !diff !merge !export-subst\n";

/** Transports by which a call may reach a server. Every other transport is refused, whatever a configuration says. */
export type GitTransport = "http" | "https" | "ssh";

export type GitHardening = {
  /** The environment in which `PATH`, proxies and certificates are looked up. Nothing else is passed on. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** An empty folder: git and its transport read `.netrc` and more from here. */
  readonly home: string;
  readonly gitFolder: string;
  /** Null for a repository without files. */
  readonly treeFolder: string | null;
  /** The most memory that git may request at once, such as "512m". Default: no limit. */
  readonly maxAllocation?: string;
  /** More `name=value` configuration. */
  readonly config?: readonly string[];
};

/** The whole environment of a git process that reaches no server. */
export function gitEnvironment(hardening: GitHardening): Record<string, string> {
  const { environment, home, gitFolder, treeFolder, maxAllocation } = hardening;
  const passed: Record<string, string> = {};
  for (const name of inherited) {
    const value = environment[name];
    if (value !== undefined && value !== "") passed[name] = value;
  }
  return {
    ...passed,
    ...transportEnvironment(null),
    HOME: home,
    LC_ALL: "C",
    GIT_ASKPASS: "",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_DIR: gitFolder,
    // An object that a repository only promises is not fetched from where its configuration says.
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    ...(treeFolder === null ? {} : { GIT_WORK_TREE: treeFolder }),
    ...(maxAllocation === undefined ? {} : { GIT_ALLOC_LIMIT: maxAllocation }),
  };
}

/**
 * The list of allowed transports, as a variable: a repository's `protocol.<name>.allow` wins over a `protocol.allow` on
 * the command line, and nothing in a configuration wins over `GIT_ALLOW_PROTOCOL`.
 */
export function transportEnvironment(transport: GitTransport | null): { GIT_ALLOW_PROTOCOL: string } {
  return { GIT_ALLOW_PROTOCOL: transport ?? "none" };
}

/** The options that come before git's subcommand. */
export function gitOptions(extra: readonly string[] = []): string[] {
  return ["--no-pager", ...[...configuration, ...extra].flatMap((entry) => ["-c", entry])];
}
