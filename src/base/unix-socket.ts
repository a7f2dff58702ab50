// Listens on a unix socket by the folder that it lies in.

import { type FileHandle, open } from "node:fs/promises";
import type { Server } from "node:net";

/**
 * Through an open folder, because the path of a socket is limited to some 100 bytes (Linux alone). Close the folder that is
 * returned once the server is closed.
 */
export async function listenInFolder(
  server: Server,
  { folder, name }: { readonly folder: string; readonly name: string },
): Promise<FileHandle> {
  const handle = await open(folder, "r");
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(`/proc/self/fd/${handle.fd}/${name}`, resolve);
    });
    return handle;
  } catch (cause) {
    await handle.close();
    throw cause;
  }
}
