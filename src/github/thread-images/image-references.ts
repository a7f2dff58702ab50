// The images of issues, pull requests and comments that a prompt shows: those that people have pasted, which GitHub keeps. Pure.

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
/** As the sanitiser writes an image. */
const SHOWN = /!\[image\]\((https?:\/\/[^\s()<>]{1,500})\)/g;
const ATTACHMENT = new RegExp(
  `^/(?:user-attachments|[\\w.-]{1,100}/[\\w.-]{1,100})/assets/(?:\\d{1,20}/)?(${UUID})$`,
);
const KEPT = new RegExp(`^/\\d{1,20}/\\d{1,20}-(${UUID})\\.[a-z]{3,4}$`);
/** Hosts of GitHub's that give images and nothing else. */
const IMAGE_HOSTS = ["private-user-images.githubusercontent.com", "user-images.githubusercontent.com"];
/** The host on which github.com keeps attachments, and to which it redirects. */
const STORAGE_HOST = /^github-production-user-asset-[0-9a-z]{1,20}\.s3\.amazonaws\.com$/;

export type ImageReference = {
  readonly id: string;
  /** As the prompt has it, without a query: that can be a permission. */
  readonly url: string;
};

/** In the order of the prompt, each once. `serverUrl` is the code host's own address. */
export function imageReferences(prompt: string, serverUrl: string): readonly ImageReference[] {
  const found = new Map<string, ImageReference>();
  for (const [, address = ""] of prompt.matchAll(SHOWN)) {
    const id = imageId(address, serverUrl);
    if (id === null || found.has(id)) continue;
    const { origin, pathname } = new URL(address);
    found.set(id, { id, url: `${origin}${pathname}` });
  }
  return [...found.values()];
}

/** Null for an address that is no attachment of this code host. */
function imageId(address: string, serverUrl: string): string | null {
  if (!URL.canParse(address)) return null;
  const { origin, protocol, hostname, pathname } = new URL(address);
  if (origin === new URL(serverUrl).origin) return ATTACHMENT.exec(pathname)?.[1] ?? null;
  return protocol === "https:" && IMAGE_HOSTS.includes(hostname) ? (KEPT.exec(pathname)?.[1] ?? null) : null;
}

/** Whether an image may be read from there: attachments of this code host, and where it keeps them. */
export function mayBeRead(address: string, serverUrl: string): boolean {
  if (imageId(address, serverUrl) !== null) return true;
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, port } = new URL(address);
  return protocol === "https:" && port === "" && STORAGE_HOST.test(hostname);
}

/** The addresses of images in HTML that the code host has made of a text, by their ids: they hold a permission of minutes. */
export function signedAddresses(html: string, serverUrl: string): ReadonlyMap<string, string> {
  const signed = new Map<string, string>();
  for (const [, written = ""] of html.matchAll(/<img\s[^<>]{0,400}?\bsrc="([^"<>\s]{1,2500})"/g)) {
    const address = written.replaceAll("&amp;", "&");
    const id = imageId(address, serverUrl);
    if (id !== null && !signed.has(id)) signed.set(id, address);
  }
  return signed;
}
