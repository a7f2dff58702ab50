// The site of a workspace, once somebody has signed in to the account: published, opened by links, taken away (4.6).

import { NO_ID, own } from "../kit/beginnings.ts";
import type { Answer } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, textOf } from "../kit/expect.ts";
import { dateTime, exactly, oneOf, url } from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { put } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { checkpoint, currentRevision, makeCopy } from "../kit/things.ts";
import type { World } from "../kit/world.ts";
import { atOnce, CALLERS, expectCounts } from "./concurrency.ts";

const PAGE = "<p>conform</p>";
const BELOW = "<p>below</p>";

/** A workspace with pages that are accepted, which has no site yet. */
async function withPages(world: World) {
  const made = await own(world);
  const files = `${made.of}/files`;
  for (const [path, content] of Object.entries({ "index.html": PAGE, "docs/index.html": BELOW }))
    expectStatus(await put(world, files, { path, content }), 201);
  await checkpoint(world, { workspaceId: made.workspaceId });
  const revisionId = await currentRevision(world, made.workspaceId);
  return { ...made, site: `${made.of}/site`, revisionId };
}

/** One that no statement changes. */
async function published(world: World) {
  return await world.once("published site", async () => {
    const pages = await withPages(world);
    const answer = expectStatus(await world.send("PUT", pages.site, {}), 200);
    return { ...pages, answer };
  });
}

const takeAway = (world: World, site: string): Promise<Answer> =>
  world.send("PUT", site, { revision_id: null });

/** The address of a new link. */
async function linkOf(world: World, site: string, body: object = {}): Promise<URL> {
  return new URL(textOf(expectStatus(await world.post(`${site}/open`, body), 200), "url"));
}

/** The answer to a link of a site in a sandbox; null where the site has an origin of its own, which may not be reached from here. */
async function opened(world: World, link: URL, below = ""): Promise<Answer | null> {
  const isShared = world.connection.baseUrls.some((base) => new URL(base).host === link.host);
  const isOwn = textOf((await published(world)).answer, "isolation") === "origin";
  if (isOwn && !isShared) return null;
  return await world.ask({ path: `${link.pathname}${below}`, as: "nobody" });
}

const needs = ["workspaces", "files", "signed_in"] as const;

