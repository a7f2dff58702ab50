// Paths of a workspace's site: a file, a folder whose first page is missing its slash, or nothing.

import type { GetBlob, OpenBlob } from "../../blobs/blob-store.ts";
import type { Core } from "../../core.ts";
import { viewOfRevision } from "../files/copy-overlay.ts";
import { findInView } from "../files/copy-view.ts";
import { MissingObjectError } from "../objects/git-object.ts";
import { checkPath } from "../paths/workspace-path.ts";
import type { Site } from "./store-port.ts";

const FIRST_PAGE = "index.html";
const LINK_MODE = "120000";

export type SiteFile = {
  readonly type: "file";
  /** Within the site. */
  readonly path: string;
  readonly oid: string;
  readonly size: number;
  open(options?: GetBlob): Promise<OpenBlob>;
};

type SitePath = SiteFile | { readonly type: "folder" } | null;

/** `path` is decoded, and begins without a slash. Symbolic links are nothing: they may lead anywhere. */
export async function findSitePath(core: Core, site: Site, path: string): Promise<SitePath> {
  const isFolder = path === "" || path.endsWith("/");
  const asked = isFolder ? `${path}${FIRST_PAGE}` : path;
  if (!checkPath(asked).ok) return null;
  const revision = await core.store.committed.revisions.find(site.revisionId);
  if (revision === null) return null;
  const view = viewOfRevision(core, revision);
  const within = site.folder === "" ? asked : `${site.folder}/${asked}`;
  const found = await findInView(view, within);
  if (found === null || found.mode === LINK_MODE) return null;
  if (found.mode === "40000") {
    const first = await findInView(view, `${within}/${FIRST_PAGE}`);
    return first === null || first.mode === "40000" ? null : { type: "folder" };
  }
  const { oid } = found;
  if (oid === null) return null;
  const size = (await view.source.sizes([oid])).get(oid);
  if (size === undefined) throw new MissingObjectError(oid);
  return { type: "file", path: asked, oid, size, open: (options) => view.source.open(oid, options) };
}
