// The view of this machine in the sandbox: its tools and the few files of /etc that they need, all read-only.

import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { findCredentials } from "./found-credentials.ts";
import { findJobTools, HOSTED_TOOL_CACHE, isOfCheckout, type JobTools, type Shown } from "./job-tools.ts";
import { isInside, type SandboxConfig } from "./sandbox-config.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Each as it is on this machine: a folder, or a link into /usr. */
const toolFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store"];

/** Not /etc/ssl/private, /etc/gitconfig, /etc/shadow: a service that runs as root could read them. */
const settingsFiles = [
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/alternatives",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ca-certificates.conf",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust",
  "/etc/crypto-policies",
  "/etc/localtime",
  "/etc/timezone",
  "/etc/mime.types",
  "/etc/fonts",
  "/etc/chromium.d",
  "/etc/protocols",
  "/etc/services",
  "/etc/debian_version",
  "/etc/os-release",
];
const javaSettings = /^java-[\w-]+$/;

export type HostView = {
  /** Options of bubblewrap. */
  readonly options: readonly string[];
  /** Options for the end of the command line: before, something may still be mounted below what is hidden. */
  readonly seals: readonly string[];
  /** Files that hold nothing, in the place of some that commands may not see. */
  readonly emptied: readonly string[];
  /** The folders of `PATH` that are visible. */
  readonly path: string;
  /** Paths of the commands' home and checkout. */
  readonly home: string;
  readonly tree: string;
  /** Variables of toolchains. */
  readonly environment: Readonly<Record<string, string>>;
  /** Paths at which something of the job is shown within the home: its folder must be there, and no link. */
  readonly inHome: readonly string[];
  /** Folders of the job's tools that were not searched to their end for credentials: they are too large. */
  readonly unsearched: readonly string[];
};

const INNER_HOME = "/home/agent";
const INNER_TREE = "/checkout";
/** Each costs a descriptor. With more of them, the folder that holds them is not for commands. */
const MAX_EMPTIED = 64;

export async function hostView(config: SandboxConfig): Promise<HostView> {
  const options: string[] = [];
  const machine: string[] = [];
  const named: string[] = [];
  for (const path of [...toolFolders, ...settingsFiles, ...(await javaFolders()), ...config.readPaths]) {
    const kind = await lstat(path).catch(() => null);
    if (kind === null) continue;
    const isTool = toolFolders.includes(path);
    if (kind.isSymbolicLink() && isTool) options.push("--symlink", await readlink(path), path);
    else options.push("--ro-bind-try", path, path);
    const list = config.readPaths.includes(path) ? named : machine;
    list.push(await realpath(path).catch(() => path));
  }
  if (config.network === "allowed") options.push("--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf");
  const tools = await toolsOf(config, { machine, named });
  const shown = tools?.shown ?? [];
  options.push(...shown.flatMap(({ source, target }) => ["--ro-bind-try", source, target]));
  const places = [...machine, ...named].map((path) => ({ source: path, target: path }));
  const credentials = await findCredentials(tools === null ? [] : sourcesOf(shown, machine));
  const secrets = await existing([...(tools?.hidden ?? []), ...credentials.paths]);
  const covered = await coversOf([...config.hiddenPaths, ...secrets], [...places, ...shown]);
  const folders = [...new Set(covered.folders)];
  const emptied = [...new Set(covered.files)];
  if (emptied.length > MAX_EMPTIED)
    throw new SandboxError("sandbox_not_started", "There are too many files of credentials among the tools.");
  options.push(...folders.flatMap((path) => ["--tmpfs", path]));
  const seals = folders.flatMap((path) => ["--remount-ro", path]);
  const path = await visiblePath(config, { visible: [...machine, ...named], shown });
  const home = tools?.home ?? INNER_HOME;
  return {
    options,
    seals,
    emptied,
    path,
    home,
    tree: tools?.tree ?? INNER_TREE,
    environment: tools?.environment ?? {},
    unsearched: credentials.unsearched,
    inHome: shown.map(({ target }) => target).filter((target) => isInside(target, home)),
  };
}

async function javaFolders(): Promise<string[]> {
  const names = await readdir("/etc").catch(() => []);
  return names.filter((name) => javaSettings.test(name)).map((name) => join("/etc", name));
}

async function toolsOf(
  { job, hiddenPaths, environment }: SandboxConfig,
  seen: { readonly machine: readonly string[]; readonly named: readonly string[] },
): Promise<JobTools | null> {
  if (job === null) return null;
  return await findJobTools({ checkout: job.checkout, own: hiddenPaths, environment }, seen);
}

/** The job's own folders with settings of this machine, and the tool cache where it lies in one that is visible anyway. */
function sourcesOf(shown: readonly Shown[], machine: readonly string[]): readonly string[] {
  const cache = machine.some((folder) => isInside(HOSTED_TOOL_CACHE, folder)) ? [HOSTED_TOOL_CACHE] : [];
  const own = shown.filter(({ isPublished }) => !isPublished);
  return [...new Set([...own.map(({ source }) => source), ...cache])];
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const kinds = await Promise.all(paths.map((path) => lstat(path).catch(() => null)));
  return paths.filter((_, at) => kinds[at] !== null);
}

/** Each where commands would find it. */
async function coversOf(
  hidden: readonly string[],
  places: readonly Pick<Shown, "source" | "target">[],
): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }> {
  const files: string[] = [];
  const folders: string[] = [];
  for (const path of hidden) {
    const real = await realPathOfMissing(path);
    for (const { source, target } of places) {
      if (!isInside(real, source)) continue;
      const inner = join(target, relative(source, real));
      const kind = await lstat(real).catch(() => null);
      if (kind === null || kind.isDirectory()) folders.push(inner);
      else files.push(inner);
    }
  }
  return { files, folders };
}

/** Also for a path whose end does not exist yet. */
async function realPathOfMissing(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null || path === dirname(path)) return real ?? path;
  return join(await realPathOfMissing(dirname(path)), basename(path));
}

async function visiblePath(
  { environment, job }: SandboxConfig,
  { visible, shown }: { readonly visible: readonly string[]; readonly shown: readonly Shown[] },
): Promise<string> {
  const checkout = job === null ? [] : [job.checkout, await realPathOfMissing(job.checkout)];
  const kept: string[] = [];
  for (const folder of (environment.PATH ?? "").split(":")) {
    const real = folder.startsWith("/") ? await realpath(folder).catch(() => null) : null;
    if (real === null || isOfCheckout(folder, checkout) || isOfCheckout(real, checkout)) continue;
    const isNamed = [...visible, ...shown.map(({ target }) => target)].some((root) => isInside(folder, root));
    const inside = [...visible, ...shown.map(({ source }) => source)].some((root) => isInside(real, root));
    const isOurs = shown.some(({ target }) => isInside(real, target)) && !isNamed;
    if (inside && !kept.includes(isOurs ? real : folder)) kept.push(isOurs ? real : folder);
  }
  for (const folder of ["/usr/local/bin", "/usr/bin", "/bin"]) if (!kept.includes(folder)) kept.push(folder);
  return kept.join(":");
}
