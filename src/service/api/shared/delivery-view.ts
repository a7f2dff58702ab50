// A job's delivery as the contract shows it. Pure.

import type * as z from "zod/mini";
import type { RunDelivery, reportedDeliverySchema } from "../../../contract/runs/delivery.ts";
import type { ReportedDelivery } from "../../core/runs/report-delivery.ts";
import type { RunDelivery as StoredDelivery } from "../../core/runs/run-record.ts";

export function toDelivery(delivery: StoredDelivery): RunDelivery {
  return delivery.state === "expected" ? { state: "expected" } : toReported(delivery);
}

export function toReported({ at, report }: ReportedDelivery): z.infer<typeof reportedDeliverySchema> {
  return { state: "reported", at: new Date(at).toISOString(), ...report };
}
