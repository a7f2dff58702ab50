// The page behind a schedule's confirmation link: plain HTML, no script. Open to everybody who has the link, so it says
// how to confirm, and nothing of what was scheduled.

import { Hono } from "hono";
import { html } from "hono/html";
import type { Core } from "../../../core/core.ts";
import { limitByAddress } from "../limit-rate.ts";
import type { Env } from "../request-context.ts";

const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function confirmPageRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/confirm/:scheduleId", limitByAddress(core), (context) => {
    context.header("Content-Security-Policy", CONTENT_POLICY);
    context.header("Referrer-Policy", "no-referrer");
    context.header("Cache-Control", "no-store");
    const path = `/v1/agents/<agent id>/schedules/${context.req.param("scheduleId")}`;
    return context.html(html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Confirm a scheduled run</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; color: #1f2328; }
  pre { background: #eff1f3; padding: .75em; border-radius: 4px; overflow-x: auto }
  @media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3 } pre { background: #262c36 } }
</style>
<h1>Confirm a scheduled run</h1>
<p>An AI client has scheduled a run for one of your agents. It does not fire until you, the owner of the account,
confirm it with a key of your own. If you did not want it, leave it.</p>
<p>Look at what it is, then confirm it:</p>
<pre>GET ${core.policy.baseUrl}${path}
POST ${core.policy.baseUrl}${path}/confirm
Authorization: Bearer &lt;your key&gt;</pre>
<p>Or use the command:</p>
<pre>agent-service schedules confirm</pre>
</html>`);
  });

  return routes;
}
