// An operator's `known_hosts` file: which hosts it names. Pure. Format: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT".

export type KnownHosts = {
  readonly text: string;
  readonly hosts: ReadonlySet<string>;
  readonly hidesNames: boolean;
};

export const noKnownHosts: KnownHosts = { text: "", hosts: new Set(), hidesNames: false };

const keyLine = /^(@(?:cert-authority|revoked)\s+)?(\S+)\s+(\S+)\s+[A-Za-z0-9+/]+=*(\s|$)/;

/** Null where a line is no entry, or there is none. */
export function readKnownHosts(text: string): KnownHosts | null {
  const hosts = new Set<string>();
  let hidesNames = false;
  const lines = text.split("\n").map((line) => line.trim());
  for (const line of lines) {
    if (line === "" || line.startsWith("#")) continue;
    const [, marker, names = ""] = keyLine.exec(line) ?? [];
    if (names === "") return null;
    if (marker?.startsWith("@revoked")) continue;
    // A hashed name, and a pattern: ssh tells whether it is this host's.
    if (/[|*?]/.test(names)) hidesNames = true;
    for (const name of names.split(",")) hosts.add(name);
  }
  return hosts.size === 0 ? null : { text: `${lines.join("\n")}\n`, hosts, hidesNames };
}

export function isNamedIn({ hosts, hidesNames }: KnownHosts, host: string): boolean {
  return hidesNames || hosts.has(host);
}
