// The names that some file system takes for git's own: `.git` and `.gitmodules` in the spellings of NTFS and HFS+, as git
// itself refuses them with core.protectNTFS and core.protectHFS. Pure.

/** Characters that HFS+ ignores in a name. */
const ignoredByHfs = new Set([
  0x200c, 0x200d, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x206a, 0x206b, 0x206c, 0x206d,
  0x206e, 0x206f, 0xfeff,
]);

/** Whether a segment of a path names git's folder. A backslash separates segments, as on Windows. */
export function isDotGit(segment: string): boolean {
  return spellingsOf(segment).some((name) => {
    const end = name.startsWith(".git") ? ".git".length : name.startsWith("git~1") ? "git~1".length : 0;
    return end > 0 && isOnlyTail(name, end);
  });
}

/** Whether a segment names the file of submodules, which git does not follow as a symbolic link. */
export function isDotGitmodules(segment: string): boolean {
  return spellingsOf(segment).some((name) => {
    const end = name.startsWith(".gitmodules") ? ".gitmodules".length : shortNameEnd(name);
    return end > 0 && isOnlyTail(name, end);
  });
}

/** The segment's parts between backslashes, in lower case, each as NTFS and as HFS+ read it. */
function spellingsOf(segment: string): readonly string[] {
  const parts = segment.includes("\\") ? segment.split("\\") : [segment];
  return parts.flatMap((part) => {
    const name = asciiLower(part);
    const plain = withoutIgnored(name);
    return plain === name ? [name] : [name, plain];
  });
}

/** NTFS drops dots and spaces at the end of a name, and `:` begins the name of one of the file's streams. */
function isOnlyTail(name: string, from: number): boolean {
  for (let at = from; at < name.length; at += 1) {
    const character = name.charAt(at);
    if (character === ":") return true;
    if (character !== "." && character !== " ") return false;
  }
  return true;
}

/** The end of a name of eight characters that NTFS makes for `.gitmodules`: `gitmod~1` to `~4`, or `gi7eba~1` and the like. 0: it is none. */
function shortNameEnd(name: string): number {
  const length = 8;
  const tilde = name.indexOf("~");
  if (tilde < 0 || tilde > 6 || name.length < length) return 0;
  const number = name.slice(tilde + 1, length);
  if (name.startsWith("gitmod~")) {
    if (number >= "1" && number <= "4") return length;
  }
  const isNumber = number >= "1" && [...number].every((digit) => digit >= "0" && digit <= "9");
  return isNumber && "gi7eba".startsWith(name.slice(0, tilde)) ? length : 0;
}

function withoutIgnored(name: string): string {
  let kept = "";
  for (let at = 0; at < name.length; at += 1) {
    if (!ignoredByHfs.has(name.charCodeAt(at))) kept += name.charAt(at);
  }
  return kept;
}

/** Git folds ASCII alone: a Turkish dotless i is another letter. */
function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
