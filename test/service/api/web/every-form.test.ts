// Every form of every page posts to a route that takes it, and every route that takes a form has a page with the form. Every
// link within the pages leads somewhere, and no page is of another account.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isAtLeast, roles } from "../../../../src/contract/roles.ts";
import { docsRoutes } from "../../../../src/service/api/http/pages/docs.ts";
import { formRoles } from "../../../../src/service/api/web/page-roles.ts";
import { webApp } from "../../../../src/service/api/web/web-app.ts";
import { DocumentedWorld } from "../../../support/every-route/documented-world.ts";
import { makeStandingThings } from "../../../support/every-route/standing-things.ts";
import { type Params, WorkspaceMaker } from "../../../support/every-route/workspace-maker.ts";
import { faultyTables, tablesOf } from "../../../support/page-tables.ts";
import { addPerson } from "../../../support/people.ts";
import { sqliteStore } from "../../../support/stores/stores.ts";
import { signInTo } from "../../../support/web-sign-in.ts";

const ROOT = join(import.meta.dirname, "../../../..");

/** What posts to a route that no page of this test has a form for: the file, and the text in it that names the route. */
const POSTED_BY: Readonly<Record<string, readonly [file: string, text: string]>> = {
  "/sign-in/passkey": ["src/service/api/web/pages/sign-in/sign-in-page.ts", 'action="/sign-in/passkey"'],
  "/sign-in/passkey/options": ["src/web/passkey.ts", "/options`"],
  "/settings/passkeys": [
    "src/service/api/web/pages/settings/passkeys-page.ts",
    'action="/settings/passkeys"',
  ],
  "/settings/passkeys/options": ["src/web/passkey.ts", "/options`"],
  "/settings/passkeys/remove": ["test/service/api/web/pages/passkeys-browser.test.ts", "Remove"],
  "/settings/apps/revoke": ["test/service/api/oauth/token-exchange.test.ts", '"/settings/apps/revoke"'],
  "/agent/:agentId/runs/:runId/fork": ["src/render/run-page/fork-section.ts", "/fork`"],
  "/agent/:agentId/runs/:runId/resume": ["src/render/run-page/parked-section.ts", "/resume`"],
  "/invitation/:token": ["test/service/api/web/pages/members.test.ts", "svc_inv_"],
  "/sign-in/claim/:token": ["test/service/api/web/pages/identities.test.ts", "/sign-in/claim/"],
  "/sign-in/link/:token": ["test/service/api/web/pages/sign-in.test.ts", "/sign-in/link/"],
};

type Answered = { readonly status: number; readonly text: string };
type Crawl = {
  readonly pages: Map<string, Answered>;
  readonly links: Set<string>;
  /** With their methods. */
  readonly forms: Set<string>;
};

let world: DocumentedWorld;
let signedIn: { readonly cookie: string };
let starts: readonly string[];
const crawled: Crawl = { pages: new Map(), links: new Set(), forms: new Set() };
const { pages, links, forms } = crawled;

beforeAll(async () => {
  world = await DocumentedWorld.start(sqliteStore);
  const { fixture, mine, play, api } = world;
  await play.ofAgents();
  await play.ofApprovals();
  await play.ofWorkspaces();
  const things = await makeStandingThings({ fixture, account: mine, api });
  const params = { agentID: things.ofAccount.agentID ?? "" };
  const json = { message: "ask", session_key: "of the question" };
  const { run_id: asking } = await api.ask("runsSubmit", { params, json });
  await fixture.core.ended(asking);
  const token = await fixture.token(fixture.repository());
  const ids: Params = { ...things.ofWorkspace, ...things.ofAccount, token };
  const { cookie } = await signInTo(fixture.core.core, mine.id);
  await signInTo(fixture.core.core, mine.id);
  const conflict = `/workspace/${ids.workspaceID}/changesets/${await makeConflict(ids)}`;
  signedIn = { cookie };
  starts = [...addresses("GET", ids), conflict];
  await crawl(crawled, [...starts], signedIn);
  await crawl(crawled, ["/sign-in?"], {});
});

afterAll(() => world.close());

function routes(method: string): readonly string[] {
  // Its parts are read when a page is asked for.
  const { routes } = webApp({} as Parameters<typeof webApp>[0]);
  return [...new Set(routes.filter((one) => one.method === method).map(({ path }) => path))];
}

/** With those of the API reference, to which pages lead. */
function served(method: string): readonly string[] {
  const { routes: ofReference } = docsRoutes({} as Parameters<typeof docsRoutes>[0]);
  const paths = ofReference.filter((one) => one.method === method).map(({ path }) => path);
  return [...routes(method), ...paths];
}

/** The addresses of pages, of what is there. */
function addresses(method: "GET" | "POST", ids: Params): readonly string[] {
  const filled = routes(method).map((path) =>
    path.replace(/:(\w+)/g, (all, name: string) => ids[name.replace(/Id$/, "ID")] ?? all),
  );
  return filled.filter((path) => !/[:*]/.test(path));
}

