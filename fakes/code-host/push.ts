// Pushes over smart HTTP with the real `git receive-pack`: by a job's token alone, with the refusals that GitHub gives.
// https://git-scm.com/docs/http-protocol

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseGitRequest, serveReceivePack } from "./git-http.ts";

/** As GitHub does it: by name for protected branches, by path for workflows. */
const UPDATE_HOOK = `#!/bin/sh
branch="\${1#refs/heads/}"
for name in $FORGE_PROTECTED; do
  if [ "$name" = "$branch" ]; then
    echo "error: GH006: Protected branch update failed for $1." >&2
    echo "error: Changes must be made through a pull request." >&2
    exit 1
  fi
done
case "$2" in *[1-9a-f]*) old="$2" ;; *) old=HEAD ;; esac
workflow=$(git diff --name-only "$old" "$3" -- .github/workflows | head -1)
if [ -n "$workflow" ]; then
  echo "refusing to allow a GitHub App to create or update workflow \\\`$workflow\\\` without \\\`workflows\\\` permission" >&2
  exit 1
fi
`;

export type PushDoor = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  /** The repository's path on disk; undefined for an unknown repository. */
  readonly path: string | undefined;
  readonly isJobs: boolean;
  readonly isDenied: boolean;
};

export class CodeHostPush {
  /** Protected branches: every push to one is refused. */
  readonly protectedBranches = new Set<string>();
  /** Awaited before a push is accepted, so that its changes to the repository come first. */
  beforePush: (() => void | Promise<void>) | null = null;
  /** The number of pushes, refused ones included. */
  count = 0;
  readonly #hooks = mkdtempSync(join(tmpdir(), "code-host-hooks-"));

  constructor() {
    writeFileSync(join(this.#hooks, "update"), UPDATE_HOOK, { mode: 0o755 });
  }

  /** Answers a push, whose body was read, and returns true; returns false, untouched, for any other request. */
  async handle({ request, response, body, path, isJobs, isDenied }: PushDoor): Promise<boolean> {
    const asked = parseGitRequest(request);
    if (asked?.service !== "git-receive-pack") return false;
    if (!isJobs) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="GitHub"' }).end("No token.\n");
    } else if (path === undefined) {
      response.writeHead(404).end("Repository not found.\n");
    } else if (isDenied) {
      const text = `Permission to ${asked.repository}.git denied to github-actions[bot].\n`;
      response.writeHead(403, { "content-type": "text/plain" }).end(text);
    } else {
      if (!asked.advertise) {
        this.count += 1;
        await this.beforePush?.();
      }
      const env = { FORGE_PROTECTED: [...this.protectedBranches].join(" ") };
      const { advertise } = asked;
      await serveReceivePack({ request, response, body, path, advertise, hooks: this.#hooks, env });
    }
    return true;
  }

  close(): void {
    rmSync(this.#hooks, { recursive: true, force: true });
  }
}
