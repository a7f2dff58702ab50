// The prompt of an editor as the message of a run: its text, its images, and the files that it names. Pure.

import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";
import { writeFence } from "../../render/inert-fence.ts";
import { pathFault } from "../workspaces/folder-path.ts";

/** The run's own limit is the request's. */
const MAX_TEXT_BYTES = 1_000_000;

export type EditorPrompt = {
  readonly text: string;
  readonly images: readonly { readonly data: string; readonly mime: string }[];
  /** Files of the folder that it names: relative paths. */
  readonly files: readonly string[];
};

/** Throws RequestError: nothing is asked, too much, or something that a run cannot be told. */
export function promptOf(blocks: readonly ContentBlock[], root: string): EditorPrompt {
  const parts: string[] = [];
  const images: { data: string; mime: string }[] = [];
  const files = new Set<string>();
  const nameOf = (uri: string): string => {
    const path = pathIn(root, uri);
    if (path !== null) files.add(path);
    return path ?? uri;
  };
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        parts.push(block.text);
        break;
      case "image":
        images.push({ data: block.data, mime: block.mimeType });
        break;
      case "resource_link":
        parts.push(`\`${nameOf(block.uri)}\``);
        break;
      case "resource": {
        const name = nameOf(block.resource.uri);
        const text = "text" in block.resource ? block.resource.text : null;
        parts.push(text === null ? `\`${name}\`` : quoted(name, text));
        break;
      }
      default:
        throw RequestError.invalidParams(undefined, `A run takes no content of type "${block.type}"`);
    }
  }
  const text = parts.join("").trim();
  if (text === "" && images.length === 0) throw RequestError.invalidParams(undefined, "The prompt is empty");
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) {
    throw RequestError.invalidParams(undefined, `The prompt has more than ${MAX_TEXT_BYTES} bytes`);
  }
  return { text, images, files: [...files] };
}

function quoted(name: string, text: string): string {
  const fence = writeFence({ first: "", rest: "", info: "", lines: text.split("\n") }, MAX_TEXT_BYTES);
  return `\n\n${name}:\n\n${fence?.lines.join("\n") ?? ""}\n\n`;
}

/** The relative path of a file of this folder, by a file's address, with a place in it or without. Null: it is none. */
function pathIn(root: string, uri: string): string | null {
  const url = URL.parse(uri);
  if (url?.protocol !== "file:") return null;
  try {
    const path = relative(root, fileURLToPath(new URL(url.pathname, "file:///")))
      .split(sep)
      .join("/");
    return pathFault(path, process.platform) === null ? path : null;
  } catch {
    return null;
  }
}
