// The routes of files. Pure.

import { defineRoute, nounRoutes } from "../../route.ts";
import {
  deleteDetail,
  downloadDetail,
  downloadUrlDetail,
  emptyTrashDetail,
  linkedDetail,
  listDetail,
  restoreDetail,
  statDetail,
  uploadDetail,
  wholeTextDetail,
  windowDetail,
  writeDetail,
} from "./details.ts";
import { copyFileEndpoints, downloadEndpoints, fileEndpoints, revisionFileEndpoints } from "./endpoints.ts";

const TAG = "Files of workspaces";

export const fileRoutes = nounRoutes("files", TAG, {
  list: defineRoute(fileEndpoints.list, { summary: "List a folder of the canonical copy", ...listDetail }),
  stat: defineRoute(fileEndpoints.stat, {
    summary: "Find out what is at a path of the canonical copy",
    ...statDetail,
  }),
  read: defineRoute(fileEndpoints.read, {
    summary: "Read a text file of the canonical copy",
    ...windowDetail,
  }),
  download: defineRoute(fileEndpoints.download, {
    summary: "Download a file of the canonical copy",
    ...downloadDetail,
  }),
  write: defineRoute(fileEndpoints.write, { summary: "Write a file of the canonical copy", ...writeDetail }),
  upload: defineRoute(fileEndpoints.upload, {
    summary: "Upload files to the canonical copy",
    ...uploadDetail,
  }),
  delete: defineRoute(fileEndpoints.delete, {
    summary: "Delete a file or a folder of the canonical copy",
    ...deleteDetail,
  }),
  restore: defineRoute(fileEndpoints.restore, {
    summary: "Restore from the trash of the canonical copy",
    ...restoreDetail,
  }),
  emptyTrash: defineRoute(fileEndpoints.emptyTrash, {
    summary: "Empty the trash of the canonical copy",
    ...emptyTrashDetail,
  }),
  downloadUrl: defineRoute(fileEndpoints.downloadUrl, {
    summary: "Make an address from which a file of the canonical copy is downloaded",
    ...downloadUrlDetail,
  }),
});

export const copyFileRoutes = nounRoutes("copyFiles", TAG, {
  list: defineRoute(copyFileEndpoints.list, { summary: "List a folder of a working copy", ...listDetail }),
  stat: defineRoute(copyFileEndpoints.stat, {
    summary: "Find out what is at a path of a working copy",
    ...statDetail,
  }),
  read: defineRoute(copyFileEndpoints.read, {
    summary: "Read a text file of a working copy",
    ...windowDetail,
  }),
  download: defineRoute(copyFileEndpoints.download, {
    summary: "Download a file of a working copy",
    ...downloadDetail,
  }),
  write: defineRoute(copyFileEndpoints.write, { summary: "Write a file of a working copy", ...writeDetail }),
  upload: defineRoute(copyFileEndpoints.upload, {
    summary: "Upload files to a working copy",
    ...uploadDetail,
  }),
  delete: defineRoute(copyFileEndpoints.delete, {
    summary: "Delete a file or a folder of a working copy",
    ...deleteDetail,
  }),
  restore: defineRoute(copyFileEndpoints.restore, {
    summary: "Restore from the trash of a working copy",
    ...restoreDetail,
  }),
  emptyTrash: defineRoute(copyFileEndpoints.emptyTrash, {
    summary: "Empty the trash of a working copy",
    ...emptyTrashDetail,
  }),
  downloadUrl: defineRoute(copyFileEndpoints.downloadUrl, {
    summary: "Make an address from which a file of a working copy is downloaded",
    ...downloadUrlDetail,
  }),
});

export const revisionFileRoutes = nounRoutes("revisionFiles", TAG, {
  list: defineRoute(revisionFileEndpoints.list, { summary: "List a folder of a revision", ...listDetail }),
  stat: defineRoute(revisionFileEndpoints.stat, {
    summary: "Find out what is at a path of a revision",
    ...statDetail,
  }),
  read: defineRoute(revisionFileEndpoints.read, {
    summary: "Read a text file of a revision",
    ...wholeTextDetail,
  }),
  download: defineRoute(revisionFileEndpoints.download, {
    summary: "Download a file of a revision",
    ...downloadDetail,
  }),
});

export const downloadRoutes = nounRoutes("downloads", TAG, {
  get: defineRoute(downloadEndpoints.get, linkedDetail),
});
