// A review: an upload that writes outside of its folder, and answers before it has written.

import type { ReviewTask } from "../task.ts";

export const reviewUpload: ReviewTask = {
  kind: "review",
  toolchain: null,
  term: "saveUpload",
  prompt:
    "Review the last commit of this repository (HEAD) for defects that would harm its users. Report each defect at its line. Report no matters of taste.",
  files: {
    "src/uploads.mjs": `import { readdir } from "node:fs/promises";

const FOLDER = "/srv/uploads";

export async function listUploads() {
  return await readdir(FOLDER);
}
`,
  },
  change: {
    "src/uploads.mjs": `import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = "/srv/uploads";
const MAX_BYTES = 1_000_000;

export async function listUploads() {
  return await readdir(FOLDER);
}

/** Stores the file that a visitor sends. */
export async function saveUpload(request) {
  const file = join(FOLDER, request.query.name);
  if (request.body.length > MAX_BYTES) return { status: 413 };
  writeFile(file, request.body);
  return { status: 201 };
}
`,
  },
  defects: [
    { path: "src/uploads.mjs", text: "  const file = join(FOLDER, request.query.name);" },
    { path: "src/uploads.mjs", text: "  writeFile(file, request.body);" },
  ],
};
