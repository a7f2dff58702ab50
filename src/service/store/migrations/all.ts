// Written by `node scripts/newest-tables.ts`. Do not edit.

import type { Migration } from "kysely";
import * as m001 from "./001-first-tables.ts";
import * as m002 from "./002-withheld-refunds.ts";
import * as m003 from "./003-prices.ts";
import * as m004 from "./004-run-secrets.ts";
import * as m005 from "./005-agents-egress.ts";
import * as m006 from "./006-packs.ts";
import * as m007 from "./007-cost-reservations.ts";
import * as m008 from "./008-credentials.ts";
import * as m009 from "./009-web-sessions.ts";
import * as m010 from "./010-sign-in.ts";
import * as m011 from "./011-oauth.ts";
import * as m012 from "./012-approvals.ts";
import * as m013 from "./013-run-views.ts";
import * as m014 from "./014-workspaces.ts";
import * as m015 from "./015-token-successors.ts";
import * as m016 from "./016-lost-blobs.ts";
import * as m017 from "./017-operation-faults.ts";
import * as m018 from "./018-default-managers.ts";
import * as m019 from "./019-commits-of-runs.ts";
import * as m020 from "./020-deleted-agents.ts";
import * as m021 from "./021-repository-access.ts";
import * as m022 from "./022-run-journal.ts";
import * as m023 from "./023-parked-runs.ts";
import * as m024 from "./024-kept-journals.ts";
import * as m025 from "./025-cost-of-continued-runs.ts";
import * as m026 from "./026-checks-of-runs.ts";
import * as m028 from "./028-people.ts";
import * as m029 from "./029-deliveries.ts";
import * as m030 from "./030-usage.ts";
import * as m031 from "./031-pull-reviews.ts";
import * as m032 from "./032-operators.ts";
import * as m033 from "./033-what-people-start.ts";
import * as m034 from "./034-run-filters.ts";
import * as m035 from "./035-begun-commits.ts";
import * as m036 from "./036-account-names.ts";
import * as m037 from "./037-keys-of-continued-runs.ts";
import * as m039 from "./039-run-identity.ts";
import * as m041 from "./041-run-archives.ts";
import * as m042 from "./042-runs-by-payer.ts";
import * as m043 from "./043-mcp-connections.ts";
import * as m044 from "./044-journal-archives.ts";
import * as m045 from "./045-revisions-by-commit.ts";
import * as m046 from "./046-runs-by-last-start.ts";

/** Every migration by its name, in their order. */
export const migrations: Readonly<Record<string, Migration>> = {
  "001-first-tables": m001,
  "002-withheld-refunds": m002,
  "003-prices": m003,
  "004-run-secrets": m004,
  "005-agents-egress": m005,
  "006-packs": m006,
  "007-cost-reservations": m007,
  "008-credentials": m008,
  "009-web-sessions": m009,
  "010-sign-in": m010,
  "011-oauth": m011,
  "012-approvals": m012,
  "013-run-views": m013,
  "014-workspaces": m014,
  "015-token-successors": m015,
  "016-lost-blobs": m016,
  "017-operation-faults": m017,
  "018-default-managers": m018,
  "019-commits-of-runs": m019,
  "020-deleted-agents": m020,
  "021-repository-access": m021,
  "022-run-journal": m022,
  "023-parked-runs": m023,
  "024-kept-journals": m024,
  "025-cost-of-continued-runs": m025,
  "026-checks-of-runs": m026,
  "028-people": m028,
  "029-deliveries": m029,
  "030-usage": m030,
  "031-pull-reviews": m031,
  "032-operators": m032,
  "033-what-people-start": m033,
  "034-run-filters": m034,
  "035-begun-commits": m035,
  "036-account-names": m036,
  "037-keys-of-continued-runs": m037,
  "039-run-identity": m039,
  "041-run-archives": m041,
  "042-runs-by-payer": m042,
  "043-mcp-connections": m043,
  "044-journal-archives": m044,
  "045-revisions-by-commit": m045,
  "046-runs-by-last-start": m046,
};
