// The first lines of the log for the operator: the service's address, what it executes, and on a new one how to get the first
// account, and how to sign in.

import type { Logger } from "../../base/log.ts";
import { issuerFaultText, NEW_ISSUER_TEXT } from "../../contract/issuer-reach.ts";
import type { Core } from "../core/core.ts";
import { makeFirstSignInLink } from "../core/sign-in/sign-in-links.ts";
import type { Config } from "../settings/config.ts";
import { executesText, firstKeyText, firstSignInText, noModelText } from "../settings/executes-text.ts";
import { sharedFolderText } from "./open-checkouts.ts";

type Ready = {
  readonly url: string;
  /** What it calls itself. */
  readonly baseUrl: string;
  readonly metricsUrl: string | null;
  readonly audience: string;
};

export function logReady(
  { config, log }: { readonly config: Config; readonly log: Logger },
  { url, baseUrl, metricsUrl, audience }: Ready,
): void {
  const issuers = config.issuers.map(({ issuer }) => issuer);
  const measured = metricsUrl === null ? {} : { metrics: `${metricsUrl}/metrics` };
  log.info({ url, audience, issuers, executes: executesText(config), ...measured }, "ready");
  const sharedFolder = sharedFolderText(config);
  if (sharedFolder !== null) log.info({ folder: sharedFolder.folder }, sharedFolder.text);
  const unread = config.secretKeys === null ? null : issuerFaultText(baseUrl);
  if (unread !== null) log.info({ issuer: `${baseUrl}/id` }, `${unread} ${NEW_ISSUER_TEXT}`);
  const noModel = noModelText(config);
  if (noModel !== null) log.info({}, noModel);
}

type Start = { readonly config: Config; readonly hasPages: boolean };

/**
 * Null once somebody has signed in, or where there are accounts and no pages. On a service without an account, a link
 * that opens the first one: it gives nobody anything that is there already.
 */
export async function firstStepsText(core: Core, { config, hasPages }: Start): Promise<string | null> {
  const hasAccount = (await core.store.committed.accounts.count()) > 0;
  if (!hasPages) return hasAccount ? null : firstKeyText(config);
  if (hasAccount) return (await core.store.committed.accounts.hasSignedIn()) ? null : firstSignInText(config);
  const { token } = await makeFirstSignInLink(core);
  const url = `${core.policy.webUrl}/sign-in/link/${token}`;
  return `${firstKeyText(config)}. Or open it in a browser, within 15 minutes: ${url}`;
}
