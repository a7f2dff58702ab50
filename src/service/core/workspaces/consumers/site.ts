// The site of a workspace: a folder of an accepted revision, looked at by links that end.
// Why: docs/decisions/086-sites-of-workspaces.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import { hashSecret, makeSecretToken } from "../../../../base/secret-token.ts";
import { siteOrigin } from "../../../../base/site-host.ts";
import type { OpenSiteRequest, PublishSiteRequest } from "../../../../contract/workspaces/site.ts";
import type { AccountCaller } from "../../accounts/caller.ts";
import type { OwnerNeededRefusal } from "../../accounts/refusals.ts";
import type { Core } from "../../core.ts";
import { viewOfRevision } from "../files/copy-overlay.ts";
import { findInView } from "../files/copy-view.ts";
import { checkFolder, checkPath, type PathRefusal } from "../paths/workspace-path.ts";
import { filesFault, keepingOf, reachForWork, reachWorkspace } from "../reach-workspace.ts";
import type { FilesClosedRefusal, WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { RevisionRefusal } from "../revisions/refusals.ts";
import type { Workspace } from "../workspace.ts";
import { isWorkspaceOwner } from "../workspace-caller.ts";
import { workspaceUrl } from "../workspace-url.ts";
import type { SiteRefusal } from "./refusals.ts";
import type { Site } from "./store-port.ts";

const LINK_PREFIX = "svc_site_";
const LINK_MS = 15 * 60 * 1000;

type InWorkspace = { readonly caller: AccountCaller; readonly workspaceId: string };
type PublishRefusal =
  | WorkspaceRefusal
  | WorkRefusal
  | OwnerNeededRefusal
  | SiteRefusal
  | RevisionRefusal
  | PathRefusal;

export async function findSite(
  core: Core,
  request: InWorkspace,
): Promise<Result<Site, WorkspaceRefusal | SiteRefusal>> {
  const workspace = await reachWorkspace(core, request);
  if (!workspace.ok) return workspace;
  const { workspaceId } = request;
  const site = await core.store.committed.sites.find(workspaceId);
  return site === null ? refused({ reason: "site_not_found", workspaceId }) : ok(site);
}

/** Only the owner publishes. Taking the site away stays allowed, whatever else is not. Safe to repeat. */
export async function publishSite(
  core: Core,
  request: InWorkspace & { readonly body: PublishSiteRequest },
): Promise<Result<Site, PublishRefusal>> {
  const { caller, workspaceId, body } = request;
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  if (!isWorkspaceOwner(caller)) {
    const url = workspaceUrl(core.policy, workspaceId);
    return refused({ reason: "owner_needed", what: "publish a site", url });
  }
  if (body.revision_id === null) return await takeAway(core, workspaceId);
  const signedIn = await isSignedIn(core, caller.accountId);
  if (!signedIn) return refused({ reason: "site_unclaimed", url: `${core.policy.webUrl}/sign-in` });
  const workspace = await reachForWork(core, request);
  if (!workspace.ok) return workspace;
  const closed = filesFault(core);
  return closed === null ? await put(core, workspace.value, body) : refused(closed);
}

/** Somebody is known to own the account, or is signed in to its pages by whatever means: who answers for what it shows. */
async function isSignedIn({ store, clock }: Core, accountId: string): Promise<boolean> {
  const { identities, people, webSessions } = store.committed;
  for (const { personId, role } of await people.listMembers(accountId)) {
    if (role !== "owner") continue;
    if ((await identities.list(personId)).length > 0) return true;
    if ((await identities.listPasskeys(personId)).length > 0) return true;
  }
  return await webSessions.isSignedIn({ accountId, now: clock.now() });
}

async function takeAway(core: Core, workspaceId: string): Promise<Result<Site, PublishRefusal>> {
  const site = await core.store.transact((tx) => tx.sites.delete(workspaceId));
  return site === null ? refused({ reason: "site_not_found", workspaceId }) : ok(site);
}

async function put(
  core: Core,
  { id: workspaceId, currentRevisionId }: Workspace,
  { revision_id: revisionId = currentRevisionId, folder = "" }: PublishSiteRequest,
): Promise<Result<Site, PublishRefusal>> {
  const path = checkFolder(folder.replace(/\/$/, ""));
  if (!path.ok) return path;
  if (revisionId === null) throw new TypeError("A site of no revision is taken away, not put.");
  return await core.store.transact(async (tx): Promise<Result<Site, PublishRefusal>> => {
    const workspace = await tx.workspaces.share(workspaceId);
    if (workspace === null) return refused({ reason: "workspace_not_found", workspaceId });
    const revision = await tx.revisions.share(revisionId);
    if (revision?.workspaceId !== workspaceId) return refused({ reason: "revision_not_found", revisionId });
    if (revision.acceptedAt === null) return refused({ reason: "site_revision_not_accepted", revisionId });
    const found = await findInView(viewOfRevision(core, revision), path.value);
    if (found?.mode !== "40000") {
      return refused({ reason: "site_folder_not_found", folder: path.value, revisionId });
    }
    const site = { workspaceId, revisionId, folder: path.value, publishedAt: core.clock.now() };
    await tx.sites.put(site);
    return ok(site);
  });
}

export type OpenedSite = { readonly url: string; readonly expiresAt: number };

/** A link that shows the site, as it is then, to whoever has it. */
export async function openSite(
  core: Core,
  request: InWorkspace & { readonly body: OpenSiteRequest },
): Promise<Result<OpenedSite, WorkspaceRefusal | FilesClosedRefusal | SiteRefusal | PathRefusal>> {
  const site = await findSite(core, request);
  if (!site.ok) return site;
  const closed = filesFault(core);
  if (closed !== null) return refused(closed);
  const { workspaceId } = request;
  const path = (request.body.path ?? "").replace(/^\//, "");
  const checked = path === "" ? ok(path) : checkPath(path.replace(/\/$/, ""));
  if (!checked.ok) return checked;
  const link = makeSecretToken(LINK_PREFIX, core.random.bytes(32));
  const now = core.clock.now();
  const expiresAt = now + LINK_MS;
  await core.store.transact((tx) => tx.sites.insertLink({ hash: link.hash, workspaceId, expiresAt, now }));
  const origin = originOf(core, workspaceId) ?? core.policy.baseUrl;
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return ok({ url: `${origin}/site/${link.text}/${encoded}`, expiresAt });
}

/** The origin that is the workspace's own. Null where sites share the service's. */
function originOf(core: Core, workspaceId: string): string | null {
  const { siteUrl } = keepingOf(core);
  return siteUrl === null ? null : siteOrigin(siteUrl, workspaceId);
}

export type LinkedSite = { readonly site: Site; readonly expiresAt: number };

/** The site that a link opens now. Null for one that is unknown or has ended, and where no files are served. */
export async function findLinkedSite(core: Core, token: string): Promise<LinkedSite | null> {
  if (!token.startsWith(LINK_PREFIX) || filesFault(core) !== null) return null;
  const { sites, workspaces } = core.store.committed;
  const link = await sites.findLink({ hash: hashSecret(token), now: core.clock.now() });
  if (link === null) return null;
  const workspace = await workspaces.find(link.workspaceId);
  if (workspace === null || workspace.state === "erasing") return null;
  const site = await sites.find(link.workspaceId);
  return site === null ? null : { site, expiresAt: link.expiresAt };
}
