// Git as people have it: the system's git, as processes of their own, with a home of the test's.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type GitEnd = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export class GitClient {
  readonly folder: string;

  static async open(): Promise<GitClient> {
    return new GitClient(await mkdtemp(join(tmpdir(), "agent-service-git-client-")));
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Starts it in a folder below the client's own. */
  start(args: readonly string[], { cwd = ".", env = {} }: GitCallOptions = {}) {
    return spawn("git", args, {
      cwd: join(this.folder, cwd),
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: this.folder,
        LC_ALL: "C",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_TERMINAL_PROMPT: "0",
        GIT_AUTHOR_NAME: "Ada",
        GIT_AUTHOR_EMAIL: "ada@example.org",
        GIT_COMMITTER_NAME: "Ada",
        GIT_COMMITTER_EMAIL: "ada@example.org",
        ...env,
      },
    });
  }

  async run(args: readonly string[], options: GitCallOptions = {}): Promise<GitEnd> {
    const child = this.start(args, options);
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, stdout, stderr };
  }

  /** What it prints, without the last line's end. Throws where it fails. */
  async git(args: readonly string[], options: GitCallOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`git ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout.trimEnd();
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

export type GitCallOptions = {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** The address of a workspace as git takes it, with the key that it sends once it is asked. */
export function repositoryUrl(base: string, workspaceId: string, key: string): string {
  const url = new URL(`/v1/workspaces/${workspaceId}.git`, base);
  url.username = "git";
  url.password = key;
  return url.href;
}
