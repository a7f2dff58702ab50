// The authorization server: a bundle of its own, loaded at the first request of one.

import type { Hono } from "hono";
import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import type { FaceEnv, FaceParts } from "../api/http/face.ts";
import { documentFetcher, publicDocuments } from "../api/oauth/client-document.ts";
import { oauthApp } from "../api/oauth/oauth-app.ts";

export function openOAuth(parts: FaceParts): Hono<FaceEnv> {
  z.config(english());
  return oauthApp(parts, documentFetcher(publicDocuments));
}
