// Git's smart HTTP protocol (read only) over the real `git upload-pack`, for clones from loopback.
// https://git-scm.com/docs/http-protocol

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { gunzipSync } from "node:zlib";
import { type Faults, makeFaults } from "./fault.ts";
import { readBody, startLoopbackServer } from "./server.ts";

/** Where git is. A step of a job that runs in this process has another search path while it is at work. */
const searchPath = process.env.PATH ?? "";

export type GitHttpOptions = {
  /** `owner/name` → path of a git repository, bare or not. Read at each request: it may change. */
  readonly repositories: ReadonlyMap<string, string>;
};

export interface GitHttp {
  readonly faults: Faults;
  /** Answers a git request, whose body was read, and returns true; returns false, untouched, for any other. */
  handle(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<boolean>;
}

export interface GitServer {
  readonly url: string;
  /** `http://127.0.0.1:<port>/{repository}.git`. */
  readonly cloneUrlTemplate: string;
  /** Every request, in order: "POST /octo-org/octo-repo.git/git-upload-pack". */
  readonly requests: readonly string[];
  readonly faults: Faults;
  close(): Promise<void>;
}

/** The handler alone, for a server that does more. */
export function makeGitHttp(options: GitHttpOptions): GitHttp {
  const faults = makeFaults();
  return {
    faults,
    handle: async (request, response, body) => {
      const asked = parseGitRequest(request);
      if (asked === null) return false;
      if (await faults.answered(response)) return true;
      const path = options.repositories.get(asked.repository);
      if (path === undefined) {
        response.writeHead(404, { "content-type": "text/plain" }).end("Repository not found.\n");
      } else if (asked.service !== "git-upload-pack") {
        response.writeHead(403, { "content-type": "text/plain" }).end("Read only.\n");
      } else {
        await serveUploadPack({ request, response, body, path, advertise: asked.advertise });
      }
      return true;
    },
  };
}

/** A server of its own that speaks nothing but git. */
export async function startGitServer(options: GitHttpOptions): Promise<GitServer> {
  const git = makeGitHttp(options);
  const requests: string[] = [];
  const server = await startLoopbackServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const body = await readBody(request);
    if (!(await git.handle(request, response, body))) response.writeHead(404).end();
  });
  const { url, close } = server;
  return { url, cloneUrlTemplate: `${url}/{repository}.git`, requests, faults: git.faults, close };
}

type GitRequest = { readonly repository: string; readonly service: string; readonly advertise: boolean };

/** The repository that a git URL names, or null when it is none of git's URLs. */
export function parseGitRequest(request: IncomingMessage): GitRequest | null {
  const url = new URL(request.url ?? "/", "http://loopback");
  const match = /^\/([^/]+\/[^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(
    url.pathname,
  );
  const [, repository, action] = match ?? [];
  if (repository === undefined || action === undefined) return null;
  if (action === "info/refs") {
    return { repository, service: url.searchParams.get("service") ?? "", advertise: true };
  }
  return { repository, service: action, advertise: false };
}

type Serving = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly path: string;
  readonly advertise: boolean;
};

async function serveUploadPack(serving: Serving): Promise<void> {
  const { request, response, path, advertise } = serving;
  const protocol = String(request.headers["git-protocol"] ?? "");
  const config = ["uploadpack.allowAnySHA1InWant=true", "uploadpack.allowFilter=true"];
  const greets = !protocol.includes("version=2");
  const announced = advertise ? await announcement({ path, config, protocol }) : null;
  if (announced !== null) {
    response.writeHead(200, headersOf("upload-pack", advertise)).end(announced);
    return;
  }
  const git = startGit(serving, { name: "upload-pack", config, env: { GIT_PROTOCOL: protocol } });
  response.on("close", () => git.kill());
  await answerBy(git, serving, { name: "upload-pack", greets });
}

/** `hooks`: a folder. `env`: what they are told. */
export async function serveReceivePack({
  hooks,
  env,
  ...serving
}: Serving & { readonly hooks: string; readonly env: Readonly<Record<string, string>> }): Promise<void> {
  const config = [`core.hooksPath=${hooks}`];
  const own = { ...env, GIT_CONFIG_GLOBAL: "/dev/null" };
  const git = startGit(serving, { name: "receive-pack", config, env: own });
  await answerBy(git, serving, { name: "receive-pack", greets: true });
}

const announced = new Map<string, Promise<Buffer>>();

/**
 * What `git upload-pack` announces in version 2 of the protocol. It follows from git's version and configuration, not from what a
 * repository holds: one process answers for all of the same configuration. Null where git has to be asked: another version of
 * the protocol, or no repository that is there.
 * https://git-scm.com/docs/protocol-v2#_capability_advertisement
 */
export async function announcement({
  path,
  config,
  protocol,
}: {
  readonly path: string;
  readonly config: readonly string[];
  readonly protocol: string;
}): Promise<Buffer | null> {
  if (protocol !== "version=2") return null;
  const own = await configurationOf(path);
  if (own === null) return null;
  const key = JSON.stringify([config, own]);
  const asked = announced.get(key) ?? askUploadPack(path, { config, protocol });
  announced.set(key, asked);
  const answer = await asked;
  if (answer.length > 0) return answer;
  // Git refused: the next one is told why by itself.
  announced.delete(key);
  return null;
}

async function configurationOf(path: string): Promise<string | null> {
  for (const file of [join(path, "config"), join(path, ".git/config")]) {
    const text = await readFile(file, "utf8").catch(() => null);
    if (text !== null) return text;
  }
  return null;
}

async function askUploadPack(
  path: string,
  { config, protocol }: { readonly config: readonly string[]; readonly protocol: string },
): Promise<Buffer> {
  const env = { GIT_PROTOCOL: protocol };
  const git = startGit({ path, advertise: true }, { name: "upload-pack", config, env });
  git.stdin.end();
  return await buffer(git.stdout);
}

type PackProgram = "upload-pack" | "receive-pack";

function startGit(
  { path, advertise }: Pick<Serving, "path" | "advertise">,
  given: { name: PackProgram; config: readonly string[]; env: Readonly<Record<string, string>> },
) {
  const { name, config, env } = given;
  const args = config.flatMap((one) => ["-c", one]);
  args.push(name, "--stateless-rpc", ...(advertise ? ["--advertise-refs"] : []), path);
  return spawn("git", args, { env: { PATH: searchPath, ...env }, stdio: ["pipe", "pipe", "ignore"] });
}

async function answerBy(
  git: ReturnType<typeof startGit>,
  { request, response, body, advertise }: Serving,
  { name, greets }: { readonly name: PackProgram; readonly greets: boolean },
): Promise<void> {
  response.writeHead(200, headersOf(name, advertise));
  const greeting = `# service=git-${name}\n`;
  if (advertise && greets)
    response.write(`${(greeting.length + 4).toString(16).padStart(4, "0")}${greeting}0000`);
  // It may end before it has read all of the request, and a client may leave: neither is a fault.
  git.stdin.on("error", () => {});
  git.stdin.end(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body);
  await pipeline(git.stdout, response).catch(() => {});
}

function headersOf(name: PackProgram, advertise: boolean): Record<string, string> {
  return {
    "content-type": `application/x-git-${name}-${advertise ? "advertisement" : "result"}`,
    "cache-control": "no-cache",
  };
}
