// Repositories at their code host, by the system's git: over ssh with a deploy key, or over https with an App's token. What is secret is in
// a folder of its own for as long as git works, readable by this user alone, and in no argument, URL or configuration file.
// Why: docs/decisions/122-access-by-the-owners-choice.md

import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { createGit } from "../../../base/git/git.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { ChosenAccessKind } from "../../../contract/repository-access.ts";
import type {
  RemoteCredential,
  RemoteHead,
  RemoteRefusal,
  RemoteRepository,
  Remotes,
} from "../../core/repository-access/remotes.ts";
import { type CloneTarget, checkCloneUrl, isObjectName } from "../clone-url.ts";
import { Turns } from "../turns.ts";
import { AppTokens, type GithubApp, githubApiOf } from "./app-tokens.ts";
import { pinnedFor } from "./host-keys.ts";
import type { KnownHosts } from "./known-hosts.ts";
import { remoteRefusalOf } from "./remote-refusal.ts";
import { type CodeHostPlace, hostOf, httpsUrlOf, isPlainName, sshUrlOf } from "./remote-url.ts";
import { sshEnvironment } from "./ssh-command.ts";

const HEAD_TIMEOUT_MS = 20_000;
const MAX_HEAD_BYTES = 64 * 1024;
/** Of all repositories, and of one: a code host is asked once for each submission. */
const HEADS_AT_ONCE = { working: 8, waiting: 200 };
const OF_ONE = { working: 2, waiting: 20 };
const LEFT_OVER_MS = 60 * 60 * 1000;

type RemoteOfRun = { readonly repository: RemoteRepository; readonly credential: RemoteCredential };

/** A repository that git can reach until it is closed. */
export type OpenedRemote = {
  readonly target: CloneTarget;
  /** For the calls of git that reach it, and no other. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes and revokes what was made for it. Never rejects. */
  close(): Promise<void>;
};

type GitRemotesOptions = {
  /** For keys while git works. Made when missing. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly issuers: readonly CodeHostPlace[];
  readonly knownHosts: KnownHosts;
  /** The operator's. Null: there is none. It is of the first issuer of GitHub. */
  readonly app: GithubApp | null;
  readonly clock: Clock;
  readonly gitPath?: string;
};

export class GitRemotes implements Remotes {
  readonly #options: GitRemotesOptions;
  readonly #turns = new Turns(HEADS_AT_ONCE);
  readonly #tokens: AppTokens | null;

  constructor(options: GitRemotesOptions) {
    this.#options = options;
    const { app, clock } = options;
    this.#tokens = app === null ? null : new AppTokens({ app, clock });
  }

  locate(repository: RemoteRepository, kind: ChosenAccessKind): Result<string, string> {
    const issuer = this.#options.issuers.find((one) => one.issuer === repository.issuer);
    if (issuer === undefined)
      return refused("This service accepts no tokens of the repository's CI provider any more.");
    if (!isPlainName(repository.name))
      return refused("The name of the repository is no path at a code host.");
    return kind === "deploy_key"
      ? this.#locateBySsh(issuer, repository)
      : this.#locateByApp(issuer, repository);
  }

