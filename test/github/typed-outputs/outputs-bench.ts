// A job's writes of typed outputs, against the code host on loopback.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CodeHost, type CodeHostJob, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import type { JobOptions } from "../../../fakes/code-host/job.ts";
import { type ActionTransport, openTransport } from "../../../src/action/transport.ts";
import type { TypedOutput, TypedOutputs } from "../../../src/contract/runs/typed-outputs.ts";
import { openCodeHost } from "../../../src/github/code-host.ts";
import type { OutputSubject } from "../../../src/job/outputs/applicable-outputs.ts";
import type { WrittenOutputs } from "../../../src/report/written-outputs.ts";

const REPOSITORY = "octo-org/octo-repo";

type Attempt = {
  readonly declared: TypedOutputs;
  readonly asked: readonly TypedOutput[];
  readonly about?: OutputSubject;
  readonly runKey?: string;
  readonly attempt?: number;
  readonly step?: string;
};

export class OutputsBench {
  readonly host: CodeHost;
  readonly #job: CodeHostJob;
  readonly #folder: string;
  readonly #connections: ActionTransport;

  private constructor(parts: { host: CodeHost; job: CodeHostJob; folder: string }) {
    this.host = parts.host;
    this.#job = parts.job;
    this.#folder = parts.folder;
    this.#connections = openTransport();
  }

  static async open(options: JobOptions = {}): Promise<OutputsBench> {
    const folder = await mkdtemp(join(tmpdir(), "typed-outputs-"));
    execFileSync("git", ["init", "--quiet", "--bare", join(folder, "repo.git")]);
    const host = await startCodeHost({ repositories: { [REPOSITORY]: join(folder, "repo.git") } });
    const job = await host.job({ event: "issues", ...options });
    host.rest.addIssue({
      number: 7,
      title: "It breaks",
      body: "",
      state: "open",
      user: { login: "outsider", id: 99 },
    });
    return new OutputsBench({ host, job, folder });
  }

  async write({
    declared,
    asked,
    about = "issue",
    runKey = "run-1",
    attempt = 1,
    step = "agent",
  }: Attempt): Promise<WrittenOutputs> {
    const codeHost = openCodeHost({
      token: this.#job.githubToken,
      job: {
        provider: "github",
        repository: { id: "74", name: REPOSITORY },
        event: "issues",
        sha: "",
        runId: "1",
        attempt,
        job: "triage",
        step,
      },
      env: this.#job.env,
      transport: this.#connections.send,
      signal: new AbortController().signal,
    });
    const number = about === "none" ? null : 7;
    return await codeHost.writeOutputs({
      declared,
      asked,
      subject: { type: about, number },
      runKey,
      startedAtMs: Date.now() - 60_000,
    });
  }

  /** What changed something on the code host since the last call: method and path below the repository, and the body. */
  takeWrites(): readonly { readonly call: string; readonly body: unknown }[] {
    const requests = this.host.requests.slice(this.#seen);
    this.#seen = this.host.requests.length;
    return requests
      .filter(
        ({ method, path, body }) =>
          method !== "GET" && !(path.endsWith("/graphql") && !body.includes("mutation")),
      )
      .map(({ method, path, body }) => ({
        call: `${method} ${path.replace(/^.*\/repos\/[^/]+\/[^/]+|^.*(?=\/graphql$)/, "")}`,
        body: JSON.parse(body),
      }));
  }

  #seen = 0;

  async close(): Promise<void> {
    this.#connections.close();
    await this.host.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
