// Runs of an account's own agent on pages, and its people in their browsers.

import type { Role } from "../../src/contract/roles.ts";
import type { SubmitRunRequest } from "../../src/contract/runs/run-requests.ts";
import { addPerson } from "./people.ts";
import type { RunPages } from "./run-pages.ts";
import { makeAccount, type TestAccount } from "./service-account.ts";
import type { Answer } from "./service-client.ts";
import { signInTo } from "./web-sign-in.ts";

export type OwnRun = { readonly runId: string; readonly path: string };

export class AccountRuns {
  readonly pages: RunPages;
  readonly account: TestAccount;
  /** The owner's. */
  readonly cookie: string;
  /** The same without its name. */
  readonly secret: string;

  static async of(pages: RunPages): Promise<AccountRuns> {
    const account = await makeAccount(pages.fixture);
    const { cookie, secret } = await signInTo(pages.fixture.core, account.id);
    return new AccountRuns({ pages, account, cookie, secret });
  }

  private constructor(parts: { pages: RunPages; account: TestAccount; cookie: string; secret: string }) {
    this.pages = parts.pages;
    this.account = parts.account;
    this.cookie = parts.cookie;
    this.secret = parts.secret;
  }

  get agentPath(): string {
    return `/agent/${this.account.agent.id}`;
  }

  pathOf(runId: string): string {
    return `${this.agentPath}/runs/${runId}`;
  }

  /** As the account's own key would submit it. */
  async start(body: SubmitRunRequest): Promise<OwnRun> {
    const { idempotency_key: _none, ...rest } = body;
    const submitted = await this.pages.fixture.submitter.submit({
      caller: {
        kind: "account",
        accountId: this.account.id,
        callerClass: "owner",
        personId: null,
        role: "owner",
      },
      agentId: this.account.agent.id,
      body: rest,
      idempotencyKey: null,
      canBeAnswered: true,
    });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    const { runId } = submitted.value;
    return { runId, path: this.pathOf(runId) };
  }

  /** The same, ended. */
  async ended(body: SubmitRunRequest): Promise<OwnRun> {
    const run = await this.start(body);
    await this.pages.fixture.ended(run.runId);
    return run;
  }

  /** Somebody else in the account, signed in. */
  async person(role: Role): Promise<{ readonly cookie: string; readonly secret: string }> {
    const { core } = this.pages.fixture;
    const personId = await addPerson(core, { accountId: this.account.id, role });
    return await signInTo(core, this.account.id, personId);
  }

  async get(path: string, cookie: string = this.cookie): Promise<string> {
    return (await this.pages.get(path, { headers: { cookie } })).text;
  }

  async post(
    path: string,
    form: Readonly<Record<string, string>>,
    cookie: string = this.cookie,
  ): Promise<Answer> {
    return await this.pages.get(path, { method: "POST", form, headers: { origin: this.pages.url, cookie } });
  }
}

/** The first field of that name in a form of the page that posts there. */
export function fieldOf(text: string, { action, name }: { action: string; name: string }): string {
  const form = text.slice(text.indexOf(`action="${action}"`));
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? "";
}

/** What hindered the form, as its sender reads it. */
export function alertOf(text: string): string | undefined {
  return /role="alert">(.*?)<\/p>/s.exec(text)?.[1]?.replace(/<[^>]*>/g, "");
}
