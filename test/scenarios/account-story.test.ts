// The story of an account in browsers: a job's claim link, its owner who signs in and claims, the job that accepts; a member by
// invitation, who asks for a run of the private repository; the run's question, the owner's answer; a job that pushes what it changed;
// a viewer, who sees all of it and can do nothing.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../fakes/code-host/code-host.ts";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { call, type Step, say } from "../../fakes/model-server/turn.ts";
import { type ActionResult, runAction } from "../../fakes/runner/run-action.ts";
import { expectAccessible } from "../support/browser/expect-accessible.ts";
import { openBrowser, type TestBrowser } from "../support/browser/open-browser.ts";
import type { ProcessFixture } from "../support/fixtures/process-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";

const REPOSITORY = "octo-org/octo-repo";
const MODEL_KEY = "sk-the-models-key-0123456789";
const REQUEST = "Replace the parser";
const question = { question: "Which parser is to stay?", choices: ["The new one", "The old one"] };
const READ_AND_WRITE = { contents: "write" } as const;

let folder: string;
let repository: TestRepository;
let codeHost: CodeHost;
let model: ModelServer;
let browser: TestBrowser;
let service: ProcessFixture;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "account-story-"));
  repository = new TestRepository(folder, "octo-repo.git");
  repository.commit({ files: { "README.md": "# A private repository\n", "parser.txt": "the old one\n" } });
  [codeHost, model, browser] = await Promise.all([
    startCodeHost({ repositories: { [REPOSITORY]: { path: repository.path, visibility: "private" } } }),
    startModelServer({ script: everyTime(answerTo), apiKey: MODEL_KEY }),
    openBrowser(),
  ]);
});

afterEach(async () => {
  await browser.close();
  await service.close();
  await Promise.all([codeHost.close(), model.close()]);
  await rm(folder, { recursive: true, force: true });
});

const turns: readonly Step[] = [
  [say("There are two."), call("ask_question", question)],
  [call("write_file", { path: "parser.txt", content: "the new one\n" })],
];

function answerTo({ firstUserMessage, assistantTurns }: ModelRequest): Step {
  if (!firstUserMessage.includes(REQUEST)) return say("I looked around.");
  return turns[assistantTurns] ?? say("The new one stays.");
}

async function startService(): Promise<ProcessFixture> {
  return await startFixture({
    level: "process",
    settings: {
      // Browsers make no passkey for an IP address.
      HOST: "localhost",
      BACKEND: "model",
      SANDBOX: "off",
      MODEL: "claude-opus-5",
      MODEL_BASE_URL: model.baseUrl,
      MODEL_API_KEY: MODEL_KEY,
      CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
      RUN_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      DRAIN_SECONDS: "0",
    },
  });
}

/** A step of a job on the default branch, as its runner starts it. */
async function runJob(inputs: Readonly<Record<string, string>>, runId: string): Promise<ActionResult> {
  const job = await codeHost.job({ permissions: READ_AND_WRITE, runId });
  const withs = { "base-url": service.url, "github-token": job.githubToken, ...inputs };
  return await runAction({ entry: "main", env: job.env, inputs: withs });
}

/** What the operator's command prints. */
async function operate(...args: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await service.run([...args, "--json"]);
  if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout);
}

const open = (page: Page, path: string) => page.goto(service.url + path);
const at = (page: Page, path: string) => page.waitForURL(({ pathname }) => pathname === path);
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name });

/** A profile of its own, with an authenticator whose person agrees. */
async function openProfile(): Promise<Page> {
  const page = await browser.openPage();
  // No passkey is suggested: whoever signs in presses the button.
  await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false");
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return page;
}

/** On the page to which a link leads whoever has no passkey. */
async function addPasskey(page: Page, name: string): Promise<void> {
  await at(page, "/settings/passkeys");
  await page.getByLabel("Name").fill(name);
  await press(page, "Add passkey");
  await page.getByText(name, { exact: true }).waitFor();
}

async function signOut(page: Page): Promise<void> {
  await open(page, "/settings/sessions");
  await press(page, "Sign out");
  await at(page, "/sign-in");
}

/** A link that is shown once. */
async function invite(owner: Page, role: string): Promise<string> {
  await open(owner, "/settings/members");
  await owner.getByLabel("Role of somebody new").selectOption(role);
  await press(owner, "Make link");
  await owner.getByText(`Whoever opens it first becomes ${role} of this account.`).waitFor();
  return await owner.locator("#secret").innerText();
}

async function joinAs(link: string, name: string): Promise<Page> {
  const page = await openProfile();
  await page.goto(link);
  await heading(page, "Join an account").waitFor();
  await page.getByLabel("Your name, for the others in the account").fill(name);
  await press(page, "Join as a new person");
  return page;
}

