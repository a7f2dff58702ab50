// Pods of the fake cluster: each a folder, and a program that executes others for it, in bubblewrap or as a plain process. What is
// executed goes on when its connection is cut, but for the program of the connection itself; all of it ends with the pod.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";

/** What a frame of a connection holds: to the pod, and from it. */
export const podFrames = { input: 0, output: 1, complaint: 2, exit: 3, closeInput: 4 } as const;

const MARK = "FAKE_POD";

/** CommonJS. One connection is one program: a line of JSON with its words, then frames. */
const agent = `
const { spawn } = require("node:child_process");
const { createServer } = require("node:net");
const [socket] = process.argv.slice(1);
createServer({ allowHalfOpen: true }, (client) => {
  let have = Buffer.alloc(0), child = null;
  const frame = (kind, bytes) => {
    const header = Buffer.alloc(5);
    header[0] = kind;
    header.writeUInt32BE(bytes.length, 1);
    client.write(Buffer.concat([header, bytes]));
  };
  client.on("error", () => {});
  client.on("close", () => child?.kill("SIGKILL"));
  client.on("data", (chunk) => {
    have = Buffer.concat([have, chunk]);
    if (child === null) {
      const end = have.indexOf(10);
      if (end < 0) return;
      const [program, ...args] = JSON.parse(have.subarray(0, end).toString());
      have = have.subarray(end + 1);
      child = spawn(program, args, { stdio: "pipe" });
      child.stdin.on("error", () => {});
      child.stdout.on("data", (bytes) => frame(1, bytes));
      child.stderr.on("data", (bytes) => frame(2, bytes));
      child.on("error", (cause) => { frame(3, Buffer.from(JSON.stringify({ fault: cause.code }))); client.end(); });
      child.on("close", (code, signal) => { if (child.pid !== undefined) { frame(3, Buffer.from(JSON.stringify({ code, signal }))); client.end(); } });
    }
    while (have.length >= 5) {
      const length = have.readUInt32BE(1);
      if (have.length < 5 + length) return;
      const bytes = have.subarray(5, 5 + length);
      if (have[0] === 0) child.stdin.write(bytes);
      if (have[0] === 4) child.stdin.end();
      have = have.subarray(5 + length);
    }
  });
}).listen(socket, () => console.log("listening"));
`;

export type PodKind = "bubblewrap" | "plain";

/** What a template says of its pods: folders of this machine by their own paths, and folders of programs before the usual ones. */
type PodTemplate = {
  readonly image: readonly string[];
  readonly volumes: readonly string[];
  readonly path: readonly string[];
};

export class FakePod {
  readonly name: string;
  readonly uid = randomUUID();
  /** Of the pod, on this machine. */
  readonly folder: string;
  readonly #socket: string;
  readonly #child: ChildProcess;
  readonly #closed: Promise<void>;
  phase: "Running" | "Failed" = "Running";
  /** Of an evicted one. */
  status: { readonly reason?: string; readonly message?: string } = {};

  private constructor(options: { name: string; folder: string; socket: string; child: ChildProcess }) {
    this.name = options.name;
    this.folder = options.folder;
    this.#socket = options.socket;
    this.#child = options.child;
    this.#closed = new Promise((resolve) => options.child.once("close", () => resolve()));
  }

  static async start(
    kind: PodKind,
    { name, root, ...template }: PodTemplate & { readonly name: string; readonly root: string },
  ): Promise<FakePod> {
    const folder = join(root, name);
    const sockets = join(root, `${name}.s`);
    await mkdir(folder, { recursive: true });
    await mkdir(sockets);
    const mark = `${root}/${name}`;
    const argv =
      kind === "plain"
        ? [process.execPath, "-e", agent, join(sockets, "pod")]
        : [
            "bwrap",
            ...confined({ folder, sockets, ...template }),
            "/pod/node",
            "-e",
            agent,
            "/pod-sockets/pod",
          ];
    const [program = "", ...args] = argv;
    const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
    const child = spawn(program, args, {
      cwd: folder,
      // A container's own, and none of a test's.
      env: { PATH: path, [MARK]: mark },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", () => reject(new Error(`The pod ${name} did not start.`)));
      child.stdout?.once("data", () => resolve());
    });
    return new FakePod({ name, folder, socket: join(sockets, "pod"), child });
  }

  /** The connection of one program. */
  execute(command: readonly string[]): Socket {
    const socket = connect({ path: this.#socket, allowHalfOpen: true });
    socket.write(`${JSON.stringify(command)}\n`);
    return socket;
  }

  /** The contents of all files on its disk. Links lead nowhere. */
  async onDisk(): Promise<string> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1"));
    return (await Promise.all(texts)).join("\n");
  }

  /** Its connections stay open, and nothing answers on them. */
  freeze(): void {
    this.#child.kill("SIGSTOP");
  }

  /** Nothing of it is left. */
  async end(): Promise<void> {
    this.phase = "Failed";
    this.#child.kill("SIGKILL");
    await this.#closed;
    // A plain process leaves those that have sessions of their own. One look may come between two of them, of which the first starts the second.
    for (let looks = 0; looks < 2; looks += 1)
      for (const id of await marked(this.folder)) {
        looks = -1;
        try {
          process.kill(id, "SIGKILL");
        } catch {
          // It has ended meanwhile.
        }
      }
  }
}

/** Those that have the mark, and those that have a place in the pod, such as their home: a command has variables of its own alone. */
async function marked(folder: string): Promise<readonly number[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found: number[] = [];
  for (const id of ids) {
    const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "");
    const isIn = (entry: string) => `${entry.slice(entry.indexOf("=") + 1)}/`.startsWith(`${folder}/`);
    if (environment.split("\0").some(isIn)) found.push(Number(id));
  }
  return found;
}

/** The programs of this machine, a user who is nobody, no network but a loopback, and the folder of the pod. */
function confined({
  folder,
  sockets,
  image,
  volumes,
  path,
}: PodTemplate & { readonly folder: string; readonly sockets: string }): string[] {
  const links = ["bin", "lib", "lib64", "sbin"].filter((name) => existsSync(`/usr/${name}`));
  return [
    "--unshare-all",
    "--die-with-parent",
    ...["--uid", "1000", "--gid", "1000", "--hostname", "pod"],
    ...["--ro-bind", "/usr", "/usr"],
    ...links.flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...["--ro-bind", process.execPath, "/pod/node"],
    ...image.flatMap((shown) => ["--ro-bind", shown, shown]),
    ...volumes.flatMap((shown) => ["--bind", shown, shown]),
    ...["--bind", sockets, "/pod-sockets", "--bind", folder, "/workspace", "--chdir", "/workspace"],
    ...["--setenv", "PATH", [...path, "/pod:/usr/local/bin:/usr/bin:/bin"].join(":")],
  ];
}
