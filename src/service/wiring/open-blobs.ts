// The blobs of a node, by its settings.

import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import { folderBlobs } from "../blobs/folder.ts";
import type { BlobStore } from "../core/blobs/blob-store.ts";
import type { Config } from "../settings/config.ts";

/** Opens nothing until it is used. */
export async function openBlobs(
  { blobs: config, dataDir }: Pick<Config, "blobs" | "dataDir">,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<BlobStore> {
  if (config.store === "folder") return folderBlobs(config.folder ?? join(dataDir, "blobs"));
  // Loaded only where it is configured.
  const { s3Blobs } = await import("../blobs/s3.ts");
  return s3Blobs({ config: config.s3, clock, random: () => random.fraction() });
}
