// Where the routes of files are: the same ten under the canonical copy and under each working copy, four under a revision.
// No schema loads here: the client needs this before its first request.

import { accounts, type CallerKind, type Endpoint, everybody, owners } from "../../route.ts";

const schemas = () => import("./files.ts");
const safe = { callers: accounts, repeat: "safe" } as const;

function readsUnder<const Under extends string>(under: Under) {
  return {
    list: {
      ...safe,
      method: "GET",
      path: `${under}/list`,
      answer: async () => (await schemas()).fileListSchema,
    },
    stat: {
      ...safe,
      method: "GET",
      path: `${under}/stat`,
      answer: async () => (await schemas()).fileEntrySchema,
    },
    download: { ...safe, method: "GET", path: `${under}/download`, answer: "bytes" },
  } as const satisfies Readonly<Record<string, Endpoint>>;
}

function filesUnder<const Under extends string, const Writers extends readonly CallerKind[]>(
  under: Under,
  writers: Writers,
) {
  const once = { callers: writers, repeat: "once" } as const;
  return {
    ...readsUnder(under),
    read: {
      ...safe,
      method: "GET",
      path: `${under}/read`,
      answer: async () => (await schemas()).fileWindowSchema,
    },
    // Repeated after its answer was lost, a write finds another ETag: its own.
    write: {
      ...once,
      method: "PUT",
      path: `${under}/write`,
      answer: async () => (await schemas()).fileEntrySchema,
    },
    upload: {
      ...once,
      method: "POST",
      path: `${under}/upload`,
      answer: async () => (await schemas()).uploadedFilesSchema,
    },
    delete: {
      ...once,
      method: "POST",
      path: `${under}/delete`,
      answer: async () => (await schemas()).trashSchema,
    },
    restore: {
      ...once,
      method: "POST",
      path: `${under}/restore`,
      answer: async () => (await schemas()).restoredSchema,
    },
    emptyTrash: {
      ...once,
      method: "POST",
      path: `${under}/empty-trash`,
      answer: async () => (await schemas()).emptiedTrashSchema,
    },
    downloadUrl: {
      ...safe,
      method: "POST",
      path: `${under}/download-url`,
      answer: async () => (await schemas()).downloadUrlSchema,
    },
  } as const satisfies Readonly<Record<string, Endpoint>>;
}

/** Canonical files are written by the owner alone: others write in a copy, and make a changeset of it. */
export const fileEndpoints = filesUnder("/v1/workspaces/{workspaceID}/files", owners);
export const copyFileEndpoints = filesUnder(
  "/v1/workspaces/{workspaceID}/copies/{workingCopyID}/files",
  accounts,
);

const ofRevision = "/v1/workspaces/{workspaceID}/revisions/{revisionID}/files";
export const revisionFileEndpoints = {
  ...readsUnder(ofRevision),
  read: {
    ...safe,
    method: "GET",
    path: `${ofRevision}/read`,
    answer: async () => (await schemas()).fileTextSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

export const downloadEndpoints = {
  get: {
    callers: everybody,
    repeat: "safe",
    method: "GET",
    path: "/v1/downloads/{downloadToken}",
    answer: "bytes",
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
