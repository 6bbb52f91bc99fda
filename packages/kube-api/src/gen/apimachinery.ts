// Generated from Kubernetes 1.36.2 by tools/generate/kube-api; do not edit.

/** A number, or a string that stands for one: the name of a port, or a percentage. */
export type IntOrString = number | string;

/** An amount with an optional suffix, such as `100m`, `1.5`, `64Mi`; a bare number is accepted on input. */
export type Quantity = string | number;

/** JSON of a kind this package does not know. */
export type RawExtension = unknown;
