// Examples of files: the same for the canonical copy and for working copies. Pure.

import type { ExamplesOf } from "../../examples.ts";
import type { copyFileRoutes, downloadRoutes, fileRoutes, revisionFileRoutes } from "./routes.ts";

const readme = {
  type: "file" as const,
  path: "README.md",
  name: "README.md",
  mode: "100644",
  oid: "557db03de997c86a4a028e1ebd3a1ceb225be238",
  size: 12,
  etag: "1540068411317809688",
};
const folder = { type: "folder" as const, path: "src", name: "src", oid: null };
const text = {
  path: readme.path,
  content: "Hello World\n",
  encoding: "utf-8" as const,
  mode: readme.mode,
  oid: readme.oid,
  size: readme.size,
  etag: readme.etag,
};
const HANDLE = "trash/0198d2c4-7f77-73a8-b91b-a4e05263718c";
const URL_OF_FILE = "https://agent-service.example/v1/downloads/svc_dl_…";

export const fileExamples: ExamplesOf<typeof fileRoutes> = ofCopy("file");
export const copyFileExamples: ExamplesOf<typeof copyFileRoutes> = ofCopy("copyFile");

export const revisionFileExamples: ExamplesOf<typeof revisionFileRoutes> = {
  ...reads("revisionFile"),
  read: { answers: { 200: { revisionFileText: { summary: "The whole file", value: text } } } },
};

export const downloadExamples: ExamplesOf<typeof downloadRoutes> = { get: {} };

function reads(prefix: string) {
  return {
    list: {
      answers: {
        200: {
          [`${prefix}List`]: {
            summary: "A file and a folder",
            value: { items: [readme, folder], next_cursor: "" },
          },
        },
      },
    },
    stat: { answers: { 200: { [`${prefix}Stat`]: { summary: "A file", value: readme } } } },
    download: {},
  };
}

function ofCopy(prefix: string) {
  return {
    ...reads(prefix),
    read: {
      answers: {
        200: {
          [`${prefix}Window`]: {
            summary: "A small file in one window",
            value: { ...text, offset: 0, next_offset: null },
          },
        },
      },
    },
    write: {
      body: {
        [`${prefix}ToWrite`]: { summary: "A text", value: { path: readme.path, content: text.content } },
        [`${prefix}LinkToWrite`]: {
          summary: "A symbolic link",
          value: { path: "docs/index.md", target: "../README.md" },
        },
      },
      answers: {
        200: { [`${prefix}Written`]: { summary: "It was replaced", value: readme } },
        201: { [`${prefix}Made`]: { summary: "It is new", value: readme } },
      },
    },
    upload: {
      answers: {
        200: { [`${prefix}Replaced`]: { summary: "One was replaced", value: { items: [readme] } } },
        201: { [`${prefix}Uploaded`]: { summary: "One is new", value: { items: [readme] } } },
      },
    },
    delete: {
      body: { [`${prefix}ToDelete`]: { summary: "A file", value: { path: readme.path } } },
      answers: {
        200: {
          [`${prefix}Deleted`]: {
            summary: "It is in the trash",
            value: { trash: [{ path: readme.path, handle: HANDLE, files: 1 }] },
          },
        },
      },
    },
    restore: {
      body: { [`${prefix}ToRestore`]: { summary: "By its handle", value: { path: HANDLE } } },
      answers: {
        200: { [`${prefix}Restored`]: { summary: "It is back", value: { path: readme.path, files: 1 } } },
      },
    },
    emptyTrash: {
      body: { [`${prefix}Trash`]: { summary: "All of it", value: {} } },
      answers: { 200: { [`${prefix}TrashEmptied`]: { summary: "Three items", value: { purged: 3 } } } },
    },
    downloadUrl: {
      body: { [`${prefix}ToShare`]: { summary: "A file", value: { path: readme.path } } },
      answers: {
        200: {
          [`${prefix}Url`]: {
            summary: "For five minutes",
            value: { url: URL_OF_FILE, expires_at: "2026-03-09T10:16:00.000Z", etag: readme.etag },
          },
        },
      },
    },
  };
}
