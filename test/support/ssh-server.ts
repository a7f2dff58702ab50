// A real sshd on loopback for repositories: each public key reads the one that it was added to, as deploy keys do.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { sshdPath } from "../../scripts/test-needs.ts";

/** As a code host: what a key may not read is not there. */
const SERVE = `#!/bin/sh
if [ "$SSH_ORIGINAL_COMMAND" = "git-upload-pack '/$1.git'" ]; then exec git-upload-pack "$2"; fi
echo "ERROR: Repository not found." >&2
exit 1
`;

export class SshServer {
  readonly port: number;
  readonly #folder: string;
  readonly #keys: string[] = [];
  #process: ChildProcess | null = null;
  #log = "";

  static async start(): Promise<SshServer> {
    const folder = await mkdtemp(join(tmpdir(), "agent-service-sshd-"));
    // Root's sshd wants its folder, which a service manager makes elsewhere.
    if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    const server = new SshServer(folder, await freePort());
    await writeFile(join(folder, "serve"), SERVE);
    chmodSync(join(folder, "serve"), 0o755);
    await writeFile(join(folder, "authorized_keys"), "");
    await server.changeHostKey();
    return server;
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  /** As an issuer's `ssh_url`. */
  get urlTemplate(): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}/{repository}.git`;
  }

  /** Its entry of a `known_hosts` file. */
  async knownHosts(): Promise<string> {
    const [algorithm, key] = (await readFile(join(this.#folder, "host.pub"), "utf8")).split(" ");
    return `[127.0.0.1]:${this.port} ${algorithm} ${key}\n`;
  }

  /** Everything that it said: connections, keys that were shown, commands. */
  log(): string {
    return this.#log;
  }

  /** Lets the key read the repository at `path` by this name. */
  async allow(
    publicKey: string,
    repository: { readonly name: string; readonly path: string },
  ): Promise<void> {
    const serve = [join(this.#folder, "serve"), repository.name, repository.path].join(" ");
    this.#keys.push(`restrict,command="${serve}" ${publicKey}`);
    await this.#writeKeys();
  }

  async forgetKeys(): Promise<void> {
    this.#keys.length = 0;
    await this.#writeKeys();
  }

  /** Starts it anew, as another machine at the same address. */
  async changeHostKey(): Promise<void> {
    await this.#end();
    const key = join(this.#folder, "host");
    await Promise.all([rm(key, { force: true }), rm(`${key}.pub`, { force: true })]);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key]);
    const config = [
      `Port ${this.port}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${key}`,
      "LogLevel DEBUG1",
      `AuthorizedKeysFile ${join(this.#folder, "authorized_keys")}`,
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "UsePAM no",
      "StrictModes no",
      "PermitRootLogin yes",
      "AcceptEnv GIT_PROTOCOL",
      `PidFile ${join(this.#folder, "pid")}`,
      "MaxStartups 200",
    ];
    await writeFile(join(this.#folder, "config"), `${config.join("\n")}\n`);
    const child = spawn(sshdPath, ["-D", "-e", "-f", join(this.#folder, "config")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    const listens = Promise.withResolvers<void>();
    child.stderr.on("data", (chunk) => {
      this.#log += String(chunk);
      if (this.#log.includes(`Server listening on 127.0.0.1 port ${this.port}`)) listens.resolve();
    });
    child.once("exit", () => listens.reject(new Error(`sshd ended:\n${this.#log}`)));
    listens.promise.catch(() => {});
    await listens.promise;
  }

  async close(): Promise<void> {
    await this.#end();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #writeKeys(): Promise<void> {
    await writeFile(join(this.#folder, "authorized_keys"), this.#keys.map((line) => `${line}\n`).join(""));
  }

  async #end(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    this.#log = "";
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill();
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("There is no port.");
  return address.port;
}
