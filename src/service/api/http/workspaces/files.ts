// Files of the canonical copy, of working copies and of revisions: the same handlers, each for its place.

import { ok, type Result } from "../../../../base/result.ts";
import { MAX_UPLOAD_FILES } from "../../../../contract/workspaces/files/files.ts";
import type {
  copyFileRoutes,
  downloadRoutes,
  fileRoutes,
  revisionFileRoutes,
} from "../../../../contract/workspaces/files/routes.ts";
import type { Core } from "../../../core/core.ts";
import { invalidRequest, isoTime } from "../../../core/ports/problem.ts";
import { deleteFiles, emptyTrash, restoreFiles } from "../../../core/workspaces/files/delete-files.ts";
import { followDownloadLink, makeDownloadLink } from "../../../core/workspaces/files/download-links.ts";
import { etagOf } from "../../../core/workspaces/files/etag.ts";
import type { CopyPlace, FilesPlace } from "../../../core/workspaces/files/reach-files.ts";
import { type FoundContent, findContent, readText } from "../../../core/workspaces/files/read-content.ts";
import { listFiles, statFile } from "../../../core/workspaces/files/read-files.ts";
import { type ArrivingFile, uploadFiles } from "../../../core/workspaces/files/upload-files.ts";
import { writeFile } from "../../../core/workspaces/files/write-file.ts";
import { toFileEntry, toFileList, toFileText, toFileWindow } from "../../shared/file-view.ts";
import type { ByteContent } from "../bytes/answer-bytes.ts";
import { boundaryOf, readParts } from "../bytes/multipart.ts";
import { RequestBodyError } from "../bytes/request-bytes.ts";
import { type NounHandlers, type RouteRequest, shown } from "../handler.ts";

type CopyParams = { readonly workspaceID: string; readonly workingCopyID?: string };

export function fileHandlers(core: Core): NounHandlers<typeof fileRoutes> {
  return handlersAt(core, () => ({ kind: "canonical" }));
}

export function copyFileHandlers(core: Core): NounHandlers<typeof copyFileRoutes> {
  return handlersAt(core, ({ workingCopyID: copyId = "" }) => ({ kind: "copy", copyId }));
}

export function revisionFileHandlers(core: Core): NounHandlers<typeof revisionFileRoutes> {
  type Params = { readonly workspaceID: string; readonly revisionID: string };
  const placeOf = ({ revisionID: revisionId }: Params): FilesPlace => ({ kind: "revision", revisionId });
  return {
    ...readsAt(core, placeOf),
    read: async ({ caller, params, query: { path } }) => {
      const where = { caller, workspaceId: params.workspaceID, place: placeOf(params) };
      const text = await readText(core, { ...where, path, window: null });
      return text.ok ? ok({ body: toFileText(text.value), headers: tag(text.value.file) }) : text;
    },
  };
}

export function downloadHandlers(core: Core): NounHandlers<typeof downloadRoutes> {
  return {
    get: async ({ params }) => asDownload(await followDownloadLink(core, params.downloadToken)),
  };
}

type ReadRequest<Params> = Pick<RouteRequest<(typeof fileRoutes)["list"]>, "caller"> & {
  readonly params: Params;
};

function readsAt<Params extends { readonly workspaceID: string }>(
  core: Core,
  placeOf: (params: Params) => FilesPlace,
) {
  const at = ({ caller, params }: ReadRequest<Params>) => ({
    caller,
    workspaceId: params.workspaceID,
    place: placeOf(params),
  });
  return {
    list: async (
      request: ReadRequest<Params> & { query: RouteRequest<(typeof fileRoutes)["list"]>["query"] },
    ) => {
      const { path, recursive: isRecursive, cursor = "", limit } = request.query;
      return shown(await listFiles(core, { ...at(request), path, isRecursive, cursor, limit }), toFileList);
    },
    stat: async (request: ReadRequest<Params> & { query: { readonly path: string } }) => {
      const found = await statFile(core, { ...at(request), path: request.query.path });
      if (!found.ok) return found;
      const body = toFileEntry(found.value);
      return ok(found.value.mode === "40000" ? { body } : { body, headers: tag(found.value) });
    },
    download: async (request: ReadRequest<Params> & { query: { readonly path: string } }) =>
      asDownload(await findContent(core, { ...at(request), path: request.query.path })),
  };
}

/** A request of either: they differ in their paths alone. */
type CopyRequest<Name extends keyof typeof fileRoutes> = Omit<
  RouteRequest<(typeof fileRoutes)[Name]>,
  "params"
