// A real S3 server on loopback, with its files in a folder of its own. Of what it can, the service uses PUT, GET with a
// range, HEAD, DELETE and presigned GET.

import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { S3Config } from "../../src/service/blobs/s3-config.ts";

type S3rver = new (
  options: Readonly<Record<string, unknown>>,
) => {
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
    ...{ address: "127.0.0.1", port: 0, silent: true, directory, allowMismatchedSignatures: false },
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
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
