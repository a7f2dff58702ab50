// A real S3 server on loopback, with its files in a folder of its own. Of what it can, the service uses PUT, GET with a
// range, HEAD and DELETE.

import { mkdtemp, rm, unlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3Config } from "../../src/service/blobs/s3-config.ts";

type S3rver = new (
  options: Readonly<Record<string, unknown>>,
) => {
  readonly store: {
    getResourcePath(bucket: string, key: string, resource: string): string;
    deleteObject(bucket: string, key: string): Promise<void>;
  };
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
};

export const BUCKET = "packs-of-tests";

export type S3Server = {
  readonly config: S3Config;
  /** Settings that make a service use it. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), "agent-service-s3-"));
  const Server = createRequire(import.meta.url)("@20minutes/s3rver") as S3rver;
  const server = new Server({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    allowMismatchedSignatures: false,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  keepFolders(server.store);
  const { port } = await server.run();
  const config: S3Config = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: BUCKET,
    region: "us-east-1",
    // The one pair that this server knows.
    accessKeyId: "S3RVER",
    secretAccessKey: "S3RVER",
    pathStyle: true,
  };
  return {
    config,
    settings: {
      BLOB_STORE: "s3",
      S3_ENDPOINT: config.endpoint,
      S3_BUCKET: config.bucket,
      S3_ACCESS_KEY_ID: config.accessKeyId,
      S3_SECRET_ACCESS_KEY: config.secretAccessKey,
      S3_PATH_STYLE: "true",
    },
    stop: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/**
 * Its own deletion removes the folder of the last key, together with what is being put there at the same time: of a bucket that would
 * be a loss. https://github.com/20minutes/s3rver
 */
function keepFolders(store: InstanceType<S3rver>["store"]): void {
  store.deleteObject = async (bucket, key) => {
    for (const resource of ["object", "object.md5", "metadata.json"]) {
      await unlink(store.getResourcePath(bucket, key, resource)).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== "ENOENT") throw cause;
      });
    }
  };
}
