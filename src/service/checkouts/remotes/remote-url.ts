// Addresses that a repository is fetched from with a credential. Pure.

import { fillCloneUrl, PIPELINE_PLACEHOLDER } from "../../../base/clone-template.ts";

/** The place of an issuer's repositories, as the operator says. */
export type CodeHostPlace = {
  readonly provider: string;
  readonly issuer: string;
  readonly clone_url: string;
  readonly ssh_url?: string | undefined;
};

/** Bitbucket names repositories by ids in braces. */
const part = /^[\w.~+{}-]+$/;

/** A repository's name as a path: it leads nowhere else. */
export function isPlainName(name: string): boolean {
  const parts = name.split("/");
  return (
    parts.length > 1 && parts.every((one) => part.test(one) && !/^\.+$/.test(one) && !one.startsWith("-"))
  );
}

/** Its address for git over ssh: the issuer's `ssh_url`, otherwise that of its `clone_url` for the user "git". Null where neither says it. */
export function sshUrlOf({ ssh_url: template, clone_url }: CodeHostPlace, name: string): string | null {
  if (template !== undefined) return fillCloneUrl(template, { repository: name });
  const url = httpsUrlOf({ clone_url }, name);
  const { protocol, hostname, port, pathname } = new URL(url ?? "about:blank");
  return protocol === "https:" && port === "" ? `ssh://git@${hostname}${pathname}` : null;
}

/** Null where a pipeline's name stands for the repository's. */
export function httpsUrlOf({ clone_url }: Pick<CodeHostPlace, "clone_url">, name: string): string | null {
  return clone_url.includes(PIPELINE_PLACEHOLDER) ? null : fillCloneUrl(clone_url, { repository: name });
}

/** As `known_hosts` names it. */
export function hostOf(sshUrl: string): string {
  const { hostname, port } = new URL(sshUrl);
  return port === "" || port === "22" ? hostname : `[${hostname}]:${port}`;
}