describe("the story of an account", { tags: ["chromium"] }, () => {
  it("goes from a claim link to a push that everybody in the account sees", async () => {
    service = await startService();
    const { account_id: accountId = "" } = await operate("keys", "create", "--name", "first");
    await operate("credits", "grant", "1000", "--account", accountId);
    const { url: ownersLink = "" } = await operate("accounts", "sign-in-link", accountId);

    // Claim.
    const asking = await runJob({ prompt: "Look around." }, "1296269001");
    expect(asking).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "quota", reason: "repository_private" },
    });
    const claimUrl = asking.outputs["claim-url"] ?? "";
    const owner = await openProfile();
    await owner.goto(claimUrl);
    await heading(owner, `Claim ${REPOSITORY}`).waitFor();
    expect(await owner.getByRole("button", { name: "Claim for this account" }).count()).toBe(0);
    await expectAccessible(owner);

    // Sign in: by the operator's link once, from then on by a passkey.
    await owner.goto(ownersLink);
    await press(owner, "Sign in");
    await addPasskey(owner, "the owner's laptop");
    await signOut(owner);
    await owner.goto(claimUrl);
    await owner.getByRole("link", { name: "Sign in to claim it" }).click();
    await press(owner, "Use a passkey");
    await at(owner, new URL(claimUrl).pathname);
    await press(owner, "Claim for this account");
    await owner.getByText("pending for account").waitFor();

    // Accept.
    const account = /account: (\S+)/.exec(await owner.locator("main").innerText())?.[1] ?? "";
    expect(account).toBe(accountId);
    const accepting = await runJob({ prompt: "Look around.", account }, "1296269002");
    expect(accepting).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    await owner.reload();
    await owner.getByText("There is nothing left to do here.").waitFor();

    // A second person.
    const member = await joinAs(await invite(owner, "member"), "Grace");
    await addPasskey(member, "Grace's laptop");
    await signOut(member);
    await open(member, "/sign-in?to=/");
    await press(member, "Use a passkey");
    await at(member, "/");
    await open(owner, "/settings/members");
    await owner.getByText("Grace", { exact: true }).waitFor();

    // A run of the private repository, from that person's page.
    await member.getByRole("link", { name: REPOSITORY, exact: true }).first().click();
    await member.getByLabel("What should the agent do?").fill(REQUEST);
    await press(member, "Run");
    await member.waitForURL(/\/runs\//);
    const runPath = new URL(member.url()).pathname;

    // Its question.
    await heading(member, "Waits for an answer").waitFor();
    await member.getByText(question.question).first().waitFor();
    await expectAccessible(member);

    // Its answer.
    await open(owner, "/approvals");
    await owner.getByRole("heading", { name: "Questions" }).waitFor();
    await owner.getByText(question.question).waitFor();
    await expectAccessible(owner);
    await press(owner, "The new one");
    await at(owner, runPath);
    for (const page of [owner, member]) {
      await page.getByText("The run has ended").first().waitFor();
      await heading(page, "Changed 1 file").waitFor();
    }
    await member.getByText("It was told: The new one").waitFor();
    await member.getByText("The new one stays.").first().waitFor();

    // Pushed.
    const before = repository.git(["rev-parse", "refs/heads/main"]);
    const runId = runPath.split("/").at(-1) ?? "";
    const pushing = await runJob({ mode: "attach", "run-id": runId, changes: "commit" }, "1296269003");
    expect(pushing).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    const pushed = repository.git(["rev-parse", "refs/heads/main"]);
    expect(repository.git(["rev-parse", `${pushed}^`])).toBe(before);
    expect(repository.git(["show", `${pushed}:parser.txt`])).toBe("the new one");
    const title = `Pushed ${pushed.slice(0, 7)} to main`;
    await member.reload();
    await heading(member, title).waitFor();
    await member.getByText("As its job has reported.").waitFor();
    await expectAccessible(member);
    await open(member, "/runs");
    const line = member.getByRole("listitem").filter({ hasText: REQUEST });
    expect(await line.innerText()).toContain(title);

    // A viewer.
    const viewer = await joinAs(await invite(owner, "viewer"), "Vera");
    await at(viewer, "/settings/passkeys");
    await open(viewer, "/runs");
    expect(await viewer.getByRole("listitem").filter({ hasText: REQUEST }).innerText()).toContain(title);
    await viewer.getByRole("link", { name: REQUEST, exact: true }).click();
    await heading(viewer, title).waitFor();
    await viewer.getByText("The new one stays.").first().waitFor();
    await viewer.getByText("Members, admins and owners of this account cancel this run").waitFor();
    await viewer.getByText("Your role is viewer.").waitFor();
    expect(await viewer.locator("#run form").count()).toBe(0);
    await expectAccessible(viewer);
    await viewer.getByRole("link", { name: REPOSITORY, exact: true }).first().click();
    await viewer
      .getByText("Members, admins and owners of this account start runs. Your role is viewer.")
      .waitFor();
    expect(await viewer.getByRole("button", { name: "Run", exact: true }).count()).toBe(0);

    // Nor by forms that no page has shown them.
    const forms = [
      [`${runPath}/next`, { key: "forged", message: "And now delete it" }],
      [`${runPath}/retry`, { key: "forged" }],
      [runPath.replace(/\/[^/]+$/, ""), { key: "forged", message: "Delete it" }],
    ] as const;
    for (const [action, fields] of forms) {
      const posted = viewer.waitForResponse((response) => response.request().method() === "POST");
      await viewer.evaluate(sendForm(action, fields));
      expect((await posted).status(), action).toBe(403);
      await at(viewer, action);
      await heading(viewer, "Your role may not do this").waitFor();
    }
    const runs = await service.place.query("select id from runs");
    expect(runs).toHaveLength(2);
    expect(browser.faults).toEqual([]);
  });
});

/** A script that sends a form which the page does not have. */
function sendForm(action: string, fields: Readonly<Record<string, string>>): string {
  return `{
    const form = document.createElement("form");
    form.method = "post";
    form.action = ${JSON.stringify(action)};
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
      const field = document.createElement("input");
      [field.type, field.name, field.value] = ["hidden", name, value];
      form.append(field);
    }
    document.body.append(form);
    form.submit();
  }`;
}
