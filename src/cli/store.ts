// agent-service store: the comparison of the store with its blobs, and the recovery of lost ones.

import { jobEnvironment } from "../ci/environment.ts";
import { type BlobSource, bucketSource, verifyStore } from "../service/operator/backup.ts";
import { placeOf } from "./backup.ts";
import { type CommandGroup, command } from "./command.ts";
import { anyText, switchFlag, UsageError, valueFlag } from "./flags.ts";
import { readStoreConfig, storeFlags } from "./operate.ts";
import { bytesText, printJson } from "./print.ts";

const MAX_NAMED = 20;
const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/;

const verify = command({
  summary: "Compare every row with its blob, and bring back what is lost.",
  notes: [
    "Blobs are compared by their sizes, or with --contents by their hashes. A blob is lost where it is gone, or is not what was written.",
    "A lost file of a workspace also heals when the same contents are written to the workspace again; a lost commit when its job sends it again.",
    "Exits with 1 where something stays lost.",
  ],
  flags: {
    ...storeFlags,
    contents: switchFlag(
      "Read every blob, and compare its hash. Else only those that a reader of the service has found lost.",
    ),
    from: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<place>",
      description:
        "Where lost blobs are copied from: the folder of a backup, another folder of blobs, or s3://bucket at S3_ENDPOINT.",
    }),
    adopt: switchFlag(
      "Take the configured folder or bucket for the store's from now on, after its blobs were moved, or are lost for good.",
    ),
  },
  examples: [
    "store verify",
    "store verify --contents --from /var/backups/agent-service",
    "store verify --from s3://copies",
  ],
  run: async ({ flags }) => {
    const config = await readStoreConfig(flags);
    const source = flags.from === null ? null : sourceOf(flags.from);
    const report = await verifyStore(config, { source, readsContents: flags.contents, adopts: flags.adopt });
    const { checked, bytes, healed, lost } = report;
    if (flags.json) printJson(report);
    else {
      const by = flags.contents ? "by their hashes" : "by their sizes";
      process.stdout.write(`Compared ${checked} blobs (${bytesText(bytes)}) of ${placeOf(config)} ${by}.\n`);
      if (healed.length > 0) process.stdout.write(`${healed.length} were lost, and are here again.\n`);
      if (lost.length > 0) process.stdout.write(`${lost.length} are lost:\n`);
      for (const { key, fault } of lost.slice(0, MAX_NAMED))
        process.stdout.write(`  ${key}  ${faultTexts[fault]}\n`);
      if (lost.length > MAX_NAMED)
        process.stdout.write(`  and ${lost.length - MAX_NAMED} more: see --json\n`);
    }
    return lost.length === 0 ? 0 : 1;
  },
});

export const store: CommandGroup = {
  summary: "Compare the store with its blobs, and bring back what is lost.",
  commands: { verify },
};

const faultTexts = { missing: "is gone", size: "has another size", contents: "has other contents" } as const;

function sourceOf(place: string): BlobSource {
  const bucket = BUCKET.exec(place)?.[1];
  if (bucket === undefined) {
    if (/^\w+:\/\//.test(place))
      throw new UsageError(`--from must be a folder or s3://bucket, got ${JSON.stringify(place)}.`);
    return { type: "folder", folder: place };
  }
  const source = bucketSource(bucket, jobEnvironment);
  if (!source.ok) throw new UsageError(source.refusal.join("\n"));
  return source.value;
}
