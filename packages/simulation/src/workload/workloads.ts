/**
 * Workloads. `standard` is a standalone agent with static pods, `cluster` a node of a cluster with pods of the API server and static pods. In `extended`, seeds
 * enable further parts of that world, such as resizes. `nodes` has two or three nodes with an agent each, between which pods move.
 */
export const WORKLOADS = ['standard', 'cluster', 'extended', 'nodes'] as const;
export type Workload = (typeof WORKLOADS)[number];
