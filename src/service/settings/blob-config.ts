// The storage of blobs: a folder, or a bucket of an S3 server.

import type { Environment } from "../../base/environment.ts";
import { flag, httpUrl, matching, secret } from "../../base/settings/kinds.ts";
import { described, readSettings, variablesOf } from "../../base/settings/setting.ts";
import type { S3Config } from "../blobs/s3-config.ts";

export const blobStores = ["folder", "s3"] as const;
type BlobStoreName = (typeof blobStores)[number];

export type BlobConfig =
  /** Null: one in the data folder. */
  | { readonly store: "folder"; readonly folder: string | null }
  | { readonly store: "s3"; readonly s3: S3Config };

/** By the names of their environment variables, in the order of the documentation. */
export const s3Settings = {
  S3_ENDPOINT: described({
    kind: httpUrl,
    fallback: null,
    description: "The address of the S3 server, such as `https://s3.eu-central-1.amazonaws.com`.",
    shownDefault: "**required**",
  }),
  S3_BUCKET: described({
    kind: matching("the name of a bucket", /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    fallback: null,
    description: "The bucket. It must exist. Keys below `packs/`, `ws/`, `runs/` and `store/` are used.",
    shownDefault: "**required**",
  }),
  S3_REGION: described({
    kind: matching("the name of a region", /^[a-z0-9-]{1,64}$/),
    fallback: "us-east-1",
    description: "The region that requests are signed for.",
  }),
  S3_ACCESS_KEY_ID: described({
    kind: secret,
    fallback: null,
    description: "The id of a key that may get, put and delete objects of the bucket. It need not list them.",
    shownDefault: "**required**",
  }),
  S3_SECRET_ACCESS_KEY: described({
    kind: secret,
    fallback: null,
    description: "The key.",
    shownDefault: "**required**",
  }),
  S3_PATH_STYLE: described({
    kind: flag,
    fallback: false,
    description:
      "`true` puts the bucket into the path, not into the host's name, as MinIO and most other servers want it.",
  }),
};

/** Adds a line to `problems` for each setting that is wrong or missing. */
export function readBlobConfig(
  environment: Environment,
  given: {
    readonly store: BlobStoreName;
    readonly folder: string | null;
    readonly problems: string[];
  },
): BlobConfig {
  const { folder } = given;
  if (given.store === "folder") return { store: "folder", folder };
  const { values, problems } = readSettings(s3Settings, variablesOf(environment));
  given.problems.push(...problems);
  const {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = values;
  for (const [name, value] of Object.entries(values)) {
    const isWrong = problems.some((problem) => problem.startsWith(`${name} `));
    if (value === null && !isWrong) given.problems.push(`${name} must be set for BLOB_STORE s3.`);
  }
  if (endpoint === null || bucket === null || accessKeyId === null || secretAccessKey === null)
    return { store: "folder", folder };
  const { S3_REGION: region, S3_PATH_STYLE: pathStyle } = values;
  return { store: "s3", s3: { endpoint, bucket, region, accessKeyId, secretAccessKey, pathStyle } };
}
