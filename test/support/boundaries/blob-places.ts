// Where a service that is killed keeps its blobs: a folder, or a bucket of a server that fails in turn.

import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { AwsClient } from "aws4fetch";
import { openS3Gate } from "../s3-gate.ts";
import { startS3Server } from "../s3-server.ts";

/** Of the requests to the bucket. */
const FAILS_EVERY = 7;
const MAX_KEYS = 1_000;

export type BlobPlace = {
  readonly settings: Readonly<Record<string, string>>;
  /** The keys of all blobs that rows are about, unfinished ones included. */
  list(dataDir: string): Promise<readonly string[]>;
  close(): Promise<void>;
};

export type BlobKind = { readonly name: string; open(): Promise<BlobPlace> };

export const folderOfBlobs: BlobKind = {
  name: "a folder",
  open: async () => ({ settings: {}, list: listFolder, close: async () => {} }),
};

export const failingBucket: BlobKind = { name: "a bucket that fails in turn", open: openFailingBucket };

async function listFolder(dataDir: string): Promise<readonly string[]> {
  const root = join(dataDir, "blobs");
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => relative(root, join(parentPath, name))).filter(isOfRow);
}

/** The store's own mark has no row. */
function isOfRow(key: string): boolean {
  return !key.startsWith("store/");
}

async function openFailingBucket(): Promise<BlobPlace> {
  const server = await startS3Server();
  const gate = await openS3Gate(server);
  let requests = 0;
  gate.judge(() => {
    requests += 1;
    return requests % FAILS_EVERY === 0 ? 503 : "pass";
  });
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = server.config;
  const client = new AwsClient({ service: "s3", region, accessKeyId, secretAccessKey });
  return {
    settings: gate.settings,
    list: async () => {
      const answer = await client.fetch(`${endpoint}/${bucket}?list-type=2&max-keys=${MAX_KEYS}`);
      const text = await answer.text();
      if (!answer.ok || !text.includes("<IsTruncated>false")) throw new Error(`No list of keys: ${text}`);
      return [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = ""]) => key).filter(isOfRow);
    },
    close: () => gate.stop(),
  };
}
