// The command by which git starts ssh: nothing of the machine's configuration, agents or keys counts, and no host is trusted
// that is not pinned. Pure. Options: ssh_config(5) of OpenSSH 9.

const CONNECT_SECONDS = 15;
const SILENT_AFTER = { seconds: 15, times: 4 };

const options: Readonly<Record<string, string>> = {
  IdentitiesOnly: "yes",
  IdentityAgent: "none",
  PreferredAuthentications: "publickey",
  PasswordAuthentication: "no",
  KbdInteractiveAuthentication: "no",
  BatchMode: "yes",
  StrictHostKeyChecking: "yes",
  GlobalKnownHostsFile: "/dev/null",
  UpdateHostKeys: "no",
  VerifyHostKeyDNS: "no",
  CheckHostIP: "no",
  CanonicalizeHostname: "no",
  ControlMaster: "no",
  ControlPath: "none",
  ProxyCommand: "none",
  ForwardAgent: "no",
  ForwardX11: "no",
  ClearAllForwardings: "yes",
  PermitLocalCommand: "no",
  AddKeysToAgent: "no",
  LogLevel: "ERROR",
  ConnectTimeout: String(CONNECT_SECONDS),
  ServerAliveInterval: String(SILENT_AFTER.seconds),
  ServerAliveCountMax: String(SILENT_AFTER.times),
};

/** The variables for git. The paths are of files: no key is in an argument. */
export function sshEnvironment(files: { readonly key: string; readonly knownHosts: string }): {
  GIT_SSH_COMMAND: string;
  GIT_SSH_VARIANT: string;
} {
  const all = {
    ...options,
    IdentityFile: inConfig(files.key),
    UserKnownHostsFile: inConfig(files.knownHosts),
  };
  const given = Object.entries(all).map(([name, value]) => `-o ${quoted(`${name}=${value}`)}`);
  // Git hands the line to a shell.
  return { GIT_SSH_COMMAND: ["ssh -F none", ...given].join(" "), GIT_SSH_VARIANT: "ssh" };
}

/** A path in ssh's configuration: quoted, and without its tokens. */
function inConfig(path: string): string {
  return `"${path.replaceAll("%", "%%")}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
