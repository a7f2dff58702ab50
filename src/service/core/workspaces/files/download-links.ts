// POST …/files/download-url, and GET /v1/downloads/{downloadToken}: an address from which anybody who has it reads one file, for
// a while, as long as the file stays as it is.
// Why: docs/decisions/075-files-are-downloaded-from-the-service.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../../base/secret-token.ts";
import type { Core } from "../../core.ts";
import { checkPath } from "../paths/workspace-path.ts";
import { filesFault } from "../reach-workspace.ts";
import { viewOfCopy } from "./copy-overlay.ts";
import { etagOf } from "./etag.ts";
import { type CopyPlace, type FilesRequest, reachCopy } from "./reach-files.ts";
import { contentAt, type FoundContent } from "./read-content.ts";
import type { ReadFilesRefusal } from "./refusals.ts";

const PREFIX = "svc_dl_";
const SECRET_BYTES = 32;
const LINK_MS = 5 * 60 * 1_000;

type MadeLink = { readonly url: string; readonly expiresAt: number; readonly etag: string };

export async function makeDownloadLink(
  core: Core,
  request: FilesRequest<CopyPlace> & { readonly path: string },
): Promise<Result<MadeLink, ReadFilesRefusal>> {
  const { path, workspaceId } = request;
  const checked = checkPath(path);
  if (!checked.ok) return checked;
  const copy = await reachCopy(core, request);
  if (!copy.ok) return copy;
  const found = await contentAt(viewOfCopy(core, copy.value), path);
  if (!found.ok) return found;
  const { file } = found.value;
  const { text, hash } = makeSecretToken(PREFIX, core.random.bytes(SECRET_BYTES));
  const now = core.clock.now();
  const expiresAt = now + LINK_MS;
  const link = { hash, workspaceId, copyId: copy.value.id, path, oid: file.oid, expiresAt };
  await core.store.transact((tx) => tx.downloadLinks.insert(link, now));
  return ok({ url: `${core.policy.baseUrl}/v1/downloads/${text}`, expiresAt, etag: etagOf(file) });
}

/** The file that the address of `token` names, when it is still that. */
export async function followDownloadLink(
  core: Core,
  token: string,
): Promise<Result<FoundContent, ReadFilesRefusal>> {
  const unknown = refused({ reason: "download_link_unknown" } as const);
  if (!isWellFormedSecret(PREFIX, token)) return unknown;
  const { committed } = core.store;
  const link = await committed.downloadLinks.find({ hash: hashSecret(token), now: core.clock.now() });
  if (link === null) return unknown;
  const closed = filesFault(core);
  if (closed !== null) return refused(closed);
  const { copyId, workspaceId, path, oid } = link;
  const [workspace, copy] = await Promise.all([
    committed.workspaces.find(workspaceId),
    committed.copies.find(copyId),
  ]);
  if (workspace === null || workspace.state === "erasing" || copy?.state !== "ready") return unknown;
  const found = await contentAt(viewOfCopy(core, copy), path);
  const isSame = found.ok && found.value.file.oid === oid;
  return isSame ? found : refused({ reason: "download_link_changed", path });
}
