// A workspace whose files are known, in each place where files are: the canonical copy, a working copy and a revision. No
// statement changes them. Beside it a workspace in which statements write what they need.

import type { Answer } from "./exchange.ts";
import { expectStatus } from "./expect.ts";
import { checkpoint, makeCopy, makeWorkspace } from "./things.ts";
import type { World, WorldCaller } from "./world.ts";

export type KnownFile = {
  readonly path: string;
  readonly content: string;
  readonly encoding?: "base64";
  readonly mode?: string;
  readonly size: number;
  /** As `git hash-object` prints it. */
  readonly oid: string;
};

export const text: KnownFile = {
  path: "a.txt",
  content: "hello\n",
  size: 6,
  oid: "ce013625030ba8dba906f756967f9e9ca394464a",
};
export const program: KnownFile = {
  path: "run.sh",
  content: "#!/bin/sh\n",
  mode: "100755",
  size: 10,
  oid: "1a2485251c33a70432394c93fb89330ef214bfc9",
};
export const bytes: KnownFile = {
  path: "image.bin",
  content: "AP8B",
  encoding: "base64",
  size: 3,
  oid: "046f393ee9d8a6a0754b8ddadce727b4ce35f272",
};
export const empty: KnownFile = {
  path: "empty.txt",
  content: "",
  size: 0,
  oid: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
};
/** Characters of two, three and four bytes. */
export const letters: KnownFile = {
  path: "letters.txt",
  content: "äöü€𝄞\n",
  size: 14,
  oid: "45491a3dba7556f1336ab5f969992b4d07aec400",
};
export const link: KnownFile = {
  path: "link",
  content: "a.txt",
  mode: "120000",
  size: 5,
  oid: "8d14cbf983b3fad683171c9418998d9f68340823",
};
const inFolder: readonly KnownFile[] = [
  { path: "docs/b.txt", content: "world\n", size: 6, oid: "cc628ccd10742baea8241c5924df992b5c019f71" },
  { path: "docs/deep/c.txt", content: "deep\n", size: 5, oid: "4cdb2265d30204be5463b38174b2e8e717982405" },
];
export const knownFiles: readonly KnownFile[] = [text, ...inFolder, empty, bytes, letters, link, program];

type Filled = {
  readonly workspaceId: string;
  readonly copyId: string;
  readonly revisionId: string;
};

export async function filledWorkspace(world: World): Promise<Filled> {
  return await world.once("filled workspace", async () => {
    const workspaceId = await makeWorkspace(world);
    for (const { path, content, encoding, mode } of knownFiles) {
      const json = { path, content, encoding, mode };
      expectStatus(await put(world, `/v1/workspaces/${workspaceId}/files`, json), 201);
    }
    const revisionId = await checkpoint(world, { workspaceId });
    return { workspaceId, revisionId, copyId: await makeCopy(world, workspaceId) };
  });
}

/** A place of files. `at` is the beginning of the routes, of the known files. */
export type FileStore = {
  readonly name: "canonical" | "copy" | "revision";
  readonly of: string;
  readonly at: (world: World) => Promise<string>;
};

export const canonical: FileStore = {
  name: "canonical",
  of: "the canonical copy",
  at: async (world) => `/v1/workspaces/${(await filledWorkspace(world)).workspaceId}/files`,
};
export const copy: FileStore = {
  name: "copy",
  of: "a working copy",
  at: async (world) => {
    const { workspaceId, copyId } = await filledWorkspace(world);
    return `/v1/workspaces/${workspaceId}/copies/${copyId}/files`;
  },
};
export const revision: FileStore = {
  name: "revision",
  of: "a revision",
  at: async (world) => {
    const { workspaceId, revisionId } = await filledWorkspace(world);
    return `/v1/workspaces/${workspaceId}/revisions/${revisionId}/files`;
  },
};

/** The workspace in which statements write: each at paths of its own. */
export async function scratchWorkspace(world: World): Promise<{ workspaceId: string; copyId: string }> {
  return await world.once("scratch workspace", async () => {
    const workspaceId = await makeWorkspace(world);
    return { workspaceId, copyId: await makeCopy(world, workspaceId) };
  });
}

/** The beginning of the routes of a copy in which statements write. */
export async function scratchFiles(world: World, store: "canonical" | "copy"): Promise<string> {
  const { workspaceId, copyId } = await scratchWorkspace(world);
  return `/v1/workspaces/${workspaceId}${store === "copy" ? `/copies/${copyId}` : ""}/files`;
}

/** PUT write, with an If-Match where one is given. */
export async function put(world: World, files: string, json: unknown, ifMatch?: string): Promise<Answer> {
  const condition = ifMatch === undefined ? {} : { headers: { "if-match": ifMatch } };
  return await world.ask({ method: "PUT", path: `${files}/write`, json, ...condition });
}

export async function read(world: World, files: string, path: string): Promise<Answer> {
  return await world.get(`${files}/read?path=${encodeURIComponent(path)}`);
}

/** POST of a route of files, which takes no key. */
export async function post(
  world: World,
  path: string,
  json: unknown,
  as: WorldCaller = "owner",
): Promise<Answer> {
  return await world.ask({ method: "POST", path, json, as });
}

/** A path that no other statement writes. */
export function freshPath(world: World, name = "file.txt"): string {
  return `${world.uuid()}/${name}`;
}
