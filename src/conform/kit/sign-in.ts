// Signing in to a deployment's pages with the owner's key: only an account that somebody has signed in to publishes a site.

import type { World } from "./world.ts";

/** Whether the pages take the key. The browser that was signed in is signed out at the end. */
export async function isSignedIn(world: World): Promise<boolean> {
  return await world.once("signed in", async () => {
    const body = new URLSearchParams({ key: world.credential("owner") ?? "", to: "/" });
    const signedIn = await askPage(world, "/sign-in", { body });
    const cookie = signedIn.headers["set-cookie"]?.split(";", 1)[0];
    if (signedIn.status !== 303 || cookie === undefined) return false;
    world.atEnd("the signed-in browser", () => askPage(world, "/sign-out", { cookie }));
    return true;
  });
}

async function askPage(
  world: World,
  path: string,
  { body = new URLSearchParams(), cookie }: { readonly body?: URLSearchParams; readonly cookie?: string },
) {
  return await world.ask({
    method: "POST",
    path,
    as: "nobody",
    raw: body.toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      // As a browser sends it from the page itself.
      "sec-fetch-site": "same-origin",
      ...(cookie === undefined ? {} : { cookie }),
    },
  });
}
