// What `git upload-pack` announces in version 2 of git's protocol. It follows from git's version and its configuration, not from
// what a repository holds: one process answers for all repositories of the same configuration.
// https://git-scm.com/docs/protocol-v2#_capability_advertisement

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";

/** Where git is. A step of a job that runs in this process has another search path while it is at work. */
export const searchPath: string = process.env.PATH ?? "";

const announced = new Map<string, Promise<Buffer>>();

type Asked = {
  /** The repository's folder, bare or not. */
  readonly path: string;
  /** Configuration and options of `git upload-pack`. */
  readonly config: readonly string[];
  /** The header `Git-Protocol` of the request. */
  readonly protocol: string;
};

/** Null where git has to be asked: another version of the protocol, or no repository that is there. */
export async function announcement({ path, config, protocol }: Asked): Promise<Buffer | null> {
  if (protocol !== "version=2") return null;
  const own = await configurationOf(path);
  if (own === null) return null;
  const key = JSON.stringify([config, own]);
  const known = announced.get(key);
  if (known !== undefined) return await known;
  const asking = ask({ path, config, protocol });
  announced.set(key, asking);
  return await asking;
}

async function configurationOf(path: string): Promise<string | null> {
  for (const file of [join(path, "config"), join(path, ".git/config")]) {
    const text = await readFile(file, "utf8").catch(() => null);
    if (text !== null) return text;
  }
  return null;
}

async function ask({ path, config, protocol }: Asked): Promise<Buffer> {
  const args = [
    ...config.flatMap((one) => ["-c", one]),
    "upload-pack",
    "--stateless-rpc",
    "--advertise-refs",
    path,
  ];
  const env = { PATH: searchPath, GIT_PROTOCOL: protocol };
  const git = spawn("git", args, { env, stdio: ["ignore", "pipe", "ignore"] });
  return await buffer(git.stdout);
}
