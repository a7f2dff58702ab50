// Why an operation is not shown. Pure.

export type OperationRefusal = { readonly reason: "operation_not_found"; readonly operationId: string };
