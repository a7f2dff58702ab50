// A workspace on a core fixture with a copy, the API on a real socket, and a clone of the copy by the system's git.

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FLUSH, packetLine } from "../../../../src/base/git/packet-lines.ts";
import { type Client, createClient } from "../../../../src/client/client.ts";
import type { GitServiceLimits } from "../../../../src/service/checkouts/served/git-service.ts";
import { copyIdOf } from "../../../suite/workspaces/copy-id.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { GitClient, repositoryUrl } from "../../../support/git-client.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../support/service-api.ts";
import type { StoreKind } from "../../../support/stores/stores.ts";

export const NOTHING = "0".repeat(40);

export class GitFixture {
  readonly fixture: CoreFixture;
  readonly api: HttpApi;
  readonly account: TestAccount;
  readonly client: Client;
  readonly git: GitClient;

  static async start(
    options: { store?: StoreKind; gitLimits?: GitServiceLimits; maxFileBytes?: number } = {},
  ): Promise<GitFixture> {
    const { maxFileBytes, ...more } = options;
    const fixture = await startFixture({
      level: "core",
      policy: { ratePerMinute: 1_000_000, addressRatePerMinute: 1_000_000 },
      ...more,
      ...(maxFileBytes === undefined
        ? {}
        : { workspaceLimits: { maxFileBytes, maxBundleBytes: 100_000_000 } }),
    });
    const api = await openHttpApi(fixture);
    const account = await makeAccount(fixture, "subscribed");
    const client = createClient({ baseUrl: api.url, credential: () => account.owner });
    return new GitFixture({ fixture, api, account, client, git: await GitClient.open() });
  }

  private constructor(parts: Pick<GitFixture, "fixture" | "api" | "account" | "client" | "git">) {
    this.fixture = parts.fixture;
    this.api = parts.api;
    this.account = parts.account;
    this.client = parts.client;
    this.git = parts.git;
  }

  /** A workspace with these files accepted, and a copy of it, which is cloned into the folder `workspaceId`. */
  async workspace(files: Readonly<Record<string, string>> = { "README.md": "one\n" }) {
    const { id: workspaceId } = await this.client.workspaces.create({ body: {} });
    for (const [path, content] of Object.entries(files)) {
      await this.client.files.write({ workspaceId, body: { path, content } });
    }
    const { id: operationId } = await this.client.copies.checkpoint({ workspaceId, body: {} });
    await this.client.operations.get({ workspaceId, operationId, query: { wait: 20 } });
    const copyId = copyIdOf(await this.client.copies.create({ workspaceId }));
    const url = this.url(workspaceId);
    await this.git.git(["clone", "--quiet", "--branch", `copies/${copyId}`, url, workspaceId]);
    const ref = `refs/heads/copies/${copyId}`;
    return { workspaceId, copyId, url, ref, cwd: workspaceId, base: await this.head(workspaceId) };
  }

  url(workspaceId: string, key = this.account.owner): string {
    return repositoryUrl(this.api.url, workspaceId, key);
  }

  async head(cwd: string): Promise<string> {
    return await this.git.git(["rev-parse", "HEAD"], { cwd });
  }

  async write(cwd: string, path: string, content: string | Uint8Array): Promise<void> {
    const full = join(this.git.folder, cwd, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, content);
  }

  /** Everything in the folder, as one commit. */
  async commit(cwd: string, message = "Change"): Promise<string> {
    await this.git.git(["add", "--all"], { cwd });
    await this.git.git(["commit", "--quiet", "--message", message], { cwd });
    return await this.head(cwd);
  }

  /** A commit of a tree with one entry, whatever its name, over HEAD. */
  async commitOfEntry(cwd: string, entry: { mode: string; name: string; content: string }): Promise<string> {
    await this.write(cwd, ".git/content", entry.content);
    const blob = await this.git.git(["hash-object", "-w", ".git/content"], { cwd });
    const tree = Buffer.concat([Buffer.from(`${entry.mode} ${entry.name}\0`), Buffer.from(blob, "hex")]);
    await this.write(cwd, ".git/content", tree);
    const oid = await this.git.git(["hash-object", "-w", "--literally", "-t", "tree", ".git/content"], {
      cwd,
    });
    return await this.git.git(["commit-tree", oid, "-p", "HEAD", "-m", "Entry"], { cwd });
  }

  /** A request as git's client makes it. */
  async post(workspaceId: string, service: string, body: Uint8Array, headers: Record<string, string> = {}) {
    const answer = await fetch(`${this.api.url}/v1/workspaces/${workspaceId}.git/${service}`, {
      method: "POST",
      body: new Uint8Array(body),
      headers: {
        authorization: `Bearer ${this.account.owner}`,
        "content-type": `application/x-${service}-request`,
        ...headers,
      },
    });
    return { status: answer.status, text: Buffer.from(await answer.arrayBuffer()).toString("latin1") };
  }

  /** A push of this pack, as bytes. */
  async pushPack(
    { workspaceId, ref, base }: { workspaceId: string; ref: string; base: string },
    tip: string,
    pack: Uint8Array,
  ) {
    return await this.post(workspaceId, "git-receive-pack", pushBody({ ref, from: base, to: tip }, pack));
  }

  async baseOf(workspaceId: string, workingCopyId: string): Promise<string> {
    const { base_revision_id: revisionId } = await this.client.copies.get({ workspaceId, workingCopyId });
    return (await this.client.revisions.get({ workspaceId, revisionId })).commit;
  }

  /** Folders of calls that are at work, or were left. */
  async calls(): Promise<readonly string[]> {
    return await readdir(join(this.fixture.place.settings.dataDir, "served", "calls")).catch(() => []);
  }

  async close(): Promise<void> {
    await this.git.close();
    await this.api.close();
  }
}

export function pushBody(
  { ref, from, to }: { ref: string; from: string; to: string },
  pack: Uint8Array,
): Buffer {
  const line = `${from} ${to} ${ref}\0 report-status side-band-64k agent=test`;
  return Buffer.concat([packetLine(line), FLUSH, pack]);
}
