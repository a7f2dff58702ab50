// The host keys of code hosts: those that they publish, and those of the operator's file. No other host is connected to.

import { isNamedIn, type KnownHosts } from "./known-hosts.ts";

/**
 * Ed25519 alone: each of these hosts has one, and one key is pinned where one is enough. Looked up on 2026-11-26. GitHub's and
 * Bitbucket's were compared with the fingerprints that they publish, GitLab's with public projects that quote GitLab's page:
 * https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/githubs-ssh-key-fingerprints
 * https://docs.gitlab.com/user/gitlab_com/#ssh-host-keys-fingerprints
 * https://support.atlassian.com/bitbucket-cloud/docs/configure-ssh-and-two-step-verification/
 */
export const publishedHostKeys: Readonly<
  Record<string, { readonly key: string; readonly fingerprint: string }>
> = {
  "github.com": {
    key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
    fingerprint: "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
  },
  "gitlab.com": {
    key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf",
    fingerprint: "SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8",
  },
  "bitbucket.org": {
    key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO",
    fingerprint: "SHA256:ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM",
  },
};

/** A `known_hosts` file for connections to `host` (`name`, or `[name]:port`); null where no key of it is known. The operator's win. */
export function pinnedFor(host: string, operators: KnownHosts): string | null {
  if (isNamedIn(operators, host)) return operators.text;
  const published = publishedHostKeys[host];
  return published === undefined ? null : `${host} ${published.key}\n`;
}
