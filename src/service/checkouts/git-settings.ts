// What a git process is told before it meets a repository that nobody has vetted: its whole environment and the
// configuration that wins over every file. Pure.

import { devNull } from "node:os";

/** The variables that git may inherit: where programs are, how the network and its certificates are reached. */
const inherited = [
  "PATH",
  "http_proxy",
  "https_proxy",
  "HTTPS_PROXY",
  "no_proxy",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
] as const;

/** Blobs above this are streamed and never compared line by line. */
const BIG_FILE = "32m";
/** The most memory that git may ask for at once: a delta that unfolds to more ends the fetch. */
const LARGEST_ALLOCATION = "512m";

/** Complaints of `fsck` that old, honest histories earn and that endanger nobody. */
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

const configuration = [
  // Nothing of a repository runs.
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  `core.attributesFile=${devNull}`,
  `core.excludesFile=${devNull}`,
  "core.askPass=",
  "credential.helper=",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "log.showSignature=false",
  "safe.bareRepository=explicit",
  // Only the one transport, to the one server. By name, too: a repository's own word on one wins over what is said of all.
  "protocol.allow=never",
  ...["ext", "fd", "file", "ftp", "ftps", "git", "http", "ssh"].map((name) => `protocol.${name}.allow=never`),
  "protocol.https.allow=always",
  "http.followRedirects=false",
  // What arrives is checked, and lies on the disk as it lies in the commit.
  "fetch.fsckObjects=true",
  ...toleratedFaults.map((fault) => `fetch.fsck.${fault}=ignore`),
  "fetch.unpackLimit=1",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.symlinks=true",
  "core.autocrlf=false",
  `core.bigFileThreshold=${BIG_FILE}`,
  // No process outlives its command.
  "gc.auto=0",
  "maintenance.auto=false",
  "core.untrackedCache=false",
  // A file of the tree, which may be a pipe.
  "log.mailmap=false",
  // A shallow history's oldest commit looks as if it had added every file.
  "log.showRoot=false",
];

/** Attributes that win over every `.gitattributes`: no filter, no recoding, no say in what counts as text. */
export const overridingAttributes =
  "* -text !eol !filter !ident !working-tree-encoding !diff !merge !export-subst\n";

export type GitSettings = {
  /** Where `PATH`, proxies and certificates are looked up. Nothing else is passed on. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** An empty folder: git and its transport read `.netrc` and more from here. */
  readonly home: string;
  readonly gitFolder: string;
  readonly treeFolder: string;
};

/** The whole environment of a git process. */
export function gitEnvironment(settings: GitSettings): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of inherited) {
    const value = settings.environment[name];
    if (value !== undefined && value !== "") passed[name] = value;
  }
  return {
    ...passed,
    HOME: settings.home,
    LC_ALL: "C",
    GIT_ALLOC_LIMIT: LARGEST_ALLOCATION,
    GIT_ASKPASS: "",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    // An object that a repository only promises is not fetched from where its configuration says.
    GIT_NO_LAZY_FETCH: "1",
    GIT_DIR: settings.gitFolder,
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_WORK_TREE: settings.treeFolder,
  };
}

/** The options that come before git's subcommand. */
export function gitOptions(extra: readonly string[] = []): string[] {
  return ["--no-pager", ...[...configuration, ...extra].flatMap((entry) => ["-c", entry])];
}
