/**
 * Workloads. `standard` is a standalone agent with static pods, `cluster` a node of a cluster with pods of the API server and static pods. In `extended`, seeds
 * enable further parts of that world, such as resizes.
 */
export const WORKLOADS = ['standard', 'cluster', 'extended'] as const;
export type Workload = (typeof WORKLOADS)[number];
