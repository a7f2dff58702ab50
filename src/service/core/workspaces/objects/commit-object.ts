// A commit as git stores it. Its times are in UTC. Pure.

import { MalformedObjectError } from "./git-object.ts";

/** `at` in milliseconds; git keeps seconds. */
export type Signature = { readonly name: string; readonly email: string; readonly at: number };

export type CommitData = {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
};

/** Characters that git takes away at both ends of a name or an address, beside control characters and white space. */
const CRUD = new Set([".", ",", ":", ";", "<", ">", '"', "\\", "'"]);

/** The bytes of a commit. Names and addresses are cleaned as git cleans them; a NUL in the message is left out. */
export function encodeCommit(commit: CommitData): Uint8Array {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${encodeSignature(commit.author)}`,
    `committer ${encodeSignature(commit.committer)}`,
  ];
  const message = commit.message.replaceAll("\0", "");
  const ended = message === "" || message.endsWith("\n") ? message : `${message}\n`;
  return Buffer.from(`${lines.join("\n")}\n\n${ended}`);
}

/** Signatures of commits, encodings and other headers are not read. Throws a MalformedObjectError where it is no commit. */
export function parseCommit(data: Uint8Array): CommitData {
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("utf8");
  const blank = text.indexOf("\n\n");
  const headers = (blank < 0 ? text : text.slice(0, blank)).split("\n");
  const valuesOf = (name: string) =>
    headers.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const [tree] = valuesOf("tree");
  const [author] = valuesOf("author");
  const [committer] = valuesOf("committer");
  if (tree === undefined || author === undefined || committer === undefined) {
    throw new MalformedObjectError("A commit lacks its tree, its author or its committer.");
  }
  return {
    tree,
    parents: valuesOf("parent"),
    author: parseSignature(author),
    committer: parseSignature(committer),
    message: blank < 0 ? "" : text.slice(blank + 2),
  };
}

function encodeSignature({ name, email, at }: Signature): string {
  return `${cleaned(name)} <${cleaned(email)}> ${Math.max(0, Math.floor(at / 1_000))} +0000`;
}

/** No <, >, newline or NUL anywhere, no punctuation at the ends. */
function cleaned(text: string): string {
  const kept = [...text.toWellFormed()].filter((character) => !["<", ">", "\n", "\0"].includes(character));
  const isCrud = (character = "") => character <= " " || CRUD.has(character);
  const start = kept.findIndex((character) => !isCrud(character));
  const end = kept.findLastIndex((character) => !isCrud(character));
  return start < 0 ? "" : kept.slice(start, end + 1).join("");
}

function parseSignature(line: string): Signature {
  const open = line.indexOf("<");
  const close = line.lastIndexOf(">");
  if (open < 0 || close < open)
    throw new MalformedObjectError("A commit's author or committer has no address.");
  const seconds = Number(
    line
      .slice(close + 1)
      .trim()
      .split(" ")[0],
  );
  return {
    name: line.slice(0, open).trim(),
    email: line.slice(open + 1, close),
    at: Number.isFinite(seconds) ? seconds * 1_000 : 0,
  };
}
