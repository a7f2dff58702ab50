// What a job delivered, as the contract shows it: the job's word, without what looks like a secret. Pure.

import type { z } from "zod/mini";
import type { RunDelivery, reportedDeliverySchema } from "../../../contract/runs/delivery.ts";
import { maskSecrets } from "../../../report/find-secrets.ts";
import type { ReportedDelivery } from "../../core/runs/report-delivery.ts";
import type { RunDelivery as StoredDelivery } from "../../core/runs/run-record.ts";

export function toDelivery(delivery: StoredDelivery): RunDelivery {
  return delivery.state === "expected" ? { state: "expected" } : toReported(delivery);
}

export function toReported({ at, report }: ReportedDelivery): z.infer<typeof reportedDeliverySchema> {
  const { title, ...others } = report;
  return { state: "reported", at: new Date(at).toISOString(), title: maskSecrets(title), ...others };
}
