// A repository that jobs fetch from and push to by git's smart HTTP with their token, beside a code host's API. Protected branches refuse pushes
// in the code host's words.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GitHttp, makeGitHttp, parseGitRequest, serveReceivePack } from "./git-http.ts";
import type { TestRepository } from "./git-repository.ts";

export type PushWords = {
  readonly realm: string;
  /** Of a push to a protected branch; `$name` is its name. */
  readonly isProtected: string;
  /** To a token that may not push. */
  readonly denied: string;
};

export type BasicCredentials = { readonly user: string; readonly password: string };

/** The credentials of a request, as git sends them; both "" without. */
export function basicCredentials({ headers }: IncomingMessage): BasicCredentials {
  const [, encoded = ""] = /^basic (.+)$/i.exec(headers.authorization ?? "") ?? [];
  const [user = "", ...rest] = Buffer.from(encoded, "base64").toString().split(":");
  return { user, password: rest.join(":") };
}

export class PushedRepository {
  readonly git: TestRepository;
  /** Branches that nobody pushes to. */
  readonly protectedBranches = new Set<string>();
  /** Called before a push is accepted. */
  beforePush: (() => void) | null = null;
  pushes = 0;
  readonly #http: GitHttp;
  readonly #words: PushWords;
  readonly #hooks = mkdtempSync(join(tmpdir(), "fake-hooks-"));

  constructor(git: TestRepository, { name, words }: { readonly name: string; readonly words: PushWords }) {
    this.git = git;
    this.#words = words;
    this.#http = makeGitHttp({ repositories: new Map([[name, git.path]]) });
    const hook = `#!/bin/sh
while read old new ref; do
  for name in $FAKE_PROTECTED; do
    if [ "refs/heads/$name" = "$ref" ]; then
      echo "${words.isProtected}" >&2
      exit 1
    fi
  done
done
`;
    writeFileSync(join(this.#hooks, "pre-receive"), hook, { mode: 0o755 });
  }

  hasCommit(sha: string): boolean {
    return this.tryGit(["cat-file", "-e", `${sha}^{commit}`]) !== null;
  }

  tip(branch: string): string | null {
    return this.tryGit(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
  }

  /** Null where git fails. */
  tryGit(args: readonly string[]): string | null {
    try {
      return this.git.git(args);
    } catch {
      return null;
    }
  }

  /** Answers git's requests and returns true; returns false, untouched, for any other. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    { body, access }: { readonly body: Buffer; readonly access: "none" | "read" | "write" },
  ): Promise<boolean> {
    const asked = parseGitRequest(request);
    if (asked === null) return false;
    if (access === "none") {
      response
        .writeHead(401, { "www-authenticate": `Basic realm="${this.#words.realm}"` })
        .end("HTTP Basic: Access denied.\n");
      return true;
    }
    if (asked.service !== "git-receive-pack") return await this.#http.handle(request, response, body);
    if (access !== "write") {
      response.writeHead(403, { "content-type": "text/plain" }).end(`${this.#words.denied}\n`);
      return true;
    }
    if (!asked.advertise) {
      this.pushes += 1;
      this.beforePush?.();
    }
    const env = { FAKE_PROTECTED: [...this.protectedBranches].join(" ") };
    const { advertise } = asked;
    await serveReceivePack({
      ...{ request, response, body, advertise, env },
      path: this.git.path,
      hooks: this.#hooks,
    });
    return true;
  }

  close(): void {
    rmSync(this.#hooks, { recursive: true, force: true });
  }
}