export const sites: readonly Statement[] = statementsOf("4.6", { prefix: "site", needs }, [
  [
    "publish",
    "Publishing the site of a workspace is 200 with it: the current revision, and all of its files.",
    async (world) => {
      const { workspaceId, revisionId, answer } = await published(world);
      expectFields(answer, {
        workspace_id: exactly(workspaceId),
        revision_id: exactly(revisionId),
        folder: exactly(""),
        isolation: oneOf("origin", "sandbox"),
        published_at: dateTime,
      });
    },
  ],
  [
    "read",
    "A published site is read as it was answered.",
    async (world) => {
      const { site, answer } = await published(world);
      const again = expectStatus(await world.get(site), 200);
      expectThat(again.text === answer.text, answer.text, again);
    },
  ],
  [
    "folder",
    "A folder of a revision is published by its name.",
    async (world) => {
      const { site, revisionId } = await withPages(world);
      const body = { revision_id: revisionId, folder: "docs" };
      expectMember(expectStatus(await world.send("PUT", site, body), 200), "folder", "docs");
    },
  ],
  [
    "no-folder",
    "A folder that the revision does not have is not published: 404, and the site stays.",
    async (world) => {
      const { site, answer } = await published(world);
      expectRefused(await world.send("PUT", site, { folder: "none" }), 404, "not_found");
      expectThat((await world.get(site)).text === answer.text, answer.text, await world.get(site));
    },
  ],
  [
    "no-revision",
    "A revision that there is not is not published: 404.",
    async (world) => {
      const { site } = await published(world);
      expectRefused(await world.send("PUT", site, { revision_id: NO_ID }), 404, "not_found");
    },
  ],
  [
    "not-accepted",
    "A revision that was saved and not accepted is not published: 400.",
    async (world) => {
      const { workspaceId, site } = await withPages(world);
      const copyId = await makeCopy(world, workspaceId);
      const files = `/v1/workspaces/${workspaceId}/copies/${copyId}/files`;
      expectStatus(await put(world, files, { path: "new.html", content: PAGE }), 201);
      const revision_id = await checkpoint(world, { workspaceId, copyId });
      expectRefused(await world.send("PUT", site, { revision_id }), 400, "invalid_request");
    },
  ],
  [
    "stays",
    "A site stays as it is when other files are accepted.",
    async (world) => {
      const { workspaceId, of, site, revisionId } = await withPages(world);
      expectStatus(await world.send("PUT", site, {}), 200);
      expectStatus(await put(world, `${of}/files`, { path: "later.html", content: PAGE }), 201);
      await checkpoint(world, { workspaceId });
      expectMember(await world.get(site), "revision_id", revisionId);
    },
  ],
  [
    "open",
    "Opening a site is 200 with a link and when it ends.",
    async (world) => {
      const { site } = await published(world);
      expectFields(expectStatus(await world.post(`${site}/open`, {}), 200), { url, expires_at: dateTime });
    },
  ],
  [
    "link",
    "A link of a site that comes from the service's origin shows its page without a credential, in a sandbox.",
    async (world) => {
      const { site } = await published(world);
      const page = await opened(world, await linkOf(world, site));
      if (page === null) return;
      expectThat(expectStatus(page, 200).text === PAGE, PAGE, page);
      const policy = page.headers["content-security-policy"] ?? "";
      expectThat(/\bsandbox\b/.test(policy) && !policy.includes("allow-scripts"), "a sandbox", page);
    },
  ],
  [
    "link-path",
    "A link that is opened for a page leads there.",
    async (world) => {
      const { site } = await published(world);
      const link = await linkOf(world, site, { path: "docs/index.html" });
      const page = await opened(world, link);
      if (page === null) return;
      expectThat(expectStatus(page, 200).text === BELOW, BELOW, page);
    },
  ],
  [
    "link-forged",
    "A link with another token shows nothing: 404.",
    async (world) => {
      const { site } = await published(world);
      const link = await linkOf(world, site);
      // Its token is what is long in it.
      const forged = (part: string) => (part.length < 30 ? part : `${part.slice(0, -10)}${"A".repeat(10)}`);
      link.pathname = link.pathname.split("/").map(forged).join("/");
      const page = await opened(world, link);
      if (page !== null) expectStatus(page, 404);
    },
  ],
  [
    "origins",
    "Sites with origins of their own have one for each workspace, and none of the service's.",
    async (world) => {
      const first = await published(world);
      const second = await withPages(world);
      const answer = expectStatus(await world.send("PUT", second.site, {}), 200);
      if (textOf(answer, "isolation") !== "origin") return;
      const origins = [await linkOf(world, first.site), await linkOf(world, second.site)].map(
        ({ origin }) => origin,
      );
      const all = [...origins, ...world.connection.baseUrls.map((base) => new URL(base).origin)];
      expectThat(new Set(all).size === 2 + new Set(world.connection.baseUrls).size, "two origins", answer);
    },
  ],
  [
    "take-away",
    "A site that is taken away is answered 200 as it was, and 404 after that; its links show nothing any more.",
    async (world) => {
      const { site } = await withPages(world);
      const shown = expectStatus(await world.send("PUT", site, {}), 200);
      const link = await linkOf(world, site);
      const taken = expectStatus(await takeAway(world, site), 200);
      expectThat(taken.text === shown.text, shown.text, taken);
      expectRefused(await world.get(site), 404, "not_found");
      expectRefused(await takeAway(world, site), 404, "not_found");
      const page = await opened(world, link);
      if (page !== null) expectStatus(page, 404);
    },
  ],
  [
    "take-away-at-once",
    `Of ${CALLERS} requests at once that take a site away one is 200, and each other one 404.`,
    async (world) => {
      const { site } = await withPages(world);
      expectStatus(await world.send("PUT", site, {}), 200);
      const answers = await atOnce(CALLERS, () => takeAway(world, site));
      expectCounts(answers, { 200: 1, 404: CALLERS - 1 });
    },
  ],
]);
