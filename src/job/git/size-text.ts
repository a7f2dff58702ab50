// Bytes as people read them. Pure.

/** "812 bytes", "3 KB", "1.2 MB", "140 MB". */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} KB`;
  const digits = bytes < 9_950_000 ? 1 : 0;
  return `${(bytes / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: digits })} MB`;
}
