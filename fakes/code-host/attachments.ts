// Images that people paste into issues and comments: kept by the code host, given to whoever has its token or a signed address.
// The addresses in `body_html` are signed, for minutes. https://docs.github.com/en/rest/issues/issues (media type "full")

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

export type Attachment = {
  readonly bytes?: Buffer;
  /** Where it sends whoever asks, instead of the bytes. */
  readonly location?: string;
  readonly status?: number;
};

export type AttachmentDownload = { readonly path: string; readonly authorization: string | undefined };

export class CodeHostAttachments {
  readonly downloads: AttachmentDownload[] = [];
  /** What every signed address ends with. A secret. */
  readonly signature = `signed-${randomUUID()}`;
  /** False: `body_html` has the plain addresses. */
  isSigning = true;
  readonly #kept = new Map<string, Attachment>();

  /** Returns its address. */
  put(serverUrl: string, attachment: Attachment): string {
    const id = randomUUID();
    this.#kept.set(id, attachment);
    return `${serverUrl}/user-attachments/assets/${id}`;
  }

  clear(): void {
    this.#kept.clear();
    this.downloads.splice(0);
    this.isSigning = true;
  }

  /** Answers a download. False for another path. `mayRead`: it came with the token of a job. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    { url, mayRead }: { url: URL; mayRead: boolean },
  ): boolean {
    const [, id = ""] = /^\/user-attachments\/assets\/([0-9a-f-]{36})$/.exec(url.pathname) ?? [];
    if (id === "" || request.method !== "GET") return false;
    this.downloads.push({ path: url.pathname + url.search, authorization: request.headers.authorization });
    const isSigned = url.searchParams.get("jwt") === this.signature;
    const kept = isSigned || mayRead ? this.#kept.get(id) : undefined;
    if (kept === undefined) response.writeHead(404).end("Not Found");
    else if (kept.location !== undefined) response.writeHead(302, { location: kept.location }).end();
    else response.writeHead(kept.status ?? 200, { "content-type": "image/png" }).end(kept.bytes);
    return true;
  }

  /** A resource with its text, as the media type asks for it. */
  inForm<Fields extends Record<string, unknown>>(request: IncomingMessage, fields: Fields): Fields {
    if (!(request.headers.accept ?? "").includes(".full")) return fields;
    return { ...fields, body_html: this.#html(String(fields.body ?? "")) };
  }

  #html(text: string): string {
    const images = text.matchAll(/(?:!\[[^\]]*\]\(|src=")([^)"\s]+)[)"]/g);
    const query = this.isSigning ? `?jwt=${this.signature}&amp;a=1` : "";
    return [...images]
      .map(
        ([, address]) =>
          `<p><a href="${address}"><img alt="image" src="${address}${query}" width="9"></a></p>`,
      )
      .join("\n");
  }
}