> & { readonly params: CopyParams };

function handlersAt(core: Core, placeOf: (params: CopyParams) => CopyPlace) {
  const at = ({ caller, params }: ReadRequest<CopyParams>) => ({
    caller,
    workspaceId: params.workspaceID,
    place: placeOf(params),
  });
  return {
    ...readsAt(core, placeOf),
    read: async (request: CopyRequest<"read">) => {
      const { path, ...window } = request.query;
      const text = await readText(core, { ...at(request), path, window });
      return text.ok ? ok({ body: toFileWindow(text.value), headers: tag(text.value.file) }) : text;
    },
    write: async (request: CopyRequest<"write">) => {
      const { body, ifMatch, signal } = request;
      const written = await writeFile(core, { ...at(request), body, ifMatch, signal });
      if (!written.ok) return written;
      const status: 200 | 201 = written.value.isNew ? 201 : 200;
      return ok({ status, body: toFileEntry(written.value), headers: tag(written.value) });
    },
    upload: async (request: CopyRequest<"upload">) => {
      const { ifMatch, signal, query } = request;
      const precondition = ifMatch ?? (query.existing === "replace" ? "whatever" : "absent");
      const uploaded = await uploadFiles(core, {
        ...at(request),
        files: arriving(request),
        mode: query.mode ?? null,
        precondition,
        signal,
      });
      if (!uploaded.ok) return uploaded;
      const status: 200 | 201 =
        uploaded.value.length > 0 && uploaded.value.every(({ isNew }) => isNew) ? 201 : 200;
      return ok({ status, body: { items: uploaded.value.map(toFileEntry) } });
    },
    delete: async (request: CopyRequest<"delete">) => {
      const { ifMatch, body } = request;
      const deleted = await deleteFiles(core, { ...at(request), path: body.path, ifMatch });
      return shown(deleted, ({ path, handle, files }) => ({ trash: [{ path, handle, files }] }));
    },
    restore: async (request: CopyRequest<"restore">) => {
      const restored = await restoreFiles(core, { ...at(request), handle: request.body.path });
      return shown(restored, ({ path, files }) => ({ path, files }));
    },
    emptyTrash: async (request: CopyRequest<"emptyTrash">) =>
      shown(await emptyTrash(core, at(request)), (purged) => ({ purged })),
    downloadUrl: async (request: CopyRequest<"downloadUrl">) => {
      const link = await makeDownloadLink(core, { ...at(request), path: request.body.path });
      return shown(link, ({ url, expiresAt, etag }) => ({ url, expires_at: isoTime(expiresAt), etag }));
    },
  };
}

/** The files of an upload: the body itself, or its parts. */
async function* arriving({
  contentType,
  query,
  body,
}: Pick<
  RouteRequest<(typeof fileRoutes)["upload"]>,
  "contentType" | "query" | "body"
>): AsyncGenerator<ArrivingFile> {
  const { path } = query;
  if (!contentType.toLowerCase().startsWith("multipart/")) {
    yield { path, content: body };
    return;
  }
  const boundary = boundaryOf(contentType);
  if (boundary === null) {
    throw new RequestBodyError(invalidRequest('The Content-Type of the body must name its "boundary".'));
  }
  for await (const { filename, content } of readParts(body, { boundary, maxParts: MAX_UPLOAD_FILES })) {
    yield { path: path === "" ? filename : `${path}/${filename}`, content };
  }
}

/** A file of a workspace is shown by no browser on the service's origin: it is an attachment, and executes nothing. */
function asDownload<Refusal>(found: Result<FoundContent, Refusal>) {
  if (!found.ok) return found;
  const { file, view } = found.value;
  const body: ByteContent = {
    contentType: "application/octet-stream",
    size: file.size,
    etag: etagOf(file),
    open: async (part, signal) => {
      const opened = await view.source.open(file.oid, part === null ? { signal } : { range: part, signal });
      return opened.content;
    },
  };
  const headers = {
    "Content-Disposition": attachment(file.path),
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
  };
  return ok({ body, headers });
}

/** RFC 6266: a plain name for old clients, and the whole one. */
function attachment(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const plain = [...name]
    .map((one) => (one >= " " && one <= "~" && !'"\\%'.includes(one) ? one : "_"))
    .join("");
  const whole = encodeURIComponent(name).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}

function tag(file: Parameters<typeof etagOf>[0]) {
  return { ETag: `"${etagOf(file)}"` };
}