/** Two changes that make one file, of which one was accepted: the other's id. */
async function makeConflict({ workspaceID = "" }: Params): Promise<string> {
  const { api, fixture } = world;
  const make = new WorkspaceMaker(api, fixture.core.clock);
  const first = await make.proposed({ workspaceID }, { "both.txt": "one\n" });
  const second = await make.proposed({ workspaceID }, { "both.txt": "two\n" });
  const { current_revision_id } = await api.ask("workspacesGet", { params: { workspaceID } });
  const json = { expected_current_revision: current_revision_id, validation_evidence: "Read it." };
  await api.ask("changesetsAccept", { params: first, json });
  return second.changesetID ?? "";
}

async function crawl(
  { pages, links, forms }: Crawl,
  waiting: string[],
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (pages.has(path)) continue;
    const answer = await world.fixture.api.send(path, { headers });
    pages.set(path, answer);
    if (!(answer.headers.get("content-type") ?? "").startsWith("text/html")) continue;
    const { text } = answer;
    for (const [form] of text.matchAll(/<(?:form|button)\b[^>]*>/g)) {
      const action = /\b(?:form)?action="([^"]*)"/.exec(form)?.[1];
      if (action !== undefined || form.startsWith("<form"))
        forms.add(`${/method="post"/.test(form) ? "POST" : "GET"} ${action ?? path}`);
    }
    for (const [, href = ""] of text.matchAll(/<a\b[^>]*\bhref="(\/[^"#]*)/g)) {
      const link = href.replaceAll("&amp;", "&");
      links.add(link);
      waiting.push(link);
    }
  }
}

/** Whether the pattern of a route takes the path. */
function takes(route: string, path: string): boolean {
  const pattern = route.replace(/:\w+/g, "[^/]+").replace("*", ".*");
  return new RegExp(`^${pattern}$`).test(path.replace(/\?.*/, ""));
}

it("post each form to a route that takes it", () => {
  const lost = [...forms].filter((form) => {
    const [method = "", path = ""] = form.split(" ");
    return !served(method).some((route) => takes(route, path));
  });
  expect(lost).toEqual([]);
});

it("have a form for each route that takes one", () => {
  const posted = [...forms]
    .filter((form) => form.startsWith("POST "))
    .map((form) => form.slice("POST ".length));
  const unposted = routes("POST").filter((route) => !posted.some((path) => takes(route, path)));
  expect(unposted.sort()).toEqual(Object.keys(POSTED_BY).sort());
  for (const [file, text] of Object.values(POSTED_BY))
    expect(readFileSync(join(ROOT, file), "utf8"), file).toContain(text);
});

it("lead somewhere with each link", () => {
  expect(links.size).toBeGreaterThan(30);
  const dead = [...links].filter((link) => (pages.get(link)?.status ?? 0) >= 400);
  expect(dead).toEqual([]);
});

it("name each column of their tables, and fill each row", () => {
  const shown = [...pages].filter(([, { text }]) => tablesOf(text).some(({ widths }) => widths.length > 0));
  expect(shown.length).toBeGreaterThan(5);
  const faulty = shown.flatMap(([path, { text }]) => faultyTables(text).map((table) => ({ path, ...table })));
  expect(faulty).toEqual([]);
});

it.each(roles)("show nobody a form that they may not send: %s", async (role) => {
  const { core } = world.fixture.core;
  const { id: accountId } = world.mine;
  const personId = await addPerson(core, { accountId, role });
  const theirs: Crawl = { pages: new Map(), links: new Set(), forms: new Set() };
  await crawl(theirs, [...starts], { cookie: (await signInTo(core, accountId, personId)).cookie });
  // The page of keys is for admins.
  const closed = [...theirs.pages].filter(([, { status }]) => status === 403).map(([path]) => path);
  expect(closed).toEqual(isAtLeast(role, "admin") ? [] : ["/settings/keys"]);
  const posted = [...theirs.forms].filter((form) => form.startsWith("POST ")).map((form) => form.slice(5));
  const neededBy = (path: string) => Object.entries(formRoles).filter(([route]) => takes(route, path));
  const unfit = posted.filter((path) =>
    neededBy(path).some(([, needed]) => needed !== "anybody" && !isAtLeast(role, needed)),
  );
  expect(unfit).toEqual([]);
  // Each role sees some that the lesser one does not.
  const own = posted.filter((path) => neededBy(path).some(([, needed]) => needed === role));
  expect(own.length > 0).toBe(role !== "owner");
  const told = [...theirs.pages.values()].filter(({ text }) => text.includes(`Your role is ${role}.`));
  expect(told.length > 3).toBe(!isAtLeast(role, "admin"));
});

it.each(["GET", "POST"] as const)("are nobody else's: %s", async (method) => {
  const { fixture, theirs, api } = world;
  const things = await makeStandingThings({ fixture, account: theirs, api: api.for(theirs.owner) });
  const own = new Set(addresses(method, {}));
  const paths = addresses(method, { ...things.ofWorkspace, ...things.ofAccount }).filter(
    (path) => !own.has(path),
  );
  expect(paths.length).toBeGreaterThan(method === "GET" ? 8 : 6);
  const { baseUrl } = fixture.core.core.policy;
  for (const path of paths) {
    const form = method === "POST" ? { form: {} } : {};
    const headers = { ...signedIn, origin: baseUrl };
    const answer = await fixture.api.send(path, { method, headers, ...form });
    const location = answer.headers.get("location");
    const { status } = location === null ? answer : await fixture.api.send(location, { headers });
    expect([path, status]).toEqual([path, 404]);
  }
});
