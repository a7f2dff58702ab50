// Confidential addresses: no third party reads a request to them on its way. Pure.

/** True for https, and for plain http that does not leave this machine. */
export function isConfidential(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return true;
  return isLoopbackName(hostname);
}

/** True for this machine itself, as a URL spells it. */
export function isLoopbackName(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
