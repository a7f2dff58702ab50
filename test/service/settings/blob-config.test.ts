// Where blobs are kept, and what is said of settings that are wrong or missing.

import { expect, it } from "vitest";
import { readConfig } from "../../../src/service/settings/config.ts";

const bucket = {
  BLOB_STORE: "s3",
  S3_ENDPOINT: "https://s3.example.com/",
  S3_BUCKET: "packs",
  S3_ACCESS_KEY_ID: "id",
  S3_SECRET_ACCESS_KEY: "a-secret-key",
};

it("is a bucket where the settings name one, and its key is a secret", () => {
  const config = readConfig({}, { ...bucket, S3_PATH_STYLE: "true", S3_REGION: "eu-central-1" });
  expect(config.ok && config.value.blobs).toEqual({
    store: "s3",
    s3: {
      endpoint: "https://s3.example.com",
      bucket: "packs",
      region: "eu-central-1",
      pathStyle: true,
      accessKeyId: "id",
      secretAccessKey: "a-secret-key",
    },
  });
  expect(config.ok && config.value.secrets).toContain("a-secret-key");
});

it("names each setting of a bucket that is missing or wrong, without its secrets", () => {
  expect(
    readConfig({}, { BLOB_STORE: "s3", S3_BUCKET: "No Bucket", S3_SECRET_ACCESS_KEY: "two words" }),
  ).toEqual({
    ok: false,
    refusal: [
      'S3_BUCKET must be the name of a bucket, got "No Bucket".',
      "S3_SECRET_ACCESS_KEY must be one line of visible ASCII characters, got something else.",
      "S3_ENDPOINT must be set for BLOB_STORE s3.",
      "S3_ACCESS_KEY_ID must be set for BLOB_STORE s3.",
    ],
  });
});

it("reads nothing of a bucket for a folder", () => {
  const config = readConfig({}, { S3_BUCKET: "No Bucket", BLOB_DIR: "/srv/blobs" });
  expect(config.ok && config.value.blobs).toEqual({ store: "folder", folder: "/srv/blobs" });
});
