// The keyword of an `output_schema` by which a review asks that its findings are validated. JSON Schema takes a keyword that it does
// not know for an annotation, so a service without validation takes the schema as it is. Pure.
// Why: docs/decisions/149-reviews-remember.md

/** At the schema's root: true where each item of `findings` is to be confirmed before it counts. */
export const VALIDATE_FINDINGS = "x-validate-findings";
