// A job's writes of typed outputs, against a project of GitLab on loopback.

import { FakeGitLab } from "../../fakes/gitlab/gitlab.ts";
import { fetchTransport } from "../../src/client/transport.ts";
import type { TypedOutput, TypedOutputs } from "../../src/contract/runs/typed-outputs.ts";
import { type GitLabApi, gitlabApi } from "../../src/gitlab/gitlab-api.ts";
import { gitlabOutputs } from "../../src/gitlab/gitlab-outputs.ts";
import type { OutputSubject } from "../../src/job/outputs/applicable-outputs.ts";
import { writeOutputs } from "../../src/job/outputs/write-outputs.ts";
import type { WrittenOutputs } from "../../src/report/written-outputs.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";

export const TOKEN = "glpat-5aB7cD9eF1gH3iJ5kL7m";

type Attempt = {
  readonly declared: TypedOutputs;
  readonly asked: readonly TypedOutput[];
  readonly about?: OutputSubject;
  readonly runKey?: string;
  readonly job?: string;
};

export class GitLabBench {
  readonly gitlab: FakeGitLab;
  readonly clock = instantClock();
  #seen = 0;

  private constructor(gitlab: FakeGitLab) {
    this.gitlab = gitlab;
  }

  /** Issue #7, and merge request !7. */
  static async open(): Promise<GitLabBench> {
    const gitlab = await FakeGitLab.start();
    gitlab.addToken(TOKEN, { role: "developer" });
    for (const username of ["octocat", "hubot", "eileen.lowe"]) gitlab.addAccount(username);
    gitlab.addAccount("stranger", { hasAccess: false });
    gitlab.addIssue({ iid: 7 });
    gitlab.addMergeRequest({ iid: 7 });
    return new GitLabBench(gitlab);
  }

  api(signal?: AbortSignal): GitLabApi {
    return gitlabApi({
      apiUrl: this.gitlab.apiUrl,
      token: TOKEN,
      projectId: this.gitlab.projectId,
      userAgent: "agent-service-command/1",
      transport: fetchTransport,
      clock: this.clock,
      random: () => 0.5,
      signal,
    });
  }

  async write(attempt: Attempt): Promise<WrittenOutputs> {
    const { declared, asked, about = "issue", runKey = "574", job = "agent" } = attempt;
    return await writeOutputs({
      host: gitlabOutputs(this.api()),
      declared,
      asked,
      subject: { type: about, number: about === "none" ? null : 7 },
      filing: {
        place: [".gitlab-ci.yml", job, ""],
        runKey,
        jobUrl: `${this.gitlab.url}/my-group/-/jobs/302`,
      },
    });
  }

  /** What changed something since the last call: method and path below the project, and the body. */
  takeWrites(): readonly { readonly call: string; readonly body: unknown }[] {
    const requests = this.gitlab.requests.slice(this.#seen);
    this.#seen = this.gitlab.requests.length;
    return requests
      .filter(({ method }) => method !== "GET")
      .map(({ method, path, body }) => ({
        call: `${method} ${path.replace(`/projects/${this.gitlab.projectId}`, "")}`,
        body: JSON.parse(body),
      }));
  }

  async close(): Promise<void> {
    await this.gitlab.close();
  }
}
