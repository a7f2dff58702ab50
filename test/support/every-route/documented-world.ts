// A service with two accounts and a CI job on a store, in which every operation of the document can be asked for what is
// there.

import { makeJob } from "../../../fakes/records.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { GitRemotes } from "../../../src/service/checkouts/remotes/git-remotes.ts";
import { noKnownHosts } from "../../../src/service/checkouts/remotes/known-hosts.ts";
import { grantCredits } from "../../../src/service/core/accounts/keys.ts";
import type { Backend } from "../../../src/service/executor/backend.ts";
import { githubIssuer } from "../../../src/service/oidc/issuer-config.ts";
import { CheckoutFixture, REPOSITORY } from "../../service/checkouts/checkout-fixture.ts";
import { SeenAnswers } from "../document-checker.ts";
import { DocumentedApi } from "../documented-api.ts";
import { ClaimFixture } from "../fixtures/claim-fixture.ts";
import { untilStopped } from "../scripted-backend.ts";
import { makeAccount, type TestAccount } from "../service-account.ts";
import type { StoreKind } from "../stores/stores.ts";
import { Play } from "./play.ts";
import type { Params } from "./workspace-maker.ts";

const CREDITS = 100_000;

/** A run waits where its message says "wait", and asks where it says "ask". */
const asking: Backend = {
  name: "scripted",
  needsCheckout: false,
  run: async (task) => {
    const says = (word: string) => task.messages.some(({ content }) => content.includes(word));
    if (says("wait")) await untilStopped(task);
    if (!task.mayAsk || !says("ask")) return { stopReason: "end_turn" };
    await task.emit({ type: "CUSTOM", name: "question", value: { question: "Which?", choices: ["a", "b"] } });
    return { stopReason: "question" };
  },
};

export type WorldJob = { readonly capability: string; readonly params: Params };

export class DocumentedWorld {
  readonly fixture: ClaimFixture;
  readonly mine: TestAccount;
  readonly theirs: TestAccount;
  readonly seen = new SeenAnswers();
  /** Asks as the owner of `mine`. */
  readonly api: DocumentedApi;
  readonly play: Play;
  readonly #git: CheckoutFixture;

  static async start(kind: StoreKind): Promise<DocumentedWorld> {
    const git = await CheckoutFixture.make();
    const fixture = await ClaimFixture.start(kind, {
      backend: asking,
      checkouts: git.provider(),
      remotes: new GitRemotes({
        folder: `${git.folder}/keys`,
        environment: process.env,
        knownHosts: noKnownHosts,
        app: null,
        clock: systemClock,
        issuers: [{ ...githubIssuer, issuer: makeJob().issuer }],
      }),
      freeCredits: 1_000,
      workspaceLimits: { maxFileBytes: 2_000_000, maxBundleBytes: 1_500_000 },
      policy: { takesModelAccess: true, baseUrl: "https://service.example" },
    });
    const make = async () => {
      const account = await makeAccount(fixture.core, "subscribed");
      await grantCredits(fixture.core.core, { accountId: account.id, credits: CREDITS });
      return account;
    };
    return new DocumentedWorld({ git, fixture, mine: await make(), theirs: await make() });
  }

  private constructor(parts: {
    git: CheckoutFixture;
    fixture: ClaimFixture;
    mine: TestAccount;
    theirs: TestAccount;
  }) {
    const { git, fixture, mine, theirs } = parts;
    this.#git = git;
    this.fixture = fixture;
    this.mine = mine;
    this.theirs = theirs;
    this.api = new DocumentedApi(fixture.api, { owner: mine.owner, seen: this.seen });
    const sha = git.repository.commit({ files: { "README.md": "Hello\n" } });
    const cloneUrl = `${git.server.url}/${REPOSITORY}.git`;
    this.play = new Play({ fixture, mine, api: this.api, cloneUrl, sha });
  }

  /** A job of a repository of its own, with a run that has ended. */
  async job(): Promise<WorldJob> {
    const { fixture, api } = this;
    const job = await fixture.exchange(fixture.repository({ visibility: "public" }));
    const params = { agentID: job.agent_id };
    const asked = { params, json: { message: "hello" }, bearer: job.access_token };
    const { run_id: runID } = await api.ask("runsSubmit", asked);
    await fixture.core.ended(runID);
    return { capability: job.access_token, params: { ...params, runID } };
  }

  async close(): Promise<void> {
    await this.fixture.api.close();
    await this.#git.close();
  }
}
