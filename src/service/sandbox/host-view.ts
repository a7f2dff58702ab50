// What a sandboxed command sees of this machine: its tools and the few files of /etc that they need, all read-only.

import { lstat, readdir, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isInside, type SandboxConfig } from "./sandbox-config.ts";

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
  /** The folders of `PATH` that are visible. */
  readonly path: string;
};

export async function hostView(config: SandboxConfig): Promise<HostView> {
  const options: string[] = [];
  const visible: string[] = [];
  for (const path of [...toolFolders, ...settingsFiles, ...(await javaFolders()), ...config.readPaths]) {
    const kind = await lstat(path).catch(() => null);
    if (kind === null) continue;
    const isTool = toolFolders.includes(path);
    if (kind.isSymbolicLink() && isTool) options.push("--symlink", await readlink(path), path);
    else options.push("--ro-bind-try", path, path);
    visible.push(await realpath(path).catch(() => path));
  }
  if (config.network === "allowed") options.push("--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf");
  const covered = await hiddenWithin(config, visible);
  options.push(...covered.flatMap((path) => ["--tmpfs", path]));
  const seals = covered.flatMap((path) => ["--remount-ro", path]);
  return { options, seals, path: await visiblePath(config.environment.PATH ?? "", visible) };
}

async function javaFolders(): Promise<string[]> {
  const names = await readdir("/etc").catch(() => []);
  return names.filter((name) => javaSettings.test(name)).map((name) => join("/etc", name));
}

/** The service's data folders that lie within the tools' folders and have to be covered by an empty folder. */
async function hiddenWithin(config: SandboxConfig, visible: readonly string[]): Promise<string[]> {
  const hidden = await Promise.all(config.hiddenPaths.map(realPathOfMissing));
  return hidden.filter((path) => visible.some((folder) => isInside(path, folder)));
}

/** Also for a path whose end does not exist yet. */
async function realPathOfMissing(path: string): Promise<string> {
  const real = await realpath(path).catch(() => null);
  if (real !== null || path === dirname(path)) return real ?? path;
  return join(await realPathOfMissing(dirname(path)), basename(path));
}

async function visiblePath(path: string, visible: readonly string[]): Promise<string> {
  const kept: string[] = [];
  for (const folder of path.split(":")) {
    const real = folder.startsWith("/") ? await realpath(folder).catch(() => null) : null;
    if (real !== null && visible.some((root) => isInside(real, root)) && !kept.includes(folder))
      kept.push(folder);
  }
  for (const folder of ["/usr/local/bin", "/usr/bin", "/bin"]) if (!kept.includes(folder)) kept.push(folder);
  return kept.join(":");
}