  async findHead(remote: RemoteOfRun, signal: AbortSignal): Promise<Result<RemoteHead, RemoteRefusal>> {
    const { repository, credential } = remote;
    const shares = [{ name: `${repository.issuer} ${repository.id}`, ...OF_ONE }];
    if ((await this.#turns.take(signal, shares)) !== null)
      return refused({
        detail: "too many requests wait for their code host; try again later",
        isPassing: true,
      });
    try {
      const opened = await this.open(remote, signal);
      if (!opened.ok) return opened;
      try {
        return await this.#askForHead(opened.value, { repository, signal });
      } catch (cause) {
        signal.throwIfAborted();
        const refusal = remoteRefusalOf(cause, credential.kind);
        return refused(
          refusal ?? { detail: "git failed there; tell the service's operator", isPassing: false },
        );
      } finally {
        await opened.value.close();
      }
    } finally {
      this.#turns.giveBack(shares);
    }
  }

  /** Rejects with the signal's reason. */
  async open(
    { repository, credential }: RemoteOfRun,
    signal: AbortSignal,
  ): Promise<Result<OpenedRemote, RemoteRefusal>> {
    signal.throwIfAborted();
    const url = this.locate(repository, credential.kind);
    if (!url.ok) return refused({ detail: withoutStop(url.refusal), isPassing: false });
    if (credential.kind === "github_app") return await this.#openByToken(url.value, { repository, signal });
    const known = pinnedFor(hostOf(url.value), this.#options.knownHosts) ?? "";
    const folder = await this.#makeFolder();
    const close = async () => {
      await rm(folder, { recursive: true, force: true }).catch(() => {});
    };
    try {
      const files = { key: join(folder, "key"), knownHosts: join(folder, "known_hosts") };
      await writeFile(files.key, credential.privateKey, { mode: 0o600, flag: "wx" });
      await writeFile(files.knownHosts, known, { mode: 0o600, flag: "wx" });
      return ok({ target: { url: url.value, transport: "ssh" }, env: sshEnvironment(files), close });
    } catch (cause) {
      await close();
      throw cause;
    }
  }

  /** Removes what processes that are no more left behind. `isAlone`: no other process works in the folder. */
  async sweep({ isAlone, now }: { readonly isAlone: boolean; readonly now: number }): Promise<void> {
    const { folder } = this.#options;
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      const made = await stat(path).catch(() => null);
      if (isAlone || (made !== null && made.mtimeMs < now - LEFT_OVER_MS))
        await rm(path, { recursive: true, force: true });
    }
  }

  #locateBySsh(issuer: CodeHostPlace, { name }: RemoteRepository): Result<string, string> {
    const url = sshUrlOf(issuer, name);
    if (url === null)
      return refused(
        "This service does not know where the repository is over ssh. Its operator sets ssh_url beside clone_url in CI_ISSUERS.",
      );
    if (pinnedFor(hostOf(url), this.#options.knownHosts) !== null) return ok(url);
    return refused(
      `This service knows no host key of ${hostOf(url)}. Its operator sets SSH_KNOWN_HOSTS_FILE to a file that has it.`,
    );
  }

  #locateByApp(issuer: CodeHostPlace, { name }: RemoteRepository): Result<string, string> {
    if (this.#tokens === null) return refused(NO_APP);
    if (this.#options.issuers.find(({ provider }) => provider === "github") !== issuer)
      return refused("This service's GitHub App is not of the repository's code host.");
    const url = httpsUrlOf(issuer, name);
    const target = checkCloneUrl(url ?? "");
    return "fault" in target ? refused(`The repository cannot be cloned: ${target.fault}.`) : ok(target.url);
  }

  async #openByToken(
    url: string,
    { repository, signal }: { readonly repository: RemoteRepository; readonly signal: AbortSignal },
  ): Promise<Result<OpenedRemote, RemoteRefusal>> {
    const target = checkCloneUrl(url);
    if (this.#tokens === null || "fault" in target)
      return refused({ detail: withoutStop(NO_APP), isPassing: false });
    const made = await this.#tokens.make(repository, { api: githubApiOf(url), signal });
    if (!made.ok) return made;
    const { token, revoke } = made.value;
    return ok({ target, env: tokenEnvironment(url, token), close: revoke });
  }

  async #askForHead(
    { target, env }: OpenedRemote,
    { repository, signal }: { readonly repository: RemoteRepository; readonly signal: AbortSignal },
  ): Promise<Result<RemoteHead, RemoteRefusal>> {
    const { environment, gitPath, issuers } = this.#options;
    const folder = await this.#makeFolder();
    try {
      const git = createGit({
        environment,
        home: folder,
        gitFolder: join(folder, "none"),
        treeFolder: null,
        timeoutMs: HEAD_TIMEOUT_MS,
        ...(gitPath === undefined ? {} : { gitPath }),
      });
      const args = ["ls-remote", "--quiet", "--symref", "--", target.url, "HEAD"];
      const call = { args, env, transport: target.transport, signal, maxOutputBytes: MAX_HEAD_BYTES };
      const { stdout } = await git(call);
      const { sha, ref } = parseHead(stdout.toString("utf8"));
      if (!isObjectName(sha))
        return refused({ detail: "its default branch has no commit yet", isPassing: false });
      const issuer = issuers.find((one) => one.issuer === repository.issuer);
      const cloneUrl = issuer === undefined ? null : httpsUrlOf(issuer, repository.name);
      return ok({ sha, ref, cloneUrl: cloneUrl ?? target.url });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #makeFolder(): Promise<string> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    return await mkdtemp(join(this.#options.folder, "remote-"));
  }
}

const NO_APP =
  "This service has no GitHub App. Its operator sets GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY_FILE.";

/** Git reads its configuration from these variables, too: the header is in no argument and no file, and goes to this host alone. */
function tokenEnvironment(url: string, token: string): Readonly<Record<string, string>> {
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
}

/** HEAD as `git ls-remote --symref` says it; "" where it has no commit. */
export function parseHead(text: string): { readonly sha: string; readonly ref: string } {
  const lines = text.split("\n");
  const [sha = ""] = lines.find((line) => /^[0-9a-f]+\tHEAD$/.test(line))?.split("\t") ?? [];
  const [, ref = "HEAD"] = /^ref: (refs\/heads\/\S+)\tHEAD$/.exec(lines[0] ?? "") ?? [];
  return { sha, ref };
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}
