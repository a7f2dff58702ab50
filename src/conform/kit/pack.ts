// A commit of text files as a job sends it: a pack of git with a commit, its folder and their contents. Pure.
// Format: https://git-scm.com/docs/gitformat-pack

import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

const types = { commit: 1, tree: 2, blob: 3 } as const;

type GitObject = { readonly type: keyof typeof types; readonly data: Buffer; readonly oid: string };

type PackedCommit = { readonly sha: string; readonly bytes: Uint8Array<ArrayBuffer> };

/** A commit without parents, of these files in one folder. */
export function packCommit(files: Readonly<Record<string, string>>): PackedCommit {
  const blobs = Object.entries(files)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, text]) => ({ name, ...objectOf("blob", Buffer.from(text)) }));
  const entries = blobs.map(({ name, oid }) =>
    Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(oid, "hex")]),
  );
  const tree = objectOf("tree", Buffer.concat(entries));
  const person = "conform <conform@localhost> 1767225600 +0000";
  const text = `tree ${tree.oid}\nauthor ${person}\ncommitter ${person}\n\nconform\n`;
  const commit = objectOf("commit", Buffer.from(text));
  return { sha: commit.oid, bytes: packOf([commit, tree, ...blobs]) };
}

function objectOf(type: GitObject["type"], data: Buffer): GitObject {
  const oid = createHash("sha1").update(`${type} ${data.length}\0`).update(data).digest("hex");
  return { type, data, oid };
}

function packOf(objects: readonly GitObject[]): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(12);
  head.write("PACK");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const body = Buffer.concat([
    head,
    ...objects.flatMap(({ type, data }) => [entryHead(types[type], data.length), deflateSync(data)]),
  ]);
  return new Uint8Array(Buffer.concat([body, createHash("sha1").update(body).digest()]));
}

/** Four bits of the size beside the type, then seven a byte. */
function entryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = size >> 4; rest > 0; rest >>= 7) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}
