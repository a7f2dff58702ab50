// Bitbucket's API as a job calls it, against a repository on loopback.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeBitbucket } from "../../fakes/bitbucket/bitbucket.ts";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import { type LoopbackServer, startLoopbackServer } from "../../fakes/code-host/server.ts";
import { type BitbucketApi, bitbucketApi } from "../../src/bitbucket/bitbucket-api.ts";
import { fetchTransport } from "../../src/client/transport.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";
import { commitEdits, LINES } from "../support/fixtures/changes-fixture.ts";

export const TOKEN = `ATCTT3xFfGN0${"aB3-cD4_".repeat(20)}=1A2B3C4D`;

export class BitbucketBench {
  readonly bitbucket: FakeBitbucket;
  readonly git: TestRepository;
  readonly main: string;
  readonly head: string;
  readonly clock = instantClock();
  readonly #server: LoopbackServer;
  readonly #folder: string;

  private constructor(parts: {
    bitbucket: FakeBitbucket;
    git: TestRepository;
    main: string;
    head: string;
    server: LoopbackServer;
    folder: string;
  }) {
    this.bitbucket = parts.bitbucket;
    this.git = parts.git;
    this.main = parts.main;
    this.head = parts.head;
    this.#server = parts.server;
    this.#folder = parts.folder;
  }

  /** Pull request #9 from `topic`, which changes line 5 and renames a file. */
  static async open(): Promise<BitbucketBench> {
    const folder = await mkdtemp(join(tmpdir(), "bitbucket-bench-"));
    const git = new TestRepository(folder, "app.git");
    const long = Array.from({ length: 20 }, (_, at) => `const a${at} = ${at};\n`).join("");
    const main = git.commit({ files: { "notes.txt": LINES, "old name.ts": long } });
    const head = commitEdits(git, main, {
      "notes.txt": LINES.replace("line 5\n", "line five\n"),
      "old name.ts": null,
      "src/nëw.ts": long,
    });
    git.updateRef("refs/heads/topic", head);
    const bitbucket = new FakeBitbucket(git);
    const author = bitbucket.addAccount("octocat");
    bitbucket.addToken(TOKEN, ["pullrequest:write", "repository:write"]);
    bitbucket.addPull({ id: 9, title: "Count", author, source: "topic" });
    const server = await startLoopbackServer(async (request, response) => {
      await bitbucket.serve(request, response);
    });
    return new BitbucketBench({ bitbucket, git, main, head, server, folder });
  }

  get apiUrl(): string {
    return `${this.#server.url}/2.0`;
  }

  api(token = TOKEN): BitbucketApi {
    return bitbucketApi({
      apiUrl: this.apiUrl,
      token,
      repository: this.bitbucket.fullName,
      userAgent: "agent-service-command/1",
      transport: fetchTransport,
      clock: this.clock,
      random: () => 0.5,
    });
  }

  async close(): Promise<void> {
    await this.#server.close();
    this.bitbucket.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
